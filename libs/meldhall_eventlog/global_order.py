"""The one order of all events, and what can be read of it; functions like those in ``statements``.

SQLite has one writer at a time and its numbers are in the order of commits. PostgreSQL gives a number before
the commit, so that a lower one may become visible after a higher one. There only transactions are read that
are older than every one that still runs: no event can appear before one that was read.
Source: ``deploy/docs/adr/0009-global-order.md``.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, func, literal, select, tuple_

from meldhall_eventlog.errors import NotMigrated
from meldhall_eventlog.statements import stored_event
from meldhall_eventlog.tables import TransactionId, events
from meldhall_eventlog.types import Position, StoredEvent


def read_all(
    connection: Connection, *, after: Position, limit: int, public_only: bool
) -> Sequence[StoredEvent]:
    """Read a page of the whole log."""
    query = _in_order(connection, after)
    if public_only:
        query = query.where(events.c.public_seq.is_not(None))
    return [stored_event(row) for row in connection.execute(query.limit(limit))]


def _in_order(connection: Connection, after: Position) -> Select[Any]:
    """Select what comes after a position and can have nothing put before it any more."""
    query = select(events).where(_comes_after(connection, after))
    if connection.dialect.name == "sqlite":
        return query.order_by(events.c.position)
    settled = events.c.tx < func.pg_snapshot_xmin(func.pg_current_snapshot())
    return query.where(settled).order_by(events.c.tx, events.c.position)


def _comes_after(connection: Connection, after: Position) -> ColumnElement[bool]:
    if connection.dialect.name == "sqlite":
        return events.c.position > after.seq
    start = tuple_(literal(after.tx, TransactionId()), literal(after.seq, BigInteger()))
    return tuple_(events.c.tx, events.c.position) > start


def count_all(connection: Connection, *, after: Position, public_only: bool) -> int:
    """Count what comes after a position, what cannot be read yet for a transaction that still runs too."""
    query = select(func.count()).select_from(events).where(_comes_after(connection, after))
    if public_only:
        query = query.where(events.c.public_seq.is_not(None))
    return connection.execute(query).scalar_one()


def check_order(connection: Connection) -> None:
    """Make sure that the server has not yet to give out numbers of transactions that are in the log already.

    Raises:
        NotMigrated: it has: the log was dumped from another server. Its events would not be read, and new
            ones would come before them.
    """
    if connection.dialect.name == "sqlite":
        return
    beyond = events.c.tx >= func.pg_snapshot_xmax(func.pg_current_snapshot())
    found = connection.execute(
        select(events.c.tx).where(beyond).order_by(events.c.tx.desc()).limit(1)
    ).scalar_one_or_none()
    if found is not None:
        raise NotMigrated(
            f"the log has events of transaction {found}, which this server has not reached: it was copied "
            "from another one; raise the server's next transaction with pg_resetwal"
        )
