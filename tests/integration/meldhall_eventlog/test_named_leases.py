"""Named leases in the database of a service that keeps no log."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import Column, Connection, Integer, MetaData, Table

from meldhall_eventlog import LeaseLost, NamedLease, who_holds
from meldhall_eventlog.database import Database
from meldhall_eventlog.migrate import upgrade, upgrade_named_leases
from meldhall_eventlog.opening import open_database

SCHEMA = "meldhall_purse"
purses = Table("purses", MetaData(), Column("id", Integer, primary_key=True))


@pytest_asyncio.fixture
async def database(any_database_url: str) -> AsyncIterator[Database]:
    await asyncio.to_thread(upgrade_named_leases, any_database_url, SCHEMA)
    await asyncio.to_thread(upgrade_named_leases, any_database_url, SCHEMA)
    database = open_database(any_database_url, schema=SCHEMA)
    await database.write(purses.create)
    yield database
    await database.close()


async def test_work_of_a_service_is_done_under_a_lease_in_its_own_database(database: Database) -> None:
    lease = NamedLease(database, "purse-keeper", "a")
    assert await lease.acquire() == 1
    fence = lease.fence()

    def work(connection: Connection) -> int:
        fence.check(connection)
        return connection.execute(purses.insert(), [{"id": 7}]).rowcount

    assert await database.write(work) == 1
    await lease.release()
    assert await NamedLease(database, "purse-keeper", "b").acquire() == 2
    with pytest.raises(LeaseLost, match="purse-keeper"):
        await database.write(fence.check)


async def test_leases_of_the_log_and_of_a_service_in_one_database_are_apart(
    database: Database, any_database_url: str
) -> None:
    await asyncio.to_thread(upgrade, any_database_url)
    log = open_database(any_database_url)
    try:
        await NamedLease(log, "relay/of-the-log", "a").acquire()
        await NamedLease(database, "relay/of-the-purse", "b").acquire()
        held = await who_holds(log, "relay/of-the-log")
        assert held is not None
        assert held.holder == "a"
    finally:
        await log.close()
