"""When a table's state is kept, so that whoever reads it back next has little to read."""

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.store import EventLog
from meldhall_table.domain.state import Table
from meldhall_table.metrics import TableMetrics
from meldhall_table.store.snapshot import write_snapshot

LEAST_EVENTS: Final = 16
"""Events since the last snapshot below which reading them is as quick as reading a snapshot."""

AT_ONCE: Final = 4
"""Snapshots that are written at the same time; tables that are played go first."""


class Kept(Protocol):
    """A live table that knows how much has happened since its last snapshot."""

    table: Table
    unsaved: int


class Snapshots:
    """Writes snapshots. Nothing depends on them, so that one that fails is counted and forgotten.

    Args:
        log: where they go.
        every: events after which a table in play is kept; 0: only when it leaves this engine.
        metrics: what is counted.
        logger: hears of failures.
    """

    def __init__(self, log: EventLog, every: int, metrics: TableMetrics, logger: BoundLogger) -> None:
        self._log = log
        self._every = every
        self._metrics = metrics
        self._logger = logger
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def after_step(self, kept: Kept) -> None:
        """Keep a table in the background if enough has happened."""
        if self._every and kept.unsaved >= self._every:
            self.keep_soon(kept)

    def keep_soon(self, kept: Kept) -> None:
        """Keep a table in the background, if that is worth it."""
        if kept.unsaved >= LEAST_EVENTS:
            task = asyncio.create_task(self._keep(kept), name="snapshot")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def keep_all(self, all_kept: Iterable[Kept]) -> None:
        """Keep those tables for which it is worth it."""
        await asyncio.gather(*(self._keep(kept) for kept in all_kept if kept.unsaved >= LEAST_EVENTS))

    async def close(self) -> None:
        """Wait for what is being written."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _keep(self, kept: Kept) -> None:
        # Events that come while this waits belong to the next one.
        unsaved, kept.unsaved = kept.unsaved, 0
        async with self._gate:
            try:
                await write_snapshot(self._log, kept.table)
            except EventLogError as error:
                kept.unsaved += unsaved
                self._metrics.snapshots.labels("failed").inc()
                self._logger.warning(
                    "snapshot_failed", table_id=kept.table.table_id, error=type(error).__name__
                )
            else:
                self._metrics.snapshots.labels("written").inc()
