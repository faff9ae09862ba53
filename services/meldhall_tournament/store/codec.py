"""Events as rows: the name of the class and its fields as JSON, so that plain SQL can read them.

Names of classes and fields are what lies in databases and never change. A field that is added has a default;
a row without it is read with that. Bytes are hexadecimal.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import lru_cache
from types import GenericAlias
from typing import Any, Final, get_args, get_origin, get_type_hints

from meldhall_tournament.domain import events as e

TYPES: Final[Mapping[str, type]] = {kind.__name__: kind for kind in get_args(e.Event)}


def encode(event: e.Event) -> tuple[str, str]:
    """Return an event's type and payload; equal events give equal text."""
    return type(event).__name__, json.dumps(_plain(event), sort_keys=True, separators=(",", ":"))


def decode(name: str, payload: str) -> e.Event:
    """Read an event.

    Raises:
        ValueError: this version does not know it.
    """
    kind = TYPES.get(name)
    if kind is None:
        raise ValueError(f"there is no event {name!r}")
    event: e.Event = _typed(kind, json.loads(payload))
    return event


def fingerprint(command: object) -> str:
    """Return what tells two commands apart."""
    return json.dumps([type(command).__name__, _plain(command)], sort_keys=True)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(kind: Any, value: Any) -> Any:
    if isinstance(kind, GenericAlias) or get_origin(kind) is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return tuple(_typed(inner[0], one) for one in value)
        return tuple(_typed(one, each) for one, each in zip(inner, value, strict=True))
    if is_dataclass(kind):
        hints = _hints(kind)  # type: ignore[arg-type]  # a class, not an instance
        return kind(**{name: _typed(hints[name], one) for name, one in value.items()})  # type: ignore[operator]
    if kind is bytes:
        return bytes.fromhex(value)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(value)
    return value
