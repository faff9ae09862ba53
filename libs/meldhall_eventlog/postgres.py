"""PostgreSQL: the settings of a session, and transactions that are tried again where that is right.

A writing transaction is READ COMMITTED and takes its row lock with its first statement; a reading one is
REPEATABLE READ, so that all its statements see one state. Sessions carry limits of their own: a transaction
that idles, or a statement that hangs, is ended by the server, since one open transaction holds up every
reader of the global order.

Each owner of tables has a schema of its own, found by the search path, so that one database serves them all.
Connect directly or through a pooler that keeps sessions whole: one that pools by transaction loses the search
path and the prepared statements.

Source: ``deploy/docs/event-log.md``, "PostgreSQL".
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final, TypeVar

import sqlalchemy.exc
from sqlalchemy import URL, Connection, func, make_url, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.schema import CreateSchema

from meldhall_eventlog.database import is_passing, sql_state, unavailable
from meldhall_eventlog.errors import LogUnavailable

T = TypeVar("T")

CONNECTIONS: Final = 4
"""Connections for writing, and as many for reading."""

ATTEMPTS: Final = 6
FIRST_PAUSE_MS: Final = 20

SESSION: Final = {
    "application_name": "meldhall",
    # A process that is frozen in the middle of a transaction keeps its locks for so long, and whoever takes a
    # table over waits for them: shorter than a lease.
    "idle_in_transaction_session_timeout": "5s",
    "statement_timeout": "30s",
    # Longer than that, so that whoever waits gets the row.
    "lock_timeout": "8s",
}
"""Settings of every session; PostgreSQL's own names and units."""

MIGRATION_LOCK: Final = 0x6D656C6468616C6C
"""Key of the advisory lock that migrations take: "meldhall" in ASCII."""

_LOCK_NOT_GIVEN: Final = "55P03"
_CONNECT_SECONDS: Final = 10.0
"""Longest wait for the server to take a connection, and for one of the pool to become free."""

_ANSWER_SECONDS: Final = 40.0
"""How long the server may be silent: a little more than its own limit for a statement."""


def postgres_url(url: str | URL) -> URL:
    """Return the URL for asyncpg; ``postgresql://`` and ``postgres://`` are taken too.

    Raises:
        ValueError: the URL names another database.
    """
    text = url if isinstance(url, URL) else str(url).replace("postgres://", "postgresql://", 1)
    parsed = make_url(text)
    if parsed.get_backend_name() != "postgresql":
        raise ValueError(f"not a PostgreSQL URL: {parsed.render_as_string()}")
    return parsed.set(drivername="postgresql+asyncpg")


def create_engine(
    url: str | URL,
    *,
    schema: str,
    read_only: bool = False,
    pool_size: int = 1,
    session: Mapping[str, str] | None = None,
    command_timeout: float | None = _ANSWER_SECONDS,
) -> AsyncEngine:
    """Make an async engine.

    Args:
        url: as for ``postgres_url``.
        schema: the schema of the owner of the tables.
        read_only: let PostgreSQL refuse every write, and read one state in a transaction.
        pool_size: how many connections at most.
        session: settings laid over ``SESSION``.
        command_timeout: seconds that the server may be silent for; None: for ever.

    Raises:
        LogUnavailable: the driver is not installed.
    """
    settings = {
        **SESSION,
        "search_path": f'"{schema}"',
        "default_transaction_isolation": "repeatable read" if read_only else "read committed",
        "default_transaction_read_only": "on" if read_only else "off",
        **(session or {}),
    }
    if find_spec("asyncpg") is None:
        raise LogUnavailable("there is no driver for PostgreSQL here: install the extra meldhall[postgres]")
    return create_async_engine(
        postgres_url(url),
        hide_parameters=True,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=_CONNECT_SECONDS,
        connect_args={
            "server_settings": settings,
            "timeout": _CONNECT_SECONDS,
            "command_timeout": command_timeout,
        },
    )


