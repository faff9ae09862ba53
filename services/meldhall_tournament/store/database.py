"""Opening the database. The rest of the store is SQL that SQLite and PostgreSQL understand alike."""

from typing import Final

from meldhall_eventlog import opening
from meldhall_eventlog.database import Database
from meldhall_eventlog.migrate import Owner, run_migrations
from meldhall_eventlog.postgres import CONNECTIONS
from meldhall_messaging import upgrade_stops

OWNER: Final = Owner("meldhall_tournament:migrations", "tournament_alembic_version", "meldhall_tournament")


def migrate(url: str) -> str:
    """Bring the tables to the newest revision and return that. Blocking; processes take turns."""
    upgrade_stops(url, OWNER.schema)
    return run_migrations(url, OWNER)


def open_database(url: str, *, connections: int = CONNECTIONS) -> Database:
    """Open a migrated database, a server's over so many connections for writing and as many for reading.

    Raises:
        ValueError: there is no adapter for that kind of database.
    """
    return opening.open_database(url, schema=OWNER.schema, connections=connections)
