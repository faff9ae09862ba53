"""Identifiers as a port: whoever makes something new is given an ``Ids``."""

import secrets
from typing import Final, Protocol
from uuid import UUID

from meldhall_runtime.clock import Clock

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: no i, l, o, u, so that an id can be read out over the telephone."""

SORTABLE_LENGTH: Final = 26
_SORTABLE_BITS: Final = 128
_TIME_BITS: Final = 48


class Ids(Protocol):
    """Makes identifiers that nobody has had before."""

    def event_id(self) -> UUID:
        """An id for an event, a posting or a command: a UUID that sorts by time (version 7, RFC 9562)."""
        ...

    def table_id(self) -> str:
        """An id for a table, a match or a ticket: 26 characters of ``ALPHABET`` that sort by time."""
        ...


def encode_sortable(number: int) -> str:
    """Write a 128-bit number as 26 characters of ``ALPHABET``, so that text order is number order.

    Raises:
        ValueError: ``number`` does not fit in 128 bits.
    """
    if not 0 <= number < 1 << _SORTABLE_BITS:
        raise ValueError(f"{number} does not fit in {_SORTABLE_BITS} bits")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_table_id(text: str) -> bool:
    """Whether ``text`` has the form of ``Ids.table_id``."""
    return (
        len(text) == SORTABLE_LENGTH and text[0] in "01234567" and all(letter in ALPHABET for letter in text)
    )


class SystemIds:
    """Ids from the clock's milliseconds and the operating system's randomness."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def event_id(self) -> UUID:
        """A version 7 UUID: 48 bits of time, 74 of chance."""
        number = self._now() << 80 | secrets.randbits(80)
        number = number & ~(0xF << 76) | 0x7 << 76
        return UUID(int=number & ~(0b11 << 62) | 0b10 << 62)

    def table_id(self) -> str:
        """48 bits of time, 80 of chance."""
        return encode_sortable(self._now() << 80 | secrets.randbits(80))

    def _now(self) -> int:
        return self._clock.now_ms() & (1 << _TIME_BITS) - 1
