# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Leases of shards."""

import asyncio
import time

import pytest

from meldhall_eventlog.clock import now_ms
from meldhall_eventlog.errors import Fenced
from meldhall_eventlog.leases import FORGET_MS, SHARDS, ShardLeases
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.lease_base import Clock, LeaseCase
from meldhall_eventlog.testing.samples import appending


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

    async def test_who_listens_at_an_address_takes_over_from_who_did(
        self, leases: ShardLeases, others: ShardLeases, clock: Clock
    ) -> None:
        await leases.beat("a", "host:1")
        await leases.beat("b", "host:2")
        await leases.claim("a", [1])
        await leases.claim("b", [2])
        clock.now += 700
        await others.succeed("c", "host:1")
        await others.beat("c", "host:1")
        claimed = await others.claim("c", [1, 2])
        assert {shard: one.outage_ms for shard, one in claimed.items()} == {1: 700}
        alive = {one.instance_id for one in (await leases.map()).instances if one.alive}
        assert alive == {"b", "c"}

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
