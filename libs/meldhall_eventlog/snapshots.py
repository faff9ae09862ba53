"""The SQL of snapshots: units of work, like those in ``meldhall_eventlog.statements``.

Snapshots are disposable and stand outside the append-only triggers. What is kept is only ever a shortcut: a
reader that finds none, or none in its format, reads the events.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, distinct, func, insert, select, update

from meldhall_eventlog.errors import UnknownStream, WrongVersion
from meldhall_eventlog.tables import snapshots, streams
from meldhall_eventlog.types import Snapshot, SnapshotCount

KEPT: Final = 2
"""Snapshots of a stream at most: the newest, and the one before in case it cannot be read."""


def save(connection: Connection, snapshot: Snapshot) -> None:
    """Write a snapshot, over one of the same version and format, and drop the oldest.

    One that is ahead of its stream would hide the events that come there, so it is refused.

    Raises:
        UnknownStream: there is no such stream.
        WrongVersion: the stream has not got that far.
    """
    stream_id, version = snapshot.stream_id, snapshot.version
    reached = connection.execute(
        select(streams.c.version).where(streams.c.stream_id == stream_id)
    ).scalar_one_or_none()
    if reached is None:
        raise UnknownStream(stream_id)
    if reached < version:
        raise WrongVersion(stream_id, expected=version, actual=reached)
    same = (
        snapshots.c.stream_id == stream_id,
        snapshots.c.version == version,
        snapshots.c.format == snapshot.format,
    )
    if not connection.execute(update(snapshots).where(*same).values(state=snapshot.state)).rowcount:
        row = {"stream_id": stream_id, "version": version, "format": snapshot.format}
        connection.execute(insert(snapshots), {**row, "state": snapshot.state})
    _drop_oldest(connection, stream_id)


def _drop_oldest(connection: Connection, stream_id: str) -> None:
    kept = (
        select(snapshots.c.version, snapshots.c.format)
        .where(snapshots.c.stream_id == stream_id)
        .order_by(snapshots.c.version.desc(), snapshots.c.format)
    )
    for version, its_format in connection.execute(kept).all()[KEPT:]:
        connection.execute(
            delete(snapshots).where(
                snapshots.c.stream_id == stream_id,
                snapshots.c.version == version,
                snapshots.c.format == its_format,
            )
        )


def load(
    connection: Connection, stream_id: str, its_format: str, *, at_most: int | None = None
) -> Snapshot | None:
    """Read the newest snapshot in a format, of a version that is not above ``at_most``."""
    query = select(snapshots).where(snapshots.c.stream_id == stream_id, snapshots.c.format == its_format)
    if at_most is not None:
        query = query.where(snapshots.c.version <= at_most)
    row = connection.execute(query.order_by(snapshots.c.version.desc()).limit(1)).one_or_none()
    return None if row is None else Snapshot(**row._mapping)


def count(connection: Connection) -> Sequence[SnapshotCount]:
    """Count by format."""
    query = select(
        snapshots.c.format,
        func.count().label("snapshots"),
        func.count(distinct(snapshots.c.stream_id)).label("streams"),
        func.sum(func.length(snapshots.c.state)).label("bytes"),
    ).group_by(snapshots.c.format)
    rows = connection.execute(query.order_by(snapshots.c.format))
    return [SnapshotCount(row.format, row.snapshots, row.streams, int(row.bytes)) for row in rows]


def delete_all(connection: Connection, stream_id: str | None) -> int:
    """Delete a stream's snapshots, or everybody's; return how many there were."""
    statement = delete(snapshots)
    if stream_id is not None:
        statement = statement.where(snapshots.c.stream_id == stream_id)
    return connection.execute(statement).rowcount
