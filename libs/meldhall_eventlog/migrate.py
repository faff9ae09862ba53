"""Schema migrations with alembic, for the log and for services that own tables beside it.

A service brings a folder with ``versions/`` and an ``env.py`` of two statements::

    from meldhall_eventlog.migrate import run_env

    run_env()

and calls ``run_migrations(url, "package:migrations", "package_alembic_version")``. There is no ini file. Each
owner of tables has a version table of its own, so that several may live in one database.

A run is one ``BEGIN IMMEDIATE`` transaction: two processes that start at once take turns, the second finds
nothing to do, and a migration that fails leaves nothing behind.
"""

import sqlite3
import time
from typing import Final

from alembic import command, context
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from meldhall_eventlog.errors import LogUnavailable, NotMigrated
from meldhall_eventlog.sqlite import create_sync_engine, file_url

SCRIPT_LOCATION: Final = "meldhall_eventlog:migrations"
VERSION_TABLE: Final = "eventlog_alembic_version"

NAMED_LEASES: Final = "meldhall_eventlog:lease_migrations"
NAMED_LEASES_VERSION_TABLE: Final = "named_leases_alembic_version"

_LOCK_WAIT_SECONDS: Final = 60


def upgrade(url: str) -> str:
    """Bring the log's tables to the newest revision; safe to run twice and from several processes. Blocking.

    Args:
        url: database URL; the SQLite file is created where there is none, its folder must exist.

    Returns:
        The revision after the run.
    """
    upgrade_named_leases(url)
    return run_migrations(url, SCRIPT_LOCATION, VERSION_TABLE)


def upgrade_named_leases(url: str) -> str:
    """Bring the table of named leases to the newest revision, in any service's database. Blocking.

    Returns:
        The revision after the run.
    """
    return run_migrations(url, NAMED_LEASES, NAMED_LEASES_VERSION_TABLE)


def current(url: str) -> str | None:
    """Return the revision of the log's tables, None before the first migration. Blocking."""
    engine = create_sync_engine(url, begin="DEFERRED")
    try:
        with engine.connect() as connection:
            return revision(connection, VERSION_TABLE)
    finally:
        engine.dispose()


def run_migrations(url: str, script_location: str, version_table: str) -> str:
    """Upgrade one owner's tables to its newest revision in one transaction. Blocking.

    Args:
        url: database URL, with a blocking or an async driver.
        script_location: alembic's ``package:folder``, or a path.
        version_table: where this owner's revision is kept.

    Returns:
        The revision after the run.

    Raises:
        NotMigrated: the database is at a revision that this code does not know.
    """
    _switch_to_wal(url)
    config = _config(script_location)
    engine = create_sync_engine(url, busy_timeout_ms=_LOCK_WAIT_SECONDS * 1000)
    try:
        with engine.begin() as connection:
            found = revision(connection, version_table)
            if found is not None and found not in _known(config):
                raise NotMigrated(f"{version_table} is at {found}, which this version does not know")
            config.attributes["connection"] = connection
            config.attributes["version_table"] = version_table
            command.upgrade(config, "head")
            return _head(config)
    finally:
        engine.dispose()


def run_env() -> None:
    """Run the migrations that ``run_migrations`` asked for; the whole of an ``env.py``."""
    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        version_table=attributes["version_table"],
        transactional_ddl=True,
    )
    context.run_migrations()


def revision(connection: Connection, version_table: str) -> str | None:
    """Return the revision that a database is at, None where nothing was migrated."""
    opts = {"version_table": version_table}
    return MigrationContext.configure(connection, opts=opts).get_current_revision()


def check_current(
    connection: Connection, *, script_location: str = SCRIPT_LOCATION, version_table: str = VERSION_TABLE
) -> None:
    """Make sure that the schema is the one this code was written for.

    Raises:
        NotMigrated: it is older, newer, or not there.
    """
    found, wanted = revision(connection, version_table), _head(_config(script_location))
    if found != wanted:
        raise NotMigrated(
            f"{version_table} is at {found or 'nothing'}, this version needs {wanted}: run `meldhall migrate`"
        )


async def require_current(
    engine: AsyncEngine, *, script_location: str = SCRIPT_LOCATION, version_table: str = VERSION_TABLE
) -> None:
    """Do the same as ``check_current`` over an async engine."""
    async with engine.connect() as connection:
        await connection.run_sync(
            lambda sync: check_current(sync, script_location=script_location, version_table=version_table)
        )


def _config(script_location: str) -> Config:
    config = Config()
    config.set_main_option("script_location", script_location.replace("%", "%%"))
    return config


def _head(config: Config) -> str:
    head = ScriptDirectory.from_config(config).get_current_head()
    if head is None:
        raise NotMigrated(f"{config.get_main_option('script_location')} has no migrations")
    return head


def _known(config: Config) -> set[str]:
    return {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}


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
