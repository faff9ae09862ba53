"""Playing at one table over one stream: what a player sees, and an answer for each of his commands.

Two tasks share a stream. The reader takes one request after another, does it and puts its answer down; the
writer sends steps and answers. An answer is put down after the table has shown what the command caused, and
the writer sends all steps that wait before any answer; so a player sees what he did before he reads that it
is done. Source: ``deploy/docs/tables.md``, "Playing over one stream".
"""

import asyncio
from collections import deque
from contextlib import aclosing
from typing import Any, Final

import grpc

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.store import EventLog
from meldhall_runtime.auth import Principal
from meldhall_runtime.errors import ServiceError
from meldhall_table.api import commands, fields
from meldhall_table.api.errors import NOT_OWNER, invalid, owner_errors, refused
from meldhall_table.api.shards import tell_epoch
from meldhall_table.api.views import table_event, table_view
from meldhall_table.api.watching import Viewer, admission, expelled, farewell, missed
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.mailbox import Mailbox
from meldhall_table.owner.tables import Tables
from meldhall_table.owner.watchers import End, Watcher

MOST_UNANSWERED: Final = 16
"""Commands of one stream that may lack an answer; what is sent beyond them waits in the transport."""

MOVED_RETRY_MS: Final = 100

_COMMANDS: Final = frozenset({"act", "leave", "ready", "rematch"})
"""The requests that have an answer of their own."""

Context = grpc.aio.ServicerContext[Any, Any]


async def play(tables: Tables, log: EventLog, caller: Principal, context: Context) -> None:
    """Serve one stream to its end.

    Raises:
        ServiceError: the first request is no watch, or one that is refused; the player may see no more; the
            table has to be read back from the log.
    """
    first = await context.read()
    if first is grpc.aio.EOF or first.WhichOneof("request") != "watch":
        raise invalid("watch", "has to be the first request")
    table_id = fields.table_id(first.watch.table_id)
    after = first.watch.after_version if first.watch.HasField("after_version") else None
    viewer = Viewer(caller.subject)
    async with owner_errors():
        mailbox = await tables.mailbox(table_id)
        tell_epoch(context, mailbox.epoch)
        admitted = await mailbox.watch(admission(viewer, after))
        if isinstance(admitted, Refusal):
            raise refused(admitted)
        table, watcher = admitted
        desk = _Desk(mailbox, caller, context, watcher.news)
        writer = _Writer(context, viewer, watcher, desk)
        try:
            await writer.open(log, table, after)
            desk.open()
            await writer.go_on()
        finally:
            watcher.close()
            desk.close()


class _Desk:
    """The reader of a stream: takes commands, has them done and puts their answers down.

    Its task is never cancelled: grpc loses memory when a read is. A read ends with its call.

    Args:
        mailbox: of the table.
        caller: whose commands they are.
        context: the stream.
        news: set for the writer when an answer was put down, and when there will be no more.
    """

    def __init__(self, mailbox: Mailbox, caller: Principal, context: Context, news: asyncio.Event) -> None:
        self._mailbox = mailbox
        self._table_id = mailbox.table.table_id
        self._caller = caller
        self._context = context
        self._news = news
        self._room = asyncio.Semaphore(MOST_UNANSWERED)
        self._answers: deque[pb.CommandAnswer] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.busy = False
        self.done = False
        self.fault: Exception | None = None
        self.moved_to: str | None = None
        """Where the table is served, once a command was refused because it is not here; empty: not known."""

    def open(self) -> None:
        """Begin to take commands."""
        self._task = asyncio.create_task(self._work(), name=f"play {self._table_id}")

    def close(self) -> None:
        """Take no further command; the one in hand is finished."""
        self._closed = True
        self._room.release()

    def answer(self) -> pb.CommandAnswer | None:
        """Take up the next answer."""
        return self._answers.popleft() if self._answers else None

    def make_room(self, answers: int) -> None:
        """Let as many further commands be taken, after their answers were sent."""
        for _ in range(answers):
            self._room.release()

    async def _work(self) -> None:
        try:
            await self._serve()
        except Exception as error:  # noqa: BLE001 - the writer raises it, where it ends the call
            self.fault = error
        self.busy = False
        self.done = True
        self._news.set()

    async def _serve(self) -> None:
        while not self._closed:
            await self._room.acquire()
            request = await self._context.read()
            if request is grpc.aio.EOF or self._closed:
                return
            self.busy = True
            answer = await self._answer(request)
            self.busy = False
            self._answers.append(answer)
            self._news.set()

    async def _answer(self, request: pb.PlayRequest) -> pb.CommandAnswer:
        kind = request.WhichOneof("request")
        command_id = getattr(request, kind).command_id if kind in _COMMANDS else ""
        try:
            return pb.CommandAnswer(command_id=command_id, version=await self._do(request, kind))
        except ServiceError as error:
            if error.reason == NOT_OWNER:
                self.moved_to = error.metadata.get("owner_address", "")
            why = pb.CommandRefused(
                status=error.code.value[0], reason=error.reason, detail=error.message, metadata=error.metadata
            )
            return pb.CommandAnswer(command_id=command_id, refused=why)

    async def _do(self, request: pb.PlayRequest, kind: str | None) -> int:
        match kind:
            case "act":
                self._place(request.act)
                answer = await self._command(commands.act(request.act, self._caller))
                return pb.ActResponse.FromString(answer).version
            case "leave":
                self._place(request.leave)
                answer = await self._command(commands.leave(request.leave, self._caller))
                return pb.LeaveResponse.FromString(answer).version
            case "ready":
                self._place(request.ready)
                answer = await self._command(commands.ready(request.ready, self._caller))
                return pb.ReadyResponse.FromString(answer).version
            case "rematch":
                self._place(request.rematch)
                answer = await self._command(commands.rematch(request.rematch, self._caller))
                return pb.RematchResponse.FromString(answer).version
            case "watch":
                raise invalid("watch", "comes first and once")
            case _:
                raise invalid("request", "is missing or unknown")

    def _place(self, request: pb.ActRequest | pb.LeaveRequest | pb.ReadyRequest | pb.RematchRequest) -> None:
        """Name the table where the player left it out: the same command is the same request on every way."""
        if request.table_id not in {"", self._table_id}:
            raise invalid("table_id", "is not the table of this stream")
        request.table_id = self._table_id

    async def _command(self, command: TableCommand) -> bytes:
        async with owner_errors():
            answer = await self._mailbox.command(command)
        if isinstance(answer, Refusal):
            raise refused(answer)
        return answer