class PostgresDatabase:
    """Transactions over a few connections for writing and a few for reading.

    ``work`` takes a blocking connection inside an open transaction, returns a value and must not keep the
    connection. It may run more than once: where PostgreSQL gave the transaction up for another one's sake
    (a deadlock, a serialization failure) or the connection was lost before the commit was sent, it runs again
    in a new transaction, a few times. A connection lost during the commit is not tried again, since what
    became of the transaction is not known.
    """

    one_writer = False

    def __init__(
        self,
        url: str | URL,
        *,
        schema: str,
        connections: int = CONNECTIONS,
        session: Mapping[str, str] | None = None,
    ) -> None:
        self._writers = create_engine(url, schema=schema, pool_size=connections, session=session)
        self._readers = create_engine(
            url, schema=schema, read_only=True, pool_size=connections, session=session
        )
        self._closed = False
        self._running: set[asyncio.Task[Any]] = set()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in one writing transaction, durable on return.

        A caller that is cancelled does not take the transaction with it.

        Raises:
            LogUnavailable: the database is not there, gave the work up too often, or was lost during the
                commit. Whatever ``work`` raises is rolled back and raised again.
        """
        return await self._shielded(self._writers, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work in one reading transaction, which sees everything committed before it began."""
        return await self._shielded(self._readers, work)

    async def close(self) -> None:
        """Finish what runs and close every connection. A second call is a no-op."""
        self._closed = True
        while self._running:
            await asyncio.wait(self._running)
        await self._writers.dispose()
        await self._readers.dispose()

    async def _shielded(self, engine: AsyncEngine, work: Callable[[Connection], T]) -> T:
        if self._closed:
            raise LogUnavailable("the database is closed")
        task = asyncio.create_task(_persist(engine, work), name="postgres-transaction")
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            # Looked at, so that asyncio does not complain where the caller has gone.
            task.exception()


def check_durable(connection: Connection) -> None:
    """Make sure that a commit is on the disk when it returns.

    Raises:
        LogUnavailable: the server, the database or the user is set up otherwise.
    """
    if connection.dialect.name != "postgresql":
        return
    if connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "off":
        raise LogUnavailable("synchronous_commit is off: what is acknowledged would not be on the disk")


class _Again(Exception):
    """The transaction left nothing behind and may be tried again."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


async def _persist(engine: AsyncEngine, work: Callable[[Connection], T]) -> T:
    attempts = 1
    while True:
        try:
            return await _transact(engine, work)
        except _Again as again:
            if attempts == ATTEMPTS:
                raise unavailable(again.cause) from again.cause
        # A random pause: those that gave way to one another must not meet again.
        longest = FIRST_PAUSE_MS << attempts
        await asyncio.sleep(secrets.randbelow(longest) / 1000)
        attempts += 1


async def _transact(engine: AsyncEngine, work: Callable[[Connection], T]) -> T:
    connection = await _connect(engine)
    try:
        try:
            outcome = await connection.run_sync(work)
        except IntegrityError:
            raise
        except DBAPIError as error:
            if is_passing(error) or error.connection_invalidated:
                raise _Again(error) from error
            raise unavailable(error) from error
        except OSError as error:
            # The driver's patience ended, or the line did; before the commit, but nobody knows for how long.
            await connection.invalidate()
            raise unavailable(error) from error
        await _commit(connection)
        return outcome
    finally:
        await _give_back(connection)


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    try:
        return await engine.connect()
    except (TimeoutError, sqlalchemy.exc.TimeoutError) as error:
        # Somebody has waited long enough.
        raise unavailable(error) from error
    except (DBAPIError, OSError) as error:
        raise _Again(error) from error


async def _commit(connection: AsyncConnection) -> None:
    try:
        await connection.commit()
    except DBAPIError as error:
        # The server says so itself: nothing was committed.
        if is_passing(error):
            raise _Again(error) from error
        raise unavailable(error) from error
    except OSError as error:
        raise unavailable(error) from error


async def _give_back(connection: AsyncConnection) -> None:
    try:
        await connection.close()
    except (DBAPIError, OSError):
        # It is broken; the pool makes another one.
        await connection.invalidate()


async def run_once(
    url: str | URL, schema: str, work: Callable[[Connection], T], lock_seconds: int | None
) -> T:
    """Run work in one transaction over a connection of its own, for as long as its statements take.

    Args:
        url: as for ``postgres_url``.
        schema: the schema of the owner of the tables.
        work: as for ``PostgresDatabase``, but run once.
        lock_seconds: for migrations: make the schema where it is not there, and wait so long for another
            such transaction, and for each lock; None: only read.

    Raises:
        LogUnavailable: the server cannot be reached, or a lock was not given in time.
    """
    patience = {"statement_timeout": "0", "lock_timeout": f"{lock_seconds or 0}s"}
    reading = lock_seconds is None
    engine = create_engine(url, schema=schema, read_only=reading, session=patience, command_timeout=None)
    try:
        async with engine.begin() as connection:
            if not reading:
                await connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
                await connection.execute(CreateSchema(schema, if_not_exists=True))
            return await connection.run_sync(work)
    except OSError as error:
        raise unavailable(error) from error
    except DBAPIError as error:
        if is_passing(error) or error.connection_invalidated or sql_state(error) == _LOCK_NOT_GIVEN:
            raise unavailable(error) from error
        raise
    finally:
        await engine.dispose()
