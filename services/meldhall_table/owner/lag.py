"""Watching the event loop: an engine that is too slow to serve its tables gives them to others."""

from collections.abc import Awaitable, Callable
from typing import Final

from meldhall_runtime.clock import Clock

PROBE_SECONDS: Final = 0.5
TOO_LATE: Final = 2
"""Measurements in a row above the limit after which the engine is too slow. One alone is a hiccup."""

IN_TIME: Final = 6
"""Measurements in a row well below the limit after which it is fit again."""


class LagWatch:
    """Measures how late the loop wakes a sleeper.

    Args:
        clock: a real one.
        limit_seconds: how late is too late.
        on_change: told True when the loop has become too slow, and False when it is fit again.
    """

    def __init__(
        self, clock: Clock, limit_seconds: float, on_change: Callable[[bool], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._limit = limit_seconds
        self._on_change = on_change
        self._slow = False
        self._streak = 0

    async def run(self) -> None:
        """Measure for ever."""
        while True:
            due = self._clock.monotonic() + PROBE_SECONDS
            await self._clock.sleep(PROBE_SECONDS)
            await self.measured(max(0.0, self._clock.monotonic() - due))

    async def measured(self, lag: float) -> None:
        """Take a measurement, in seconds."""
        against = lag <= self._limit / 2 if self._slow else lag > self._limit
        self._streak = self._streak + 1 if against else 0
        if self._streak < (IN_TIME if self._slow else TOO_LATE):
            return
        self._slow, self._streak = not self._slow, 0
        await self._on_change(self._slow)
