"""What lives as long as a service: things to close, and background tasks that must not end before."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from prometheus_client import Gauge
from structlog.stdlib import BoundLogger

CLOSE_SECONDS: Final = 10.0
"""Time for one closer. One that hangs must not keep the others from closing."""

Closer = Callable[[], Awaitable[None]]
OnFailure = Callable[[str, BaseException | None], None]


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    name: str
    close: Closer


class Lifetime:
    """Closes in reverse order of creation, background tasks included.

    Args:
        log: Where faults while closing go.
        on_failure: Told when a background task fails or ends though it should not.
        running: Gauge of background tasks.
    """

    def __init__(self, log: BoundLogger, on_failure: OnFailure, running: Gauge) -> None:
        self._log = log
        self._on_failure = on_failure
        self._running = running
        self._entries: list[_Entry] = []
        self._closing = False

    def on_close(self, name: str, close: Closer) -> None:
        """Close this after everything that is added later."""
        self._entries.append(_Entry(name, close))

    def spawn(self, name: str, work: Coroutine[Any, Any, None], *, may_end: bool) -> asyncio.Task[None]:
        """Run ``work`` until it is this entry's turn to be closed. An unexpected end is reported."""
        task = asyncio.get_running_loop().create_task(self._supervise(name, work, may_end=may_end), name=name)
        entry = _Entry(name, lambda: _cancel(task))
        self._entries.append(entry)
        self._running.inc()
        task.add_done_callback(lambda _task: self._forget(entry, work))
        return task

    async def close(self) -> bool:
        """Close everything; tell whether all of it went well."""
        self._closing = True
        clean = True
        while self._entries:
            entry = self._entries.pop()
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await entry.close()
            except Exception:  # noqa: BLE001 - the rest must be closed whatever this one raised
                self._log.exception("close_failed", what=entry.name)
                clean = False
        return clean

    def _forget(self, entry: _Entry, work: Coroutine[Any, Any, None]) -> None:
        work.close()  # for a task that was cancelled before its first step
        self._running.dec()
        if entry in self._entries:
            self._entries.remove(entry)

    async def _supervise(self, name: str, work: Coroutine[Any, Any, None], *, may_end: bool) -> None:
        try:
            await work
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self._on_failure(f"background task {name} was cancelled from inside", error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the service and is logged
            self._on_failure(f"background task {name} failed", error)
        else:
            if not may_end and not self._closing:
                self._on_failure(f"background task {name} ended", None)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
