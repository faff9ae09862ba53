"""How far each table's events were taken, in the transaction of what they did."""

from enum import Enum, unique

from sqlalchemy import Connection, func, select, update

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_ledger.store.tables import inbox


@unique
class Place(Enum):
    """Where an event lies as seen from its stream's inbox."""

    NEXT = "next"
    BEFORE = "before"
    BEYOND = "beyond"


def lock_table(connection: Connection, table_id: str) -> None:
    """Let nobody else change what is held for a table, or how far it got, until the transaction ends.

    Taken before anything is read, and before accounts: who makes holds looks whether the table is over, who
    ends it looks for holds, and one of the two has to come second. SQLite has one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(table_id, 0))))


def last_sequence(connection: Connection, stream_id: str) -> int:
    """Return the number of the last event that was taken, 0 before the first."""
    found = connection.execute(select(inbox.c.last_sequence).where(inbox.c.stream_id == stream_id)).scalar()
    return found or 0


def is_over(connection: Connection, stream_id: str) -> bool:
    """Whether a table said that it plays no further round."""
    found = connection.execute(select(inbox.c.over).where(inbox.c.stream_id == stream_id)).scalar()
    return bool(found)


def advance(connection: Connection, stream_id: str, sequence: int, *, over: bool) -> Place:
    """Take the stream's next event; where it is not the next, change nothing and say which way it is off.

    It is the first thing that a transaction does: a second one with the same event waits here and then finds
    it taken.
    """
    lock_table(connection, stream_id)
    if sequence == 1:
        row = {"stream_id": stream_id, "last_sequence": 1, "over": over}
        return Place.NEXT if insert_if_absent(connection, inbox, row) else Place.BEFORE
    statement = update(inbox).where(inbox.c.stream_id == stream_id, inbox.c.last_sequence == sequence - 1)
    if over:
        statement = statement.values(over=True)
    if connection.execute(statement.values(last_sequence=sequence)).rowcount == 1:
        return Place.NEXT
    return Place.BEFORE if last_sequence(connection, stream_id) >= sequence else Place.BEYOND
