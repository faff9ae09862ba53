"""Keeps the stops that a consumer knows and those that are written down the same."""

import time
from collections.abc import Callable
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall_eventlog.errors import EventLogError
from meldhall_messaging.partition import Partitions, Stop
from meldhall_messaging.stops import StopStore, StoredStop

COMPARE_EVERY: Final = 1.0
"""Seconds."""


class StopBook:
    """Compares, about once a second, what one process of a consumer knows with what is written down.

    A stop that another process found is taken over. One that somebody crossed out, here or elsewhere, is
    tried: a partition is only ever released by having applied everything up to its end.
    """

    def __init__(
        self,
        store: StopStore,
        consumer: str,
        partitions: Partitions,
        *,
        now_ms: Callable[[], int],
        logger: FilteringBoundLogger,
    ) -> None:
        self._store = store
        self._consumer = consumer
        self._partitions = partitions
        self._now_ms = now_ms
        self._logger = logger
        self._written: dict[str, StoredStop] = {}
        self._next = 0.0
        self._unreachable = False

    async def compare(self) -> None:
        """Compare when it is time to. A database that is away is no reason to stop consuming."""
        if time.monotonic() < self._next:
            return
        try:
            await self._compare()
            self._unreachable = False
        except EventLogError as error:
            if not self._unreachable:
                self._logger.warning("stops_not_written", error=type(error).__name__)
            self._unreachable = True
        self._next = time.monotonic() + COMPARE_EVERY

    async def _compare(self) -> None:
        stored = {stop.partition: stop for stop in await self._store.listed(self._consumer)}
        for partition, stop in stored.items():
            if partition not in self._partitions.stopped and partition not in self._written:
                self._partitions.adopt(partition, stop.sequence, stop.reason)
        for partition, stop in stored.items():
            if stop.retry:
                await self._partitions.retry(partition)
        for partition in self._written.keys() - stored.keys():
            await self._partitions.retry(partition)
        await self._write(stored)

    async def _write(self, stored: dict[str, StoredStop]) -> None:
        known = self._partitions.stopped
        for partition in stored.keys() - known.keys():
            await self._store.remove(self._consumer, partition)
        self._written = {partition: self._stored(stop) for partition, stop in known.items()}
        for partition, stop in self._written.items():
            there = stored.get(partition)
            if there is None or (there.sequence, there.reason) != (stop.sequence, stop.reason):
                await self._store.record(stop)
            if there is not None and there.retry:
                await self._store.retried(self._consumer, partition)

    def _stored(self, stop: Stop) -> StoredStop:
        return StoredStop(
            self._consumer, stop.partition, stop.sequence, stop.reason, self._now_ms(), retry=False
        )
