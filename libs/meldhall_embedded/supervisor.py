"""Several child processes, started in order, restarted when they crash, stopped in reverse order."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall_embedded.errors import StartFailed
from meldhall_embedded.processes import ChildProcess, OutputSink, ProcessSpec

STABLE_AFTER: Final = 30.0
"""Seconds that a process has to run for its crashes to be forgotten."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds to wait before a restart: doubled at every crash in a row, from ``first`` up to ``most``."""

    first: float = 0.2
    most: float = 10.0

    def after(self, crashes: int) -> float:
        """Return the wait after so many crashes in a row."""
        return min(self.first * 2.0 ** min(max(crashes - 1, 0), 30), self.most)


class Supervisor:
    """Keeps a list of processes running until it is stopped.

    A process that ends by itself is started again, however often, with a wait that grows to a bound; the
    others are left alone.
    """

    def __init__(
        self, logger: FilteringBoundLogger, sink: OutputSink | None = None, backoff: Backoff | None = None
    ) -> None:
        self._logger = logger
        self._sink = sink
        self._backoff = backoff or Backoff()
        self._children: dict[str, ChildProcess] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._restarts: dict[str, int] = {}

    @property
    def children(self) -> dict[str, ChildProcess]:
        """The processes by name, in the order of their start."""
        return dict(self._children)

    @property
    def restarts(self) -> dict[str, int]:
        """How often each process was restarted."""
        return dict(self._restarts)

    async def start(self, specs: Sequence[ProcessSpec]) -> None:
        """Start processes one after another, each when the one before is ready, and watch them from then on.

        Raises:
            StartFailed: one did not come up; those already started are stopped.
        """
        for spec in specs:
            child = ChildProcess(spec, self._sink)
            try:
                await child.start()
            except BaseException:
                await self.stop()
                raise
            self._children[spec.name] = child
            self._restarts[spec.name] = 0
            self._watchers[spec.name] = asyncio.create_task(self._watch(child))
            self._logger.info("process_started", process=spec.name, pid=child.pid)

    async def stop(self) -> None:
        """Stop everything in reverse order of the start; a second call is a no-op."""
        for name in reversed(list(self._children)):
            # The watcher first, or it would start the process again.
            watcher = self._watchers.pop(name)
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)
            child = self._children.pop(name)
            await child.stop()
            self._logger.info("process_stopped", process=name, status=child.returncode)

    async def _watch(self, child: ChildProcess) -> None:
        loop = asyncio.get_running_loop()
        name = child.spec.name
        crashes = 0
        while True:
            since = loop.time()
            status = await child.wait()
            crashes = 1 if loop.time() - since > STABLE_AFTER else crashes + 1
            pause = self._backoff.after(crashes)
            self._logger.warning(
                "process_ended", process=name, status=status, crashes=crashes, restart_in=pause
            )
            # What it started may still hold its port.
            await child.kill()
            await asyncio.sleep(pause)
            self._restarts[name] += 1
            try:
                await child.start()
            except StartFailed as error:
                self._logger.warning("process_restart_failed", process=name, reason=error.reason)
                continue
            self._logger.info("process_restarted", process=name, pid=child.pid)
