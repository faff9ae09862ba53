"""``TableService``: translation between messages and the owner of tables."""

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import grpc

from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_service_pb2_grpc as rpc
from meldhall_eventlog.store import EventLog
from meldhall_messaging.envelope import envelope_of
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.clock import Clock
from meldhall_table.api import commands, fields, hosting, requests
from meldhall_table.api.errors import invalid, owner_errors, refused
from meldhall_table.api.hints import HintDesk
from meldhall_table.api.play import play
from meldhall_table.api.shards import follow_shards, tell_epoch
from meldhall_table.api.spectating import SpectatorDesk
from meldhall_table.api.views import NOBODY
from meldhall_table.api.watching import Viewer, admission, stream
from meldhall_table.domain import lobby
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.errors import TableUnknown
from meldhall_table.owner.tables import Tables
from meldhall_table.store.stream import CATEGORY, PAGE, Step

MOST_EVENTS: Final = 5_000
SERVICE: Final = "/meldhall.table.v1.TableService"

ACCESS: Final[AccessTable] = {
    f"{SERVICE}/CreateTable": frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR}),
    f"{SERVICE}/Join": frozenset({Role.PLAYER}),
    f"{SERVICE}/ChangeSeat": frozenset({Role.PLAYER}),
    f"{SERVICE}/HostTable": frozenset({Role.PLAYER}),
    f"{SERVICE}/Admit": frozenset({Role.SERVICE}),
    f"{SERVICE}/Leave": frozenset({Role.PLAYER}),
    f"{SERVICE}/Act": frozenset({Role.PLAYER}),
    f"{SERVICE}/Ready": frozenset({Role.PLAYER}),
    f"{SERVICE}/Rematch": frozenset({Role.PLAYER}),
    f"{SERVICE}/GetHints": frozenset({Role.PLAYER}),
    f"{SERVICE}/Play": frozenset({Role.PLAYER}),
    f"{SERVICE}/Watch": frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR}),
    f"{SERVICE}/ReadStream": frozenset({Role.SERVICE, Role.OPERATOR}),
    f"{SERVICE}/WatchShards": frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR}),
}
"""Who may call what. What is not here nobody may call."""

Context = grpc.aio.ServicerContext[Any, Any]


