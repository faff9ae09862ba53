"""Where a consumer's stopped partitions are written down, for people and for its other processes.

The table lies in the database of the service that consumes (``upgrade_stops`` makes it). A consumer works
without it just as well; with it a stop is known after a restart, and a command can ask for another try.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    select,
    update,
)

from meldhall_eventlog.database import Database
from meldhall_eventlog.dialects import insert_if_absent
from meldhall_eventlog.migrate import Owner, run_migrations

SCRIPT_LOCATION: Final = "meldhall_messaging:migrations"
VERSION_TABLE: Final = "consumer_stops_alembic_version"

metadata = MetaData()

consumer_stops = Table(
    "consumer_stops",
    metadata,
    Column("consumer", Text, primary_key=True),
    Column("partition", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("stopped_at_ms", BigInteger, nullable=False),
    Column("retry", Boolean, nullable=False),
)

_one = (
    consumer_stops.c.consumer == bindparam("of_consumer"),
    consumer_stops.c.partition == bindparam("of_partition"),
)


@dataclass(frozen=True, slots=True)
class StoredStop:
    """A partition that stands still, since when, and whether somebody asked to try it again."""

    consumer: str
    partition: str
    sequence: int
    reason: str
    stopped_at_ms: int
    retry: bool


def upgrade_stops(url: str, schema: str) -> str:
    """Bring the table to its newest revision and return that. Blocking; safe to run twice.

    Args:
        url: database URL of the service that consumes.
        schema: PostgreSQL's schema of that service.
    """
    return run_migrations(url, Owner(SCRIPT_LOCATION, VERSION_TABLE, schema))


class StopStore:
    """The stops of the consumers of one database. Every method may raise ``LogUnavailable``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def listed(self, consumer: str | None = None) -> Sequence[StoredStop]:
        """Return the stops of a consumer, or of all, in the order in which they stopped."""
        query = select(consumer_stops).order_by(consumer_stops.c.stopped_at_ms, consumer_stops.c.partition)
        if consumer is not None:
            query = query.where(consumer_stops.c.consumer == consumer)

        def read(connection: Connection) -> Sequence[StoredStop]:
            return [StoredStop(**row._mapping) for row in connection.execute(query)]

        return await self._database.read(read)

    async def record(self, stop: StoredStop) -> None:
        """Write a stop down, or what is new about it; since when it stands still stays."""
        new = {"sequence": stop.sequence, "reason": stop.reason}
        at = {"of_consumer": stop.consumer, "of_partition": stop.partition}

        def write(connection: Connection) -> None:
            row = {"consumer": stop.consumer, "partition": stop.partition, **new}
            row |= {"stopped_at_ms": stop.stopped_at_ms, "retry": False}
            if not insert_if_absent(connection, consumer_stops, row):
                connection.execute(update(consumer_stops).where(*_one).values(**new), at)

        await self._database.write(write)

    async def remove(self, consumer: str, partition: str) -> None:
        """Cross a stop out."""
        at = {"of_consumer": consumer, "of_partition": partition}

        def write(connection: Connection) -> None:
            connection.execute(delete(consumer_stops).where(*_one), at)

        await self._database.write(write)

    async def ask_retry(self, partition: str | None = None) -> int:
        """Ask that a partition, or every one, be tried again at once; return how many were stopped."""
        asking = update(consumer_stops).values(retry=True)
        if partition is not None:
            asking = asking.where(consumer_stops.c.partition == partition)
        return await self._database.write(lambda connection: connection.execute(asking).rowcount)

    async def retried(self, consumer: str, partition: str) -> None:
        """Take the request away once it was carried out; whoever asked sees what came of it."""
        at = {"of_consumer": consumer, "of_partition": partition}
        answered = update(consumer_stops).where(*_one).values(retry=False)

        def write(connection: Connection) -> None:
            connection.execute(answered, at)

        await self._database.write(write)
