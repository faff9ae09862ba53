"""Opening the database. The rest of the store is SQL that SQLite and PostgreSQL understand alike."""

from typing import Final

from meldhall_eventlog.database import Database
from meldhall_eventlog.migrate import run_migrations
from meldhall_eventlog.sqlite import SqliteDatabase

SCRIPT_LOCATION: Final = "meldhall_matchmaking:migrations"
VERSION_TABLE: Final = "matchmaking_alembic_version"


def migrate(url: str) -> str:
    """Bring the tables to the newest revision and return that. Blocking; processes take turns."""
    return run_migrations(url, SCRIPT_LOCATION, VERSION_TABLE)


def open_database(url: str) -> Database:
    """Open a migrated database.

    Raises:
        ValueError: there is no adapter for that kind of database.
    """
    return SqliteDatabase(url)
