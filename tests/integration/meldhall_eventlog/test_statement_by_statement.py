"""Two owners on PostgreSQL, stopped before every statement and before every commit.

``LeaseConformance`` tries every order of whole transactions; here the statements of two transactions take
turns, with one waiting for the other's row locks as it comes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import combinations
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.util import await_only

from meldhall_eventlog import LOG_SCHEMA, Fenced, ShardLeases, SqlEventLog, StoredEvent
from meldhall_eventlog.postgres import PostgresDatabase
from meldhall_eventlog.testing import Clock, appending

T = TypeVar("T")

BLOCKED_AFTER = 0.25
"""Seconds after which a statement that has not returned is taken to wait for a lock."""


class Turns:
    """Lets one party go on by one statement at a time."""

    def __init__(self) -> None:
        self.free = False
        self._go = asyncio.Event()
        self._waiting = asyncio.Event()
        self.steps = 0

    async def wait(self) -> None:
        """Wait to be let go on."""
        self.steps += 1
        if self.free:
            return
        self._go.clear()
        self._waiting.set()
        await self._go.wait()

    async def step(self, task: "asyncio.Task[Any]") -> None:
        """Let the party do one statement; return when it is before the next, has ended, or is blocked."""
        if task.done() or not self._waiting.is_set():
            return
        self._waiting.clear()
        self._go.set()
        arrived = asyncio.create_task(self._waiting.wait())
        await asyncio.wait({arrived, task}, timeout=BLOCKED_AFTER, return_when=asyncio.FIRST_COMPLETED)
        arrived.cancel()

    async def arrive(self, task: "asyncio.Task[Any]") -> None:
        """Wait until the party is before its first statement."""
        arrived = asyncio.create_task(self._waiting.wait())
        await asyncio.wait({arrived, task}, return_when=asyncio.FIRST_COMPLETED)

    def release(self) -> None:
        """Stop it no more."""
        self.free = True
        self._go.set()


class Stepped:
    """A database whose transactions wait before each statement, and those that write before the commit."""

    one_writer = False

    def __init__(self, url: str, turns: Turns) -> None:
        self._database = PostgresDatabase(url, schema=LOG_SCHEMA)
        self._turns = turns

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._database.write(self._stepped(work, commits=True))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._database.read(self._stepped(work, commits=False))

    async def close(self) -> None:
        await self._database.close()

    def _stepped(self, work: Callable[[Connection], T], *, commits: bool) -> Callable[[Connection], T]:
        def pause(*_: object) -> None:
            await_only(self._turns.wait())

        def stepped(connection: Connection) -> T:
            event.listen(connection, "before_cursor_execute", pause)
            outcome = work(connection)
            if commits:
                pause()
            return outcome

        return stepped


async def take_turns(
    order: Sequence[int], turns: Sequence[Turns], parties: Sequence[Awaitable[Any]]
) -> list[Any]:
    """Let two parties go on in an order and then to their end; return what became of them."""
    tasks = [asyncio.ensure_future(party) for party in parties]
    for each, task in zip(turns, tasks, strict=True):
        await each.arrive(task)
    for who in order:
        await turns[who].step(tasks[who])
    for each in turns:
        each.release()
    async with asyncio.timeout(20):
        return await asyncio.gather(*tasks, return_exceptions=True)


def orders(first: int, second: int) -> Iterator[tuple[int, ...]]:
    for places in combinations(range(first + second), second):
        yield tuple(int(place in places) for place in range(first + second))


@asynccontextmanager
async def opened(url: str, turns: Sequence[Turns]):  # type: ignore[no-untyped-def]
    """Two logs whose transactions take turns."""
    async with AsyncExitStack() as stack:
        logs = [SqlEventLog(Stepped(url, each)) for each in turns]
        for log in logs:
            stack.push_async_callback(log.close)
        yield logs


async def late_append(log: SqlEventLog, stream_id: str) -> Sequence[StoredEvent]:
    return await log.append(appending(stream_id, after=1, epoch=1))


async def take_over(log: SqlEventLog, stream_id: str) -> int:
    await log.claim(stream_id, 2)
    return (await log.read_stream(stream_id))[-1].version


# The append updates the stream, inserts and commits; the new owner updates, looks, commits and reads.
@pytest.mark.timeout(240)
@pytest.mark.parametrize("order", list(orders(3, 4)), ids=lambda order: "".join("ab"[who] for who in order))
async def test_a_late_append_is_read_by_the_new_owner_or_refused(
    postgres_log_url: str, order: Sequence[int]
) -> None:
    plain = await SqlEventLog.open(postgres_log_url)
    try:
        await plain.append(appending("table-1", epoch=1))
        turns = [Turns(), Turns()]
        async with opened(postgres_log_url, turns) as (old, new):
            appended, read = await take_turns(
                order, turns, [late_append(old, "table-1"), take_over(new, "table-1")]
            )
        stored = await plain.read_stream("table-1")
        if isinstance(appended, Fenced):
            assert (read, len(stored)) == (1, 1)
        else:
            assert [one.version for one in appended] == [2]
            assert (read, len(stored)) == (2, 2)
        stream = await plain.info("table-1")
        assert stream is not None
        assert stream.owner_epoch == 2
        # Whatever the order was, both had to stop before every statement of theirs.
        assert turns[0].steps >= 2
        assert turns[1].steps >= 4
    finally:
        await plain.close()


@pytest.mark.parametrize("ahead", range(10))
async def test_of_two_that_claim_the_same_shards_one_gets_each_wherever_the_other_stands(
    postgres_log_url: str, ahead: int
) -> None:
    turns, clock = [Turns(), Turns()], Clock()
    plain = await SqlEventLog.open(postgres_log_url)
    try:
        leases = ShardLeases(plain.database, clock=clock)
        for name in ("a", "b"):
            await leases.beat(name, f"{name}:1")
        async with opened(postgres_log_url, turns) as (first, second):
            claims = [
                ShardLeases(log.database, clock=clock).claim(name, shards)
                for log, name, shards in ((first, "a", [1, 2, 3]), (second, "b", [2, 3, 4]))
            ]
            got = await take_turns([0] * ahead + [1] * 3, turns, claims)
        shards = [shard for claimed in got for shard in claimed]
        assert sorted(shards) == [1, 2, 3, 4]
        seen = await leases.map()
        for name, claimed in zip("ab", got, strict=True):
            assert seen.held_by(name) == {shard: one.epoch for shard, one in claimed.items()}
        epochs = [{one.epoch for one in claimed.values()} for claimed in got]
        assert epochs[0].isdisjoint(epochs[1])
    finally:
        await plain.close()
