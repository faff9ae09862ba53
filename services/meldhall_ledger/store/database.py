"""Opening the database. The rest of the store is SQL that SQLite and PostgreSQL understand alike."""

from typing import Final

from sqlalchemy.exc import IntegrityError

from meldhall_eventlog import database, opening
from meldhall_eventlog.database import Database, sql_state
from meldhall_eventlog.errors import LogUnavailable
from meldhall_eventlog.migrate import Owner, run_migrations
from meldhall_eventlog.postgres import CONNECTIONS
from meldhall_messaging import upgrade_stops

OWNER: Final = Owner("meldhall_ledger:migrations", "ledger_alembic_version", "meldhall_ledger")

_UNIQUE_VIOLATION: Final = "23505"


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


def is_passing(error: Exception) -> bool:
    """Whether the same transaction may succeed when it is tried again.

    A row that somebody else inserted in between counts too: the same work, done again, finds it. Such an
    error says nothing about anybody's balance and is never reported as if it did.
    """
    if isinstance(error, LogUnavailable) or database.is_passing(error):
        return True
    return isinstance(error, IntegrityError) and sql_state(error) == _UNIQUE_VIOLATION
