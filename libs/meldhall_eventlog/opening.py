"""The one place that chooses an adapter by a database's URL."""

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url

from meldhall_eventlog.database import Database
from meldhall_eventlog.postgres import CONNECTIONS, PostgresDatabase
from meldhall_eventlog.sqlite import SqliteDatabase

LOG_SCHEMA: Final = "meldhall_log"
"""PostgreSQL schema of the log's own tables. A service that keeps tables has one of its own."""


def is_postgres(url: str | URL) -> bool:
    """Whether a URL names a PostgreSQL."""
    return str(url).startswith(("postgresql", "postgres:"))


def open_database(url: str | URL, *, schema: str = LOG_SCHEMA, connections: int = CONNECTIONS) -> Database:
    """Open a database by its URL.

    Args:
        url: ``sqlite:///path`` or ``postgresql://user:password@host/name``, with any driver or none.
        schema: PostgreSQL: the schema of the tables. An SQLite file has none.
        connections: PostgreSQL: how many for writing, and as many for reading.

    Raises:
        ValueError: there is no adapter for that kind of database.
    """
    if is_postgres(url):
        return PostgresDatabase(url, schema=schema, connections=connections)
    return SqliteDatabase(url)


def make_folder(url: str | URL) -> None:
    """Make the folder of an SQLite file where it is not there; nothing for a server. Blocking."""
    if is_postgres(url):
        return
    path = make_url(url).database
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
