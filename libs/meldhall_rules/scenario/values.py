"""Reading the values of a scenario: the type is checked, and a fault names the place.

YAML gives untyped values; everything behind this module is typed.
"""

import reprlib
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from meldhall_rules.scenario.faults import Fault

T = TypeVar("T")

Reader = Callable[[str, object], T]
"""Reads the value at a place: ``reader(place, value)``."""

LARGEST: Final = 10**18
"""Numbers beyond it are no points, stakes or seeds of anybody."""


def shown(value: object) -> str:
    """Write a value for a fault, cut short."""
    return reprlib.repr(value)


def integer(place: str, value: object) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Fault(place, f"{shown(value)} is not a whole number")
    if abs(value) > LARGEST:
        raise Fault(place, f"{shown(value)} is too large")
    return value


def at_least(least: int, most: int = LARGEST) -> Reader[int]:
    """Make a reader of whole numbers within bounds."""

    def read(place: str, value: object) -> int:
        number = integer(place, value)
        if not least <= number <= most:
            bounds = f"{least} or more" if most == LARGEST else f"from {least} to {most}"
            raise Fault(place, f"{number} is not {bounds}")
        return number

    return read


def boolean(place: str, value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise Fault(place, f"{shown(value)} is not true or false")
    return value


def text(place: str, value: object) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise Fault(place, f"{shown(value)} is not a text")
    return value


def one_of(*choices: str) -> Reader[str]:
    """Make a reader of one of some words."""

    def read(place: str, value: object) -> str:
        word = text(place, value)
        if word not in choices:
            raise Fault(place, f"{shown(word)} is not one of {', '.join(choices)}")
        return word

    return read


def or_null(reader: Reader[T]) -> Reader[T | None]:
    """Make a reader that reads null as None."""

    def read(place: str, value: object) -> T | None:
        return None if value is None else reader(place, value)

    return read


def listed(reader: Reader[T], length: int | None = None) -> Reader[tuple[T, ...]]:
    """Make a reader of lists, of a length where one is given."""

    def read(place: str, value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Fault(place, f"{shown(value)} is not a list")
        if length is not None and len(value) != length:
            raise Fault(place, f"{len(value)} values, not {length}")
        return tuple(reader(f"{place}[{at}]", item) for at, item in enumerate(value))

    return read


def mapping(place: str, value: object, keys: frozenset[str]) -> Mapping[str, object]:
    """Read a mapping that has no other keys than these."""
    if not isinstance(value, dict):
        raise Fault(place, f"{shown(value)} is not a mapping")
    for key in value:
        if not isinstance(key, str) or key not in keys:
            raise Fault(place, f"unknown key {shown(key)}, known are {', '.join(sorted(keys))}")
    return value


def free_mapping(place: str, value: object) -> Mapping[str, object]:
    """Read a mapping whose keys are any texts."""
    if not isinstance(value, dict):
        raise Fault(place, f"{shown(value)} is not a mapping")
    for key in value:
        if not isinstance(key, str):
            raise Fault(place, f"key {shown(key)} is not a text")
    return value


def by_seat(reader: Reader[T], seats: int) -> Reader[Mapping[int, T]]:
    """Make a reader of mappings from seats, or teams, to values."""

    def read(place: str, value: object) -> Mapping[int, T]:
        if not isinstance(value, dict):
            raise Fault(place, f"{shown(value)} is not a mapping by seat")
        for seat in value:
            if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < seats:
                raise Fault(place, f"{shown(seat)} is not a seat from 0 to {seats - 1}")
        return {seat: reader(f"{place}[{seat}]", item) for seat, item in value.items()}

    return read
