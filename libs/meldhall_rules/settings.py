"""Reading the options of a game: flags, counts and choices by name, each in a canonical text form.

A game declares its options as a frozen dataclass with defaults; a ``bool`` is a flag, a ``StrEnum`` a choice,
an ``int`` a count and an ``int | None`` a count that may be ``unlimited``. What comes in is a value or its
text form, so that what ``canonical`` wrote is read back; what is absent is the default, so that what was
written before an option existed is read as the game that it was.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, Protocol, TypeVar

from meldhall_rules.rejections import Code, Rejection

UNLIMITED: Final = "unlimited"

_FLAGS: Final = {"true": True, "false": False}
_COUNT: Final = re.compile(r"0|[1-9][0-9]{0,5}")
_LARGEST: Final = 999_999


class Declared(Protocol):
    """A dataclass of options."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=Declared)


def parse(kind: type[T], game: str, given: Mapping[str, object]) -> T | Rejection:
    """Read options by name; ``UNKNOWN_OPTION`` names the option or the value that the game does not have.

    Args:
        kind: the dataclass of the options.
        game: its name, for the refusal.
        given: some of the options, each as a value or as text.
    """
    known = {field.name: field.default for field in fields(kind)}
    values: dict[str, object] = {}
    for name in sorted(given):
        if name not in known:
            return Rejection(Code.UNKNOWN_OPTION, f"{game} has no option {name!r}")
        default = known[name]
        unlimited = default is None and (given[name] is None or given[name] == UNLIMITED)
        try:
            values[name] = None if unlimited else _read(given[name], default)
        except ValueError as error:
            return Rejection(Code.UNKNOWN_OPTION, f"{name} is {given[name]!r}, {error}")
    return kind(**values)


def canonical(options: Declared) -> dict[str, str]:
    """Return all options in their text form, in the order of their names."""
    return {name: _written(getattr(options, name)) for name in _names(type(options))}


@cache
def _names(kind: type[Declared]) -> tuple[str, ...]:
    return tuple(sorted(field.name for field in fields(kind)))


def from_canonical(kind: type[T], game: str, text: Mapping[str, str]) -> T:
    """Read the text form back.

    Raises:
        ValueError: for a text that ``canonical`` did not write.
    """
    options = parse(kind, game, text)
    if isinstance(options, Rejection):
        raise ValueError(options.detail)  # noqa: TRY004 - a value that cannot be, not a wrong type
    return options


def _read(value: object, default: object) -> object:
    """Read a value of the sort that a default is of."""
    if isinstance(default, bool):
        return _flag(value)
    if isinstance(default, StrEnum):
        return _choice(value, type(default))
    return _count(value)


def _choice(value: object, kind: type[StrEnum]) -> StrEnum:
    if isinstance(value, str) and value in set(kind):
        return kind(value)
    raise ValueError(f"not one of {', '.join(kind)}")


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _FLAGS:
        return _FLAGS[value]
    raise ValueError("not true or false")


def _count(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
        return value
    if isinstance(value, str) and _COUNT.fullmatch(value):
        return int(value)
    raise ValueError("not a count")


def _written(value: object) -> str:
    if value is None:
        return UNLIMITED
    return str(value).lower()
