"""The commands of who runs a friends' table, and of who moves there: how they are decided and answered."""

from collections.abc import Callable, Sequence

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_runtime.auth import Principal
from meldhall_table.api import fields, requests
from meldhall_table.api.errors import invalid
from meldhall_table.domain import hosting
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand
from meldhall_table.store.stream import Step


def change_seat(request: pb.ChangeSeatRequest, caller: Principal) -> TableCommand:
    """Move to another seat. The answer is a ``ChangeSeatResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player, seat = caller.subject, request.seat

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return hosting.change_seat(table, player, seat)

    def say(table: Table, _steps: Sequence[Step]) -> pb.ChangeSeatResponse:
        return pb.ChangeSeatResponse(version=table.version)

    return requests.command(
        request, "ChangeSeat", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def host_table(request: pb.HostTableRequest, caller: Principal) -> TableCommand:
    """Run the table. The answer is a ``HostTableResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    order = _order(request, caller.subject)

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return order(table)

    def say(table: Table, _steps: Sequence[Step]) -> pb.HostTableResponse:
        return pb.HostTableResponse(version=table.version)

    return requests.command(
        request,
        "HostTable",
        request.command_id,
        caller,
        decide=requests.placed(decide, caller.subject),
        say=say,
    )


def admit(request: pb.AdmitRequest, caller: Principal) -> TableCommand:
    """Let a player in. The answer is an ``AdmitResponse``.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    player = fields.player_id(request.player_id, "player_id")

    def decide(table: Table, _now: int) -> tuple[Event, ...] | Refusal:
        return hosting.admit(table, player)

    def say(table: Table, _steps: Sequence[Step]) -> pb.AdmitResponse:
        return pb.AdmitResponse(version=table.version)

    return requests.command(
        request, "Admit", request.command_id, caller, decide=requests.placed(decide, player), say=say
    )


def _order(request: pb.HostTableRequest, player: str) -> Callable[[Table], tuple[Event, ...] | Refusal]:
    match request.WhichOneof("order"):
        case "lock":
            return lambda table: hosting.lock(table, player, locked=request.lock.locked)
        case "free":
            return lambda table: hosting.free(table, player, request.free.seat)
        case "bot":
            return lambda table: hosting.seat_bot(table, player, request.bot.seat, request.bot.policy)
        case "start":
            return lambda table: hosting.start(table, player, request.start.bots)
        case _:
            raise invalid("order", "is missing")
