"""Which shards this engine owns and under which epochs, and who owns the others.

Nothing here reads the shared lease table: ``meldhall_table.owner.claims`` does, and notes here what it found.
Source: ``deploy/docs/tables.md``, "Who owns a table".
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_table.owner.errors import NotOwner
from meldhall_table.store.stream import SHARDS, shard_of


@dataclass(frozen=True, slots=True)
class Tenure:
    """This engine's time with a shard.

    ``epoch`` fences its appends, ``outage_ms`` is how long nobody served the shard before it was taken, and
    ``since_ms`` is when it was taken (Unix milliseconds, on the clock that tables are played by).
    """

    epoch: int
    outage_ms: int = 0
    since_ms: int = 0


@dataclass(frozen=True, slots=True)
class Owner:
    """Who serves a shard: host:port, empty where nobody does, and the newest epoch that is known."""

    address: str = ""
    epoch: int = 0


NOBODY: Final = Owner()


class ShardWatch:
    """Somebody who follows the owners of shards.

    Changes of the same shard that were not read yet become one, so that no reader, however slow, ever has
    more than all shards waiting.
    """

    def __init__(self, first: Mapping[int, Owner], forget: Callable[["ShardWatch"], None]) -> None:
        self._changed = dict(first)
        self._forget = forget
        self._ended = False
        self._news = asyncio.Event()
        self._news.set()

    def offer(self, changed: Mapping[int, Owner]) -> None:
        """Add owners that changed; never waits."""
        self._changed.update(changed)
        self._news.set()

    def end(self) -> None:
        """Tell no more than what waits."""
        self._ended = True
        self._forget(self)
        self._news.set()

    async def next(self) -> Mapping[int, Owner] | None:
        """Wait for the owners that changed since the last call, all of them at first; None at the end."""
        await self._news.wait()
        changed, self._changed = self._changed, {}
        if not self._ended:
            self._news.clear()
        return changed or None


class Shards:
    """The shards of this engine, and the address book of the others.

    ``trust_until`` sets the moment after which this engine no longer takes itself for the owner of anything,
    because its lease may have run out. That is courtesy towards players: what keeps a table's history single
    is the epoch on its stream.

    Args:
        address: host:port under which others reach this engine.
        monotonic: seconds of a real clock; leases run on real time, whatever clock tables are played by.
    """

    def __init__(self, address: str, monotonic: Callable[[], float]) -> None:
        self.address = address
        self._monotonic = monotonic
        self._held: dict[int, Tenure] = {}
        self._book: dict[int, Owner] = dict.fromkeys(range(SHARDS), NOBODY)
        self._good_until = 0.0
        self._watches: set[ShardWatch] = set()
        self._noted = asyncio.Event()

    @property
    def held(self) -> Mapping[int, Tenure]:
        """Return the shards that this engine serves."""
        return self._held

    @property
    def trusted(self) -> bool:
        """Tell whether the lease certainly has not run out yet."""
        return self._monotonic() < self._good_until

    def trust_until(self, moment: float) -> None:
        """Set until when the lease certainly holds, on the monotonic clock."""
        self._good_until = moment

    def tenure(self, shard: int) -> Tenure | None:
        """Return the tenure of a shard; None where it is not ours, or the lease may have run out."""
        return self._held.get(shard) if self.trusted else None

    def serves(self, shard: int, epoch: int) -> bool:
        """Tell whether this engine still serves a shard under an epoch."""
        tenure = self.tenure(shard)
        return tenure is not None and tenure.epoch == epoch

    def check(self, table_id: str, epoch: int) -> None:
        """Make sure that this engine serves a table under an epoch.

        Raises:
            NotOwner: it does not, or no longer.
        """
        if not self.serves(shard_of(table_id), epoch):
            raise self.not_owner(table_id)

    def take(self, taken: Mapping[int, Tenure]) -> None:
        """Serve these shards from now on."""
        self._held.update(taken)
        self._write({shard: Owner(self.address, tenure.epoch) for shard, tenure in taken.items()})

    def drop(self, shards: Iterable[int]) -> None:
        """Serve these shards no longer; who does is not known yet."""
        gone = {shard: self._held.pop(shard) for shard in tuple(shards) if shard in self._held}
        self._write({shard: Owner("", tenure.epoch) for shard, tenure in gone.items()})

    def note(self, owners: Sequence[Owner]) -> None:
        """Write down who serves each shard, as far as it is not this engine itself.

        Where the lease table names this engine and it does not serve the shard, nobody does.
        """
        others = {
            shard: Owner("", owner.epoch) if owner.address == self.address else owner
            for shard, owner in enumerate(owners)
            if shard not in self._held
        }
        self._write(others)

    def owner(self, shard: int) -> Owner:
        """Return who serves a shard, as far as this engine knows."""
        return self._book[shard]

    def not_owner(self, table_id: str) -> NotOwner:
        """Return the error for who asks for a table that is not served here."""
        shard = shard_of(table_id)
        owner = self._book[shard]
        # Where the lease may have run out, the book still has this engine's own address.
        address = "" if owner.address == self.address else owner.address
        return NotOwner(table_id, shard=shard, owner_address=address, owner_epoch=owner.epoch)

    async def new_address(self, shard: int, seconds: float) -> str:
        """Wait until somebody serves a shard again; return where, or nothing if that takes too long."""
        try:
            async with asyncio.timeout(seconds):
                while not self._book[shard].address:
                    await self._noted.wait()
        except TimeoutError:
            return ""
        return self._book[shard].address

    def watch(self) -> ShardWatch:
        """Follow the owners of shards, all of them at first."""
        watch = ShardWatch(self._book, self._watches.discard)
        self._watches.add(watch)
        return watch

    def end_watches(self) -> None:
        """Tell those who follow that nothing more will come."""
        for watch in tuple(self._watches):
            watch.end()

    def _write(self, owners: Mapping[int, Owner]) -> None:
        changed = {shard: owner for shard, owner in owners.items() if self._book[shard] != owner}
        if not changed:
            return
        self._book.update(changed)
        for watch in tuple(self._watches):
            watch.offer(changed)
        woken, self._noted = self._noted, asyncio.Event()
        woken.set()
