"""``TableRouter``: calls of ``TableService`` that reach the engine that owns the table, whichever that is."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self

import grpc.aio
from google.protobuf.message import Message

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing.channels import Engines
from meldhall_routing.dispatch import Dispatcher, Metadata
from meldhall_routing.mapping import ShardWatch
from meldhall_routing.play import PlayStream
from meldhall_routing.search import Patience
from meldhall_routing.shards import ShardMap
from meldhall_routing.trip import Trip
from meldhall_routing.watch import WatchStream

_CHANCE: Final = secrets.SystemRandom()


def _no_metadata() -> Metadata:
    return ()


class TableRouter:
    """Finds the engine that owns a table.

    It keeps a map of shards (``run``, or ``async with``), follows NOT_OWNER, and sends a call again with the
    same request, and so the same command id, while the table's engine is away or nobody owns it. It works as
    well with a single engine that knows nothing of shards.

    Args:
        channels: opens a channel to host:port, as ``meldhall_runtime.open_channel`` does; it is closed here.
        seeds: host:port of engines, or ``dns:///`` names with engines behind them; at least one.
        patience: times of attempts and pauses.
        own_metadata: what the router's own calls carry where channels have no token of their own.
        uniform: draws from an interval, for jitter.

    Attributes:
        shards: What is known of owners.
    """

    def __init__(
        self,
        channels: Callable[[str], grpc.aio.Channel],
        seeds: Sequence[str],
        *,
        patience: Patience | None = None,
        own_metadata: Callable[[], Metadata] = _no_metadata,
        uniform: Callable[[float, float], float] = _CHANCE.uniform,
    ) -> None:
        if not seeds:
            raise ValueError("a router needs the address of at least one engine")
        self.shards = ShardMap()
        self._engines = Engines(channels)
        self._dispatcher = Dispatcher(
            self._engines, self.shards, tuple(seeds), patience or Patience(), uniform
        )
        self._watch = ShardWatch(self._engines, self.shards, tuple(seeds), own_metadata, uniform)
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self.close()

    async def run(self) -> None:
        """Keep the map of shards up to date until cancelled. Calls work without it; with it they ask less."""
        await self._watch.run()

    async def close(self) -> None:
        """Close every channel."""
        await self._engines.close()

    def stub(self) -> "RoutedStub":
        """Return what looks like a stub of ``TableService`` and calls the engine of each request's table."""
        return RoutedStub(self)

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
        """Make a unary call where the table is, again until it is answered.

        Args:
            table_id: the table; None for CreateTable, whose table only the service can name.
            method: name of the RPC, such as "Act".
            request: goes out again byte for byte: its command id makes that safe.
            metadata: what each attempt carries.
            seconds: longest time of one attempt.
            within: seconds after which no further attempt begins.

        Raises:
            grpc.aio.AioRpcError: an engine refused the call, or the last attempt took too long.
            TableUnreachable: no engine served the table in time.
        """
        return await self._dispatcher.call(
            table_id, method, request, metadata=metadata, seconds=seconds, within=within
        )

    async def read_stream(
        self, request: pb.ReadStreamRequest, *, metadata: Metadata = (), within: float | None = None
    ) -> list[EventEnvelope]:
        """Read a page of a table's public events; every engine can give it.

        Raises:
            grpc.aio.AioRpcError: an engine refused it, or the last attempt took too long.
            TableUnreachable: no engine answered in time.
        """
        return await self._dispatcher.read_stream(request, metadata=metadata, within=within)

    def watch(
        self, table_id: str, after: int | None = None, *, metadata: Metadata = (), within: float | None = None
    ) -> WatchStream:
        """Watch a table wherever it goes: every version once, in order, until it is closed.

        Args:
            table_id: the table.
            after: the last version that was seen; None: a snapshot comes first.
            metadata: what the calls carry.
            within: seconds that the table may be away before the stream fails.
        """
        trip = Trip(self._dispatcher, table_id, after, within)
        return WatchStream(self._dispatcher, trip, metadata)

    def play(
        self, table_id: str, after: int | None = None, *, metadata: Metadata = (), within: float | None = None
    ) -> PlayStream:
        """Play at a table wherever it goes: what ``watch`` gives, and commands answered once each."""
        trip = Trip(self._dispatcher, table_id, after, within)
        return PlayStream(self._dispatcher, table_id, trip, metadata)


