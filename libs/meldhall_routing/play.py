"""Playing at a table wherever it goes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import grpc
import grpc.aio

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_routing.answers import Stale, may_repeat_status, not_owner_of
from meldhall_routing.dispatch import Dispatcher, Metadata, cancelled_from_outside
from meldhall_routing.shards import Flight
from meldhall_routing.trip import Trip
from meldhall_runtime import reason_of

Command = pb.ActRequest | pb.LeaveRequest | pb.ReadyRequest | pb.RematchRequest
"""What a player can send while playing."""

_METHODS: Final = {
    pb.ActRequest: "Act",
    pb.LeaveRequest: "Leave",
    pb.ReadyRequest: "Ready",
    pb.RematchRequest: "Rematch",
}


@dataclass(slots=True)
class _Sent:
    """A command that waits for its answer."""

    request: pb.PlayRequest
    answer: asyncio.Future[pb.CommandAnswer]


class PlayStream:
    """``Play`` over as many calls as it takes: iterate over what is seen, ``send`` commands beside it.

    What is seen is as in ``WatchStream``. Every command gets one answer: those without one go out again
    under the same ids wherever the table has gone, in the order in which they were sent. An engine that
    puts a command off may have done later ones by then, so a command that depends on another waits for its
    answer, or carries the version that it expects. Use it by ``async with``.
    """

    def __init__(self, dispatcher: Dispatcher, table_id: str, trip: Trip, metadata: Metadata) -> None:
        self._dispatcher = dispatcher
        self._table_id = table_id
        self._trip = trip
        self._metadata = tuple(metadata)
        self._unanswered: dict[str, _Sent] = {}
        self._seen: asyncio.Queue[pb.PlayResponse | BaseException | None] = asyncio.Queue()
        self._outbox: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        for sent in self._unanswered.values():
            sent.answer.cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> pb.PlayResponse:
        """Return the next snapshot or event, and at the end the GoAway that says that the table is closed.

        Raises:
            grpc.aio.AioRpcError: an engine refused the player, or the table was away for too long.
        """
        message = await self._seen.get()
        if message is None or isinstance(message, BaseException):
            # Whoever asks again is told the same.
            self._seen.put_nowait(message)
        if message is None:
            raise StopAsyncIteration
        if isinstance(message, BaseException):
            raise message
        return message

    async def send(self, command: Command) -> pb.CommandAnswer:
        """Send a command and wait for its one answer, a refusal included.

        A command under an id that still waits for its answer is not sent again: it gets the same answer.

        Raises:
            grpc.aio.AioRpcError: the stream failed; whether the command was done is not known.
        """
        if self._failure is not None:
            raise self._failure
        if self._closed:
            return await self._alone(command)
        waiting = self._unanswered.get(command.command_id)
        if waiting is not None:
            return await asyncio.shield(waiting.answer)
        sent_as: Any = {_METHODS[type(command)].lower(): command}
        request = pb.PlayRequest(**sent_as)
        sent = _Sent(request, asyncio.get_running_loop().create_future())
        self._unanswered[command.command_id] = sent
        self._outbox.put_nowait(request)
        return await sent.answer

    async def _run(self) -> None:
        try:
            while not self._closed:
                await self._once()
            await self._answer_the_rest()
        except grpc.aio.AioRpcError as error:
            self._failure = error
            self._seen.put_nowait(error)
            for sent in self._unanswered.values():
                if not sent.answer.done():
                    sent.answer.set_exception(error)
        else:
            self._seen.put_nowait(None)

    async def _once(self) -> None:
        """Play on one engine until it ends the stream or loses the table."""
        address, stub = self._trip.begin()
        outbox = self._outbox = asyncio.Queue()
        outbox.put_nowait(pb.PlayRequest(watch=self._trip.request()))
        for sent in self._unanswered.values():
            outbox.put_nowait(sent.request)
        call = stub.Play(_requests(outbox), metadata=self._metadata)
        flight = Flight(address, call.cancel)
        try:
            with self._dispatcher.shards.under_way(self._trip.shard, flight):
                go_away = await self._take_all(call)
        except grpc.aio.AioRpcError as error:
            await self._trip.failed(error)
        except Stale as stale:
            await self._trip.lost(stale)
        except asyncio.CancelledError:
            if not flight.moved or cancelled_from_outside():
                raise
        else:
            if not self._closed:
                await self._trip.sent_away(go_away)
        finally:
            outbox.put_nowait(None)
            call.cancel()

    async def _take_all(self, call: Any) -> pb.GoAway:
        """Take what an engine sends up to its GoAway, which is returned.

        Raises:
            Stale: it did not send one, or sent what has to be read again.
        """
        while (message := await call.read()) is not grpc.aio.EOF:
            if message.HasField("answer"):
                await self._take_answer(message.answer)
            elif message.HasField("go_away"):
                self._closed = message.go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
                if self._closed:
                    self._seen.put_nowait(message)
                go_away: pb.GoAway = message.go_away
                return go_away
            elif message.HasField("snapshot"):
                self._trip.sees_snapshot(message.snapshot)
                self._seen.put_nowait(message)
            elif message.HasField("news"):
                self._see(*message.news.events)
                for answer in message.news.answers:
                    await self._take_answer(answer)
            else:
                self._see(message.event)
        raise Stale("the end of a stream without a GoAway")

    def _see(self, *events: view_pb.TableEvent) -> None:
        for event in events:
            if self._trip.sees_event(event):
                self._seen.put_nowait(pb.PlayResponse(event=event))

    async def _take_answer(self, answer: pb.CommandAnswer) -> None:
        refused = answer.refused
        if answer.HasField("refused"):
            moved = not_owner_of(refused.reason, refused.metadata)
            if moved is not None or may_repeat_status(refused.status):
                raise Stale(refused.reason)
        sent = self._unanswered.pop(answer.command_id, None)
        if sent is not None and not sent.answer.done():
            sent.answer.set_result(answer)

    async def _answer_the_rest(self) -> None:
        """Get the answers of commands that crossed with the table's end."""
        for sent in tuple(self._unanswered.values()):
            command = getattr(sent.request, sent.request.WhichOneof("request") or "")
            answer = await self._alone(command)
            if not sent.answer.done():
                sent.answer.set_result(answer)
        self._unanswered.clear()

    async def _alone(self, command: Command) -> pb.CommandAnswer:
        """Send a command by a call of its own."""
        method = _METHODS[type(command)]
        command.table_id = self._table_id
        try:
            done = await self._dispatcher.call(self._table_id, method, command, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            if info is None:
                raise
            refused = pb.CommandRefused(
                status=error.code().value[0],
                reason=info.reason,
                detail=error.details() or "",
                metadata=dict(info.metadata),
            )
            return pb.CommandAnswer(command_id=command.command_id, refused=refused)
        return pb.CommandAnswer(command_id=command.command_id, version=done.version)


async def _requests(outbox: asyncio.Queue[pb.PlayRequest | None]) -> AsyncIterator[pb.PlayRequest]:
    while (request := await outbox.get()) is not None:
        yield request
