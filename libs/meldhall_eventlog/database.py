"""What the log needs of a database, and the commit that many appends share."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from meldhall_eventlog.errors import LogUnavailable

T = TypeVar("T")

BATCH: Final = 64
"""Units of work in one transaction at most: a bound on how long the first of them waits for its commit."""


_PASSING: Final = frozenset({"40001", "40P01", "0A000"})
"""PostgreSQL: serialization failure, deadlock, a prepared statement from before a change of the schema."""


def is_passing(error: Exception) -> bool:
    """Whether the database gave a transaction up for another one's sake: done again, it may succeed.

    Such an error says nothing about what the transaction wanted, and nobody is told that it did.
    """
    return isinstance(error, DBAPIError) and sql_state(error) in _PASSING


def sql_state(error: DBAPIError) -> str | None:
    """Return the five characters with which PostgreSQL says what happened; None from another database."""
    return getattr(error.orig, "sqlstate", None)


class Database(Protocol):
    """Runs blocking pieces of SQL in transactions: ``SqliteDatabase``, ``PostgresDatabase``.

    ``work`` may run more than once, each time in a transaction of its own, of which one at most commits: it
    keeps nothing between two runs. An adapter turns the driver's operational errors into ``LogUnavailable``
    and raises ``IntegrityError`` as it is.
    """

    one_writer: bool
    """Whether writing transactions come one after another, whatever they touch."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in one writing transaction, durable on return; roll back whatever raises."""

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work in one reading transaction."""

    async def close(self) -> None:
        """Close every connection."""


Together = Callable[[Connection, Sequence[Any]], Sequence[Any]]
"""Does many requests in a few statements: returns for each its outcome, or the error that refuses it."""


@dataclass(frozen=True, slots=True)
class _Unit:
    work: Callable[[Connection], Any]
    key: str
    answer: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class _Request(_Unit):
    """A unit that can be done together with others."""

    together: Together
    request: Any


@dataclass(frozen=True, slots=True)
class _Refused:
    error: Exception


class GroupCommit:
    """Puts the writes that wait together into one transaction, so that they share one sync to the disk.

    Units run in the order of their keys, those of one key in the order in which they came, so that two
    processes that lock the same rows never wait for each other in a circle. Each runs behind a savepoint: one
    that raises takes back its own statements only. Requests that can be done together (``run_together``) come
    before them, in a few statements for all; where the database refuses these, they run one by one as well.
    Nobody is answered before the commit, refusals neither, since a refusal may rest on what an earlier unit
    of the same transaction wrote. A commit that fails fails them all.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Unit] = []
        self._draining: asyncio.Task[None] | None = None
        self._closed = False

    async def run(self, work: Callable[[Connection], T], *, key: str = "") -> T:
        """Run one unit of work; durable on return.

        ``key`` names the row that the unit locks first.

        A caller that is cancelled does not know the outcome, as if its connection had died: the unit is
        dropped if its transaction did not begin yet, and committed otherwise.

        Raises:
            LogUnavailable: the database failed, or ``close`` was called. Whatever ``work`` raises is raised
                again.
        """
        answer: T = await self._submit(_Unit(work, key, asyncio.get_running_loop().create_future()))
        return answer

    async def run_together(
        self, work: Callable[[Connection], T], together: Together, request: Any, *, key: str
    ) -> T:
        """Do what a request asks for, with those that wait for the same; durable on return.

        Args:
            work: does it alone.
            together: does it for many.
            request: what ``together`` is given of this caller.
            key: two requests of one key are not done together, but in the order in which they came.

        Raises:
            LogUnavailable, and whatever refuses the request: as ``run``.
        """
        future = asyncio.get_running_loop().create_future()
        answer: T = await self._submit(_Request(work, key, future, together, request))
        return answer

    async def _submit(self, unit: _Unit) -> Any:
        if self._closed:
            raise LogUnavailable("the log is closed")
        self._waiting.append(unit)
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(), name="eventlog-commit")
        return await unit.answer

    async def close(self) -> None:
        """Take no more units and wait for those that are under way."""
        self._closed = True
        if self._draining is not None:
            # Somebody who gives up waiting must not take the callers' commits with them.
            await asyncio.shield(self._draining)

    async def _drain(self) -> None:
        batch: list[_Unit] = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                await self._commit([unit for unit in batch if not unit.answer.done()])
        finally:
            self._draining = None
            # Left only where the loop is going down and cancelled this task.
            for unit in (*batch, *self._waiting):
                unit.answer.cancel()

    async def _commit(self, units: Sequence[_Unit]) -> None:
        if not units:
            return
        try:
            outcomes = await self._database.write(lambda connection: _run(connection, units))
        except Exception as error:  # noqa: BLE001 - whatever stopped the transaction is every caller's answer
            outcomes = [_Refused(error)] * len(units)
        for unit, outcome in zip(units, outcomes, strict=True):
            if unit.answer.done():
                continue
            if isinstance(outcome, _Refused):
                unit.answer.set_exception(outcome.error)
            else:
                unit.answer.set_result(outcome)


