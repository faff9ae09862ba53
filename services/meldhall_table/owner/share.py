"""How many shards an engine should have, and which to claim. Pure: the lease table in, a plan out."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from meldhall_eventlog.leases import ShardMap
from meldhall_table.owner.shards import Owner
from meldhall_table.store.stream import SHARDS


@dataclass(frozen=True, slots=True)
class Plan:
    """What an engine should do now: shards to claim, or how many of its own to give up."""

    claim: tuple[int, ...] = ()
    surplus: int = 0


def plan(seen: ShardMap, me: str) -> Plan:
    """Divide the shards evenly among the engines that live and are not leaving.

    Engines that look at the same table come to the same share without talking to each other. Each looks for
    shards in an order of its own, so that those who claim at the same time seldom want the same ones.

    Args:
        seen: the lease table.
        me: the instance whose plan it is; taken for alive and staying.
    """
    staying = {one.instance_id for one in seen.instances if one.alive and not one.draining} | {me}
    share = -(-SHARDS // len(staying))
    own = len(seen.held_by(me))
    if own >= share:
        return Plan(surplus=own - share)
    free = sorted(seen.claimable(), key=lambda shard: _order(me, shard))
    return Plan(claim=tuple(free[: share - own]))


def peers(seen: ShardMap, me: str) -> bool:
    """Tell whether any other engine could take shards over."""
    return any(one.alive and not one.draining and one.instance_id != me for one in seen.instances)


def restless(seen: ShardMap) -> bool:
    """Tell whether shards are about to change hands: some have no owner, or an engine is leaving."""
    return bool(seen.claimable()) or any(one.alive and one.draining for one in seen.instances)


def owners(seen: ShardMap) -> Sequence[Owner]:
    """Return who serves each shard; a dead engine serves none."""
    return [Owner(lease.address or "", lease.epoch) for lease in seen.shards]


def _order(me: str, shard: int) -> bytes:
    return hashlib.sha256(f"{me}/{shard}".encode()).digest()
