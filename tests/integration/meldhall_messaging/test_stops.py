"""Stopped partitions as they are written down, on each kind of database."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest_asyncio

from meldhall_eventlog.opening import open_database
from meldhall_messaging import StopStore, StoredStop, upgrade_stops

SCHEMA = "meldhall_ledger"
STOP = StoredStop("ledger", "t-1", 3, "an account that never was", 1_700_000_000_000, retry=False)


@pytest_asyncio.fixture
async def stops(any_database_url: str) -> AsyncIterator[StopStore]:
    await asyncio.to_thread(upgrade_stops, any_database_url, SCHEMA)
    await asyncio.to_thread(upgrade_stops, any_database_url, SCHEMA)
    database = open_database(any_database_url, schema=SCHEMA)
    yield StopStore(database)
    await database.close()


async def test_a_stop_is_listed_as_it_was_written_until_it_is_crossed_out(stops: StopStore) -> None:
    other = replace(STOP, partition="t-2", stopped_at_ms=STOP.stopped_at_ms - 1)
    elsewhere = replace(STOP, consumer="board")
    for stop in (STOP, other, elsewhere):
        await stops.record(stop)
    assert list(await stops.listed("ledger")) == [other, STOP]
    assert len(await stops.listed()) == 3
    await stops.remove("ledger", "t-1")
    await stops.remove("ledger", "t-9")
    assert list(await stops.listed("ledger")) == [other]
    assert list(await stops.listed("board")) == [elsewhere]


async def test_what_is_new_about_a_stop_is_written_and_since_when_stays(stops: StopStore) -> None:
    await stops.record(STOP)
    await stops.ask_retry("t-1")
    await stops.record(replace(STOP, sequence=5, reason="another", stopped_at_ms=2_000_000_000_000))
    assert list(await stops.listed()) == [replace(STOP, sequence=5, reason="another", retry=True)]


async def test_a_request_stands_until_it_was_carried_out(stops: StopStore) -> None:
    await stops.record(STOP)
    await stops.record(replace(STOP, partition="t-2"))
    assert await stops.ask_retry("t-9") == 0
    assert await stops.ask_retry("t-1") == 1
    assert [stop.retry for stop in await stops.listed()] == [True, False]
    await stops.retried("ledger", "t-1")
    assert [stop.retry for stop in await stops.listed()] == [False, False]
    assert await stops.ask_retry() == 2
