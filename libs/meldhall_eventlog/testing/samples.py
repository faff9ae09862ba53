"""Appends to test with: each argument that a test does not name is something valid."""

from uuid import UUID, uuid4

from meldhall_eventlog.store import EventLog
from meldhall_eventlog.types import FIRST, Append, Meta, NewEvent, StoredEvent

META = Meta(
    actor="p-17",
    correlation_id="c-1",
    causation_id="e-0",
    traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
)


def new_event(
    payload: bytes = b"\x00tile\xff", *, public: bool = True, event_id: UUID | None = None
) -> NewEvent:
    """Return an event with a fresh id."""
    return NewEvent(event_id or uuid4(), "TileDrawn", 3, payload, public)


def new_events(count: int, *, public: bool = True) -> tuple[NewEvent, ...]:
    """Return events that can be told apart."""
    return tuple(new_event(b"%d" % number, public=public) for number in range(count))


def appending(
    stream_id: str = "table-1",
    *events: NewEvent,
    after: int = 0,
    epoch: int = 1,
    category: str = "table",
    command_id: str | None = None,
    response: bytes = b"",
    shard: int = 7,
    wake_at_ms: int | None = None,
) -> Append:
    """Return an append of the events, or of a fresh one."""
    return Append(
        stream_id=stream_id,
        category=category,
        shard=shard,
        expected_version=after,
        epoch=epoch,
        events=events or (new_event(),),
        recorded_at_ms=1_700_000_000_123,
        command_id=command_id,
        response=response,
        meta=META,
        wake_at_ms=wake_at_ms,
    )


async def whole_log(log: EventLog, *, page: int = 500, public_only: bool = False) -> list[StoredEvent]:
    """Read everything, a page at a time, as a relay does."""
    found: list[StoredEvent] = []
    while events := await log.read_all(
        after=found[-1].position if found else FIRST, limit=page, public_only=public_only
    ):
        found.extend(events)
    return found
