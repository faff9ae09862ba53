"""What the log takes and gives: plain values, no database, no protobuf."""

from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

GENESIS_HASH: Final = bytes(32)
"""``prev_hash`` of the first event of every stream."""


class Position(NamedTuple):
    """A place in the order of all events of a log: positions compare as pairs.

    ``tx`` is the transaction that wrote the event, ``seq`` its number. Where a database has one writer at a
    time numbers alone are in the order of commits and ``tx`` is 0; where it has many, a number may become
    visible after a higher one and only the pair orders what a reader sees.
    """

    tx: int
    seq: int

    def __str__(self) -> str:
        return f"{self.tx}/{self.seq}"

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Read what ``str`` wrote, or a number alone, which is what positions were before they were pairs.

        Raises:
            ValueError: it is neither.
        """
        tx, slash, seq = text.rpartition("/")
        if not seq.isascii() or not seq.isdecimal() or (slash and not (tx.isascii() and tx.isdecimal())):
            raise ValueError(f"not a position: {text!r:.80}")
        return cls(int(tx or 0), int(seq))


FIRST: Final = Position(0, 0)
"""Before the first event of every log."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be appended.

    ``type`` is a stable name, ``payload`` the bytes that are stored, hashed and never encoded again.
    ``public`` events are the ones that other services hear of; they are numbered per stream without holes
    (``StoredEvent.public_seq``).
    """

    event_id: UUID
    type: str
    schema_version: int
    payload: bytes
    public: bool


@dataclass(frozen=True, slots=True)
class Meta:
    """Who and what caused an append.

    ``actor`` is a pseudonymous id; ``traceparent`` the W3C trace context, or empty.
    """

    actor: str = ""
    correlation_id: str = ""
    causation_id: str = ""
    traceparent: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """One atomic append to one stream.

    ``expected_version`` is the version before the append, 0 for a new stream. ``epoch`` is the owner's fence:
    the append is refused when the stream row carries another one. ``command_id`` (unique in the stream, at
    most 128 characters) and ``response`` make the receipt that a repeated command is answered from; None for
    an append that no command caused. ``recorded_at_ms`` is Unix time in milliseconds, and so is
    ``wake_at_ms``: when the stream's owner must do something by itself, None where nothing is due. It
    replaces what the append before it said.
    """

    stream_id: str
    category: str
    shard: int
    expected_version: int
    epoch: int
    events: tuple[NewEvent, ...]
    recorded_at_ms: int
    command_id: str | None = None
    response: bytes = b""
    meta: Meta = Meta()
    wake_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it lies in the log.

    ``position`` orders all events of the log; versions of a stream start at 1.
    """

    position: Position
    stream_id: str
    version: int
    public_seq: int | None
    event_id: UUID
    type: str
    schema_version: int
    payload: bytes
    command_id: str | None
    meta: Meta
    epoch: int
    recorded_at_ms: int
    prev_hash: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Receipt:
    """The first answer to a command, stored in the transaction of its effect."""

    stream_id: str
    command_id: str
    first_version: int
    last_version: int
    response: bytes


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """A stream's row: where it stands and who owns it.

    ``closed`` streams take no more events. ``wake_at_ms`` is what the last append said (``Append``); 0 where
    that append was made before appends said it, so that its owner looks. ``archive`` is the file that has the
    events of a stream that was archived, empty for the others.
    """

    stream_id: str
    category: str
    shard: int
    version: int
    public_seq: int
    owner_epoch: int
    last_hash: bytes
    closed: bool
    wake_at_ms: int | None = None
    archive: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the first ``version`` events of a stream add up to, as bytes that only ``format`` can read.

    A snapshot only saves reading: it may be lost or ignored at any time. Code that writes or reads another
    layout uses another ``format`` (at most 128 characters); snapshots are never brought up to date.
    """

    stream_id: str
    version: int
    format: str
    state: bytes


@dataclass(frozen=True, slots=True)
class SnapshotCount:
    """How many snapshots of a format there are, of how many streams, and the bytes of their states."""

    format: str
    snapshots: int
    streams: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A closed stream whose events are in the database, and when the last of them was recorded."""

    info: StreamInfo
    last_at_ms: int
