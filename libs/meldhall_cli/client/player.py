"""A player who plays a table to its end over the public API, whatever happens to the connection."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

import grpc
import grpc.aio

from meldhall.table.v1 import table_service_pb2 as service
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.client.mirror import MissedVersion, TableMirror
from meldhall_cli.client.translate import move_of, rules_view
from meldhall_routing import RoutedStub
from meldhall_rules.commands import Command
from meldhall_rules.view import View
from meldhall_runtime.errors import reason_of

if TYPE_CHECKING:
    # The stubs know the asyncio variant by a name of its own that does not exist at run time.
    from meldhall.table.v1.table_service_pb2_grpc import TableServiceAsyncStub

_Answer = TypeVar("_Answer")

Policy = Callable[[View], Command]
"""Chooses a move from what the seat sees."""

_AGAIN: Final = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    # A server of grpc.aio lets go of calls that arrive while it stops. A call that this client cancels itself
    # raises asyncio's CancelledError instead.
    grpc.StatusCode.CANCELLED,
})  # fmt: skip
"""Codes after which the same request is sent again."""

_OVERTAKEN: Final = frozenset({"STALE", "NOT_YOUR_TURN", "ROUND_OVER", "TABLE_CLOSED", "NOT_IN_BREAK"})
"""Refusals that mean: something happened at the table that this player has not seen yet."""


class MoveRefused(Exception):
    """The service refused a move that the player took for legal: a fault of the policy or of the rules."""


@dataclass(slots=True)
class Played:
    """What a player did: moves acknowledged, and how long each took in seconds."""

    moves: int = 0
    seconds: list[float] = field(default_factory=list)


class Player:
    """One seat's client: watches, keeps a mirror, moves when it is its turn.

    Commands go out again under the same id until they have an answer, and a broken stream is resumed by
    version. ``session`` keeps the command ids of two clients of one player apart.
    """

    def __init__(
        self,
        stub: "TableServiceAsyncStub | RoutedStub",
        *,
        token: str,
        table_id: str,
        policy: Policy,
        session: str,
        retry_seconds: float = 0.2,
        on_change: Callable[[views.TableView], None] | None = None,
    ) -> None:
        self._stub = stub
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._table_id = table_id
        self._policy = policy
        self._session = session
        self._retry_seconds = retry_seconds
        self._on_change = on_change
        self._sent = 0
        self._ready_after = 0
        self._declined = False
        self._mirror: TableMirror | None = None
        self.played = Played()

    @property
    def view(self) -> views.TableView:
        """The table as this player saw it last; empty before the first sight."""
        return self._mirror.view if self._mirror else views.TableView()

    async def play(self, client_seed: bytes) -> views.TableView:
        """Take a seat, play until the table is closed, and return the last sight of it.

        The player never makes others wait: he is ready for every round at once, and wants no rematch.
        """
        request = service.JoinRequest(
            table_id=self._table_id, command_id=self._command_id("join"), client_seed=client_seed
        )
        joined = await self._until_answered(
            lambda: self._stub.Join(request, metadata=self._metadata, timeout=10)
        )
        self._mirror = TableMirror(joined.view)
        while self.view.status != views.TABLE_STATUS_CLOSED:
            try:
                await self._follow(self._mirror)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AGAIN:
                    raise
            except MissedVersion:
                self._mirror = await self._see_again()
            if self.view.status != views.TABLE_STATUS_CLOSED:
                await asyncio.sleep(self._retry_seconds)
        return self.view

    async def _follow(self, mirror: TableMirror) -> None:
        await self._do_what_is_to_do(mirror)
        request = service.WatchRequest(table_id=self._table_id, after_version=mirror.version)
        call = self._stub.Watch(request, metadata=self._metadata)
        try:
            async for message in call:
                if message.HasField("event") and mirror.apply(message.event):
                    self._changed()
                    await self._do_what_is_to_do(mirror)
                if mirror.view.status == views.TABLE_STATUS_CLOSED or message.HasField("go_away"):
                    return
        finally:
            call.cancel()

    async def _see_again(self) -> TableMirror:
        call = self._stub.Watch(service.WatchRequest(table_id=self._table_id), metadata=self._metadata)
        try:
            async for message in call:
                if message.HasField("snapshot"):
                    return TableMirror(message.snapshot)
        finally:
            call.cancel()
        raise MissedVersion("the service ended the stream before a snapshot")

    async def _do_what_is_to_do(self, mirror: TableMirror) -> None:
        view = mirror.view
        if view.status == views.TABLE_STATUS_BREAK and self._ready_after != view.round.round:
            self._ready_after = view.round.round
            ready = service.ReadyRequest(table_id=self._table_id, command_id=self._command_id("ready"))
            await self._say(lambda: self._stub.Ready(ready, metadata=self._metadata, timeout=10))
        elif view.status == views.TABLE_STATUS_OVER and not self._declined:
            self._declined = True
            leave = service.LeaveRequest(table_id=self._table_id, command_id=self._command_id("leave"))
            await self._say(lambda: self._stub.Leave(leave, metadata=self._metadata, timeout=10))
        else:
            await self._move_while_on_turn(mirror)

    async def _say(self, call: Callable[[], Awaitable[object]]) -> None:
        """Say something that does not matter any more where the table has moved on."""
        try:
            await self._until_answered(call)
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            if info is None or info.reason not in _OVERTAKEN:
                raise

    async def _move_while_on_turn(self, mirror: TableMirror) -> None:
        while _is_on_turn(mirror.view):
            command = self._policy(rules_view(mirror.view))
            request = service.ActRequest(
                table_id=self._table_id,
                command_id=self._command_id("move"),
                expected_version=mirror.version,
                move=move_of(command),
            )
            answer = await self._act(request, command)
            if answer is None:
                return
            for event in answer.events:
                mirror.apply(event)
            self._changed()

    async def _act(self, request: service.ActRequest, command: Command) -> service.ActResponse | None:
        """Send a move; None where the table has moved on without it."""
        started = asyncio.get_running_loop().time()
        try:
            answer = await self._until_answered(
                lambda: self._stub.Act(request, metadata=self._metadata, timeout=10)
            )
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            if info is not None and info.reason in _OVERTAKEN:
                return None
            raise MoveRefused(f"{type(command).__name__} was refused: {error.details()}") from error
        self.played.moves += 1
        self.played.seconds.append(asyncio.get_running_loop().time() - started)
        return answer

    async def _until_answered(self, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AGAIN:
                    raise
            await asyncio.sleep(self._retry_seconds)

    def _command_id(self, kind: str) -> str:
        self._sent += 1
        return f"{self._session}-{kind}-{self._sent}"

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change(self.view)


def _is_on_turn(view: views.TableView) -> bool:
    return (
        view.status == views.TABLE_STATUS_PLAYING
        and view.HasField("own_seat")
        and view.round.turn == view.own_seat
        and view.round.phase in {views.PHASE_DRAW, views.PHASE_PLAY}
    )
