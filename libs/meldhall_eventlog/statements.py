"""The log's SQL: each function is one unit of work on a blocking connection inside a transaction.

Appends are in ``appending``.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    Connection,
    Row,
    and_,
    bindparam,
    func,
    select,
    update,
)

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_eventlog.errors import (
    Fenced,
    StreamArchived,
    UnknownStream,
)
from meldhall_eventlog.tables import archived_streams, checkpoints, command_receipts, events, streams
from meldhall_eventlog.types import (
    FIRST,
    GENESIS_HASH,
    Meta,
    Position,
    Receipt,
    StoredEvent,
    StreamInfo,
)

EPOCH_COUNTER: Final = "eventlog/epoch"
"""Checkpoint that holds the last epoch given out."""

_last_hash = (
    select(events.c.hash)
    .where(events.c.stream_id == streams.c.stream_id, events.c.version == streams.c.version)
    .scalar_subquery()
)
stream_row = select(
    streams,
    func.coalesce(_last_hash, archived_streams.c.last_hash).label("last_hash"),
    func.coalesce(archived_streams.c.archive, "").label("archive"),
).outerjoin(archived_streams, archived_streams.c.stream_id == streams.c.stream_id)
"""What there is to say of streams; ``stream_info`` reads its rows."""

_claim = (
    update(streams)
    .where(streams.c.stream_id == bindparam("of_stream"), streams.c.owner_epoch <= bindparam("epoch"))
    .values(owner_epoch=bindparam("epoch"))
)
_close = (
    update(streams)
    .where(streams.c.stream_id == bindparam("of_stream"), streams.c.owner_epoch == bindparam("of_epoch"))
    .values(closed=True)
)
_move_checkpoint = update(checkpoints).where(checkpoints.c.name == bindparam("of_name"))
_count_epoch = _move_checkpoint.values(position=checkpoints.c.position + 1).returning(checkpoints.c.position)


def claim(connection: Connection, stream_id: str, epoch: int) -> StreamInfo | None:
    """Write an owner epoch that is not lower than the one there."""
    updated = connection.execute(_claim, {"of_stream": stream_id, "epoch": epoch}).rowcount
    stream = info(connection, stream_id)
    if stream is not None and not updated:
        raise Fenced(stream_id, epoch=epoch, owner_epoch=stream.owner_epoch)
    return stream


def close_stream(connection: Connection, stream_id: str, epoch: int) -> None:
    """Mark a stream as closed, for its owner only."""
    if connection.execute(_close, {"of_stream": stream_id, "of_epoch": epoch}).rowcount:
        return
    stream = info(connection, stream_id)
    if stream is None:
        raise UnknownStream(stream_id)
    raise Fenced(stream_id, epoch=epoch, owner_epoch=stream.owner_epoch)


def info(connection: Connection, stream_id: str) -> StreamInfo | None:
    """Read a stream's row."""
    row = connection.execute(stream_row.where(streams.c.stream_id == stream_id)).one_or_none()
    return None if row is None else stream_info(row)


def list_streams(
    connection: Connection, category: str, *, after: str, limit: int, open_only: bool
) -> Sequence[StreamInfo]:
    """Read a page of the streams of a category."""
    query = stream_row.where(streams.c.category == category, streams.c.stream_id > after)
    if open_only:
        query = query.where(~streams.c.closed)
    return [stream_info(row) for row in connection.execute(query.order_by(streams.c.stream_id).limit(limit))]


def list_waking(
    connection: Connection, category: str, shards: Sequence[int], *, after: str, limit: int
) -> Sequence[StreamInfo]:
    """Read a page of the open streams of some shards that have something due by themselves."""
    query = stream_row.where(
        streams.c.category == category,
        streams.c.shard.in_(shards),
        streams.c.wake_at_ms.is_not(None),
        ~streams.c.closed,
        streams.c.stream_id > after,
    )
    return [stream_info(row) for row in connection.execute(query.order_by(streams.c.stream_id).limit(limit))]


def receipt(connection: Connection, stream_id: str, command_id: str) -> Receipt | None:
    """Read the receipt of a command."""
    found = and_(command_receipts.c.stream_id == stream_id, command_receipts.c.command_id == command_id)
    row = connection.execute(select(command_receipts).where(found)).one_or_none()
    return None if row is None else Receipt(**row._mapping)


def read_stream(
    connection: Connection, stream_id: str, *, after_version: int, limit: int
) -> Sequence[StoredEvent]:
    """Read a page of one stream."""
    query = select(events).where(events.c.stream_id == stream_id, events.c.version > after_version)
    rows = connection.execute(query.order_by(events.c.version).limit(limit)).all()
    if not rows:
        _check_not_archived(connection, stream_id)
    return [stored_event(row) for row in rows]


def _check_not_archived(connection: Connection, stream_id: str) -> None:
    query = select(archived_streams.c.archive).where(archived_streams.c.stream_id == stream_id)
    where = connection.execute(query).scalar_one_or_none()
    if where is not None:
        raise StreamArchived(stream_id, where)


def load_checkpoint(connection: Connection, name: str) -> Position:
    """Read a reader's position, ``FIRST`` where there is none."""
    query = select(checkpoints.c.tx, checkpoints.c.position).where(checkpoints.c.name == name)
    row = connection.execute(query).one_or_none()
    return FIRST if row is None else Position(row.tx, row.position)


def save_checkpoint(connection: Connection, name: str, position: Position) -> None:
    """Write a reader's position; it may go back, which is how a reader starts again."""
    values = {"tx": position.tx, "position": position.seq}
    if not insert_if_absent(connection, checkpoints, {"name": name, **values}):
        connection.execute(_move_checkpoint, {"of_name": name, **values})


def next_epoch(connection: Connection) -> int:
    """Count up by one, in the writer's transaction. The counter lies among the checkpoints."""
    insert_if_absent(connection, checkpoints, {"name": EPOCH_COUNTER, "tx": 0, "position": 0})
    return int(connection.execute(_count_epoch, {"of_name": EPOCH_COUNTER}).scalar_one())


def stream_info(row: Row[Any]) -> StreamInfo:
    """Return what ``stream_row`` selected."""
    values = {column.name: getattr(row, column.name) for column in streams.columns}
    return StreamInfo(**values, last_hash=row.last_hash or GENESIS_HASH, archive=row.archive)


def stored_event(row: Row[Any]) -> StoredEvent:
    """Read a row of ``events``."""
    return StoredEvent(
        position=Position(row.tx, row.position),
        stream_id=row.stream_id,
        version=row.version,
        public_seq=row.public_seq,
        event_id=UUID(row.event_id),
        type=row.type,
        schema_version=row.schema_version,
        payload=row.payload,
        command_id=row.command_id,
        meta=Meta(
            actor=row.actor,
            correlation_id=row.correlation_id,
            causation_id=row.causation_id,
            traceparent=row.traceparent,
        ),
        epoch=row.epoch,
        recorded_at_ms=row.recorded_at_ms,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )
