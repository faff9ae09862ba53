"""Which engine owns which shard, as far as this process was told."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

SHARDS: Final = 256


def shard_of(table_id: str) -> int:
    """Return the virtual shard of a table: the first byte of the SHA-256 of its id."""
    return hashlib.sha256(table_id.encode()).digest()[0]


@dataclass(frozen=True, slots=True)
class ShardOwner:
    """The engine at ``address`` owns a shard under ``epoch``; an empty address is nobody."""

    address: str
    epoch: int


@dataclass(eq=False, slots=True)
class Flight:
    """A call under way: where it went, how it is cut off, and whether it was because its shard moved."""

    address: str
    cancel: Callable[[], object]
    moved: bool = False


class ShardMap:
    """The owner of each shard under the highest epoch that anybody told, whoever told it and in which order.

    A call that is under way at an engine is cut off when its shard turns out to belong to another one: an
    engine that is frozen would never answer it.

    Attributes:
        told_by: How many engines tell of changes at the moment.
    """

    def __init__(self) -> None:
        self.told_by = 0
        self._owners: dict[int, ShardOwner] = {}
        self._epochs: dict[int, int] = {}
        self._flights: dict[int, set[Flight]] = defaultdict(set)
        self._waiting: dict[int, set[asyncio.Future[None]]] = defaultdict(set)

    def owner(self, shard: int | None) -> str:
        """Return the address of a shard's owner; empty where none is known."""
        known = self._owners.get(shard) if shard is not None else None
        return known.address if known else ""

    def addresses(self) -> list[str]:
        """Return the engines that own something, each once."""
        return list(dict.fromkeys(owner.address for owner in self._owners.values() if owner.address))

    def learn(self, shard: int, address: str, epoch: int) -> None:
        """Take in what somebody told, unless something newer is known.

        Under one epoch a shard has one owner, and after that nobody: "nobody" is the later news.
        """
        known = self._owners.get(shard)
        if known is not None and (epoch < known.epoch or (epoch == known.epoch and address)):
            return
        self.note(shard, epoch)
        told = ShardOwner(address, epoch)
        self._owners[shard] = told
        if told != known:
            self._tell(shard, known, told)

    def note(self, shard: int, epoch: int) -> None:
        """Take in that somebody answered under an epoch."""
        self._epochs[shard] = max(epoch, self._epochs.get(shard, 0))

    def is_older(self, shard: int, epoch: int) -> bool:
        """Whether what is said under this epoch comes from an engine that has lost the shard."""
        return epoch < self._epochs.get(shard, 0)

    @contextmanager
    def under_way(self, shard: int | None, flight: Flight) -> Iterator[None]:
        """Cut this call off when its shard moves while the block runs."""
        self.board(shard, flight)
        try:
            yield
        finally:
            self.leave(shard, flight)

    def board(self, shard: int | None, flight: Flight) -> None:
        """Cut this call off when its shard moves, until ``leave``."""
        if shard is not None:
            self._flights[shard].add(flight)

    def leave(self, shard: int | None, flight: Flight) -> None:
        """Let go of a call that has ended."""
        if shard is not None:
            self._flights[shard].discard(flight)

    async def news(self, shard: int | None, seconds: float) -> None:
        """Wait so long, or until the shard has another owner."""
        if shard is None or seconds <= 0:
            await asyncio.sleep(seconds)
            return
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[shard].add(told)
        try:
            await asyncio.wait({told}, timeout=seconds)
        finally:
            self._waiting[shard].discard(told)

    def _tell(self, shard: int, before: ShardOwner | None, now: ShardOwner) -> None:
        if not now.address:
            return
        for waiting in self._waiting[shard]:
            if not waiting.done():
                waiting.set_result(None)
        if before is None:
            # Calls went where they went without a map: to an engine by another of its names, perhaps.
            return
        for flight in tuple(self._flights[shard]):
            if flight.address != now.address:
                flight.moved = True
                flight.cancel()
