# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Two owners of one stream, in every order that their steps can take.

Both claim the shard, write their epoch on the stream, read it and append; between any two steps of one the
other may do as many as it likes. What is to hold: once an owner has read, nothing is appended by anybody with
a lower epoch, so that what it read is what it appends to. The version guard alone does not give that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from meldhall_eventlog.errors import Fenced, WrongVersion
from meldhall_eventlog.leases import ShardLeases
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.lease_base import Clock, LeaseCase
from meldhall_eventlog.testing.samples import appending

SHARD = 7
LIFE = ("claim", "activate", "read", "append")
WITHOUT_ORDER = ("claim", "read", "activate", "append")


@dataclass
class Owner:
    """One engine's view of the stream: what it knows and what it was refused."""

    name: str
    leases: ShardLeases
    log: SqlEventLog
    clock: Clock
    stream_id: str
    epoch: int = 0
    version: int = 0
    read_at: int | None = None
    fenced: bool = False
    appended: list[int] = field(default_factory=list)

    async def take(self, step: str) -> None:
        """Take a step, unless an earlier one was refused: then the stream is another's."""
        if self.fenced:
            return
        try:
            await getattr(self, step)()
        except (Fenced, WrongVersion):
            self.fenced = True

    async def claim(self) -> None:
        # The holder before slept for too long, so both always get it.
        self.clock.now += self.leases.ttl_ms
        await self.leases.beat(self.name, f"{self.name}:1")
        self.epoch = (await self.leases.claim(self.name, [SHARD]))[SHARD].epoch

    async def activate(self) -> None:
        await self.log.claim(self.stream_id, self.epoch)

    async def read(self) -> None:
        events = await self.log.read_stream(self.stream_id)
        self.version = self.read_at = events[-1].version

    async def append(self) -> None:
        request = appending(self.stream_id, after=self.version, epoch=self.epoch, shard=SHARD)
        (event,) = await self.log.append(request)
        self.version = event.version
        self.appended.append(event.version)


class InterleavingCases(LeaseCase):
    """The proof of the fence, by trying everything."""

    async def test_in_no_order_of_steps_does_a_late_owner_append(
        self, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        both = 0
        for number, order in enumerate(orders(len(LIFE), len(LIFE))):
            owners = await run(f"table-{number}", order, LIFE, (log, other_log), clock)
            assert await broken_promises(owners, log) == [], order
            both += all(owner.appended for owner in owners)
        assert both > 0

    async def test_an_owner_that_reads_before_it_writes_its_epoch_is_found_out(
        self, log: SqlEventLog, other_log: SqlEventLog, clock: Clock
    ) -> None:
        found = 0
        for number, order in enumerate(orders(len(LIFE), 3)):
            owners = await run(f"table-{number}", order, WITHOUT_ORDER, (log, other_log), clock)
            found += bool(await broken_promises(owners, log))
        assert found > 0


def orders(first: int, second: int) -> Iterator[tuple[int, ...]]:
    """Yield every merge of so many steps of owner 0 and so many of owner 1."""
    for places in combinations(range(first + second), second):
        yield tuple(int(place in places) for place in range(first + second))


async def run(
    stream_id: str,
    order: Sequence[int],
    life: Sequence[str],
    logs: Sequence[SqlEventLog],
    clock: Clock,
) -> Sequence[Owner]:
    """Let two owners live in an order, over a stream of one event that epoch 0 left behind."""
    await logs[0].append(appending(stream_id, epoch=0, shard=SHARD))
    owners = [
        Owner(f"{stream_id}/{number}", ShardLeases(log.database, clock=clock), log, clock, stream_id)
        for number, log in enumerate(logs)
    ]
    steps = [iter(life), iter(life)]
    for who in order:
        await owners[who].take(next(steps[who]))
    return owners


async def broken_promises(owners: Sequence[Owner], log: SqlEventLog) -> Sequence[str]:
    """Return what should not have happened to the stream of these owners."""
    events = await log.read_stream(owners[0].stream_id)
    epochs = [event.epoch for event in events]
    wrong = [] if epochs == sorted(epochs) else [f"epochs go back: {epochs}"]
    for owner in owners:
        if owner.read_at is not None:
            wrong += [
                f"{owner.name} read up to {owner.read_at} and epoch {event.epoch} appended {event.version}"
                for event in events
                if event.version > owner.read_at and event.epoch < owner.epoch
            ]
    stored = [(event.version, event.epoch) for event in events[1:]]
    told = sorted((version, owner.epoch) for owner in owners for version in owner.appended)
    if stored != told:
        wrong.append(f"acknowledged {told}, stored {stored}")
    return wrong
