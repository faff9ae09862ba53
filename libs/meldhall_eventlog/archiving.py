"""The SQL of moving finished streams out of the database: units of work, like those in ``statements``.

The append-only triggers let the events of a stream go once ``archived_streams`` has a row for it, and that
row is taken only for a closed stream, at its version and with its last hash. The stream's own row stays, so
that its id is never given again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, exists, insert, select

from meldhall_eventlog.errors import UnknownStream, WrongVersion
from meldhall_eventlog.statements import stream_info, stream_row
from meldhall_eventlog.tables import archived_streams, command_receipts, events, snapshots, streams
from meldhall_eventlog.types import Finished, Receipt, StreamInfo


@dataclass(frozen=True, slots=True)
class Archiving:
    """What is said of a stream that leaves: the row that its file has, the file, the time."""

    stream: StreamInfo
    archive: str
    at_ms: int


def finished(
    connection: Connection, category: str, *, before_ms: int, after: str, limit: int
) -> Sequence[Finished]:
    """Read a page of closed streams whose last event was recorded before a time and which are still here."""
    last = events.alias()
    query = (
        stream_row.add_columns(last.c.recorded_at_ms)
        .join(last, and_(last.c.stream_id == streams.c.stream_id, last.c.version == streams.c.version))
        .where(
            streams.c.category == category,
            streams.c.closed,
            streams.c.stream_id > after,
            last.c.recorded_at_ms < before_ms,
        )
        .order_by(streams.c.stream_id)
        .limit(limit)
    )
    return [Finished(stream_info(row), row.recorded_at_ms) for row in connection.execute(query)]


def receipts(connection: Connection, stream_id: str) -> Sequence[Receipt]:
    """Read the receipts of a stream in the order of their events."""
    query = select(command_receipts).where(command_receipts.c.stream_id == stream_id)
    ordered = query.order_by(command_receipts.c.first_version, command_receipts.c.command_id)
    return [Receipt(**row._mapping) for row in connection.execute(ordered)]


def archive(connection: Connection, what: Archiving) -> bool:
    """Leave the tombstone and delete everything else of a stream; False where that was done before.

    Raises:
        UnknownStream: there is no such stream.
        WrongVersion: the stream is open, at another version, or ends with another hash.
    """
    stream_id = what.stream.stream_id
    # The row's lock makes a second run wait for this one.
    locked = select(streams.c.closed, streams.c.version).where(streams.c.stream_id == stream_id)
    row = connection.execute(locked.with_for_update()).one_or_none()
    if row is None:
        raise UnknownStream(stream_id)
    there = exists().where(archived_streams.c.stream_id == stream_id)
    if connection.execute(select(there)).scalar_one():
        return False
    last_hash = select(events.c.hash).where(events.c.stream_id == stream_id, events.c.version == row.version)
    found = connection.execute(last_hash).scalar_one_or_none()
    if not row.closed or (row.version, found) != (what.stream.version, what.stream.last_hash):
        raise WrongVersion(stream_id, expected=what.stream.version, actual=row.version)
    tombstone = {
        "stream_id": stream_id,
        "version": what.stream.version,
        "last_hash": what.stream.last_hash,
        "archive": what.archive,
        "archived_at_ms": what.at_ms,
    }
    connection.execute(insert(archived_streams), tombstone)
    for table in (snapshots, command_receipts, events):
        connection.execute(delete(table).where(table.c.stream_id == stream_id))
    return True
