"""What never reaches a log: hands, stock order, secrets, tokens.

A key that names something hidden loses its value, whatever the value is. Values of types that are not plain
are named by their type, since their text may hold anything. Texts lose passwords of URLs and bearer tokens.
What stays possible is a hidden tile in the text of a message or an exception: those texts must not be made
from hidden state.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from pathlib import PurePath
from typing import Final
from uuid import UUID

from structlog.typing import EventDict, WrappedLogger

HIDDEN: Final = "<hidden>"

HIDDEN_WORDS: Final = frozenset({
    "authorization", "credential", "credentials", "deck", "hand", "hands", "jwt", "order", "password", "seed",
    "secret", "secrets", "stock", "tile", "tiles", "token", "tokens",
})  # fmt: skip
"""A key is hidden when one of its words (split at anything that is no letter or digit) is one of these."""

HIDDEN_KEYS: Final = frozenset({"shuffle_key", "signing_key", "private_key", "dealt"})
"""Whole keys that are hidden though their words alone are not."""

_MAX_DEPTH: Final = 4
_WORDS: Final = re.compile(r"[a-z0-9]+")
_URL_PASSWORD: Final = re.compile(r"(?P<head>[a-zA-Z][\w+.-]*://[^\s:/@]*):[^\s/@]+@")
_BEARER: Final = re.compile(r"(?i)\bbearer\s+[\w.~+/=-]+")
_JWT: Final = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*")


def is_hidden_key(key: str) -> bool:
    """Whether the value under ``key`` may never be logged."""
    lowered = key.lower()
    return lowered in HIDDEN_KEYS or not HIDDEN_WORDS.isdisjoint(_WORDS.findall(lowered))


def scrub_text(text: str) -> str:
    """Remove passwords of URLs, bearer tokens and JSON web tokens from a text."""
    if "://" in text:
        text = _URL_PASSWORD.sub(rf"\g<head>:{HIDDEN}@", text)
    if "earer" in text or "EARER" in text:
        text = _BEARER.sub(f"Bearer {HIDDEN}", text)
    if "eyJ" in text:
        text = _JWT.sub(HIDDEN, text)
    return text


def scrub_value(value: object, depth: int = 0) -> object:
    """Make ``value`` fit for a log: plain values stay, containers are searched, the rest becomes its type."""
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return scrub_text(value)
    if isinstance(value, UUID | PurePath):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, BaseException):
        return scrub_text(f"{type(value).__name__}: {value}")
    if depth < _MAX_DEPTH and isinstance(value, Mapping):
        return {str(key): _scrub_item(str(key), item, depth) for key, item in value.items()}
    if depth < _MAX_DEPTH and isinstance(value, list | tuple | AbstractSet):
        return [scrub_value(item, depth + 1) for item in value]
    return f"<{type(value).__name__}>"


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Structlog processor: apply the rules of this module to every key of an event."""
    return {key: _scrub_item(key, value, 0) for key, value in event.items()}


def _scrub_item(key: str, value: object, depth: int) -> object:
    return HIDDEN if is_hidden_key(key) else scrub_value(value, depth + 1)
