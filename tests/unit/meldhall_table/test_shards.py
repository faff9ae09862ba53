import asyncio

import pytest

from meldhall_runtime.testing import ManualClock
from meldhall_table.owner.errors import NotOwner
from meldhall_table.owner.shards import NOBODY, Owner, Shards, Tenure
from meldhall_table.store.stream import SHARDS, shard_of

TABLE = "a-table"
SHARD = shard_of(TABLE)


def shards_of_an_engine(clock: ManualClock) -> Shards:
    shards = Shards("me:1", clock.monotonic)
    shards.trust_until(clock.monotonic() + 7)
    return shards


async def test_nothing_is_ours_once_the_lease_may_have_run_out() -> None:
    clock = ManualClock()
    shards = shards_of_an_engine(clock)
    shards.take({SHARD: Tenure(5)})
    shards.check(TABLE, 5)
    await clock.advance(6.9)
    assert shards.serves(SHARD, 5)
    await clock.advance(0.2)
    assert shards.tenure(SHARD) is None
    with pytest.raises(NotOwner) as refused:
        shards.check(TABLE, 5)
    # Whoever asks must not be sent back here.
    assert (refused.value.owner_address, refused.value.owner_epoch) == ("", 5)
    shards.trust_until(clock.monotonic() + 7)
    assert shards.serves(SHARD, 5)


def test_a_shard_that_was_taken_anew_is_not_served_under_its_old_epoch() -> None:
    shards = shards_of_an_engine(ManualClock())
    shards.take({SHARD: Tenure(5)})
    shards.drop([SHARD])
    shards.take({SHARD: Tenure(6)})
    assert not shards.serves(SHARD, 5)
    assert shards.serves(SHARD, 6)


def test_others_are_named_and_a_stale_entry_of_our_own_is_not() -> None:
    shards = shards_of_an_engine(ManualClock())
    shards.take({SHARD: Tenure(5)})
    shards.drop([SHARD])
    # The lease table as it was read before the shard was released.
    shards.note([Owner("me:1", 5)] * SHARDS)
    error = shards.not_owner(TABLE)
    assert (error.shard, error.owner_address, error.owner_epoch) == (SHARD, "", 5)
    shards.note([Owner("other:1", 9)] * SHARDS)
    error = shards.not_owner(TABLE)
    assert (error.owner_address, error.owner_epoch) == ("other:1", 9)


def test_what_the_lease_table_says_does_not_change_what_we_serve() -> None:
    shards = shards_of_an_engine(ManualClock())
    shards.take({SHARD: Tenure(5)})
    shards.note([Owner("other:1", 4)] * SHARDS)
    assert shards.owner(SHARD) == Owner("me:1", 5)
    assert shards.owner((SHARD + 1) % SHARDS) == Owner("other:1", 4)


async def test_a_viewer_waits_a_moment_for_the_new_address_and_not_for_ever() -> None:
    shards = shards_of_an_engine(ManualClock())
    shards.take({SHARD: Tenure(5)})
    shards.drop([SHARD])
    assert await shards.new_address(SHARD, 0.01) == ""
    waiting = asyncio.create_task(shards.new_address(SHARD, 10))
    await asyncio.sleep(0)
    shards.note([NOBODY] * SHARDS)
    await asyncio.sleep(0)
    shards.note([Owner("other:1", 9)] * SHARDS)
    assert await waiting == "other:1"


async def test_who_follows_gets_all_shards_and_then_changes_that_were_put_together() -> None:
    shards = shards_of_an_engine(ManualClock())
    watch = shards.watch()
    assert await watch.next() == dict.fromkeys(range(SHARDS), NOBODY)
    for epoch in range(1, 1_000):
        shards.take({SHARD: Tenure(epoch)})
    assert await watch.next() == {SHARD: Owner("me:1", 999)}
    later = asyncio.create_task(watch.next())
    await asyncio.sleep(0)
    shards.take({SHARD: Tenure(999)})
    await asyncio.sleep(0)
    assert not later.done(), "nothing changed"
    shards.drop([SHARD])
    assert await later == {SHARD: Owner("", 999)}
    shards.end_watches()
    assert await watch.next() is None
    shards.take({SHARD: Tenure(1_000)})
    assert await watch.next() is None
