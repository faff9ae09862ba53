"""Engines that each follow their own plan divide the shards evenly, whoever comes and goes."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from meldhall_eventlog.leases import Instance, ShardMap, ShardOwner
from meldhall_table.owner.share import peers, plan, restless
from meldhall_table.store.stream import SHARDS

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1, max_size=8)


def seen(held: Sequence[str | None], instances: Sequence[Instance]) -> ShardMap:
    addresses = {one.instance_id: one.address for one in instances if one.alive}
    return ShardMap(
        tuple(instances),
        tuple(ShardOwner(shard, who, 1, addresses.get(who or "")) for shard, who in enumerate(held)),
    )


def follow(held: list[str | None], instances: Sequence[Instance], me: str) -> bool:
    """Do what an engine's plan says; tell whether that was anything."""
    wanted = plan(seen(held, instances), me)
    for shard in wanted.claim:
        held[shard] = me
    own = [shard for shard, who in enumerate(held) if who == me]
    for shard in own[: wanted.surplus]:
        held[shard] = None
    return bool(wanted.claim) or bool(wanted.surplus)


@given(
    names=NAMES,
    before=st.lists(st.sampled_from([*"abcdefgh", None]), min_size=SHARDS, max_size=SHARDS),
    draining=st.sets(st.sampled_from("abcdefgh")),
)
def test_all_shards_find_an_owner_and_nobody_has_more_than_a_share(
    names: list[str], before: list[str | None], draining: set[str]
) -> None:
    instances = [
        Instance(name, f"{name}:1", alive=name in names, draining=name in draining) for name in "abcdefgh"
    ]
    staying = [name for name in names if name not in draining]
    held = [None if who in draining else who for who in before]
    for _ in range(3):
        moved = [follow(held, instances, me) for me in staying]
    if not staying:
        return
    assert not any(moved), "everybody is content"
    counts = [held.count(name) for name in staying]
    assert sum(counts) == SHARDS
    assert max(counts) <= -(-SHARDS // len(staying))
    assert restless(seen(held, instances)) == any(name in draining for name in names)


def test_an_engine_that_is_alone_takes_everything() -> None:
    alone = [Instance("a", "a:1", alive=True, draining=False)]
    nobody: list[str | None] = [None] * SHARDS
    assert len(plan(seen(nobody, alone), "a").claim) == SHARDS
    assert not peers(seen(nobody, alone), "a")


def test_shards_of_a_living_engine_are_never_claimed() -> None:
    both = [Instance(name, f"{name}:1", alive=True, draining=False) for name in "ab"]
    assert plan(seen(["b"] * SHARDS, both), "a").claim == ()
    assert plan(seen(["b"] * SHARDS, both), "b").surplus == SHARDS // 2
