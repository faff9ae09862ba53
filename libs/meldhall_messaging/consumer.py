"""A durable consumer: fetches, keeps each partition's order, and comes back from anything by itself."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall_messaging._stopbook import StopBook
from meldhall_messaging.bus import Bus, Delivery, Subscription
from meldhall_messaging.errors import BusUnavailable, MessagingError, PartitionsStopped
from meldhall_messaging.metrics import MessagingMetrics
from meldhall_messaging.partition import (
    ConsumerSettings,
    Handler,
    Partitions,
    ReadMissing,
    Stop,
    partition_of,
)
from meldhall_messaging.stops import StopStore
from meldhall_messaging.streams import ConsumerSpec

ENSURE_AFTER_IDLE: Final = 10.0
FIRST_CONNECTION: Final = 1.0
FIRST_WAIT: Final = 0.1
LONGEST_WAIT: Final = 2.0


class Consumer:
    """Calls a handler for every public event of some areas, each stream's events in order, at least once.

    A delivery is acknowledged when the handler has returned, so after its transaction. The handler stores the
    sequence that it applied with its effect and asks ``position.admit`` first; with that every event counts
    exactly once, whatever is delivered twice, late or not at all.

    Args:
        bus: Where the events come from.
        spec: The durable consumer, made when it is not there.
        handler: Applies one event. It raises ``GapFound`` for missing events, ``PoisonMessage`` for an event
        that
            no retry can help, and anything else to be tried again.
        read_missing: Reads a stream's public events from their owner.
        logger: For gaps, retries and stops.
        metrics: Counters of this process.
        settings: Batch, concurrency and times.
        stops: Where stopped partitions are written down; None: nowhere.
        now_ms: Unix time in milliseconds, for when a partition stopped.
    """

    def __init__(
        self,
        bus: Bus,
        spec: ConsumerSpec,
        handler: Handler,
        read_missing: ReadMissing,
        *,
        logger: FilteringBoundLogger,
        metrics: MessagingMetrics,
        settings: ConsumerSettings | None = None,
        stops: StopStore | None = None,
        now_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self._bus = bus
        self._spec = spec
        self._settings = settings or ConsumerSettings()
        self._logger = logger.bind(consumer=spec.durable)
        self._partitions = Partitions(
            spec.durable, handler, read_missing, settings=self._settings, logger=self._logger, metrics=metrics
        )
        self._book = (
            StopBook(stops, spec.durable, self._partitions, now_ms=now_ms, logger=self._logger)
            if stops is not None
            else None
        )
        self._stopping = asyncio.Event()
        self._limit = asyncio.Semaphore(self._settings.concurrency)
        self._fault = "the consumer has not begun"

    @property
    def stopped_partitions(self) -> dict[str, Stop]:
        """The partitions that stand still because of poison, by stream id."""
        return self._partitions.stopped

    async def run(self) -> None:
        """Consume until ``stop()``. Returns after the deliveries that are being worked on."""
        failures = 0
        await self._bus.wait_connected(FIRST_CONNECTION)
        while not self._stopping.is_set():
            try:
                subscription = await self._bind()
                failures = 0
                self._fault = ""
                try:
                    await self._consume(subscription)
                finally:
                    await subscription.close()
            except MessagingError as error:
                failures += 1
                await self._wait_after(error, failures)

    def stop(self) -> None:
        """Let ``run()`` return soon."""
        self._stopping.set()

    async def check_ready(self) -> None:
        """Return when the consumer can get events, for a readiness check; stopped partitions do not matter.

        Raises:
            BusUnavailable: it cannot.
        """
        if self._fault:
            raise BusUnavailable(f"consumer {self._spec.durable}: {self._fault}")

    async def check_partitions(self) -> None:
        """Return when no partition stands still, for the detail of a readiness page; it must not block it.

        Raises:
            PartitionsStopped: some do; names the first few.
        """
        stopped = self._partitions.stopped
        if stopped:
            raise PartitionsStopped(self._spec.durable, sorted(stopped))

    async def _wait_after(self, error: MessagingError, failures: int) -> None:
        fault = f"{type(error).__name__}: {error}"
        if fault != self._fault:
            self._logger.warning("consumer_failed", failures=failures, error=fault)
        self._fault = fault
        seconds = min(FIRST_WAIT * 2.0 ** min(failures - 1, 10), LONGEST_WAIT)
        if self._bus.connected:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)
        else:
            # Not a moment longer than the outage.
            await self._bus.wait_connected(seconds)

    async def _bind(self) -> Subscription:
        await self._bus.ensure_stream()
        await self._bus.ensure_consumer(self._spec)
        return await self._bus.subscribe(self._spec.durable)

    async def _consume(self, subscription: Subscription) -> None:
        loop = asyncio.get_running_loop()
        ensured = loop.time()
        while not self._stopping.is_set():
            if self._book is not None:
                await self._book.compare()
            batch = await subscription.fetch(self._settings.batch, self._settings.fetch_wait)
            if batch:
                await self._work(batch)
            elif loop.time() - ensured > ENSURE_AFTER_IDLE and self._bus.connected:
                # A consumer that vanished with its stream gives no messages and, at times, no error either.
                await self._bus.ensure_stream()
                await self._bus.ensure_consumer(self._spec)
                ensured = loop.time()
            await self._partitions.look_after_stops(3 * self._settings.poison_retry + self._spec.ack_wait)

    async def _work(self, batch: Sequence[Delivery]) -> None:
        partitions: dict[str, list[Delivery]] = {}
        for delivery in batch:
            partitions.setdefault(partition_of(delivery.subject), []).append(delivery)
        alive = asyncio.create_task(self._keep_alive(batch))
        try:
            async with asyncio.TaskGroup() as group:
                for partition, deliveries in partitions.items():
                    group.create_task(self._work_on(partition, deliveries))
        finally:
            alive.cancel()

    async def _work_on(self, partition: str, deliveries: Sequence[Delivery]) -> None:
        async with self._limit:
            await self._partitions.work(partition, deliveries)

    async def _keep_alive(self, batch: Sequence[Delivery]) -> None:
        """Ask the server to wait while the batch is worked on."""
        while True:
            await asyncio.sleep(self._spec.ack_wait / 3)
            for delivery in batch:
                await delivery.in_progress()
