"""The one place that knows nats-py, with the guards that its defaults lack.

* It never gives up connecting, and a client that closes for good is reported to ``on_closed``: nothing else
says so. * It publishes only while connected. What the client buffers during an outage would be sent later,
when the
  caller has long given up on it and perhaps published something else.
* Every wait has a bound of its own. Ordered consumers and key-value watchers are not used: they stop in
silence. * Health is a round trip, not the client's opinion: a client whose read loop died still says
"connected".
"""

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import PubAck
from structlog.typing import FilteringBoundLogger

from meldhall_messaging import _ensure
from meldhall_messaging._pull import PullDoor
from meldhall_messaging.bus import OutboundMessage, PublishAck, StoredMessage, StreamState, Subscription
from meldhall_messaging.errors import (
    BusUnavailable,
    MessagingError,
    PublishRefused,
    PublishUncertain,
    StreamMissing,
)
from meldhall_messaging.metrics import MessagingMetrics
from meldhall_messaging.streams import ConsumerSpec, StreamSpec

RECONNECT_WAIT: Final = 0.5
API_TIMEOUT: Final = 5.0
ACK_TIMEOUT: Final = 5.0
CLOSE_TIMEOUT: Final = 5.0
PING_INTERVAL: Final = 10
PING_TIMEOUT: Final = 120
"""Seconds. Longer than the client takes to find a connection stale, which forgets its pings."""
FIRST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 5.0
STREAM_NOT_FOUND: Final = 10059


@dataclass(frozen=True, slots=True)
class NatsOptions:
    """Where NATS is and how to sign in. ``name`` is shown in the server's monitor."""

    servers: tuple[str, ...]
    name: str
    credentials: Path | None = None
    tls: ssl.SSLContext | None = None


