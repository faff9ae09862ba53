"""Watching a table wherever it goes."""

import asyncio
from typing import Any, Self

import grpc.aio

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing.answers import Stale
from meldhall_routing.dispatch import Dispatcher, Metadata, cancelled_from_outside
from meldhall_routing.shards import Flight
from meldhall_routing.trip import Trip


class WatchStream:
    """What ``Watch`` sends, over as many calls as it takes: an iterator that ends when the table is closed.

    A snapshot comes first where none was seen, then every version once and in order; of GoAway only the one
    that says that the table is closed. Iterating raises ``grpc.aio.AioRpcError`` where an engine refuses the
    viewer, and ``TableUnreachable`` where the table is away for too long.
    """

    def __init__(self, dispatcher: Dispatcher, trip: Trip, metadata: Metadata) -> None:
        self._dispatcher = dispatcher
        self._trip = trip
        self._metadata = tuple(metadata)
        self._call: Any = None
        self._flight = Flight("", lambda: None)
        self._over = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> pb.WatchResponse:
        """Return the next message."""
        while not self._over:
            try:
                message = await self._read()
                if message.HasField("snapshot"):
                    self._trip.sees_snapshot(message.snapshot)
                    return message
                if message.HasField("event"):
                    if self._trip.sees_event(message.event):
                        return message
                    continue
                if message.go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED:
                    self.cancel()
                    return message
                self._hang_up()
                await self._trip.sent_away(message.go_away)
            except grpc.aio.AioRpcError as error:
                self._hang_up()
                await self._trip.failed(error)
            except Stale as stale:
                self._hang_up()
                await self._trip.lost(stale)
        raise StopAsyncIteration

    def cancel(self) -> None:
        """End the stream."""
        self._over = True
        self._hang_up()

    async def _read(self) -> pb.WatchResponse:
        if self._call is None:
            address, stub = self._trip.begin()
            self._call = stub.Watch(self._trip.request(), metadata=self._metadata)
            self._flight = Flight(address, self._call.cancel)
            # Not for the time of each read only: the shard may move while nobody reads.
            self._dispatcher.shards.board(self._trip.shard, self._flight)
        try:
            message = await self._call.read()
        except asyncio.CancelledError:
            if cancelled_from_outside() or not (self._flight.moved or self._over):
                raise
            raise Stale("cut off, since the shard moved", moved=True) from None
        if message is grpc.aio.EOF:
            raise Stale("the end of a stream without a GoAway")
        answer: pb.WatchResponse = message
        return answer

    def _hang_up(self) -> None:
        call, self._call = self._call, None
        self._dispatcher.shards.leave(self._trip.shard, self._flight)
        if call is not None:
            call.cancel()
