"""The relay: publishes the public events of a log, in commit order, for as long as it takes.

The log is the truth and JetStream a copy for distribution. A window of events is published, every
acknowledgement awaited, and only then the checkpoint moved. Whatever fails, the window is published again
from the checkpoint with the same message ids, which the stream does not store twice.

The copy may be lost: its folder deleted, or its end missing after a power cut (JetStream acknowledges before
it syncs to disk). The relay remembers at which sequence the stream stored its last event and looks there
after every connect and every ``VERIFY_EVERY`` seconds. When another message or none is there, it goes back to
the last event of its own that the stream still has, or to the start of the log. Consumers see events again,
which they are made for. A message that only expired is not a loss.

Where several processes share a log, each runs a relay and a lease says which of them works. One that slept
for longer than its lease may still publish a window when it wakes, which counts once like any other; it
cannot move a mark, since every mark is written under the lease.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_eventlog.named_leases import LeaseFence, NamedLease
from meldhall_eventlog.types import FIRST, Position, StoredEvent
from meldhall_messaging._hold import LeaseHold
from meldhall_messaging._source import Marks, RelaySource, request_rebuild
from meldhall_messaging.bus import Bus, OutboundMessage, PublishAck
from meldhall_messaging.envelope import TRACEPARENT_HEADER, encode
from meldhall_messaging.errors import BusUnavailable, MessagingError
from meldhall_messaging.metrics import MessagingMetrics

ToEnvelope = Callable[[StoredEvent], tuple[str, EventEnvelope] | None]
"""Maps a public event to its subject and envelope; None: nothing is published for it."""

RELAY_HEADER: Final = "Meldhall-Relay"
POSITION_HEADER: Final = "Meldhall-Position"
POLL: Final = 0.25
VERIFY_EVERY: Final = 30.0
WINDOW: Final = 256
FIRST_CONNECTION: Final = 1.0
FIRST_WAIT: Final = 0.1
LONGEST_WAIT: Final = 2.0
SEARCH_BACK: Final = 1000


class LeaseUncertain(MessagingError):
    """The lease may be somebody else's: nothing more is published until it is renewed."""


