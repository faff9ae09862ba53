"""Who tries codes that lead nowhere has to wait: ten letters are many, and nobody gets to try many."""

from collections import OrderedDict, deque
from typing import Final

MOST: Final = 20
"""Failed tries of one player within ``WINDOW_SECONDS``."""

WINDOW_SECONDS: Final = 600.0
PLAYERS: Final = 10_000
"""Players remembered at a time, in this process."""


class Guesses:
    """Counts failed tries. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def used_up(self, player: str, now: float) -> bool:
        """Tell whether a player has to wait."""
        tries = self._failed.get(player)
        if tries is None:
            return False
        while tries and tries[0] <= now - WINDOW_SECONDS:
            tries.popleft()
        return len(tries) >= MOST

    def failed(self, player: str, now: float) -> None:
        """Note a try that led nowhere."""
        self._failed.setdefault(player, deque(maxlen=MOST)).append(now)
        self._failed.move_to_end(player)
        while len(self._failed) > PLAYERS:
            self._failed.popitem(last=False)
