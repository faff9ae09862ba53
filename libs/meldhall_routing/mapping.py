"""Keeps the map of shards up to date by ``WatchShards``."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from typing import Final

import grpc.aio

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing.answers import may_repeat
from meldhall_routing.channels import Engines
from meldhall_routing.shards import ShardMap

WATCHES: Final = 2
"""Engines that are watched at a time: one that is frozen tells nothing, not even that it is."""

FIRST_PAUSE: Final = 0.1
MOST_PAUSE: Final = 2.0
NOT_SERVED_PAUSE: Final = 30.0
"""Seconds until an engine that does not serve the map, or not to us, is asked again."""

PRUNE_SECONDS: Final = 30.0


class ShardWatch:
    """Watches owners of shards at two engines at a time, and at others when those go.

    Args:
        engines: stubs by address; channels of engines that are gone are closed.
        shards: what is told goes there.
        seeds: engines to begin with.
        metadata: what the calls carry.
        uniform: draws from an interval, for jitter.
    """

    def __init__(
        self,
        engines: Engines,
        shards: ShardMap,
        seeds: Sequence[str],
        metadata: Callable[[], Sequence[tuple[str, str]]],
        uniform: Callable[[float, float], float],
    ) -> None:
        self._engines = engines
        self._shards = shards
        self._seeds = seeds
        self._metadata = metadata
        self._uniform = uniform
        self._watched: dict[int, str] = {}
        self._turn = 0

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(WATCHES):
                group.create_task(self._watch(number))
            group.create_task(self._prune())

    async def _watch(self, number: int) -> None:
        failures = 0
        while True:
            pause = min(FIRST_PAUSE * 2.0**failures, MOST_PAUSE)
            failures = min(failures + 1, 20)
            address = self._choose(number)
            if address:
                try:
                    async for _ in self._follow(address):
                        failures = 0
                except grpc.aio.AioRpcError as error:
                    if not may_repeat(error):
                        pause = NOT_SERVED_PAUSE
            await asyncio.sleep(self._uniform(pause / 2, pause))

    async def _follow(self, address: str) -> AsyncIterator[None]:
        """Learn what an engine tells, and give a sign after each message."""
        tells = 0
        try:
            async for message in self._open(address):
                self._shards.told_by += 1 - tells
                tells = 1
                for owner in message.owners:
                    self._shards.learn(owner.shard, owner.address, owner.epoch)
                yield
        finally:
            self._shards.told_by -= tells

    def _open(self, address: str) -> AsyncIterable[pb.WatchShardsResponse]:
        call: AsyncIterable[pb.WatchShardsResponse] = self._engines.stub(address).WatchShards(
            pb.WatchShardsRequest(), metadata=tuple(self._metadata())
        )
        return call

    def _choose(self, number: int) -> str:
        """Return the next engine that nobody else of us watches; empty where there is none."""
        others = {address for watch, address in self._watched.items() if watch != number}
        known = dict.fromkeys((*self._seeds, *self._shards.addresses()))
        free = [address for address in known if address not in others]
        if not free:
            self._watched.pop(number, None)
            return ""
        self._turn += 1
        self._watched[number] = free[self._turn % len(free)]
        return self._watched[number]

    async def _prune(self) -> None:
        while True:
            await asyncio.sleep(PRUNE_SECONDS)
            await self._engines.prune({*self._seeds, *self._shards.addresses()})