class RelayStopped(MessagingError):
    """An event cannot be turned into an envelope. It is not skipped: the relay waits for another program."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """The last event that a damaged stream still has: its log position and its sequence.

    ``FIRST`` and 0 where it has none.
    """

    position: Position
    sequence: int


class Relay:
    """Publishes one log's public events.

    Args:
        source: The log, which also keeps the relay's marks.
        bus: Where to publish.
        to_envelope: Maps events; it must be pure. An exception from it stops the relay.
        name: Names the marks, the metrics and the messages; unique among the relays of a stream.
        logger: For losses, failures and the stop.
        metrics: Counters of this process.
        now_ms: Unix time in milliseconds, for the age of what waits.
        lease: Says which of the relays of this name works, in the database of ``source``. None where only one
            process has the log; a second one would then cost work and nothing else.
        window: Events in flight at most.
    """

    def __init__(
        self,
        source: RelaySource,
        bus: Bus,
        to_envelope: ToEnvelope,
        *,
        name: str,
        logger: FilteringBoundLogger,
        metrics: MessagingMetrics,
        now_ms: Callable[[], int],
        lease: NamedLease | None = None,
        window: int = WINDOW,
    ) -> None:
        self.name = name
        self._source = source
        self._marks = Marks(source, name, None)
        self._bus = bus
        self._to_envelope = to_envelope
        self._logger = logger.bind(relay=name)
        self._metrics = metrics
        self._now_ms = now_ms
        self._hold = LeaseHold(lease, lambda: bus.connected, self._logger)
        self._fence: LeaseFence | None = None
        self._window = window
        self._stopping = asyncio.Event()
        self._verified_connection = 0
        self._verified_at = 0.0
        self._poison = ""
        self._fault = "the relay has not begun"
        self._running = False
        metrics.relay_stopped.labels(name).set(0)
        # Asked when it is read: who slept for longer than the lease does not say that it works.
        metrics.relay_active.labels(name).set_function(lambda: float(self.active))

    @property
    def active(self) -> bool:
        """Whether this relay is the one that works."""
        return self._running and self._hold.active

    async def run(self) -> None:
        """Relay until ``stop()``. Returns after the window that is in flight, and lets go of the lease."""
        await self._bus.wait_connected(FIRST_CONNECTION)
        self._running = True
        try:
            async with self._hold.kept():
                await self._run()
        finally:
            self._running = False
        if self._poison:
            # Without the lease, so that a program that can read the event may have it.
            await self._stopping.wait()

    async def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            # Waiting begins before the log is read: an append between the two must not wait for the poll.
            woken = asyncio.create_task(self._source.wait_for_append(POLL))
            try:
                busy = await self._turn()
            except Exception as error:  # noqa: BLE001 - the log's failures and the bus' alike
                woken.cancel()
                failures += 1
                self._failed(error, failures)
                await self._wait_after(failures)
                continue
            except BaseException:
                woken.cancel()
                raise
            failures = 0
            self._fault = ""
            if self._poison:
                woken.cancel()
                return
            if busy:
                woken.cancel()
            else:
                await woken

    def stop(self) -> None:
        """Let ``run()`` return soon."""
        self._stopping.set()

    async def check_ready(self) -> None:
        """Return when the relay does its work, for a readiness check.

        Raises:
            RelayStopped: an event cannot be published.
            BusUnavailable: the last attempt failed.
        """
        if self._poison:
            raise RelayStopped(f"relay {self.name} stopped: {self._poison}")
        if self._fault or self._hold.fault:
            raise BusUnavailable(f"relay {self.name}: {self._fault or self._hold.fault}")

    async def rebuild_from(self, position: Position = FIRST) -> None:
        """Publish again every event after a position, as new messages that no duplicate window holds back."""
        await request_rebuild(self._source, self.name, position)

    async def _turn(self) -> bool:
        """Do one window; whether there may be more to do at once."""
        if not self._hold.active:
            self._observe_lag(())
            await self._pause(POLL)
            return True
        self._begin_under(self._hold.fence())
        if (target := await self._marks.take_rebuild()) is not None:
            self._rewound("asked", target)
        position = await self._marks.position()
        events = await self._source.read_all(after=position, limit=self._window, public_only=True)
        self._observe_lag(events)
        connection = self._bus.connections
        if await self._verify_when_due(position, connection):
            return True
        if events:
            await self._publish(events, connection)
        return bool(events)

    def _begin_under(self, fence: LeaseFence | None) -> None:
        if fence != self._fence:
            # Another process may have published since: what was verified holds no longer.
            self._verified_connection = 0
        self._fence = fence
        self._marks = Marks(self._source, self.name, fence)

    async def _publish(self, events: Sequence[StoredEvent], connection: int) -> None:
        generation = await self._marks.generation()
        messages, position = self._translate(events, generation)
        if messages:
            if not self._hold.active:
                raise LeaseUncertain("the lease was not renewed in time")
            acks = await self._bus.publish(messages)
            if self._bus.connections != connection:
                raise BusUnavailable("the connection changed under a window")
            await self._check_duplicates(acks)
            await self._marks.save_sequence(max(ack.sequence for ack in acks))
        if position is not None:
            await self._marks.save_position(position)
            self._metrics.relay_published.labels(self.name).inc(len(messages))
        if self._poison:
            self._observe_lag([event for event in events if position is None or event.position > position])
            self._metrics.relay_stopped.labels(self.name).set(1)
            self._logger.error("relay_stopped", reason=self._poison)
        else:
            self._observe_lag(())

    def _translate(
        self, events: Sequence[StoredEvent], generation: int
    ) -> tuple[list[OutboundMessage], Position | None]:
        """Turn events into messages up to the first that cannot be, and say up to which position it went."""
        messages: list[OutboundMessage] = []
        position: Position | None = None
        for event in events:
            try:
                mapped = self._to_envelope(event)
                if mapped is not None:
                    messages.append(self._message(event, *mapped, generation))
            except Exception as error:  # noqa: BLE001 - whatever it is, the event must not be skipped
                where = f"stream {event.stream_id}, version {event.version}"
                self._poison = f"{event.type} ({where}) has no envelope: {type(error).__name__}"
                break
            position = event.position
        return messages, position

    def _message(
        self, event: StoredEvent, subject: str, envelope: EventEnvelope, generation: int
    ) -> OutboundMessage:
        headers = {RELAY_HEADER: self.name, POSITION_HEADER: str(event.position)}
        if envelope.traceparent:
            headers[TRACEPARENT_HEADER] = envelope.traceparent
        message_id = f"{event.event_id}/{generation}" if generation else str(event.event_id)
        return OutboundMessage(subject, message_id, encode(envelope), headers)

    async def _check_duplicates(self, acks: Sequence[PublishAck]) -> None:
        """Read back what the stream says it has: it remembers the ids of purged messages too."""
        repeated = [ack.sequence for ack in acks if ack.duplicate]
        if repeated and min(repeated) < (await self._bus.stream_state()).first_sequence:
            await self._marks.begin_generation()
            self._rewound("purged", await self._marks.position())
            raise BusUnavailable("the stream has dropped messages that it still takes for duplicates")

    async def _verify_when_due(self, position: Position, connection: int) -> bool:
        """Look whether the stream still has what was published; whether the checkpoint was moved back."""
        now = asyncio.get_running_loop().time()
        if connection == self._verified_connection and now - self._verified_at < VERIFY_EVERY:
            return False
        await self._bus.ensure_stream()
        rest = await self._rest_of_damaged_stream(position)
        if rest is not None:
            await self._marks.save_position(rest.position)
            await self._marks.save_sequence(rest.sequence)
            self._rewound("lost", rest.position)
        self._verified_connection = connection
        self._verified_at = now
        return rest is not None

    async def _rest_of_damaged_stream(self, position: Position) -> _Rest | None:
        """Return what a damaged stream still has of this relay's events; None when it is whole."""
        marked = await self._marks.sequence()
        if position == FIRST and not marked:
            return None
        state = await self._bus.stream_state()
        if not marked:
            return _Rest(FIRST, 0) if state.last_sequence == 0 else None
        if marked <= state.last_sequence:
            # Expired messages are gone from the front; that is no loss.
            if marked < state.first_sequence:
                return None
            if await self._own_position(marked) is not None:
                return None
        last = min(marked - 1, state.last_sequence)
        for sequence in range(last, max(last - SEARCH_BACK, state.first_sequence - 1, 0), -1):
            found = await self._own_position(sequence)
            if found is not None:
                # Never ahead of the checkpoint: a failed window may have left its end without its middle.
                return _Rest(min(found, position), sequence)
        return _Rest(FIRST, 0)

    async def _own_position(self, sequence: int) -> Position | None:
        """Return the log position of the stream's message if this relay published it."""
        message = await self._bus.stored_message(sequence)
        if message is None or message.headers.get(RELAY_HEADER) != self.name:
            return None
        try:
            return Position.parse(message.headers.get(POSITION_HEADER, ""))
        except ValueError:
            return FIRST

    def _observe_lag(self, waiting: Sequence[StoredEvent]) -> None:
        age = max(self._now_ms() - waiting[0].recorded_at_ms, 0) / 1000 if waiting else 0.0
        self._metrics.relay_lag_events.labels(self.name).set(len(waiting))
        self._metrics.relay_lag_seconds.labels(self.name).set(age)

    def _rewound(self, reason: str, position: Position) -> None:
        self._metrics.relay_rewinds.labels(self.name, reason).inc()
        self._logger.warning("relay_rewound", reason=reason, position=str(position))

    def _failed(self, error: Exception, failures: int) -> None:
        self._verified_connection = 0
        self._metrics.relay_failures.labels(self.name).inc()
        kind = type(error).__name__
        fault = f"{kind}: {error}" if isinstance(error, MessagingError) else kind
        # An outage repeats one failure for as long as it lasts: count all, tell the first.
        if fault != self._fault:
            self._logger.warning("relay_failed", failures=failures, error=fault)
        self._fault = fault

    async def _wait_after(self, failures: int) -> None:
        seconds = min(FIRST_WAIT * 2.0 ** min(failures - 1, 10), LONGEST_WAIT)
        if self._bus.connected:
            await self._pause(seconds)
        else:
            # Not a moment longer than the outage.
            await self._bus.wait_connected(seconds)

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return