class _Writer:
    """Sends steps and answers in their order."""

    def __init__(self, context: Context, viewer: Viewer, watcher: Watcher, desk: _Desk) -> None:
        self._context = context
        self._viewer = viewer
        self._watcher = watcher
        self._desk = desk
        self._sent = 0
        self._over: End | Refusal | None = None

    async def open(self, log: EventLog, table: Table, after: int | None) -> None:
        """Send a snapshot, or what was missed."""
        player = self._viewer.player
        if after is None:
            await self._context.write(pb.PlayResponse(snapshot=table_view(table, player)))
        else:
            async with aclosing(missed(log, table, after)) as steps:
                async for step in steps:
                    await self._context.write(pb.PlayResponse(event=table_event(step, player)))
        self._sent = table.version

    async def go_on(self) -> None:
        """Send what comes until the stream ends."""
        desk, news = self._desk, self._watcher.news
        while True:
            news.clear()
            await self._flush()
            if self._over is not None or desk.moved_to is not None:
                await self._part()
                return
            if desk.fault is not None:
                raise desk.fault
            if desk.done:
                return
            await news.wait()
            # A moment, for the answer that follows what its command caused: both go out in one message.
            await asyncio.sleep(0)

    async def _flush(self) -> None:
        """Send what waits, as often as something waits. Everything that is ready goes out in one message."""
        while True:
            events, answers = self._steps(), self._answers()
            match events, answers:
                case [], []:
                    return
                case [event], []:
                    message = pb.PlayResponse(event=event)
                case [], [answer]:
                    message = pb.PlayResponse(answer=answer)
                case _:
                    message = pb.PlayResponse(news=pb.PlayNews(events=events, answers=answers))
            await self._context.write(message)
            self._desk.make_room(len(answers))

    def _steps(self) -> list[view_pb.TableEvent]:
        """Take up the steps that wait."""
        events: list[view_pb.TableEvent] = []
        while self._over is None and (step := self._watcher.poll()) is not None:
            if isinstance(step, End):
                self._over = step
                break
            events.append(table_event(step, self._viewer.player))
            self._sent = step.version
            self._over = expelled(step, self._viewer)
        return events

    def _answers(self) -> list[pb.CommandAnswer]:
        """Take up the answers that wait; what their commands caused has been taken up before."""
        answers: list[pb.CommandAnswer] = []
        while (answer := self._desk.answer()) is not None:
            # What this stream will not show any more the next one does; the command is answered there when it
            # is sent again. Who may see no more is answered all the same.
            if answer.version <= self._sent or isinstance(self._over, Refusal):
                answers.append(answer)
        return answers

    async def _part(self) -> None:
        """Have the command in hand answered, then send the player where to go on."""
        desk, news = self._desk, self._watcher.news
        desk.close()
        while desk.busy:
            news.clear()
            await news.wait()
        await self._flush()
        if isinstance(self._over, Refusal):
            raise refused(self._over)
        if desk.moved_to is None and self._over is not None:
            away = await farewell(self._over, self._watcher, self._sent)
        else:
            away = pb.GoAway(
                resume_version=self._sent,
                retry_after_ms=MOVED_RETRY_MS,
                reason=pb.GO_AWAY_REASON_MOVED,
                address=desk.moved_to or "",
            )
        await self._context.write(pb.PlayResponse(go_away=away))
