# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""The suite of the leases: shards and names, on any database that the log lies in."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from meldhall_eventlog.clock import now_ms
from meldhall_eventlog.errors import Fenced, LeaseLost
from meldhall_eventlog.leases import FORGET_MS, SHARDS, ShardLeases
from meldhall_eventlog.named_leases import NamedLease
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending

T = TypeVar("T")


class Clock:
    """A database's clock that a test sets; milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, _connection: Connection) -> int:
        """Say what time it is."""
        return self.now


class LeaseCase(EventLogCase):
    """Two logs over one database, as two processes have them, and one clock."""

    @pytest.fixture
    def clock(self) -> Clock:
        """Return the clock of the database."""
        return Clock()

    @pytest.fixture
    async def other_log(self, url: str) -> AsyncIterator[SqlEventLog]:
        """Open a second log over the same database."""
        log = await self.open_log(url)
        yield log
        await log.close()

    @pytest.fixture
    def leases(self, log: SqlEventLog, clock: Clock) -> ShardLeases:
        """Return the leases as the first process sees them."""
        return ShardLeases(log.database, clock=clock)

    @pytest.fixture
    def others(self, other_log: SqlEventLog, clock: Clock) -> ShardLeases:
        """Return the leases as the second process sees them."""
        return ShardLeases(other_log.database, clock=clock)


class ShardCases(LeaseCase):
    """Who gets which shard, when, and with which epoch."""

    async def test_nobody_serves_a_new_database(self, leases: ShardLeases) -> None:
        shards = await leases.map()
        assert shards.instances == ()
        assert [owner.shard for owner in shards.shards] == list(range(SHARDS))
        assert {(owner.instance, owner.epoch, owner.address) for owner in shards.shards} == {(None, 0, None)}
        assert shards.claimable() == tuple(range(SHARDS))

    async def test_a_claim_is_in_the_map(self, leases: ShardLeases, others: ShardLeases) -> None:
        await leases.beat("a", "a:1")
        claimed = await leases.claim("a", [3, 5])
        assert sorted(claimed) == [3, 5]
        assert {one.outage_ms for one in claimed.values()} == {0}
        shards = await others.map()
        assert [(one.instance_id, one.address, one.alive, one.draining) for one in shards.instances] == [
            ("a", "a:1", True, False)
        ]
        owner = shards.shards[5]
        assert (owner.shard, owner.instance, owner.address) == (5, "a", "a:1")
        assert shards.held_by("a") == {shard: one.epoch for shard, one in claimed.items()}
        assert set(shards.claimable()) == set(range(SHARDS)) - {3, 5}

    async def test_two_that_claim_at_once_get_disjoint_shards(
        self, leases: ShardLeases, others: ShardLeases
    ) -> None:
        await leases.beat("a", "a:1")
        await others.beat("b", "b:1")
        await leases.beat("c", "c:1")
        got = await asyncio.gather(
            leases.claim("a", range(SHARDS)),
            others.claim("b", range(SHARDS)),
            leases.claim("c", range(100, 200)),
            others.claim("a", range(50, 150)),
        )
        shards = [shard for claimed in got for shard in claimed]
        assert sorted(shards) == list(range(SHARDS))
        seen = await leases.map()
        for instance, claimed in zip("abca", got, strict=True):
            held = seen.held_by(instance)
            assert all(held[shard] == one.epoch for shard, one in claimed.items())

    async def test_epochs_of_a_shard_only_grow(self, leases: ShardLeases, others: ShardLeases) -> None:
        last = 0
        for turn in range(6):
            who, name = ((leases, "a"), (others, "b"))[turn % 2]
            await who.beat(name, f"{name}:1")
            epoch = (await who.claim(name, [9]))[9].epoch
            assert epoch > last
            last = epoch
            await who.release(name, [9])
            assert (await leases.map()).shards[9].epoch == epoch

    async def test_epochs_come_from_the_counter_of_the_log(
        self, leases: ShardLeases, log: SqlEventLog
    ) -> None:
        await leases.beat("a", "a:1")
        first = await log.next_epoch()
        claimed = (await leases.claim("a", [1]))[1].epoch
        assert first < claimed < await log.next_epoch()

    async def test_a_shard_that_somebody_alive_holds_is_not_given(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        await others.beat("b", "b:1")
        await leases.claim("a", [1])
        assert await others.claim("b", [1]) == {}
        assert await leases.claim("a", [1]) == {}
        clock.now += leases.ttl_ms - 1
        await others.beat("b", "b:1")
        assert await others.claim("b", [1]) == {}

    async def test_the_shards_of_a_dead_instance_are_claimable_once_it_expired(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        before = (await leases.claim("a", [1, 2]))[1]
        clock.now += leases.ttl_ms
        await others.beat("b", "b:1")
        seen = await others.map()
        assert (seen.shards[1].instance, seen.shards[1].address) == ("a", None)
        assert [one.alive for one in seen.instances] == [False, True]
        after = (await others.claim("b", [1]))[1]
        assert after.epoch > before.epoch
        assert after.outage_ms == leases.ttl_ms
        assert sorted((await others.map()).held_by("a")) == [2]

    async def test_a_zombie_that_beats_gets_nothing_back(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        await leases.claim("a", [1, 2])
        clock.now += leases.ttl_ms
        await others.beat("b", "b:1")
        taken = await others.claim("b", [1])
        await leases.beat("a", "a:1")
        seen = await leases.map()
        assert seen.held_by("b") == {1: taken[1].epoch}
        assert sorted(seen.held_by("a")) == [2]
        await leases.release("a", [1, 2])
        assert (await leases.map()).held_by("b") == {1: taken[1].epoch}

    async def test_an_instance_that_slept_and_lost_nothing_goes_on(
        self, leases: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        claimed = await leases.claim("a", [1])
        clock.now += leases.ttl_ms * 3
        assert (await leases.map()).shards[1].address is None
        await leases.beat("a", "a:2")
        seen = await leases.map()
        assert seen.held_by("a") == {1: claimed[1].epoch}
        assert seen.shards[1].address == "a:2"

    async def test_an_instance_that_is_dead_draining_or_unknown_gets_nothing(
        self, leases: ShardLeases, clock: Clock
    ) -> None:
        assert await leases.claim("nobody", [1]) == {}
        await leases.beat("a", "a:1", draining=True)
        assert await leases.claim("a", [1]) == {}
        await leases.beat("a", "a:1")
        clock.now += leases.ttl_ms
        assert await leases.claim("a", [1]) == {}
        await leases.beat("a", "a:1")
        assert sorted(await leases.claim("a", [1])) == [1]

    async def test_a_draining_instance_keeps_what_it_has_until_it_releases_it(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        await leases.claim("a", [1, 2])
        await others.beat("b", "b:1")
        await leases.beat("a", "a:1", draining=True)
        assert await others.claim("b", [1, 2]) == {}
        assert (await others.map()).instances[0].draining
        await leases.release("a", [1])
        clock.now += 40
        claimed = await others.claim("b", [1, 2])
        assert {shard: one.outage_ms for shard, one in claimed.items()} == {1: 40}

    async def test_resigning_gives_everything_back_and_is_forgotten(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        await others.beat("b", "b:1")
        await leases.claim("a", [1, 2])
        await others.claim("b", [3])
        await leases.resign("a")
        await leases.resign("a")
        seen = await others.map()
        assert [one.instance_id for one in seen.instances] == ["b"]
        assert seen.held_by("a") == {}
        assert sorted(seen.held_by("b")) == [3]
        clock.now += 7
        assert {one.outage_ms for one in (await others.claim("b", [1, 2])).values()} == {7}

    async def test_the_outage_of_a_shard_that_died_again_is_counted_anew(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        await leases.claim("a", [1])
        await leases.release("a", [1])
        clock.now += 500
        await leases.claim("a", [1])
        clock.now += 1_000
        await leases.beat("a", "a:1")
        clock.now += leases.ttl_ms + 5
        await others.beat("b", "b:1")
        assert (await others.claim("b", [1]))[1].outage_ms == leases.ttl_ms + 5

    async def test_the_dead_who_hold_nothing_are_forgotten_after_a_while(
        self, leases: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("idle", "i:1")
        await leases.beat("holder", "h:1")
        await leases.claim("holder", [1])
        clock.now += leases.ttl_ms + FORGET_MS + 1
        await leases.beat("b", "b:1")
        await leases.claim("b", [2])
        assert [one.instance_id for one in (await leases.map()).instances] == ["b", "holder"]

    async def test_asking_for_nothing_gives_nothing(self, leases: ShardLeases) -> None:
        await leases.beat("a", "a:1")
        assert await leases.claim("a", []) == {}
        await leases.release("a", [])
        assert await leases.claim("a", [SHARDS, 10_000]) == {}

    async def test_leases_expire_by_the_clock_of_the_database(
        self, log: SqlEventLog, other_log: SqlEventLog
    ) -> None:
        now = await log.database.read(now_ms)
        assert abs(now - time.time() * 1000) < 60_000
        mine, theirs = (ShardLeases(one.database, ttl_ms=400) for one in (log, other_log))
        await mine.beat("a", "a:1")
        await mine.claim("a", [1])
        await asyncio.sleep(0.5)
        await theirs.beat("b", "b:1")
        assert (await theirs.claim("b", [1]))[1].outage_ms >= 400
        assert await log.database.read(now_ms) > now

    async def test_who_lost_a_shard_appends_nothing_to_its_streams(
        self, leases: ShardLeases, others: ShardLeases, log: SqlEventLog, clock: Clock
    ) -> None:
        await leases.beat("a", "a:1")
        old = (await leases.claim("a", [7]))[7].epoch
        await log.append(appending("table-1", epoch=old))
        clock.now += leases.ttl_ms
        await others.beat("b", "b:1")
        new = (await others.claim("b", [7]))[7].epoch
        await log.claim("table-1", new)
        with pytest.raises(Fenced):
            await log.append(appending("table-1", after=1, epoch=old))
        await log.append(appending("table-1", after=1, epoch=new))


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
        self, mine: NamedLease, theirs: NamedLease, clock: Clock
    ) -> None:
        epoch = await mine.acquire()
        assert epoch is not None
        for _ in range(5):
            assert await theirs.acquire() is None
            clock.now += mine.ttl_ms - 1
            assert await mine.acquire() == epoch
        assert (mine.epoch, theirs.epoch) == (epoch, None)

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
            await log.database.write(mine.check)

    async def test_names_have_nothing_to_do_with_each_other(
        self, mine: NamedLease, other_log: SqlEventLog, clock: Clock
    ) -> None:
        assert await mine.acquire() is not None
        assert await NamedLease(other_log.database, "reconciler", "b", clock=clock).acquire() is not None

    async def test_a_write_under_a_stolen_lease_writes_nothing(
        self, mine: NamedLease, theirs: NamedLease, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        with pytest.raises(LeaseLost):
            await log.database.write(mine.check)
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
            await other_log.database.write(theirs.check)

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


class LeaseConformance(ShardCases, NameCases):
    """Everything that the leases must do on a database."""


def under(lease: NamedLease, work: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """Return work that is done only under the lease."""

    def checked(connection: Connection) -> T:
        lease.check(connection)
        return work(connection)

    return checked
