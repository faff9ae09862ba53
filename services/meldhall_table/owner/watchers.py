"""Those who watch a table: a bounded queue each, so that a slow reader never holds a table up."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from enum import StrEnum, unique

from meldhall_table.store.stream import Step


@unique
class End(StrEnum):
    """Why a watcher is sent no more."""

    SHUTDOWN = "shutdown"
    MOVED = "moved"
    TOO_SLOW = "too_slow"
    TABLE_CLOSED = "table_closed"
    LOST = "lost"


async def _nowhere() -> str:
    return ""


class Watcher:
    """The queue of one viewer.

    Args:
        limit: how many steps may wait; with one more the viewer is too slow.
        forget: takes the watcher off its table.
        new_address: after ``End.MOVED``: waits a moment until it is known where the table is served now, and
            returns host:port, or nothing.

    ``news`` is set when there is something to poll; whoever polls clears it first.
    """

    def __init__(
        self,
        limit: int,
        forget: Callable[["Watcher"], None],
        new_address: Callable[[], Awaitable[str]] = _nowhere,
    ) -> None:
        self._limit = limit
        self._forget = forget
        self._steps: deque[Step] = deque()
        self._end: End | None = None
        self.news = asyncio.Event()
        self.new_address = new_address

    def offer(self, step: Step) -> None:
        """Put a step into the queue; called by the table, never waits."""
        if self._end is not None:
            return
        if len(self._steps) >= self._limit:
            self._steps.clear()
            self.end(End.TOO_SLOW)
            return
        self._steps.append(step)
        self.news.set()

    def end(self, reason: End) -> None:
        """Send what waits and then no more. The first reason is kept."""
        self._end = self._end or reason
        self._forget(self)
        self.news.set()

    def poll(self) -> Step | End | None:
        """Return the next step, or the end; None: nothing waits."""
        return self._steps.popleft() if self._steps else self._end

    async def next(self) -> Step | End:
        """Wait for the next step, or for the end."""
        while (news := self.poll()) is None:
            self.news.clear()
            await self.news.wait()
        return news

    def close(self) -> None:
        """Stop watching."""
        self._steps.clear()
        self.end(self._end or End.LOST)
