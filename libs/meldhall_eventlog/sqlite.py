"""SQLite: the settings that make a commit durable and keep writers from tripping over each other.

Every connection made here runs in WAL mode with ``synchronous=FULL`` (a commit is on the disk when it
returns), with foreign keys on, and waits for another process's lock instead of failing. A transaction that
writes starts with ``BEGIN IMMEDIATE``: one that starts by reading and writes later fails at once when
somebody else wrote in between, and no waiting time helps it. Statements and their parameters never appear in
error texts.

Two doors lead to the same file:

* ``create_engine`` gives an async engine, for services that keep their own tables.
* ``SqliteDatabase`` runs a whole transaction in one hop to a thread. The log uses it, because an async driver
  hops to its thread several times a statement and an append is four statements.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from meldhall_eventlog.database import unavailable
from meldhall_eventlog.errors import LogUnavailable

T = TypeVar("T")

BUSY_TIMEOUT_MS: Final = 5_000
READERS: Final = 4

_BEGIN: Final = "meldhall_begin"


def file_url(url: str | URL, driver: str) -> URL:
    """Return the URL of an SQLite file for another driver.

    Args:
        url: ``sqlite:///path`` with any driver.
        driver: ``pysqlite`` or ``aiosqlite``.

    Raises:
        ValueError: the URL names another database, or one in memory, which no second connection could see.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        raise ValueError(f"not an SQLite URL: {parsed.render_as_string()}")
    if not parsed.database or parsed.database == ":memory:" or "mode=memory" in str(parsed):
        raise ValueError(
            "an SQLite database must be a file: readers and the writer have connections of their own"
        )
    return parsed.set(drivername=f"sqlite+{driver}")


class SqliteEngine(AsyncEngine):
    """An async engine whose ``begin()`` is for writing and whose ``connect()`` is for reading.

    ``begin()`` starts with ``BEGIN IMMEDIATE`` and lets the writers of this process in one after another, in
    the order in which they came. It does not nest: a task that is inside one and asks for a second waits for
    ever, as SQLite has one writer. ``connect()`` starts a deferred transaction at the first statement and
    reads one consistent state until it ends.
    """

    def __init__(self, sync_engine: Engine) -> None:
        super().__init__(sync_engine)
        self._writing = asyncio.Lock()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Begin a writing transaction; commit at the end of the block, roll back when it raises."""
        async with self._writing, self.connect() as connection:
            await connection.execution_options(**{_BEGIN: "IMMEDIATE"})
            async with connection.begin():
                yield connection


def create_engine(url: str | URL, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> SqliteEngine:
    """Make an async engine for an SQLite file.

    Args:
        url: ``sqlite:///path`` or ``sqlite+aiosqlite:///path``; a file, never memory.
        busy_timeout_ms: how long a writer waits for another process's transaction.
    """
    plain = create_async_engine(file_url(url, "aiosqlite"), hide_parameters=True)
    _prepare(plain.sync_engine, busy_timeout_ms=busy_timeout_ms)
    return SqliteEngine(plain.sync_engine)


def create_sync_engine(
    url: str | URL,
    *,
    begin: str = "IMMEDIATE",
    read_only: bool = False,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    pool_size: int = 1,
) -> Engine:
    """Make a blocking engine for an SQLite file, for migrations and for code that runs in its own threads.

    Args:
        url: as for ``create_engine``.
        begin: ``IMMEDIATE`` where transactions write, ``DEFERRED`` where they only read.
        read_only: let SQLite refuse every write.
        busy_timeout_ms: how long a writer waits for another process's transaction.
        pool_size: how many connections at most.
    """
    engine = sqlalchemy.create_engine(
        file_url(url, "pysqlite"), hide_parameters=True, pool_size=pool_size, max_overflow=0
    ).execution_options(**{_BEGIN: begin})
    _prepare(engine, busy_timeout_ms=busy_timeout_ms, read_only=read_only)
    return engine


def wipe_deleted(url: str | URL, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> bool:
    """Remove from a file what was deleted from its tables, which SQLite leaves in free pages and in the WAL.

    Rewrites the whole file; readers and writers wait meanwhile. Blocking.

    Args:
        url: as for ``create_engine``.
        busy_timeout_ms: how long to wait for other processes.

    Returns:
        Whether all of it is gone; False where a reader still holds on to an old part of the WAL.

    Raises:
        LogUnavailable: the file is locked, full or gone.
    """
    path = str(file_url(url, "pysqlite").database)
    try:
        connection = sqlite3.connect(path, timeout=busy_timeout_ms / 1000, isolation_level=None)
        try:
            connection.execute("VACUUM")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise LogUnavailable(f"what was deleted is still in the file: {error}") from error
    return not busy


class SqliteDatabase:
    """One writer connection in one thread and a few readers; a transaction is one hop.

    ``work`` takes a blocking connection inside an open transaction, returns a value and must not keep the
    connection.
    """

    one_writer = True

    def __init__(
        self, url: str | URL, *, readers: int = READERS, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> None:
        self._writer = create_sync_engine(url, busy_timeout_ms=busy_timeout_ms)
        self._reader = create_sync_engine(
            url, begin="DEFERRED", read_only=True, busy_timeout_ms=busy_timeout_ms, pool_size=readers
        )
        self._closed = False
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite-writer")
        self._read_threads = ThreadPoolExecutor(readers, thread_name_prefix="sqlite-reader")

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in one writing transaction, durable on return.

        Raises:
            LogUnavailable: the file is locked, full or gone. Whatever ``work`` raises is rolled back and
                raised again.
        """
        return await self._hop(self._write_thread, self._writer, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work in one reading transaction, which sees everything committed before it began."""
        return await self._hop(self._read_threads, self._reader, work)

    async def close(self) -> None:
        """Finish what runs and close every connection. A second call is a no-op."""
        self._closed = True
        await asyncio.to_thread(self._close)

    async def _hop(self, threads: ThreadPoolExecutor, engine: Engine, work: Callable[[Connection], T]) -> T:
        if self._closed:
            raise LogUnavailable("the database is closed")
        return await asyncio.get_running_loop().run_in_executor(threads, _transact, engine, work)

    def _close(self) -> None:
        for threads, engine in ((self._read_threads, self._reader), (self._write_thread, self._writer)):
            threads.shutdown(wait=True)
            engine.dispose()


def _transact(engine: Engine, work: Callable[[Connection], T]) -> T:
    try:
        with engine.begin() as connection:
            return work(connection)
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise unavailable(error) from error


def _prepare(engine: Engine, *, busy_timeout_ms: int, read_only: bool = False) -> None:
    pragmas = (
        # First, because switching to WAL itself may have to wait.
        f"busy_timeout={busy_timeout_ms:d}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"query_only={'ON' if read_only else 'OFF'}",
    )

    def connect(connection: Any, _record: object) -> None:
        # Without this the driver begins transactions by itself, deferred and at a moment of its own choice.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", _begin)


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get(_BEGIN, "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")
