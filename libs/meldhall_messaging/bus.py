"""The port to NATS. Nothing outside ``jetstream`` knows the client library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from meldhall_messaging.streams import ConsumerSpec


@dataclass(frozen=True, slots=True)
class OutboundMessage:
    """A message to be stored. The stream stores a ``message_id`` once within its duplicate window."""

    subject: str
    message_id: str
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublishAck:
    """The stream has the message at ``sequence``; ``duplicate`` when it had it before."""

    sequence: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class StreamState:
    """What the stream holds. Sequences start at 1; ``last_sequence`` stays when messages expire."""

    messages: int
    first_sequence: int
    last_sequence: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message read back from the stream."""

    subject: str
    sequence: int
    headers: Mapping[str, str]


class Delivery(Protocol):
    """One delivery of one message to a consumer."""

    @property
    def subject(self) -> str:
        """The message's subject."""
        ...

    @property
    def data(self) -> bytes:
        """The message's bytes."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The message's headers."""
        ...

    @property
    def sequence(self) -> int:
        """The message's place in the JetStream stream, for logs."""
        ...

    @property
    def attempt(self) -> int:
        """How often the message was delivered, this time included."""
        ...

    async def ack(self) -> None:
        """Tell the server that the effect is durable."""

    async def nak(self, delay: float) -> None:
        """Ask for another delivery after so many seconds."""

    async def in_progress(self) -> None:
        """Tell the server to go on waiting; nothing once the delivery is acknowledged or sent back."""


class Subscription(Protocol):
    """A consumer's door to its messages."""

    async def fetch(self, batch: int, seconds: float) -> Sequence[Delivery]:
        """Wait for messages at most that long; empty when there are none.

        Raises:
            BusUnavailable: the consumer is gone or the connection is closed.
        """
        ...

    async def close(self) -> None:
        """Give the subscription back. Deliveries that are out come again after ``ack_wait``."""


class Bus(Protocol):
    """One connection to one stream of events."""

    @property
    def connected(self) -> bool:
        """Whether there is a connection at this moment."""
        ...

    @property
    def connections(self) -> int:
        """How many connections there have been. After a new one the server may have forgotten messages."""
        ...

    async def start(self) -> None:
        """Begin to connect and return at once. It goes on until it succeeds or the bus is closed."""

    async def close(self) -> None:
        """Send what is pending, bounded in time, and close. A second call is a no-op."""

    async def wait_connected(self, seconds: float) -> bool:
        """Wait for a connection at most that long; whether there is one."""
        ...

    async def ping(self, seconds: float) -> float:
        """Return the round trip to the server in seconds.

        Raises:
            BusUnavailable: there was no answer in that time.
        """
        ...

    async def ensure_stream(self) -> None:
        """Create the declared stream or bring it up to date.

        Raises:
            IncompatibleConfig: the stream exists with a setting that cannot be changed.
            ServerTooOld: the server lacks what is needed.
            BusUnavailable: try again.
        """

    async def ensure_consumer(self, spec: ConsumerSpec) -> None:
        """Create a durable consumer or bring it up to date.

        Raises:
            IncompatibleConfig, StreamMissing, BusUnavailable: as ``ensure_stream``.
        """

    async def stream_state(self) -> StreamState:
        """Ask what the stream holds.

        Raises:
            StreamMissing, BusUnavailable: as ``ensure_stream``.
        """
        ...

    async def stored_message(self, sequence: int) -> StoredMessage | None:
        """Read a message back from the stream's leader, None where there is none.

        Raises:
            StreamMissing, BusUnavailable: as ``ensure_stream``.
        """
        ...

    async def publish(self, messages: Sequence[OutboundMessage]) -> Sequence[PublishAck]:
        """Send messages in order and wait until the stream has acknowledged every one.

        Raises:
            PublishUncertain: an acknowledgement is missing; all may be published again with the same ids.
            PublishRefused: the server refused one.
            StreamMissing, BusUnavailable: nothing was stored for at least one.
        """
        ...

    async def subscribe(self, durable: str) -> Subscription:
        """Open a door to a consumer that exists."""
        ...
