"""The commands of a seat, each in one place: how it is decided, and how it is answered.

Unary methods and streams put the same commands together here, so that a command has one answer, whichever
way it comes.
"""

from collections.abc import Sequence

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_rules.commands import Command
from meldhall_runtime.auth import Principal
from meldhall_table.api import fields, moves, requests
from meldhall_table.api.views import table_event, table_view
from meldhall_table.domain import between, lobby, play
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand
from meldhall_table.store.stream import Step


def join(request: pb.JoinRequest, caller: Principal) -> TableCommand:
    """Take a seat. The answer is a ``JoinResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player, seed = caller.subject, fields.client_seed(request.client_seed)
    wanted = request.seat if request.HasField("seat") else None

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return lobby.join(table, player, wanted, seed)

    def say(table: Table, _steps: Sequence[Step]) -> pb.JoinResponse:
        return pb.JoinResponse(seat=table.seat_of(player), view=table_view(table, player))

    return requests.command(
        request, "Join", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def leave(request: pb.LeaveRequest, caller: Principal) -> TableCommand:
    """Leave the table. The answer is a ``LeaveResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player = caller.subject

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return lobby.leave(table, player)

    def say(table: Table, _steps: Sequence[Step]) -> pb.LeaveResponse:
        return pb.LeaveResponse(version=table.version)

    return requests.command(
        request, "Leave", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def ready(request: pb.ReadyRequest, caller: Principal) -> TableCommand:
    """Be ready for the next round. The answer is a ``ReadyResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player = caller.subject

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return between.ready(table, player)

    def say(table: Table, _steps: Sequence[Step]) -> pb.ReadyResponse:
        return pb.ReadyResponse(version=table.version)

    return requests.command(
        request, "Ready", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def rematch(request: pb.RematchRequest, caller: Principal) -> TableCommand:
    """Ask for another match. The answer is a ``RematchResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player = caller.subject

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return between.rematch(table, player)

    def say(table: Table, _steps: Sequence[Step]) -> pb.RematchResponse:
        return pb.RematchResponse(version=table.version)

    return requests.command(
        request, "Rematch", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def act(request: pb.ActRequest, caller: Principal) -> TableCommand:
    """Make a move. The answer is an ``ActResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player, move = caller.subject, moves.to_command(request.move)
    expected = request.expected_version if request.HasField("expected_version") else None

    def decide(table: Table, now: int) -> tuple[Event, ...] | Refusal:
        if table.seated(player) is not None:
            refusal = _unfit(table, move, expected)
            if refusal is not None:
                return refusal
        return play.act(table, player, move, now)

    def say(table: Table, steps: Sequence[Step]) -> pb.ActResponse:
        return pb.ActResponse(version=table.version, events=[table_event(step, player) for step in steps])

    return requests.command(
        request, "Act", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def _unfit(table: Table, move: Command, expected: int | None) -> Refusal | None:
    """Refuse a move with tiles that the game does not have, or made on another version than this one."""
    if table.round is not None:
        refusal = moves.unknown_tile(move, table.round.tiles)
        if refusal is not None:
            return refusal
    if expected is None or expected == table.version:
        return None
    facts = (("current_version", str(table.version)),)
    return Refusal(TableCode.STALE, f"the table is at version {table.version}, not {expected}", facts)
