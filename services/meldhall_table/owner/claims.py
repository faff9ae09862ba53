"""Taking, keeping and giving up shards: this engine's part in the shared lease table.

Two loops run beside each other. The heartbeat says that this engine lives; where it fails for too long the
engine steps down by itself, before others may take its shards. The balance looks at the lease table, claims
what is free up to a fair share, gives up what is above it, and drops what somebody else took.

Both run on the loop that the tables run on, so that an engine that is stuck does not look alive, and on a
real clock, whatever clock tables are played by. Source: ``deploy/docs/tables.md``, "Who owns a table".
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.leases import ShardLeases, ShardMap
from meldhall_runtime.clock import Clock
from meldhall_table.metrics import TableMetrics
from meldhall_table.owner.shards import Shards, Tenure
from meldhall_table.owner.share import owners, peers, plan, restless
from meldhall_table.owner.tables import Tables

T = TypeVar("T")

BATCH: Final = 8
"""Shards with tables in memory that are handed over together."""

TAKEN_SECONDS: Final = 1.0
"""Longest wait for others to take what was given up, before the next shards are given up."""


class NotHeld(Exception):
    """This engine cannot be the owner of shards at the moment."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of the leases, in seconds.

    ``ttl`` after its last heartbeat an engine counts as dead; heartbeats are ``beat`` apart. ``quiet`` and
    ``restless`` are the pauses between two looks at the lease table, the second while shards change hands.
    """

    ttl: float
    beat: float
    quiet: float = 0.5
    restless: float = 0.1

    @property
    def trust(self) -> float:
        """Return how long after a heartbeat was sent the engine takes its lease for certain."""
        return self.ttl * 7 / 8


@dataclass(frozen=True, slots=True)
class Desk:
    """What the claims work with; ``chance`` draws from [0, 1) and keeps engines out of step."""

    leases: ShardLeases
    shards: Shards
    tables: Tables
    clock: Clock
    metrics: TableMetrics
    logger: BoundLogger
    chance: Callable[[], float]
    pace: Pace


class Claims:
    """The shards of one engine, from its start to its end.

    Args:
        desk: what it works with.
        instance: names this run of the engine. After it stepped down it goes by this name with a number.
    """

    def __init__(self, desk: Desk, instance: str) -> None:
        self._desk = desk
        self._first_name = instance
        self._name = instance
        self._lives = 1
        self._former: str | None = None
        self._seen: ShardMap | None = None
        self._aside = False
        self._draining = False
        self._over = False
        self._moving = asyncio.Lock()
        self._beating = asyncio.Lock()
        desk.metrics.shards.set_function(lambda: len(desk.shards.held))

    async def start(self) -> None:
        """Take up the shards that are free, before anything is served.

        Raises:
            LogUnavailable: the database does not answer.
        """
        await self._desk.leases.succeed(self._name, self._desk.shards.address)
        await self._say_alive()
        await self._look()

    async def keep_beating(self) -> None:
        """Say that this engine lives, for ever; step down where that fails for too long."""
        pace = self._desk.pace
        while True:
            try:
                await self._say_alive()
                pause = pace.beat
            except (EventLogError, TimeoutError) as error:
                self._desk.logger.warning("heartbeat_failed", error=type(error).__name__)
                pause = pace.quiet
            self._step_down_if_lapsed()
            await self._desk.clock.sleep(pause)

    async def keep_balanced(self) -> None:
        """Look at the lease table, claim, give up and drop, for ever."""
        pace = self._desk.pace
        while True:
            pause = pace.restless if self._seen is None or restless(self._seen) else pace.quiet
            await self._desk.clock.sleep(pause * (0.75 + 0.5 * self._desk.chance()))
            try:
                await self._look()
            except (EventLogError, TimeoutError) as error:
                self._desk.logger.warning("leases_not_read", error=type(error).__name__)

    async def check(self) -> None:
        """Check for readiness.

        Raises:
            NotHeld: the lease has run out, or the engine stands aside.
        """
        if self._aside and not self._desk.shards.held:
            raise NotHeld("the event loop lags; the shards were given up")
        if not self._desk.shards.trusted:
            raise NotHeld("no heartbeat reached the database in time; the shards were given up")

    async def stand_aside(self, aside: bool) -> None:  # noqa: FBT001 - what the lag watch calls
        """Give up all shards to others, since this engine is too slow; or come back."""
        try:
            if aside:
                self._aside = True
                self._desk.logger.warning("engine_stands_aside")
                await self._say_alive()
            elif self._aside:
                await self._come_back("fit again")
            await self._look()
        except (EventLogError, TimeoutError) as error:
            # The loops go on trying.
            self._desk.logger.warning("leases_not_read", error=type(error).__name__)

    async def drain(self) -> None:
        """Hand everything over, a few shards at a time; where nobody is left, stop the tables."""
        self._draining = True
        desk = self._desk
        try:
            await self._say_alive()
            self._seen = await self._asked(desk.leases.map())
            if peers(self._seen, self._name):
                # Until others have seen that this engine leaves, and look for its shards more often.
                await desk.clock.sleep(desk.pace.quiet * 1.5)
                async with self._moving:
                    await self._give(tuple(desk.shards.held))
        except (EventLogError, TimeoutError) as error:
            desk.logger.warning("shards_not_handed_over", error=type(error).__name__)
        await self.close()

    async def close(self) -> None:
        """Stop the tables if they still run, and leave the lease table. A second call does nothing."""
        if self._over:
            return
        self._over = True
        desk = self._desk
        await desk.tables.stop()
        desk.shards.end_watches()
        async with self._moving, self._beating:
            desk.shards.drop(tuple(desk.shards.held))
            await self._asked(desk.leases.resign(self._name))

    async def _come_back(self, why: str) -> None:
        """Take shards again: slow service is better than none."""
        self._aside = False
        self._desk.logger.warning("engine_comes_back", why=why)
        await self._say_alive()

    async def _say_alive(self) -> None:
        desk, pace = self._desk, self._desk.pace
        self._step_down_if_lapsed()
        async with self._beating:
            if self._over:
                return
            name, sent = self._name, desk.clock.monotonic()
            async with asyncio.timeout(pace.trust):
                await desk.leases.beat(name, desk.shards.address, draining=self._draining or self._aside)
        # A heartbeat that came after the lease may have run out proves nothing about the time between.
        self._step_down_if_lapsed()
        if name == self._name:
            desk.shards.trust_until(sent + pace.trust)

    def _step_down_if_lapsed(self) -> None:
        desk = self._desk
        if desk.shards.trusted or not desk.shards.held:
            return
        lost = tuple(desk.shards.held)
        desk.logger.error("engine_stepped_down", shards=len(lost), instance=self._name)
        desk.metrics.step_downs.inc()
        self._former, self._lives = self._name, self._lives + 1
        # Under another name, so that the time without owner counts from the last heartbeat of this one.
        self._name = f"{self._first_name}.{self._lives}"
        self._lose(lost)

    def _lose(self, shards: Collection[int]) -> None:
        self._desk.shards.drop(shards)
        self._desk.tables.lose(shards)
        self._desk.metrics.shard_moves.labels("lost").inc(len(shards))

    async def _asked(self, call: Awaitable[T]) -> T:
        """Wait for the lease table's answer, but not for ever: a connection may be dead and not know it."""
        async with asyncio.timeout(self._desk.pace.ttl):
            return await call

    async def _look(self) -> None:
        async with self._moving:
            if self._over:
                return
            name = self._name
            seen = await self._asked(self._desk.leases.map())
            if name != self._name:
                return
            self._seen = seen
            await self._reconcile(seen)
            if self._draining or not self._desk.shards.trusted:
                return
            if self._aside:
                if peers(seen, name):
                    await self._give(tuple(self._desk.shards.held))
                    return
                if not seen.claimable():
                    return
                await self._come_back("nobody fit is left")
            wanted = plan(seen, name)
            if wanted.claim:
                await self._claim(wanted.claim)
            elif wanted.surplus:
                quietest = self._desk.tables.by_use(self._desk.shards.held)
                await self._give(quietest[: wanted.surplus])

    async def _reconcile(self, seen: ShardMap) -> None:
        """Drop what somebody else took; give back what is ours by the table and not in truth."""
        desk = self._desk
        lost = [
            shard
            for shard, tenure in desk.shards.held.items()
            if (seen.shards[shard].instance, seen.shards[shard].epoch) != (self._name, tenure.epoch)
        ]
        if lost:
            desk.logger.warning("shards_lost", shards=lost)
            self._lose(lost)
        desk.shards.note(owners(seen))
        if self._former is not None:
            former, self._former = self._former, None
            if any(one.instance_id == former and one.alive for one in seen.instances):
                await self._asked(desk.leases.resign(former))
        strayed = [shard for shard in seen.held_by(self._name) if shard not in desk.shards.held]
        if strayed:
            await self._asked(desk.leases.release(self._name, strayed))

    async def _claim(self, wanted: Sequence[int]) -> None:
        desk, name = self._desk, self._name
        claimed = await self._asked(desk.leases.claim(name, wanted))
        if name != self._name or not claimed:
            return
        taken = {shard: Tenure(one.epoch, one.outage_ms) for shard, one in claimed.items()}
        desk.shards.take(taken)
        desk.tables.wake(taken)
        desk.metrics.shard_moves.labels("claimed").inc(len(taken))
        outage = max(tenure.outage_ms for tenure in taken.values())
        desk.logger.info("shards_claimed", count=len(taken), held=len(desk.shards.held), outage_ms=outage)

    async def _give(self, shards: Sequence[int]) -> None:
        """Give shards up to others: those without tables at once, the rest a few at a time."""
        desk, patient = self._desk, True
        occupied = desk.tables.occupied()
        busy = [shard for shard in desk.tables.by_use(shards) if shard in occupied]
        quiet = [shard for shard in shards if shard not in occupied]
        batches = [quiet] if quiet else []
        batches += [busy[at : at + BATCH] for at in range(0, len(busy), BATCH)]
        for batch in batches:
            # While they are still played: the pause is only what comes after it.
            await desk.tables.save(batch)
            desk.shards.drop(batch)
            await desk.tables.let_go(batch)
            await self._asked(desk.leases.release(self._name, batch))
            desk.metrics.shard_moves.labels("given_up").inc(len(batch))
            desk.logger.info("shards_given_up", count=len(batch), held=len(desk.shards.held))
            patient = patient and await self._taken(batch)

    async def _taken(self, shards: Collection[int]) -> bool:
        """Wait a moment for others to take shards; tell whether they did."""
        desk = self._desk
        ends = desk.clock.monotonic() + TAKEN_SECONDS
        while desk.clock.monotonic() < ends:
            seen = await self._asked(desk.leases.map())
            desk.shards.note(owners(seen))
            if all(desk.shards.owner(shard).address for shard in shards):
                return True
            await desk.clock.sleep(desk.pace.restless / 2)
        return False