class JetStreamBus:
    """``Bus`` over nats-py. Belongs to the event loop in which it was started.

    Args:
        options: Where to connect.
        stream: The stream that is published to and consumed from.
        logger: For what happens to the connection.
        metrics: Counters of this process.
        on_closed: Called once when the client has closed for good though nobody asked it to; the service must
            go down, as nothing here will work again.
    """

    def __init__(
        self,
        options: NatsOptions,
        *,
        logger: FilteringBoundLogger,
        metrics: MessagingMetrics,
        on_closed: Callable[[], None],
        stream: StreamSpec | None = None,
    ) -> None:
        self._options = options
        self._stream = stream or StreamSpec()
        self._logger = logger
        self._metrics = metrics
        self._on_closed = on_closed
        self._client = Client()
        self._js = JetStreamContext(self._client, timeout=API_TIMEOUT)
        self._connecting: asyncio.Task[None] | None = None
        self._closing = False
        self._connections = 0
        self._last_error = ""
        self._publishing = asyncio.Lock()
        self._in_flight: list[asyncio.Future[PubAck]] = []
        self._up = asyncio.Event()
        self._ping: asyncio.Task[float] | None = None
        self._pinged = 0
        self._doors: set[PullDoor] = set()

    @property
    def connected(self) -> bool:
        """Whether there is a connection at this moment."""
        return bool(self._client.is_connected)

    @property
    def connections(self) -> int:
        """How many connections there have been."""
        return self._connections

    async def start(self) -> None:
        """Begin to connect, and return at once. A second call is a no-op."""
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())

    async def close(self) -> None:
        """Drain within a bound, and close. A second call is a no-op."""
        if self._closing:
            return
        self._closing = True
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
        # drain() would wait for messages that nobody fetches any more.
        for door in self._doors:
            await door.close()
        # It refuses while reconnecting and may hang in its last flush.
        with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
            await asyncio.wait_for(self._client.drain(), CLOSE_TIMEOUT)
        if self._ping is not None:
            self._ping.cancel()
        if not self._client.is_closed:
            with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
                await asyncio.wait_for(self._client.close(), CLOSE_TIMEOUT)
        self._metrics.bus_connected.set(0)

    async def wait_connected(self, seconds: float) -> bool:
        """Wait for a connection at most that long; whether there is one."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._up.wait(), seconds)
        return self.connected

    async def ping(self, seconds: float) -> float:
        """Return the round trip to the server in seconds."""
        self._require_connection()
        if self._ping is None or self._ping.done() or self._pinged != self._connections:
            self._pinged = self._connections
            self._ping = asyncio.create_task(self._client.rtt(PING_TIMEOUT))
            # Nobody may be left to hear of its end.
            self._ping.add_done_callback(lambda done: done.cancelled() or done.exception())
        # Waited for and not cancelled: the answer to a ping that was given up ends the client's read loop.
        await asyncio.wait({self._ping}, timeout=seconds)
        if not self._ping.done():
            raise BusUnavailable(f"NATS did not answer within {seconds:g} s")
        with _translated("ping"):
            return self._ping.result()

    async def check_ready(self) -> None:
        """Return when the server answers within a second, for a readiness check.

        Raises:
            BusUnavailable: it does not.
        """
        await self.ping(1.0)

    async def ensure_stream(self) -> None:
        """Create the declared stream or bring it up to date."""
        self._require_connection()
        _ensure.check_version(self._client)
        with _translated(f"stream {self._stream.name}"):
            await _ensure.stream(self._js, self._stream)

    async def ensure_consumer(self, spec: ConsumerSpec) -> None:
        """Create a durable consumer or bring it up to date."""
        self._require_connection()
        with _translated(f"consumer {spec.durable}"):
            await _ensure.consumer(self._js, self._stream.name, spec)

    async def stream_state(self) -> StreamState:
        """Ask what the stream holds."""
        self._require_connection()
        with _translated(f"stream {self._stream.name}"):
            state = (await self._js.stream_info(self._stream.name)).state
        return StreamState(state.messages, state.first_seq, state.last_seq)

    async def stored_message(self, sequence: int) -> StoredMessage | None:
        """Read a message back from the stream's leader, None where there is none."""
        self._require_connection()
        try:
            with _translated(f"stream {self._stream.name}"):
                # Not the direct API: a follower may answer that, with what it has.
                raw = await self._js.get_msg(self._stream.name, sequence)
        except StreamMissing as missing:
            cause = missing.__cause__
            if isinstance(cause, nats.js.errors.NotFoundError) and cause.err_code != STREAM_NOT_FOUND:
                return None
            raise
        return StoredMessage(raw.subject or "", sequence, dict(raw.headers or {}))

    async def publish(self, messages: Sequence[OutboundMessage]) -> Sequence[PublishAck]:
        """Send messages in order and wait until the stream has acknowledged every one."""
        async with self._publishing:
            futures = self._in_flight = []
            going_on = asyncio.Event()
            going_on.set()
            sending = asyncio.create_task(self._send_all(messages, futures, going_on))
            try:
                await self._wait_sent(sending, futures)
                return await self._collect(messages, futures)
            finally:
                # Never cancelled: the client does not bear it in a flush. It ends after the message at hand.
                going_on.clear()
                sending.add_done_callback(lambda done: done.cancelled() or done.exception())
                # What is left has no reader; cancelled, it also leaves the client's tables.
                for future in futures:
                    if not future.cancel() and not future.cancelled():
                        future.exception()

    async def subscribe(self, durable: str) -> Subscription:
        """Open a door to a consumer that exists."""
        self._require_connection()
        with _translated(f"consumer {durable}"):
            pull = await self._js.pull_subscribe_bind(durable, stream=self._stream.name)
        door = PullDoor(pull, lambda: self.connected)
        # A copy without those that were closed: a consumer that binds again and again must not pile them up.
        self._doors = {door, *(other for other in self._doors if not other.closed)}
        return door

    async def _send_all(
        self,
        messages: Sequence[OutboundMessage],
        futures: list[asyncio.Future[PubAck]],
        going_on: asyncio.Event,
    ) -> None:
        """Send messages in order for as long as somebody waits, adding the future of each one's answer."""
        for message in messages:
            if not going_on.is_set():
                return
            self._require_connection()
            headers = {**message.headers, "Nats-Msg-Id": message.message_id}
            with _translated(f"publish to {message.subject}"):
                future = await self._js.publish_async(
                    message.subject,
                    message.data,
                    wait_stall=ACK_TIMEOUT,
                    stream=self._stream.name,
                    headers=headers,
                )
            if not going_on.is_set():
                future.cancel()
            futures.append(future)

    async def _wait_sent(
        self, sending: asyncio.Task[None], futures: Sequence[asyncio.Future[PubAck]]
    ) -> None:
        """Wait for the sending as long as it gets on; towards a server that does not read it never ends."""
        sent = -1
        while not sending.done():
            if sent == len(futures):
                raise PublishUncertain(f"NATS takes no more messages after {sent}")
            sent = len(futures)
            await asyncio.wait({sending}, timeout=ACK_TIMEOUT)
        await sending

    async def _collect(
        self, messages: Sequence[OutboundMessage], futures: Sequence["asyncio.Future[PubAck]"]
    ) -> Sequence[PublishAck]:
        if not futures:
            return ()
        done, waiting = await asyncio.wait(futures, timeout=ACK_TIMEOUT, return_when=asyncio.FIRST_EXCEPTION)
        errors = [
            (m, f.exception()) for m, f in zip(messages, futures, strict=True) if f in done and f.exception()
        ]
        for message, error in errors:
            with _translated(f"publish to {message.subject}", refusal=PublishRefused):
                if error is not None:
                    raise error
        if waiting:
            raise PublishUncertain(f"{len(waiting)} of {len(futures)} messages were not acknowledged in time")
        return tuple(
            PublishAck(ack.seq, bool(ack.duplicate)) for ack in (future.result() for future in futures)
        )

    async def _connect(self) -> None:
        wait = FIRST_WAIT
        while True:
            try:
                await self._client.connect(
                    servers=list(self._options.servers),
                    name=self._options.name,
                    user_credentials=self._options.credentials,
                    tls=self._options.tls,
                    error_cb=self._saw_error,
                    disconnected_cb=self._saw_disconnect,
                    reconnected_cb=self._saw_connect,
                    closed_cb=self._saw_close,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=RECONNECT_WAIT,  # type: ignore[arg-type]
                    connect_timeout=2,
                    ping_interval=PING_INTERVAL,
                    max_outstanding_pings=2,
                )
            except (nats.errors.Error, OSError, TimeoutError, ValueError) as error:
                await self._saw_error(error)
                await asyncio.sleep(wait)
                self._client = Client()
                self._js = JetStreamContext(self._client, timeout=API_TIMEOUT)
                wait = min(wait * 2, LONGEST_WAIT)
            else:
                await self._saw_connect()
                return

    async def _saw_connect(self) -> None:
        self._connections += 1
        self._up.set()
        self._last_error = ""
        self._metrics.bus_connected.set(1)
        self._metrics.bus_connections.inc()
        self._logger.info("bus_connected", connections=self._connections)

    async def _saw_disconnect(self) -> None:
        self._up.clear()
        self._metrics.bus_connected.set(0)
        # Acknowledgements on their way are lost with the connection: no use to wait for them.
        for future in self._in_flight:
            if not future.done():
                future.set_exception(PublishUncertain("the connection was lost before the acknowledgement"))
        if not self._closing:
            self._logger.warning("bus_disconnected")

    async def _saw_error(self, error: Exception) -> None:
        kind = type(error).__name__
        self._metrics.bus_errors.labels(kind).inc()
        # An outage repeats one error twice a second: count all, tell the first.
        if kind != self._last_error and not self._closing:
            self._last_error = kind
            self._logger.warning("bus_error", kind=kind, detail=str(error))

    async def _saw_close(self) -> None:
        self._metrics.bus_connected.set(0)
        if not self._closing:
            self._logger.error("bus_closed_for_good")
            self._on_closed()

    def _require_connection(self) -> None:
        if not self.connected:
            raise BusUnavailable("not connected to NATS")


@contextlib.contextmanager
def _translated(what: str, refusal: type[MessagingError] = BusUnavailable) -> Iterator[None]:
    """Turn the client's errors into ours; ``refusal`` is what an unknown refusal of the server becomes."""
    try:
        yield
    except (nats.js.errors.NoStreamResponseError, nats.js.errors.NotFoundError) as error:
        raise StreamMissing(f"{what}: {error}") from error
    except (nats.js.errors.ServiceUnavailableError, nats.js.errors.ServerError) as error:
        raise BusUnavailable(f"{what}: {error}") from error
    except nats.js.errors.APIError as error:
        raise refusal(f"{what}: {error}") from error
    except (nats.errors.MaxPayloadError, nats.errors.BadSubjectError, nats.errors.BadHeaderError) as error:
        raise PublishRefused(f"{what}: {type(error).__name__}") from error
    except (nats.errors.Error, TimeoutError, OSError) as error:
        raise BusUnavailable(f"{what}: {type(error).__name__} {error}") from error
