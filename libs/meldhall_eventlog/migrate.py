"""Schema migrations with alembic, for the log and for services that own tables beside it.

A service brings a folder with ``versions/`` and an ``env.py`` of two statements::

    from meldhall_eventlog.migrate import run_env

    run_env()

and calls ``run_migrations(url, Owner("package:migrations", "package_alembic_version", "schema"))``. There is
no ini file. Each owner of tables has a version table of its own, so that several may live in one database,
and on PostgreSQL a schema of its own.

A run is one transaction that others wait for (``BEGIN IMMEDIATE`` on SQLite, an advisory lock on PostgreSQL):
two processes that start at once take turns, the second finds nothing to do, and a migration that fails leaves
nothing behind.

**Expand, then contract.** A revision is a number of four digits. It names in ``oldest_code`` the oldest
revision whose code still works on its schema, itself where it says nothing. A run writes that floor into the
database. Code that finds a revision which it does not know works on while the floor is not above its own.
Source: ``deploy/docs/adr/0010-expand-and-contract.md``.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeVar

from alembic import command, context
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, MetaData, Table, Text, delete, insert, inspect, select

from meldhall_eventlog.errors import LogUnavailable, NotMigrated
from meldhall_eventlog.opening import LOG_SCHEMA, is_postgres
from meldhall_eventlog.postgres import run_once
from meldhall_eventlog.sqlite import create_sync_engine, file_url

T = TypeVar("T")

floors: Final = Table(
    "schema_floors",
    MetaData(),
    Column("version_table", Text, primary_key=True),
    Column("oldest_code", Text, nullable=False),
)
"""The oldest code that each owner's schema allows. Runs make the table themselves."""

_LOCK_WAIT_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody who owns tables.

    ``script_location`` is alembic's ``package:folder``, or a path; ``version_table`` is where the revision is
    kept; ``schema`` is PostgreSQL's, which an SQLite file has not.
    """

    script_location: str
    version_table: str
    schema: str


LOG: Final = Owner("meldhall_eventlog:migrations", "eventlog_alembic_version", LOG_SCHEMA)
NAMED_LEASES: Final = Owner("meldhall_eventlog:lease_migrations", "named_leases_alembic_version", LOG_SCHEMA)


@dataclass(frozen=True, slots=True)
class _Scripts:
    """What the migrations of an owner say: the newest revision, all of them, the newest one's floor."""

    head: str
    known: frozenset[str]
    oldest_code: str


def upgrade(url: str) -> str:
    """Bring the log's tables to the newest revision; safe to run twice and from several processes. Blocking.

    Args:
        url: database URL; an SQLite file is created where there is none, its folder must exist.

    Returns:
        The revision after the run.
    """
    upgrade_named_leases(url)
    return run_migrations(url, LOG)


def upgrade_named_leases(url: str, schema: str = LOG_SCHEMA) -> str:
    """Bring the table of named leases to the newest revision, in any service's database. Blocking.

    Returns:
        The revision after the run.
    """
    return run_migrations(url, replace(NAMED_LEASES, schema=schema))


def current(url: str, owner: Owner = LOG) -> str | None:
    """Return the revision of an owner's tables, None before the first migration. Blocking."""
    return _transact(url, owner, lambda connection: revision(connection, owner), writing=False)


def run_migrations(url: str, owner: Owner) -> str:
    """Upgrade one owner's tables to its newest revision in one transaction. Blocking.

    A database that is newer already, and allows this code, is left as it is.

    Returns:
        The revision after the run.

    Raises:
        NotMigrated: the database is newer, and does not allow this code any more.
        LogUnavailable: the database cannot be reached, or another run does not end.
    """
    if not is_postgres(url):
        _switch_to_wal(url)
    return _transact(url, owner, lambda connection: _migrate(connection, owner), writing=True)


def run_env() -> None:
    """Run the migrations that ``run_migrations`` asked for; the whole of an ``env.py``."""
    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        version_table=attributes["version_table"],
        transactional_ddl=True,
    )
    context.run_migrations()


