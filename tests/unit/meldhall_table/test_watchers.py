import asyncio

import pytest
from tests.fixtures.table_domain import START, opened

from meldhall_table.domain import events
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import Step


def step(version: int) -> Step:
    return Step(version, START, events.SeatLeft(0, "anna"), opened("", ""))


async def test_steps_come_in_order_and_then_the_end() -> None:
    forgotten: list[Watcher] = []
    watcher = Watcher(3, forgotten.append)
    for version in (1, 2):
        watcher.offer(step(version))
    watcher.end(End.TABLE_CLOSED)
    watcher.end(End.SHUTDOWN)
    watcher.offer(step(3))
    got = [await watcher.next() for _ in range(4)]
    assert [one.version if isinstance(one, Step) else one for one in got] == [
        1,
        2,
        End.TABLE_CLOSED,
        End.TABLE_CLOSED,
    ]
    assert forgotten == [watcher, watcher]


async def test_who_reads_too_slowly_is_sent_away_and_holds_nothing() -> None:
    forgotten: list[Watcher] = []
    watcher = Watcher(2, forgotten.append)
    for version in range(1, 100):
        watcher.offer(step(version))
    assert await watcher.next() is End.TOO_SLOW
    assert forgotten == [watcher]


async def test_a_waiting_watcher_is_woken() -> None:
    watcher = Watcher(2, lambda _watcher: None)
    waiting = asyncio.create_task(watcher.next())
    await asyncio.sleep(0)
    watcher.offer(step(5))
    got = await asyncio.wait_for(waiting, 1)
    assert isinstance(got, Step)
    assert got.version == 5


async def test_waiting_can_be_cancelled() -> None:
    watcher = Watcher(2, lambda _watcher: None)
    waiting = asyncio.create_task(watcher.next())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
