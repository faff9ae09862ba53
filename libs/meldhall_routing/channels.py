"""One channel an engine, opened when it is first needed, closed when the engine is gone for good."""

from collections.abc import Callable, Collection
from typing import Any

import grpc.aio

from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub


class Engines:
    """Stubs of engines by address.

    Args:
        open_channel: opens a channel to host:port, with whatever credentials the calls need.
    """

    def __init__(self, open_channel: Callable[[str], grpc.aio.Channel]) -> None:
        self._open = open_channel
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._stubs: dict[str, Any] = {}
        self._unused: set[str] = set()

    def stub(self, address: str) -> Any:
        """Return the stub of an engine."""
        self._unused.discard(address)
        if address not in self._stubs:
            channel = self._channels[address] = self._open(address)
            self._stubs[address] = TableServiceStub(channel)
        return self._stubs[address]

    async def prune(self, known: Collection[str]) -> None:
        """Close channels to engines that nobody knows any more and that nobody called since the last time.

        grpc would try to reach them for ever.
        """
        gone = [address for address in self._unused if address not in known]
        self._unused = set(self._channels)
        for address in gone:
            del self._stubs[address]
            self._unused.discard(address)
            await self._channels.pop(address).close()

    async def close(self) -> None:
        """Close every channel."""
        channels, self._channels, self._stubs = self._channels, {}, {}
        for channel in channels.values():
            await channel.close()