class TableServicer(rpc.TableServiceServicer):
    """The service's methods. Who calls comes from the token, never from the request.

    Args:
        tables: the owner.
        log: for reading what happened before.
        clock: for spectators, who see what was some time ago.
        default: what tables are that do not say so themselves.
        draw_tip: draws the secret end of a chain, 32 bytes.
    """

    def __init__(
        self,
        tables: Tables,
        log: EventLog,
        clock: Clock,
        default: fields.TableDefaults,
        draw_tip: Callable[[], bytes] = lambda: secrets.token_bytes(32),
    ) -> None:
        self._tables = tables
        self._log = log
        self._default = default
        self._draw_tip = draw_tip
        self._hints = HintDesk()
        self._spectators = SpectatorDesk(log, clock)

    async def drain(self) -> None:
        """End what no table ends: the streams of spectators."""
        await self._spectators.stop()

    async def CreateTable(self, request: pb.CreateTableRequest, context: Context) -> pb.CreateTableResponse:  # noqa: N802 - the contract's name
        """Open a table."""
        caller = current_principal()
        new = requests.new_table(request, caller, self._default, self._draw_tip())

        def say(table: Table, _steps: Sequence[Step]) -> pb.CreateTableResponse:
            return pb.CreateTableResponse(
                table_id=table.table_id, version=table.version, commitment=table.commitment
            )

        decided = lobby.create(new)
        command = requests.command(
            request, "CreateTable", request.command_id, caller, decide=lambda _t, _n: decided, say=say
        )
        async with owner_errors():
            tell_epoch(context, self._tables.epoch_of(new.table_id))
            answer = await self._tables.create(new.table_id, decided, command)
        return pb.CreateTableResponse.FromString(answer)

    async def Join(self, request: pb.JoinRequest, context: Context) -> pb.JoinResponse:  # noqa: N802 - the contract's name
        """Take a seat, or come back to one's own."""
        command = commands.join(request, current_principal())
        return pb.JoinResponse.FromString(await self._answer(request.table_id, command, context))

    async def ChangeSeat(  # noqa: N802 - the contract's name
        self, request: pb.ChangeSeatRequest, context: Context
    ) -> pb.ChangeSeatResponse:
        """Move to another seat before the match."""
        command = hosting.change_seat(request, current_principal())
        return pb.ChangeSeatResponse.FromString(await self._answer(request.table_id, command, context))

    async def HostTable(self, request: pb.HostTableRequest, context: Context) -> pb.HostTableResponse:  # noqa: N802 - the contract's name
        """Run a table before the match."""
        command = hosting.host_table(request, current_principal())
        return pb.HostTableResponse.FromString(await self._answer(request.table_id, command, context))

    async def Admit(self, request: pb.AdmitRequest, context: Context) -> pb.AdmitResponse:  # noqa: N802 - the contract's name
        """Let a player take a seat at a table for the invited."""
        command = hosting.admit(request, current_principal())
        return pb.AdmitResponse.FromString(await self._answer(request.table_id, command, context))

    async def Leave(self, request: pb.LeaveRequest, context: Context) -> pb.LeaveResponse:  # noqa: N802 - the contract's name
        """Leave the table."""
        command = commands.leave(request, current_principal())
        return pb.LeaveResponse.FromString(await self._answer(request.table_id, command, context))

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:  # noqa: N802 - the contract's name
        """Make a move."""
        command = commands.act(request, current_principal())
        return pb.ActResponse.FromString(await self._answer(request.table_id, command, context))

    async def Ready(self, request: pb.ReadyRequest, context: Context) -> pb.ReadyResponse:  # noqa: N802 - the contract's name
        """Be ready for the next round."""
        command = commands.ready(request, current_principal())
        return pb.ReadyResponse.FromString(await self._answer(request.table_id, command, context))

    async def Rematch(self, request: pb.RematchRequest, context: Context) -> pb.RematchResponse:  # noqa: N802 - the contract's name
        """Ask for another match."""
        command = commands.rematch(request, current_principal())
        return pb.RematchResponse.FromString(await self._answer(request.table_id, command, context))

    async def Watch(  # noqa: N802 - the contract's name
        self, request: pb.WatchRequest, context: Context
    ) -> AsyncGenerator[pb.WatchResponse, None]:
        """See the table: a snapshot and every later event, or every event after a version."""
        caller = current_principal()
        viewer = Viewer(caller.subject if caller.role is Role.PLAYER else NOBODY)
        after = request.after_version if request.HasField("after_version") else None
        seen = self._watch(fields.table_id(request.table_id), viewer, after, context)
        async with owner_errors(), aclosing(seen) as answers:
            async for answer in answers:
                yield answer

    async def _watch(
        self, table_id: str, viewer: Viewer, after: int | None, context: Context
    ) -> AsyncGenerator[pb.WatchResponse, None]:
        mailbox = await self._tables.mailbox(table_id)
        tell_epoch(context, mailbox.epoch)
        admitted = await mailbox.watch(admission(viewer, after))
        if isinstance(admitted, Refusal):
            delay_ms = (await mailbox.look()).spectator_delay_ms
            if admitted.code != TableCode.NOT_AT_TABLE or delay_ms is None:
                raise refused(admitted)
            answers = self._spectators.stream(table_id, delay_ms, after)
            watcher = None
        else:
            table, watcher = admitted
            answers = stream(self._log, table, watcher, viewer, after)
        try:
            async with aclosing(answers):
                async for answer in answers:
                    yield answer
        finally:
            if watcher is not None:
                watcher.close()

    async def Play(self, _requests: object, context: Context) -> None:  # type: ignore[override]  # noqa: N802 - it reads and writes by itself; the contract's name
        """See the table and make one's commands at it over one stream."""
        await play(self._tables, self._log, current_principal(), context)

    async def GetHints(  # noqa: N802 - the contract's name
        self, request: hints_pb.GetHintsRequest, context: Context
    ) -> hints_pb.GetHintsResponse:
        """Tell a player what his own hand could do. Only the look at the table waits in its mailbox."""
        caller = current_principal()
        async with owner_errors():
            mailbox = await self._tables.mailbox(fields.table_id(request.table_id))
            tell_epoch(context, mailbox.epoch)
            table = await mailbox.look()
        answer = await self._hints.answer(table, caller.subject)
        if isinstance(answer, Refusal):
            raise refused(answer)
        return answer

    async def ReadStream(  # noqa: N802 - the contract's name
        self, request: pb.ReadStreamRequest, _context: Context
    ) -> AsyncGenerator[pb.ReadStreamResponse, None]:
        """Read the public events of a table, byte for byte as they went to other services."""
        table_id = fields.table_id(request.table_id)
        if request.limit > MOST_EVENTS:
            raise invalid("limit", f"is {request.limit}, at most {MOST_EVENTS} are allowed")
        left, after = request.limit or PAGE, 0
        async with owner_errors():
            info = await self._log.info(table_id)
            if info is None or info.category != CATEGORY:
                raise TableUnknown(table_id)
            while page := await self._log.read_stream(table_id, after_version=after, limit=PAGE):
                for stored in page:
                    if stored.public_seq is None or stored.public_seq <= request.after_sequence:
                        continue
                    yield pb.ReadStreamResponse(envelope=envelope_of(stored))
                    left -= 1
                    if not left:
                        return
                after = page[-1].version

    async def WatchShards(  # noqa: N802 - the contract's name
        self, _request: pb.WatchShardsRequest, _context: Context
    ) -> AsyncGenerator[pb.WatchShardsResponse, None]:
        """Tell who owns which shard, and every change of it."""
        async with aclosing(follow_shards(self._tables.shards)) as answers:
            async for answer in answers:
                yield answer

    async def _answer(self, table_id: str, command: TableCommand, context: Context) -> bytes:
        async with owner_errors():
            mailbox = await self._tables.mailbox(fields.table_id(table_id))
            tell_epoch(context, mailbox.epoch)
            answer = await mailbox.command(command)
        if isinstance(answer, Refusal):
            raise refused(answer)
        return answer
