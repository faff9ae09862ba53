"""The search for the engine of one call: where to ask next, and how long to wait before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import grpc.aio

from meldhall_routing.answers import may_repeat, not_owner
from meldhall_routing.shards import ShardMap

MOST_REDIRECTS: Final = 3
"""Redirects that are followed without a pause: two engines that name each other would keep us busy."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds: of one attempt, of all of them, and of the pauses between them.

    ``within`` is longer than a lease, so that a table whose engine was killed is waited for.
    """

    attempt: float = 10.0
    within: float = 30.0
    first_pause: float = 0.03
    most_pause: float = 1.0


class Search:
    """Finds the engine for one call or stream.

    Args:
        shards: what is known of owners; it learns from refusals.
        seeds: engines, or names behind which engines are, that are asked while nothing is known.
        shard: the table's; None while nobody knows which table it will be.
        patience: the pauses.
        uniform: draws from an interval: jitter keeps clients of one lost engine from coming all at once.
    """

    def __init__(
        self,
        shards: ShardMap,
        seeds: Sequence[str],
        shard: int | None,
        patience: Patience,
        uniform: Callable[[float, float], float],
    ) -> None:
        self._shards = shards
        self._seeds = seeds
        self.shard = shard
        self._patience = patience
        self._uniform = uniform
        self._hint = ""
        self._avoid = ""
        self._turn = int(uniform(0, len(seeds))) % len(seeds)
        self._redirects = 0
        self._failures = 0

    def address(self) -> str:
        """Return the engine to ask now."""
        hint, avoid = self._hint, self._avoid
        self._hint = self._avoid = ""
        owner = self._shards.owner(self.shard)
        # Where a map is told, an owner that does not answer is waited for: the map will tell of the next one.
        # Another engine could only say the same, and a frozen one not even that.
        if hint or (owner and (owner != avoid or self._shards.told_by)):
            return hint or owner
        known = list(dict.fromkeys((*self._seeds, *self._shards.addresses())))
        others = [address for address in known if address != avoid] or known
        self._turn += 1
        return others[self._turn % len(others)]

    def succeeded(self) -> None:
        """Forget what failed: the engine was found."""
        self._redirects = self._failures = 0

    def failed(self, address: str, error: grpc.aio.AioRpcError) -> float:
        """Learn from a failure, and return how long to wait before the next attempt.

        Raises:
            grpc.aio.AioRpcError: the failure is an answer: asking elsewhere or again would not change it.
        """
        moved = not_owner(error)
        if moved is not None:
            return self.moved(address, moved.address, moved.epoch, moved.shard)
        if not may_repeat(error):
            raise error
        return self.avoid(address)

    def moved(self, address: str, owner: str, epoch: int, shard: int | None) -> float:
        """Learn that an engine sends us to another one, or to nobody; return how long to wait before."""
        if shard is not None:
            self.shard = shard
            if self._shards.is_older(shard, epoch):
                owner = self._shards.owner(shard)
            else:
                self._shards.learn(shard, owner, epoch)
        if owner and owner != address and self._redirects < MOST_REDIRECTS:
            self._hint = owner
            self._redirects += 1
            return 0.0
        return self.avoid(address)

    def avoid(self, address: str) -> float:
        """Ask another engine next, where there is one; return how long to wait before."""
        self._avoid = address
        return self._pause()

    def prefer(self, address: str) -> None:
        """Ask this engine next."""
        self._hint = address

    def _pause(self) -> float:
        self._redirects = 0
        most = min(self._patience.first_pause * 2.0 ** min(self._failures, 20), self._patience.most_pause)
        self._failures += 1
        return self._uniform(most / 2, most)
