"""The alarms of all tables of an engine: one heap, and one task that sleeps until the first of them.

A table that waits costs an entry here and no task. An alarm that is taken back stays in the heap until its
time comes, or until most of the heap is such alarms and they are thrown out together.
"""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

from meldhall_runtime.clock import Clock

LEAST_TO_CLEAR: Final = 1_000
"""Alarms that were taken back, below which it is not worth throwing them out."""


class Alarm:
    """An alarm that was set. It rings once, unless it is taken back first."""

    __slots__ = ("_alarms", "ring")

    def __init__(self, alarms: "Alarms", ring: Callable[[], None]) -> None:
        self._alarms = alarms
        self.ring: Callable[[], None] | None = ring

    def cancel(self) -> None:
        """Do not ring. A second call, or one after it rang, does nothing."""
        if self.ring is not None:
            self.ring = None
            self._alarms.taken_back()


class Alarms:
    """Rings alarms at their times, Unix milliseconds, in order. What rings must neither wait nor raise."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[int, int, Alarm]] = []
        self._order = count()
        self._taken_back = 0
        self._sleeper: asyncio.Task[None] | None = None
        self._sleeps_until = 0

    def __len__(self) -> int:
        """Return how many alarms are set."""
        return len(self._heap) - self._taken_back

    def set(self, at_ms: int, ring: Callable[[], None]) -> Alarm:
        """Have something called at a time, or soon where that is past."""
        alarm = Alarm(self, ring)
        heapq.heappush(self._heap, (at_ms, next(self._order), alarm))
        if self._sleeper is None or at_ms < self._sleeps_until:
            self._sleep_anew(at_ms)
        return alarm

    def close(self) -> None:
        """Ring no more."""
        self._heap.clear()
        self._taken_back = 0
        if self._sleeper is not None:
            self._sleeper.cancel()
            self._sleeper = None

    def taken_back(self) -> None:
        """Count an alarm that will not ring; an alarm calls this itself."""
        self._taken_back += 1
        if self._taken_back >= LEAST_TO_CLEAR and self._taken_back * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].ring is not None]
            heapq.heapify(self._heap)
            self._taken_back = 0

    def _sleep_anew(self, until_ms: int) -> None:
        if self._sleeper is not None:
            self._sleeper.cancel()
        self._sleeps_until = until_ms
        self._sleeper = asyncio.create_task(self._run(), name="alarms")

    async def _run(self) -> None:
        while self._heap:
            at_ms = self._heap[0][0]
            left = at_ms - self._clock.now_ms()
            if left > 0 and self._heap[0][2].ring is not None:
                self._sleeps_until = at_ms
                await self._clock.sleep(left / 1000)
                continue
            # Alarms that this one sets, however early, are seen by this very loop.
            self._sleeps_until = 0
            self._ring(heapq.heappop(self._heap)[2])
        self._sleeper = None

    def _ring(self, alarm: Alarm) -> None:
        ring, alarm.ring = alarm.ring, None
        if ring is None:
            self._taken_back -= 1
        else:
            ring()
