"""Who serves which shard: leases in the database of the log, by the database's clock.

An engine instance beats; while its beats are fresh it is alive, and the shards that it claimed are its own.
A shard that was released, or whose holder is dead, may be claimed, with an epoch that is higher than every
one before. All of this is courtesy: it keeps two engines from working on one table for nothing. What keeps a
late owner from writing is the epoch on the stream (``EventLog.claim`` before reading, then every append).

Instance ids are never used again: a process that starts anew takes a new one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, delete, exists, insert, select, update

from meldhall_eventlog.clock import DatabaseClock, now_ms
from meldhall_eventlog.database import Database
from meldhall_eventlog.statements import next_epoch
from meldhall_eventlog.tables import engine_instances, shard_leases

SHARDS: Final = 256
"""Shards of a log. The migration makes their rows; the number never changes."""

TTL_MS: Final = 8_000
"""How long a holder lives after its last beat. Beat four times as often."""

FORGET_MS: Final = 3_600_000
"""Dead instances that hold nothing stay listed for so long."""

_held_by = update(shard_leases).where(shard_leases.c.instance_id == bindparam("of_instance"))
_take = update(shard_leases).where(shard_leases.c.shard == bindparam("of_shard"))
_with_holder = (
    select(
        shard_leases.c.shard,
        shard_leases.c.instance_id,
        shard_leases.c.epoch,
        shard_leases.c.released_at_ms,
        engine_instances.c.address,
        engine_instances.c.beat_at_ms,
        engine_instances.c.expires_at_ms,
    )
    .outerjoin(engine_instances, engine_instances.c.instance_id == shard_leases.c.instance_id)
    .order_by(shard_leases.c.shard)
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A shard that was claimed.

    ``epoch`` is what its owner writes on the streams. ``outage_ms`` is how long nobody served it: since it
    was released, or since the last beat of its dead owner; 0 for one that never had an owner.
    """

    epoch: int
    outage_ms: int


@dataclass(frozen=True, slots=True)
class Instance:
    """An engine. ``alive`` until its last beat expires; a ``draining`` one gets no more shards."""

    instance_id: str
    address: str
    alive: bool
    draining: bool


@dataclass(frozen=True, slots=True)
class ShardOwner:
    """A shard and who holds it; ``address`` is None where nobody alive does."""

    shard: int
    instance: str | None
    epoch: int
    address: str | None


@dataclass(frozen=True, slots=True)
class ShardMap:
    """Every instance, and every shard in order, at one moment."""

    instances: tuple[Instance, ...]
    shards: tuple[ShardOwner, ...]

    def held_by(self, instance: str) -> Mapping[int, int]:
        """Return the epochs of the shards that an instance holds, dead or alive."""
        return {owner.shard: owner.epoch for owner in self.shards if owner.instance == instance}

    def claimable(self) -> tuple[int, ...]:
        """Return the shards that nobody alive holds."""
        return tuple(owner.shard for owner in self.shards if owner.address is None)


