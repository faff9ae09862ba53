"""Calls that are made where a table is, and made again until they are answered."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing.answers import Stale, TableUnreachable, epoch_of, last_words
from meldhall_routing.channels import Engines
from meldhall_routing.search import Patience, Search
from meldhall_routing.shards import Flight, ShardMap, shard_of

Metadata = Sequence[tuple[str, str]]


class Until:
    """How long something may go on failing.

    Args:
        seconds: from now.
        what: named in the error.
    """

    def __init__(self, seconds: float, what: str) -> None:
        self._seconds = seconds
        self._what = what
        self._ends = asyncio.get_running_loop().time() + seconds

    def left(self) -> float:
        """Return the seconds that are left, at least a moment."""
        return max(self._ends - asyncio.get_running_loop().time(), 0.001)

    def allow(self, pause: float, error: grpc.aio.AioRpcError | Stale) -> None:
        """Fail unless there is time for a pause and another attempt.

        Raises:
            grpc.aio.AioRpcError: ``error``, where an engine took too long and there is no time left.
            TableUnreachable: there is no time left.
        """
        if asyncio.get_running_loop().time() + pause < self._ends:
            return
        if isinstance(error, Stale):
            raise TableUnreachable(self._what, self._seconds, str(error)) from error
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            raise error
        raise TableUnreachable(self._what, self._seconds, last_words(error)) from error


class Dispatcher:
    """What calls and streams of a router share: engines, the map of shards, patience.

    Args:
        engines: stubs by address.
        shards: what is known of owners.
        seeds: engines that are asked while nothing is known.
        patience: times of attempts and pauses.
        uniform: draws from an interval, for jitter.
    """

    def __init__(
        self,
        engines: Engines,
        shards: ShardMap,
        seeds: Sequence[str],
        patience: Patience,
        uniform: Callable[[float, float], float],
    ) -> None:
        self.engines = engines
        self.shards = shards
        self.patience = patience
        self._seeds = seeds
        self._uniform = uniform

    def search(self, table_id: str | None) -> Search:
        """Begin a search for a table's engine; None: the table is not known yet."""
        shard = shard_of(table_id) if table_id is not None else None
        return Search(self.shards, self._seeds, shard, self.patience, self._uniform)

    def until(self, within: float | None, what: str) -> Until:
        """Return the end of patience with something; None is the usual patience."""
        return Until(self.patience.within if within is None else within, what)

    async def call(
        self,
        table_id: str | None,
        method: str,
        request: Message,
        *,
        metadata: Metadata = (),
        seconds: float | None = None,
        within: float | None = None,
    ) -> Any:
        """Make a unary call until an engine that owns the table has answered it; see ``TableRouter.call``."""
        search = self.search(table_id)
        until = self.until(within, f"{method} of {table_id or 'a new table'}")
        while True:
            address = search.address()
            stub = getattr(self.engines.stub(address), method)
            call = stub(request, metadata=tuple(metadata), timeout=seconds or self.patience.attempt)
            error: grpc.aio.AioRpcError | Stale
            try:
                return await self._answer(call, search, address)
            except grpc.aio.AioRpcError as failed:
                error, pause = failed, search.failed(address, failed)
            except Stale as stale:
                error, pause = stale, 0.0 if stale.moved else search.avoid(address)
            until.allow(pause, error)
            await self.shards.news(search.shard, pause)

    async def read_stream(
        self, request: pb.ReadStreamRequest, *, metadata: Metadata = (), within: float | None = None
    ) -> list[EventEnvelope]:
        """Read a page of public events from any engine; see ``TableRouter.read_stream``."""
        search = self.search(request.table_id)
        until = self.until(within, f"ReadStream of {request.table_id}")
        while True:
            address = search.address()
            limit = min(until.left(), self.patience.attempt)
            call = self.engines.stub(address).ReadStream(request, metadata=tuple(metadata), timeout=limit)
            try:
                return [answer.envelope async for answer in call]
            except grpc.aio.AioRpcError as error:
                pause = search.failed(address, error)
                until.allow(pause, error)
            finally:
                call.cancel()
            await self.shards.news(search.shard, pause)

    async def _answer(self, call: Any, search: Search, address: str) -> Any:
        """Wait for one engine's answer.

        Raises:
            Stale: it does not count: the shard has moved on, or moved away meanwhile.
        """
        flight = Flight(address, call.cancel)
        try:
            with self.shards.under_way(search.shard, flight):
                answer = await call
        except asyncio.CancelledError:
            if not flight.moved or cancelled_from_outside():
                raise
            raise Stale("cut off, since the shard moved", moved=True) from None
        epoch = epoch_of(await call.trailing_metadata())
        shard = shard_of(answer.table_id) if search.shard is None else search.shard
        if epoch is not None:
            if self.shards.is_older(shard, epoch):
                raise Stale(f"of epoch {epoch}, older than the owner of shard {shard}")
            self.shards.note(shard, epoch)
        return answer


def cancelled_from_outside() -> bool:
    """Tell whether this task is being cancelled, rather than a call that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
