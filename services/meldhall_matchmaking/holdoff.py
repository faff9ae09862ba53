"""Leaves a kind of table alone for a while when it could not be opened."""

from typing import Final

from meldhall_matchmaking.domain.ticket import Wish

FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 4.0


class HoldOff:
    """Pauses by wish, twice as long after each failure in a row.

    By wish, so that one that the table service refuses for good does not keep the others waiting.
    """

    def __init__(self) -> None:
        self._failures: dict[Wish, int] = {}
        self._until: dict[Wish, float] = {}

    def failed(self, wish: Wish, now: float) -> None:
        """Note a failure at a time of the monotonic clock, in seconds."""
        failures = self._failures.get(wish, 0)
        self._failures[wish] = failures + 1
        # Bounded before the power is taken: an outage may last for days.
        self._until[wish] = now + min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(failures, 16))

    def succeeded(self, wish: Wish) -> None:
        """Forget the failures of a wish."""
        self._failures.pop(wish, None)
        self._until.pop(wish, None)

    def holds(self, wish: Wish, now: float) -> bool:
        """Whether a wish is to be left alone now."""
        return now < self._until.get(wish, now)
