"""One object for equal values that many tables have: options, times, formats, tiles as they lie."""

from functools import lru_cache
from typing import Final, TypeVar

T = TypeVar("T")

KEPT: Final = 16_384
"""Values at most; those that nobody asked for longest are forgotten first, and then there are two of them."""


@lru_cache(maxsize=KEPT)
def shared(value: T) -> T:
    """Return the equal value that was seen first. Only for immutable ones."""
    return value
