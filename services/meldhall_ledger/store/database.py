"""Opening the database, and everything that one database does in its own way.

The rest of the store is SQL that SQLite and PostgreSQL understand alike. A further database needs an adapter
of the port and an entry in ``insert_if_absent`` and ``is_passing``; the migrations need its triggers.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import LogUnavailable
from meldhall_eventlog.migrate import run_migrations
from meldhall_eventlog.sqlite import SqliteDatabase

SCRIPT_LOCATION: Final = "meldhall_ledger:migrations"
VERSION_TABLE: Final = "ledger_alembic_version"

# serialization_failure, deadlock_detected, and unique_violation: the same work, done again, finds the other's
# row.
_PASSING_STATES: Final = frozenset({"40001", "40P01", "23505"})


def migrate(url: str) -> str:
    """Bring the tables to the newest revision and return that. Blocking; processes take turns."""
    return run_migrations(url, SCRIPT_LOCATION, VERSION_TABLE)


def open_database(url: str) -> Database:
    """Open a migrated database.

    Raises:
        ValueError: there is no adapter for that kind of database.
    """
    return SqliteDatabase(url)


def insert_if_absent(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless there is one with its primary key; True when it was inserted.

    SQLite's ``INSERT OR IGNORE`` and ``ON CONFLICT`` come after BEFORE INSERT triggers, which refuse
    replacements here; its transactions have the file for themselves, so looking first is safe.
    """
    if connection.dialect.name == "sqlite":
        keys = [column == row[column.name] for column in table.primary_key]
        if connection.execute(table.select().where(*keys)).first() is not None:
            return False
        return connection.execute(sqlite.insert(table).values(**row)).rowcount == 1
    statement = postgresql.insert(table).values(**row).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1


def is_passing(error: Exception) -> bool:
    """Whether the same transaction may succeed when it is tried again.

    Such an error says nothing about anybody's balance and is never reported as if it did.
    """
    if isinstance(error, LogUnavailable):
        return True
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _PASSING_STATES
