"""One consumer's work on single deliveries: apply, fill gaps, stop a partition on poison.

A partition is one stream of events (a table, a ticket, a tournament). When an event of it is poison, the
partition stops: the poison delivery stays unacknowledged and comes again every ``poison_retry`` seconds for
as long as the stream keeps it, and later events of the partition are acknowledged without being applied. That
loses nothing: when the poison delivery is applied at last, everything after it is read from the owner of the
stream. The same reading follows every delivery that is not a first one, so it also happens in a process that
knows nothing of an earlier stop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from structlog.contextvars import bound_contextvars
from structlog.typing import FilteringBoundLogger

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_messaging.bus import Delivery
from meldhall_messaging.envelope import decode
from meldhall_messaging.errors import (
    GapFound,
    GapNotFilled,
    InvalidSubject,
    PoisonMessage,
    UndecodableMessage,
)
from meldhall_messaging.metrics import MessagingMetrics
from meldhall_messaging.subjects import Subject

Handler = Callable[[EventEnvelope], Awaitable[None]]
"""Applies one event and its position in one transaction, committed on return; see ``position.admit``."""

ReadMissing = Callable[[str, int], Awaitable[Sequence[EventEnvelope]]]
"""Takes a stream's id and a sequence; returns a page of the public events after it, from their owner."""

MAX_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """How a consumer works. Times are in seconds.

    A failed event is tried again after ``retry_first``, doubled each time up to ``retry_most``; after
    ``max_attempts`` deliveries it counts as poison. ``handler_timeout`` bounds one call of the handler.
    ``concurrency`` partitions are worked on at once. ``fetch_wait`` (at most a second) bounds how long an
    idle consumer takes to stop.
    """

    batch: int = 64
    concurrency: int = 8
    fetch_wait: float = 1.0
    handler_timeout: float = 60.0
    retry_first: float = 0.5
    retry_most: float = 30.0
    max_attempts: int = MAX_ATTEMPTS
    poison_retry: float = 60.0

    def retry_after(self, attempt: int) -> float:
        """Return the wait after so many deliveries of an event."""
        return min(self.retry_first * 2.0 ** min(attempt - 1, 20), self.retry_most)


