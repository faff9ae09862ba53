"""What callers of a shared commit are told, over a database that the test holds still."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError

from meldhall_eventlog import GroupCommit, LogUnavailable
from meldhall_eventlog.database import BATCH, SeparateCommits, commits_for

T = TypeVar("T")


class GatedDatabase:
    """Counts its transactions, and runs none before ``gate`` is open."""

    def __init__(self) -> None:
        self.one_writer = True
        self.engine = create_engine("sqlite://")
        self.gate = asyncio.Event()
        self.transactions = 0
        self.failure: Exception | None = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        await self.gate.wait()
        self.transactions += 1
        with self.engine.begin() as connection:
            answer = work(connection)
            if self.failure is not None:
                raise self.failure
            return answer

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.write(work)

    async def close(self) -> None:
        self.engine.dispose()


def number(value: int) -> Callable[[Connection], int]:
    return lambda connection: int(connection.execute(text(f"SELECT {value:d}")).scalar_one())


def refusal(_connection: Connection) -> int:
    raise KeyError("refused")


async def test_what_waits_together_goes_in_one_transaction() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    first = asyncio.create_task(commits.run(number(0)))
    await asyncio.sleep(0)
    others = [asyncio.create_task(commits.run(number(value))) for value in range(1, BATCH + 2)]
    await asyncio.sleep(0)
    database.gate.set()
    assert await asyncio.gather(first, *others) == list(range(BATCH + 2))
    assert database.transactions == 3
    await database.close()


async def test_a_refused_unit_is_told_after_the_commit_and_alone() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    tasks = [asyncio.create_task(commits.run(work)) for work in (number(1), refusal, number(3))]
    database.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [repr(outcome) for outcome in outcomes] == ["1", "KeyError('refused')", "3"]
    assert database.transactions == 1
    await database.close()


async def test_a_commit_that_fails_fails_everybody_and_not_the_next() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    database.gate.set()
    database.failure = LogUnavailable("the disk is full")
    tasks = [asyncio.create_task(commits.run(work)) for work in (number(1), refusal, number(3))]
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert outcomes == [database.failure] * 3
    database.failure = None
    assert await commits.run(number(4)) == 4
    await database.close()


async def test_a_caller_that_gave_up_in_time_is_dropped() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    ran: list[str] = []

    def run(name: str) -> asyncio.Task[None]:
        return asyncio.create_task(commits.run(lambda _: ran.append(name)))

    first = run("first")
    await asyncio.sleep(0)
    waiting = [run(name) for name in ("a", "b", "c")]
    await asyncio.sleep(0)
    waiting[1].cancel()
    await asyncio.sleep(0)
    database.gate.set()
    outcomes = await asyncio.gather(first, *waiting, return_exceptions=True)
    assert ran == ["first", "a", "c"]
    assert isinstance(outcomes[2], asyncio.CancelledError)
    await database.close()


async def test_closing_waits_for_what_is_under_way_and_takes_no_more() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    task = asyncio.create_task(commits.run(number(1)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(commits.close())
    await asyncio.sleep(0)
    with pytest.raises(LogUnavailable):
        await commits.run(number(2))
    assert not closing.done()
    database.gate.set()
    await closing
    assert await task == 1
    await database.close()


def gave_way() -> DBAPIError:
    class Deadlock(Exception):
        sqlstate = "40P01"

    return DBAPIError("SELECT", None, Deadlock("deadlock detected"))


async def test_units_run_by_their_keys_and_of_one_key_as_they_came() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    ran: list[str] = []
    first = asyncio.create_task(commits.run(number(0)))
    await asyncio.sleep(0)

    def note(name: str) -> Callable[[Connection], None]:
        return lambda _: ran.append(name)

    names = ("b1", "a1", "c1", "a2", "b2")
    tasks = [asyncio.create_task(commits.run(note(name), key=name[0])) for name in names]
    await asyncio.sleep(0)
    database.gate.set()
    await asyncio.gather(first, *tasks)
    assert ran == ["a1", "a2", "b1", "b2", "c1"]
    await database.close()


async def test_a_unit_that_gave_way_is_no_refusal_but_the_end_of_its_transaction() -> None:
    database = GatedDatabase()
    commits = GroupCommit(database)
    error = gave_way()

    def give_way(_connection: Connection) -> int:
        raise error

    tasks = [asyncio.create_task(commits.run(work)) for work in (number(1), give_way)]
    database.gate.set()
    assert await asyncio.gather(*tasks, return_exceptions=True) == [error, error]
    await database.close()


async def test_separate_units_have_a_transaction_each_and_closing_waits_for_them() -> None:
    database = GatedDatabase()
    commits = SeparateCommits(database)
    tasks = [asyncio.create_task(commits.run(work)) for work in (number(1), refusal, number(3))]
    await asyncio.sleep(0)
    closing = asyncio.create_task(commits.close())
    await asyncio.sleep(0)
    with pytest.raises(LogUnavailable):
        await commits.run(number(2))
    assert not closing.done()
    database.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    await closing
    assert [repr(outcome) for outcome in outcomes] == ["1", "KeyError('refused')", "3"]
    assert database.transactions == 3
    await database.close()


async def test_what_may_be_overtaken_is_committed_apart() -> None:
    database = GatedDatabase()
    assert isinstance(commits_for(database), GroupCommit)
    database.one_writer = False
    assert isinstance(commits_for(database), SeparateCommits)
    await database.close()