class SeparateCommits:
    """Gives each unit a transaction of its own, as many at a time as the database has connections.

    For work that locks rows which others want too, such as accounts: a transaction of many units would hold
    each lock until the last unit is done, and take them in no order. The database shares the sync to the disk
    among transactions that commit together.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._closed = False
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run one unit of work; durable on return.

        Raises:
            LogUnavailable: the database failed, or ``close`` was called. Whatever ``work`` raises is raised
                again.
        """
        if self._closed:
            raise LogUnavailable("the database is closed")
        self._running += 1
        self._idle.clear()
        try:
            return await self._database.write(work)
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    async def close(self) -> None:
        """Take no more units and wait for those that are under way."""
        self._closed = True
        await self._idle.wait()


def commits_for(database: Database) -> GroupCommit | SeparateCommits:
    """Return how a service with rows that many want commits best."""
    return GroupCommit(database) if database.one_writer else SeparateCommits(database)


def _run(connection: Connection, units: Sequence[_Unit]) -> list[Any]:
    if len(units) == 1:
        # Alone in its transaction, a unit needs no savepoint: the transaction is rolled back with it.
        return [units[0].work(connection)]
    outcomes: dict[int, Any] = {}
    in_order = sorted(enumerate(units), key=lambda entry: entry[1].key)
    for together, requests in _alike(in_order).items():
        outcomes |= _run_together(connection, together, requests)
    for number, unit in in_order:
        if number not in outcomes:
            outcomes[number] = _run_behind_savepoint(connection, unit)
    return [outcomes[number] for number in range(len(units))]


def _alike(units: Iterable[tuple[int, _Unit]]) -> dict[Together, dict[int, Any]]:
    """Return the requests that can be done together, by how and by unit: the first one of each key."""
    found: dict[Together, dict[int, Any]] = {}
    taken: set[tuple[Together, str]] = set()
    for number, unit in units:
        if isinstance(unit, _Request) and (unit.together, unit.key) not in taken:
            taken.add((unit.together, unit.key))
            found.setdefault(unit.together, {})[number] = unit.request
    return found


def _run_together(connection: Connection, together: Together, requests: Mapping[int, Any]) -> dict[int, Any]:
    """Do requests together behind one savepoint; return no outcomes where that cannot be done."""
    savepoint = connection.begin_nested()
    try:
        outcomes = together(connection, list(requests.values()))
    except DBAPIError as error:
        if is_passing(error):
            raise
        # One of them has made it impossible for all. Alone each will hear what concerns it.
        savepoint.rollback()
        return {}
    savepoint.commit()
    return {
        number: _Refused(outcome) if isinstance(outcome, Exception) else outcome
        for number, outcome in zip(requests, outcomes, strict=True)
    }


def _run_behind_savepoint(connection: Connection, unit: _Unit) -> Any:
    savepoint = connection.begin_nested()
    try:
        outcome = unit.work(connection)
    except Exception as error:
        if is_passing(error):
            raise
        # Where the database lost the whole transaction this raises, and the batch fails as a whole.
        savepoint.rollback()
        return _Refused(_as_told(error))
    savepoint.commit()
    return outcome


def _as_told(error: Exception) -> Exception:
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        return unavailable(error)
    return error


def unavailable(error: Exception) -> LogUnavailable:
    """Say that the database did not do its work, without statement or parameters."""
    cause = told(error) if isinstance(error, DBAPIError) else f"{type(error).__name__}: {error}"
    return LogUnavailable(f"the database did not carry out the transaction: {cause}")


def told(error: DBAPIError) -> str:
    """Return what a database said; only its state where it may have repeated a value (class 22, bad data)."""
    said = str(error.orig).partition("\n")[0]
    if isinstance(error.orig, sqlite3.Error):
        return said
    state = sql_state(error) or type(error.orig).__name__
    return state if state.startswith("22") else f"{state}: {said}"