class Outcome(StrEnum):
    """What became of a delivery."""

    APPLIED = "applied"
    RETRIED = "retried"
    POISON = "poison"
    COVERED = "covered"


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a partition stands still. ``sequence`` is the poison event's, 0 when its message cannot be read.

    ``seen`` is when its delivery last came, in the event loop's seconds.
    """

    partition: str
    sequence: int
    reason: str
    seen: float


class Partitions:
    """Works on deliveries of one consumer and remembers which partitions have stopped."""

    def __init__(
        self,
        consumer: str,
        handler: Handler,
        read_missing: ReadMissing,
        *,
        settings: ConsumerSettings,
        logger: FilteringBoundLogger,
        metrics: MessagingMetrics,
    ) -> None:
        self._consumer = consumer
        self._handler = handler
        self._read_missing = read_missing
        self._settings = settings
        self._logger = logger
        self._metrics = metrics
        self._stopped: dict[str, Stop] = {}
        metrics.partitions_stopped.labels(consumer).set(0)

    @property
    def stopped(self) -> dict[str, Stop]:
        """The partitions that stand still."""
        return dict(self._stopped)

    async def work(self, partition: str, deliveries: Sequence[Delivery]) -> None:
        """Work on deliveries of one partition, in order. After a failure the rest of them comes again too."""
        for index, delivery in enumerate(deliveries):
            outcome = await self._settle(partition, delivery)
            self._metrics.consumed.labels(self._consumer, outcome).inc()
            if outcome is Outcome.RETRIED:
                delay = self._settings.retry_after(delivery.attempt)
                for later in deliveries[index + 1 :]:
                    await later.nak(delay)
                    self._metrics.consumed.labels(self._consumer, outcome).inc()
                return

    async def look_after_stops(self, forgotten_after: float) -> None:
        """Try stopped partitions whose poison delivery comes no more, for instance after a purge."""
        now = asyncio.get_running_loop().time()
        for stop in [stop for stop in self._stopped.values() if now - stop.seen > forgotten_after]:
            await self.retry(stop.partition)

    def adopt(self, partition: str, sequence: int, reason: str) -> None:
        """Let a partition stand still that another process, or an earlier one, found to be poisoned."""
        self._stop(partition, sequence, reason)

    async def retry(self, partition: str) -> None:
        """Read a stopped partition from its owner and apply what waits; it is released where all passes."""
        stop = self._stopped.get(partition)
        if stop is None:
            return
        try:
            await self._feed(partition, max(stop.sequence - 1, 0), None)
        except _Poisoned as poisoned:
            self._stop(partition, poisoned.sequence, poisoned.reason)
        except Exception as error:  # noqa: BLE001 - whatever it is, the partition stays stopped
            self._stop(partition, stop.sequence, type(error).__name__)
        else:
            self._release(partition)

    async def _settle(self, partition: str, delivery: Delivery) -> Outcome:
        try:
            envelope = decode(delivery.data)
        except UndecodableMessage as error:
            return await self._poison(delivery, partition, 0, str(error))
        if envelope.stream_id != partition:
            reason = f"the subject {delivery.subject} is not one of stream {envelope.stream_id}"
            return await self._poison(delivery, partition, 0, reason)
        stop = self._stopped.get(partition)
        if stop is not None and envelope.sequence > stop.sequence:
            await delivery.ack()
            return Outcome.COVERED
        try:
            await self._apply(envelope)
            if delivery.attempt > 1 or stop is not None:
                await self._feed(partition, envelope.sequence, None)
        except _Poisoned as poisoned:
            return await self._poison(delivery, partition, poisoned.sequence, poisoned.reason)
        except Exception as error:  # noqa: BLE001 - an unknown failure is tried again, and not for ever
            return await self._retry(delivery, partition, envelope, error)
        if stop is not None:
            self._release(partition)
        await delivery.ack()
        return Outcome.APPLIED

    async def _apply(self, envelope: EventEnvelope) -> None:
        try:
            await self._call(envelope)
        except GapFound as gap:
            self._metrics.gaps.labels(self._consumer).inc()
            self._logger.info("gap_found", stream_id=gap.stream_id, last=gap.last, sequence=gap.sequence)
            reached = await self._feed(envelope.stream_id, gap.last, envelope.sequence - 1)
            if reached < envelope.sequence - 1:
                raise GapNotFilled(
                    f"stream {envelope.stream_id}: the owner returned events up to {reached}, "
                    f"{envelope.sequence - 1} was needed"
                ) from gap
            await self._call(envelope)

    async def _feed(self, stream_id: str, after: int, last: int | None) -> int:
        """Apply the owner's events after a sequence, up to ``last`` or all, and return the last applied."""
        while last is None or after < last:
            page = await self._read_missing(stream_id, after)
            if not page:
                break
            for envelope in page:
                if envelope.stream_id != stream_id or envelope.sequence != after + 1:
                    raise GapNotFilled(
                        f"stream {stream_id}: the owner returned {envelope.stream_id} {envelope.sequence} "
                        f"after {after}"
                    )
                if last is not None and envelope.sequence > last:
                    return after
                await self._call(envelope)
                after = envelope.sequence
        return after

    async def _call(self, envelope: EventEnvelope) -> None:
        context = {"stream_id": envelope.stream_id, "event_id": envelope.event_id}
        if envelope.traceparent:
            context["traceparent"] = envelope.traceparent
        with bound_contextvars(**context), self._metrics.handler_seconds.labels(self._consumer).time():
            try:
                async with asyncio.timeout(self._settings.handler_timeout):
                    await self._handler(envelope)
            except PoisonMessage as error:
                raise _Poisoned(envelope.sequence, str(error)) from error

    async def _retry(
        self, delivery: Delivery, partition: str, envelope: EventEnvelope, error: Exception
    ) -> Outcome:
        reason = (
            f"{type(error).__name__}: {error}" if isinstance(error, GapNotFilled) else type(error).__name__
        )
        if delivery.attempt >= self._settings.max_attempts:
            return await self._poison(
                delivery, partition, envelope.sequence, f"{reason}, {delivery.attempt} times"
            )
        delay = self._settings.retry_after(delivery.attempt)
        self._logger.warning(
            "event_retried",
            stream_id=envelope.stream_id,
            sequence=envelope.sequence,
            attempt=delivery.attempt,
            retry_in=delay,
            error=reason,
        )
        await delivery.nak(delay)
        return Outcome.RETRIED

    async def _poison(self, delivery: Delivery, partition: str, sequence: int, reason: str) -> Outcome:
        self._stop(partition, sequence, reason)
        await delivery.nak(self._settings.poison_retry)
        return Outcome.POISON

    def _stop(self, partition: str, sequence: int, reason: str) -> None:
        if partition not in self._stopped:
            self._logger.error("partition_stopped", partition=partition, sequence=sequence, reason=reason)
        now = asyncio.get_running_loop().time()
        self._stopped[partition] = Stop(partition, sequence, reason, now)
        self._metrics.partitions_stopped.labels(self._consumer).set(len(self._stopped))

    def _release(self, partition: str) -> None:
        if self._stopped.pop(partition, None) is not None:
            self._logger.info("partition_released", partition=partition)
        self._metrics.partitions_stopped.labels(self._consumer).set(len(self._stopped))


class _Poisoned(Exception):
    """The handler called an event poison; it need not be the one that was delivered."""

    def __init__(self, sequence: int, reason: str) -> None:
        super().__init__(reason)
        self.sequence = sequence
        self.reason = reason


def partition_of(subject: str) -> str:
    """Return the partition of a message: the id of its stream, or the whole subject where that has none."""
    try:
        return Subject.parse(subject).entity
    except InvalidSubject:
        return subject
