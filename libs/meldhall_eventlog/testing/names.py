# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Leases of names."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from meldhall_eventlog.clock import now_ms
from meldhall_eventlog.errors import LeaseLost
from meldhall_eventlog.named_leases import Holding, NamedLease, who_holds
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.lease_base import Clock, LeaseCase
from meldhall_eventlog.types import Position

T = TypeVar("T")


class NameCases(LeaseCase):
    """One holder at a time, and nothing written by one that was."""

    @pytest.fixture
    def mine(self, log: SqlEventLog, clock: Clock) -> NamedLease:
        """Return the first process's contender."""
        return NamedLease(log.database, "relay", "a", clock=clock)

    @pytest.fixture
    def theirs(self, other_log: SqlEventLog, clock: Clock) -> NamedLease:
        """Return the second process's contender."""
        return NamedLease(other_log.database, "relay", "b", clock=clock)

    async def test_one_holds_it_and_keeps_its_epoch(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, clock: Clock
    ) -> None:
        assert await who_holds(log.database, "relay", clock) is None
        epoch = await mine.acquire()
        assert epoch is not None
        for _ in range(5):
            assert await theirs.acquire() is None
            assert await who_holds(log.database, "relay", clock) == Holding("a", epoch)
            clock.now += mine.ttl_ms - 1
            assert await mine.acquire() == epoch
        assert (mine.epoch, theirs.epoch) == (epoch, None)
        clock.now += mine.ttl_ms
        assert await who_holds(log.database, "relay", clock) is None

    async def test_it_is_stolen_once_it_expired_and_with_a_higher_epoch(
        self, mine: NamedLease, theirs: NamedLease, clock: Clock
    ) -> None:
        first = await mine.acquire()
        clock.now += mine.ttl_ms
        second = await theirs.acquire()
        assert first is not None
        assert second is not None
        assert second > first
        assert await mine.acquire() is None
        await mine.release()
        assert await theirs.acquire() == second

    async def test_it_is_renewed_after_it_expired_where_nobody_took_it(
        self, mine: NamedLease, clock: Clock
    ) -> None:
        epoch = await mine.acquire()
        clock.now += mine.ttl_ms * 2
        assert await mine.acquire() == epoch

    async def test_what_was_released_is_taken_at_once(self, mine: NamedLease, theirs: NamedLease) -> None:
        first = await mine.acquire()
        await mine.release()
        await mine.release()
        assert mine.epoch is None
        second = await theirs.acquire()
        assert first is not None
        assert second is not None
        assert second > first

    async def test_of_many_that_ask_at_once_one_gets_it(
        self, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        contenders = [
            NamedLease((log, other_log)[number % 2].database, "relay", str(number), clock=clock)
            for number in range(12)
        ]
        for _ in range(3):
            epochs = await asyncio.gather(*(contender.acquire() for contender in contenders))
            assert len([epoch for epoch in epochs if epoch is not None]) == 1
            clock.now += contenders[0].ttl_ms

    async def test_a_process_that_starts_anew_is_another_contender(
        self, mine: NamedLease, log: SqlEventLog, clock: Clock
    ) -> None:
        first = await mine.acquire()
        again = NamedLease(log.database, "relay", "a", clock=clock)
        assert await again.acquire() is None
        clock.now += mine.ttl_ms
        second = await again.acquire()
        assert first is not None
        assert second is not None
        assert second > first
        with pytest.raises(LeaseLost):
            await log.database.write(mine.fence().check)

    async def test_a_write_that_began_under_an_earlier_holding_is_refused(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, clock: Clock
    ) -> None:
        await mine.acquire()
        began = under(mine, now_ms)
        clock.now += mine.ttl_ms
        await theirs.acquire()
        await theirs.release()
        assert await mine.acquire() is not None
        with pytest.raises(LeaseLost):
            await log.database.write(began)

    async def test_names_have_nothing_to_do_with_each_other(
        self, mine: NamedLease, other_log: SqlEventLog, clock: Clock
    ) -> None:
        assert await mine.acquire() is not None
        assert await NamedLease(other_log.database, "reconciler", "b", clock=clock).acquire() is not None

    async def test_a_write_under_a_stolen_lease_writes_nothing(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        with pytest.raises(LeaseLost):
            await log.database.write(mine.fence().check)
        await mine.acquire()
        assert await log.database.write(under(mine, lambda _connection: "written")) == "written"
        clock.now += mine.ttl_ms
        assert await log.database.write(under(mine, lambda _connection: "late, not lost")) == "late, not lost"
        await theirs.acquire()
        with pytest.raises(LeaseLost, match="relay"):
            await log.database.write(under(mine, now_ms))
        assert await other_log.database.write(under(theirs, lambda _connection: 1)) == 1
        await theirs.release()
        with pytest.raises(LeaseLost):
            await other_log.database.write(theirs.fence().check)

    async def test_a_checkpoint_moves_only_under_the_lease(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        with pytest.raises(LeaseLost):
            await log.save_checkpoint("relay", Position(0, 1), under=mine.fence())
        await mine.acquire()
        await log.save_checkpoint("relay", Position(0, 2), under=mine.fence())
        clock.now += mine.ttl_ms
        await theirs.acquire()
        outcomes = await asyncio.gather(
            log.save_checkpoint("other", Position(0, 4)),
            log.save_checkpoint("relay", Position(0, 3), under=mine.fence()),
            return_exceptions=True,
        )
        assert [type(outcome) for outcome in outcomes] == [type(None), LeaseLost]
        assert await other_log.load_checkpoint("relay") == Position(0, 2)
        assert await other_log.load_checkpoint("other") == Position(0, 4)
        await other_log.save_checkpoint("relay", Position(0, 5), under=theirs.fence())
        assert await log.load_checkpoint("relay") == Position(0, 5)

    async def test_nobody_steals_a_lease_under_a_write_that_checked_it(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, clock: Clock
    ) -> None:
        await mine.acquire()
        clock.now += mine.ttl_ms
        order: list[str] = []

        def write_slowly(_connection: Connection) -> None:
            time.sleep(0.2)
            order.append("written")

        async def steal() -> None:
            await asyncio.sleep(0.05)
            await theirs.acquire()
            order.append("stolen")

        await asyncio.gather(log.database.write(under(mine, write_slowly)), steal())
        assert order == ["written", "stolen"]


def under(lease: NamedLease, work: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """Return work that is done only under the lease as it is held now."""
    fence = lease.fence()

    def checked(connection: Connection) -> T:
        fence.check(connection)
        return work(connection)

    return checked