class RoutedStub:
    """Methods of ``TableServiceStub``, each led to the engine that owns the table of its request.

    Of the options of a call there are ``metadata`` and, for one attempt, ``timeout``.
    """

    def __init__(self, router: TableRouter) -> None:
        self._router = router

    async def CreateTable(self, request: pb.CreateTableRequest, **options: Any) -> pb.CreateTableResponse:  # noqa: N802 - the contract's name
        """Open a table."""
        answer: pb.CreateTableResponse = await self._call(None, "CreateTable", request, **options)
        return answer

    async def Join(self, request: pb.JoinRequest, **options: Any) -> pb.JoinResponse:  # noqa: N802 - the contract's name
        """Take a seat."""
        answer: pb.JoinResponse = await self._call(request.table_id, "Join", request, **options)
        return answer

    async def ChangeSeat(self, request: pb.ChangeSeatRequest, **options: Any) -> pb.ChangeSeatResponse:  # noqa: N802 - the contract's name
        """Move to another seat."""
        answer: pb.ChangeSeatResponse = await self._call(request.table_id, "ChangeSeat", request, **options)
        return answer

    async def HostTable(self, request: pb.HostTableRequest, **options: Any) -> pb.HostTableResponse:  # noqa: N802 - the contract's name
        """Run a table."""
        answer: pb.HostTableResponse = await self._call(request.table_id, "HostTable", request, **options)
        return answer

    async def Admit(self, request: pb.AdmitRequest, **options: Any) -> pb.AdmitResponse:  # noqa: N802 - the contract's name
        """Let a player take a seat."""
        answer: pb.AdmitResponse = await self._call(request.table_id, "Admit", request, **options)
        return answer

    async def Leave(self, request: pb.LeaveRequest, **options: Any) -> pb.LeaveResponse:  # noqa: N802 - the contract's name
        """Leave the table."""
        answer: pb.LeaveResponse = await self._call(request.table_id, "Leave", request, **options)
        return answer

    async def Act(self, request: pb.ActRequest, **options: Any) -> pb.ActResponse:  # noqa: N802 - the contract's name
        """Make a move."""
        answer: pb.ActResponse = await self._call(request.table_id, "Act", request, **options)
        return answer

    async def Ready(self, request: pb.ReadyRequest, **options: Any) -> pb.ReadyResponse:  # noqa: N802 - the contract's name
        """Be ready for the next round."""
        answer: pb.ReadyResponse = await self._call(request.table_id, "Ready", request, **options)
        return answer

    async def Rematch(self, request: pb.RematchRequest, **options: Any) -> pb.RematchResponse:  # noqa: N802 - the contract's name
        """Ask for another match."""
        answer: pb.RematchResponse = await self._call(request.table_id, "Rematch", request, **options)
        return answer

    async def GetHints(self, request: hints_pb.GetHintsRequest, **options: Any) -> hints_pb.GetHintsResponse:  # noqa: N802 - the contract's name
        """Ask for hints."""
        answer: hints_pb.GetHintsResponse = await self._call(request.table_id, "GetHints", request, **options)
        return answer

    def Watch(self, request: pb.WatchRequest, *, metadata: Metadata = ()) -> WatchStream:  # noqa: N802 - the contract's name
        """See the table."""
        after = request.after_version if request.HasField("after_version") else None
        return self._router.watch(request.table_id, after, metadata=metadata)

    async def _call(self, table_id: str | None, method: str, request: Message, **options: Any) -> Any:
        metadata, seconds = options.get("metadata", ()), options.get("timeout")
        return await self._router.call(table_id, method, request, metadata=metadata, seconds=seconds)