def revision(connection: Connection, owner: Owner = LOG) -> str | None:
    """Return the revision that a database is at, None where nothing was migrated."""
    opts = {"version_table": owner.version_table}
    return MigrationContext.configure(connection, opts=opts).get_current_revision()


def check_current(connection: Connection, owner: Owner = LOG) -> None:
    """Make sure that this code works on the schema that is there.

    Raises:
        NotMigrated: the schema is older, or not there, or newer and does not allow this code any more.
    """
    found, scripts = revision(connection, owner), _scripts(owner.script_location)
    if found == scripts.head:
        return
    if found is None or found in scripts.known:
        raise NotMigrated(
            f"{owner.version_table} is at {found or 'nothing'}, this version needs {scripts.head}: "
            "run `meldhall migrate`"
        )
    _check_floor(connection, owner, found, scripts)


def _check_floor(connection: Connection, owner: Owner, found: str, scripts: _Scripts) -> None:
    floor = None
    if inspect(connection).has_table(floors.name):
        query = select(floors.c.oldest_code).where(floors.c.version_table == owner.version_table)
        floor = connection.execute(query).scalar_one_or_none()
    if floor is None or floor > scripts.head:
        raise NotMigrated(
            f"{owner.version_table} is at {found}, which needs a version of Meldhall that knows revision "
            f"{floor or found}; this one knows {scripts.head}"
        )


def _migrate(connection: Connection, owner: Owner) -> str:
    scripts = _scripts(owner.script_location)
    found = revision(connection, owner)
    if found is not None and found not in scripts.known:
        _check_floor(connection, owner, found, scripts)
        return found
    if found == scripts.head:
        return found
    config = _config(owner.script_location)
    config.attributes["connection"] = connection
    config.attributes["version_table"] = owner.version_table
    command.upgrade(config, "head")
    _write_floor(connection, owner, scripts.oldest_code)
    return scripts.head


def _write_floor(connection: Connection, owner: Owner, oldest_code: str) -> None:
    floors.create(connection, checkfirst=True)
    connection.execute(delete(floors).where(floors.c.version_table == owner.version_table))
    connection.execute(insert(floors).values(version_table=owner.version_table, oldest_code=oldest_code))


def _transact(url: str, owner: Owner, work: Callable[[Connection], T], *, writing: bool) -> T:
    if is_postgres(url):
        # In a thread, because this one may run a loop already.
        lock_seconds = _LOCK_WAIT_SECONDS if writing else None
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, run_once(url, owner.schema, work, lock_seconds)).result()
    engine = create_sync_engine(
        url, begin="IMMEDIATE" if writing else "DEFERRED", busy_timeout_ms=_LOCK_WAIT_SECONDS * 1000
    )
    try:
        with engine.begin() as connection:
            return work(connection)
    finally:
        engine.dispose()


def _config(script_location: str) -> Config:
    config = Config()
    config.set_main_option("script_location", script_location.replace("%", "%%"))
    return config


@lru_cache(maxsize=16)
def _scripts(script_location: str) -> _Scripts:
    directory = ScriptDirectory.from_config(_config(script_location))
    head = directory.get_current_head()
    if head is None:
        raise NotMigrated(f"{script_location} has no migrations")
    newest = directory.get_revision(head)
    known = frozenset(script.revision for script in directory.walk_revisions())
    return _Scripts(head, known, str(getattr(newest.module, "oldest_code", head)))


def _switch_to_wal(url: str) -> None:
    """Make the file a WAL database, once for its whole life.

    The switch needs the file for itself and SQLite does not always wait for that, whatever the busy timeout:
    retry.
    """
    path = file_url(url, "pysqlite").database
    deadline = time.monotonic() + _LOCK_WAIT_SECONDS
    connection = sqlite3.connect(str(path), timeout=1, isolation_level=None)
    try:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL").close()
            except sqlite3.OperationalError as error:
                if time.monotonic() > deadline:
                    raise LogUnavailable(f"cannot switch {path} to WAL: {error}") from error
                time.sleep(0.02)
            else:
                return
    finally:
        connection.close()