class ShardLeases:
    """The leases of the shards of one log.

    Args:
        database: where the log lies (``SqlEventLog.database``).
        ttl_ms: how long a holder lives after its last beat. All engines of a database must agree.
        clock: the database's clock.

    Every method raises ``LogUnavailable`` where the database failed; what became of a write is then unknown.
    """

    def __init__(self, database: Database, *, ttl_ms: int = TTL_MS, clock: DatabaseClock = now_ms) -> None:
        self._database = database
        self._ttl_ms = ttl_ms
        self._clock = clock

    @property
    def ttl_ms(self) -> int:
        """How long a holder lives after its last beat."""
        return self._ttl_ms

    async def beat(self, instance: str, address: str, *, draining: bool = False) -> None:
        """Say that an instance lives, and where. It gets nothing back that was claimed from it meanwhile."""
        await self._database.write(
            lambda connection: self._beat(connection, instance, address, draining=draining)
        )

    async def map(self) -> ShardMap:
        """Return who lives and who holds what."""
        return await self._database.read(self._map)

    async def claim(self, instance: str, shards: Sequence[int]) -> Mapping[int, Claimed]:
        """Take those of the shards that nobody alive holds, all in one transaction and with one epoch.

        An instance that is dead itself, draining or unknown gets nothing.
        """
        if not shards:
            return {}
        return await self._database.write(lambda connection: self._claim(connection, instance, shards))

    async def release(self, instance: str, shards: Sequence[int]) -> None:
        """Give shards back; those that the instance does not hold are left alone."""
        if not shards:
            return
        only = _held_by.where(shard_leases.c.shard.in_(shards))
        await self._database.write(lambda connection: self._release(connection, instance, only))

    async def resign(self, instance: str) -> None:
        """Give everything back and be forgotten: the last call of an instance."""

        def resign(connection: Connection) -> None:
            self._release(connection, instance, _held_by)
            connection.execute(delete(engine_instances).where(engine_instances.c.instance_id == instance))

        await self._database.write(resign)

    async def succeed(self, instance: str, address: str) -> None:
        """Take every other instance at an address for dead at once.

        For an instance that listens at the address itself: whoever gave it before is gone, and its shards
        need not wait until its last beat expires.
        """
        others = update(engine_instances).where(
            engine_instances.c.address == address, engine_instances.c.instance_id != instance
        )

        def bury(connection: Connection) -> None:
            now = self._clock(connection)
            dead = others.where(engine_instances.c.expires_at_ms > now)
            connection.execute(dead.values(expires_at_ms=now))

        await self._database.write(bury)

    def _beat(self, connection: Connection, instance: str, address: str, *, draining: bool) -> None:
        now = self._clock(connection)
        values = {
            "address": address,
            "draining": draining,
            "beat_at_ms": now,
            "expires_at_ms": now + self._ttl_ms,
        }
        known = update(engine_instances).where(engine_instances.c.instance_id == instance)
        if not connection.execute(known.values(**values)).rowcount:
            connection.execute(insert(engine_instances), {"instance_id": instance, **values})

    def _map(self, connection: Connection) -> ShardMap:
        now = self._clock(connection)
        listed = select(engine_instances).order_by(engine_instances.c.instance_id)
        return ShardMap(
            instances=tuple(
                Instance(row.instance_id, row.address, row.expires_at_ms > now, row.draining)
                for row in connection.execute(listed)
            ),
            shards=tuple(
                ShardOwner(row.shard, row.instance_id, row.epoch, row.address if _served(row, now) else None)
                for row in connection.execute(_with_holder)
            ),
        )

    def _claim(self, connection: Connection, instance: str, shards: Sequence[int]) -> Mapping[int, Claimed]:
        # Locked before anything is looked at, and in order: whoever claims the same shards at the same time
        # waits here and then sees who got them. SQLite has one writer and no such lock.
        wanted = select(shard_leases.c.shard).where(shard_leases.c.shard.in_(shards))
        connection.execute(wanted.order_by(shard_leases.c.shard).with_for_update()).all()
        now = self._clock(connection)
        if not _may_claim(connection, instance, now):
            return {}
        rows = connection.execute(_with_holder.where(shard_leases.c.shard.in_(shards))).all()
        free = [row for row in rows if not _served(row, now)]
        if not free:
            return {}
        epoch = next_epoch(connection)
        connection.execute(
            _take.values(instance_id=instance, epoch=epoch), [{"of_shard": row.shard} for row in free]
        )
        _forget_the_dead(connection, now)
        return {row.shard: Claimed(epoch, _outage(row, now)) for row in free}

    def _release(self, connection: Connection, instance: str, which: Any) -> None:
        values = which.values(instance_id=None, released_at_ms=self._clock(connection))
        connection.execute(values, {"of_instance": instance})


def _served(row: Row[*tuple[Any, ...]], now: int) -> bool:
    return row.expires_at_ms is not None and row.expires_at_ms > now


def _outage(row: Row[*tuple[Any, ...]], now: int) -> int:
    last_served = row.released_at_ms if row.instance_id is None else row.beat_at_ms
    return 0 if last_served is None else max(0, now - last_served)


def _may_claim(connection: Connection, instance: str, now: int) -> bool:
    found = select(engine_instances.c.instance_id).where(
        engine_instances.c.instance_id == instance,
        engine_instances.c.expires_at_ms > now,
        ~engine_instances.c.draining,
    )
    return connection.execute(found).one_or_none() is not None


def _forget_the_dead(connection: Connection, now: int) -> None:
    holds_something = exists().where(shard_leases.c.instance_id == engine_instances.c.instance_id)
    connection.execute(
        delete(engine_instances).where(engine_instances.c.expires_at_ms < now - FORGET_MS, ~holds_something)
    )
