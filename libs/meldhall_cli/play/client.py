"""One person's connection to a table: opening it, watching it, moving, asking for hints."""

import asyncio
import secrets
import uuid
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
from google.protobuf.message import Message

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.faults import CommandFault
from meldhall_routing import TableRouter, TableUnreachable
from meldhall_runtime import Role, TokenIssuer
from meldhall_runtime.errors import reason_of

TURN_MS: Final = 30 * 60_000
"""Time for a turn: a newcomer reads the rules in it and is not played automatically."""

TOKEN_SECONDS: Final = 3600
NO_ANSWER: Final = "the table does not answer any more; is the stack still running?"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why the table refused a call: a code and a sentence for developers."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class TableWish:
    """The table that a person wants: bots of one level in all seats but the first."""

    game: str
    players: int
    rounds: int
    bots: str
    break_ms: int
    bot_move_ms: int


class Connection:
    """A person's calls, each made until it is answered, under the same command id.

    Args:
        router: to the table engines.
        issuer: signs the person's tokens.
        player: who the person is.
    """

    def __init__(self, router: TableRouter, issuer: TokenIssuer, player: str) -> None:
        self._router = router
        self._issuer = issuer
        self._player = player
        self.table_id = ""

    def _auth(self) -> tuple[tuple[str, str], ...]:
        token = self._issuer.issue(self._player, Role.PLAYER, ttl_seconds=TOKEN_SECONDS)
        return (("authorization", f"Bearer {token}"),)

    async def open(self, wish: TableWish) -> views.TableView:
        """Open a table, sit down, and return what the person sees."""
        options = game_pb2.GameOptions()
        getattr(options, wish.game).SetInParent()
        bots = [pb.SeatPlan(bot=wish.bots) for _ in range(wish.players - 1)]
        request = pb.CreateTableRequest(
            command_id=uuid.uuid4().hex,
            options=options,
            format=game_pb2.MatchFormat(mode=game_pb2.MODE_FRIENDS, rounds=wish.rounds),
            seats=[pb.SeatPlan(reserved_for=self._player), *bots],
            limits=events_pb.TimeLimits(
                turn_ms=TURN_MS, break_ms=wish.break_ms, bot_move_ms=wish.bot_move_ms
            ),
        )
        opened: pb.CreateTableResponse = await self._ask(None, "CreateTable", request)
        return await self.sit_down(opened.table_id)

    async def sit_down(self, table_id: str) -> views.TableView:
        """Sit down at a table, and return what the person sees."""
        self.table_id = table_id
        join = pb.JoinRequest(
            table_id=self.table_id, command_id=uuid.uuid4().hex, client_seed=secrets.token_bytes(16)
        )
        joined: pb.JoinResponse = await self._ask(self.table_id, "Join", join)
        return joined.view

    async def act(self, move: moves_pb.Move, version: int) -> list[views.TableEvent] | Refused:
        """Make a move on a version of the table; return what it caused, or why it is refused."""
        request = pb.ActRequest(
            table_id=self.table_id, command_id=uuid.uuid4().hex, expected_version=version, move=move
        )
        try:
            answer: pb.ActResponse = await self._ask(self.table_id, "Act", request)
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            if info is None:
                raise
            return Refused(info.reason, error.details() or "")
        return list(answer.events)

    async def hints(self) -> hints_pb.Hints:
        """Return the hints for the person's seat, empty ones where there are none."""
        request = hints_pb.GetHintsRequest(table_id=self.table_id)
        answer: hints_pb.GetHintsResponse = await self._ask(self.table_id, "GetHints", request)
        return answer.hints

    async def ready(self) -> None:
        """Be ready for the next round; too late is no fault."""
        await self._say("Ready", pb.ReadyRequest(table_id=self.table_id, command_id=uuid.uuid4().hex))

    async def rematch(self) -> None:
        """Ask for another match; too late is no fault."""
        await self._say("Rematch", pb.RematchRequest(table_id=self.table_id, command_id=uuid.uuid4().hex))

    async def leave(self) -> None:
        """Leave the table, if it can be reached; the seat is played automatically then."""
        request = pb.LeaveRequest(table_id=self.table_id, command_id=uuid.uuid4().hex)
        try:
            await self._router.call(
                self.table_id, "Leave", request, metadata=self._auth(), seconds=2.0, within=2.0
            )
        except grpc.aio.AioRpcError:
            return

    async def watch(self, after: int, news: "asyncio.Queue[pb.WatchResponse]") -> None:
        """Put everything that happens after a version into a queue until the table is closed.

        Raises:
            CommandFault: the table is gone.
        """
        try:
            async for message in self._router.watch(self.table_id, after, metadata=self._auth()):
                news.put_nowait(message)
        except TableUnreachable:
            raise CommandFault(NO_ANSWER) from None

    async def _say(self, method: str, request: Message) -> None:
        try:
            await self._ask(self.table_id, method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise

    async def _ask(self, table_id: str | None, method: str, request: Message) -> Any:
        try:
            return await self._router.call(table_id, method, request, metadata=self._auth())
        except TableUnreachable:
            raise CommandFault(NO_ANSWER) from None
