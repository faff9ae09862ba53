"""A table's stream: which events are public, how an append is put together, how a stream is read back."""

import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from structlog.stdlib import BoundLogger

from meldhall_eventlog.store import LogReader
from meldhall_eventlog.types import NewEvent
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.state import Table
from meldhall_table.store.decode import UPCASTERS, decode
from meldhall_table.store.encode import encode
from meldhall_table.store.snapshot import newest

CATEGORY: Final = "table"
SHARDS: Final = 256
PAGE: Final = 500

PUBLIC: Final = (
    events.TableCreated,
    events.SeatTaken,
    events.SeatLeft,
    events.SeatChanged,
    events.PlayerAdmitted,
    events.PlayerBarred,
    events.TableLocked,
    events.HostChanged,
    events.StartCalled,
    events.RoundStarted,
    events.JokerSpent,
    events.RoundEnded,
    events.MatchEnded,
    events.RematchBegan,
    events.TableClosed,
)
"""What other services hear of. Never what is hidden while a round is played."""


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a table with its version, its time and the state after it.

    ``shown`` keeps what viewers are sent of it, by who sees it, so that it is made once for all of them.
    """

    version: int
    at_ms: int
    event: Event = field(repr=False)
    table: Table = field(repr=False)
    shown: dict[int | None, Any] = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A stream read to its end: the table, and how many events were read after the newest snapshot."""

    table: Table
    events: int


def shard_of(table_id: str) -> int:
    """Return the virtual shard of a table: the first byte of the SHA-256 of its id."""
    return hashlib.sha256(table_id.encode()).digest()[0]


def fold(table: Table | None, new: Sequence[Event], at_ms: int) -> tuple[Step, ...]:
    """Fold events that were decided together."""
    steps: list[Step] = []
    for event in new:
        table = evolve(table, event, at_ms)
        steps.append(Step(table.version, at_ms, event, table))
    return tuple(steps)


def to_append(new: Sequence[Event], event_id: Callable[[], UUID]) -> tuple[NewEvent, ...]:
    """Encode events for the log. These bytes are stored, hashed and published; they are made once."""
    return tuple(_new_event(event, event_id()) for event in new)


def _new_event(event: Event, event_id: UUID) -> NewEvent:
    message = encode(event)
    name = message.DESCRIPTOR.full_name
    return NewEvent(
        event_id=event_id,
        type=name,
        schema_version=UPCASTERS.current(name),
        payload=message.SerializeToString(deterministic=True),
        public=isinstance(event, PUBLIC),
    )


async def read_steps(
    log: LogReader,
    table_id: str,
    *,
    after: int = 0,
    up_to: int | None = None,
    logger: BoundLogger | None = None,
) -> AsyncGenerator[Step, None]:
    """Read a stream after a version, to its end or to a version, and fold it.

    Args:
        log: where the stream is.
        table_id: whose stream.
        after: the version before the first step; the state there comes from the newest snapshot that is not
            above it. 0 reads and folds every event.
        up_to: the version of the last step.
        logger: hears of snapshots that cannot be used.

    Raises:
        UnknownEventError: the log holds what this version cannot read.
        FoldError: the stream is not a table's.
    """
    table = await newest(log, table_id, at_most=after, logger=logger) if after else None
    async for step in _read(log, table_id, table, up_to=up_to):
        if step.version > after:
            yield step


async def replay(log: LogReader, table_id: str, *, logger: BoundLogger | None = None) -> Replayed | None:
    """Read a stream from its newest snapshot to its end; None where there is no event.

    Args:
        log: where the stream is.
        table_id: whose stream.
        logger: hears of snapshots that cannot be used.

    Raises:
        UnknownEventError: the log holds what this version cannot read.
        FoldError: the stream is not a table's.
    """
    table = await newest(log, table_id, at_most=None, logger=logger)
    events = 0
    async for step in _read(log, table_id, table, up_to=None):
        table, events = step.table, events + 1
    return None if table is None else Replayed(table, events)


async def _read(
    log: LogReader, table_id: str, table: Table | None, *, up_to: int | None
) -> AsyncGenerator[Step, None]:
    """Read and fold what follows a state, or the whole stream."""
    after = table.version if table else 0
    while up_to is None or after < up_to:
        limit = PAGE if up_to is None else min(PAGE, up_to - after)
        page = await log.read_stream(table_id, after_version=after, limit=limit)
        for stored in page:
            form = table.form if table else None
            event = decode(stored.type, stored.schema_version, stored.payload, form)
            table = evolve(table, event, stored.recorded_at_ms)
            yield Step(stored.version, stored.recorded_at_ms, event, table)
        if len(page) < limit:
            return
        after = page[-1].version
