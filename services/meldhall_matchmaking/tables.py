"""Opens tables at the table service."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

import grpc

from meldhall.common.v1.game_pb2 import MODE_QUICK, MatchFormat
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_contracts.options import to_message
from meldhall_matchmaking.domain.seating import seat_people
from meldhall_matchmaking.store import OpenProposal
from meldhall_routing import TableRouter
from meldhall_runtime import reason_of

BOT: Final = "normal"
"""Policy of the bots that take the seats for which nobody came."""

PATIENCE_SECONDS: Final = 0.7
"""How long a table service that is not there is tried again: a group waits on within a second.

The next table of the group has another id, and perhaps another engine.
"""

CALL_SECONDS: Final = 3.0


@unique
class Why(StrEnum):
    """Why a table was not opened."""

    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Opened:
    """A table is open and has the group's seats."""

    table_id: str


@dataclass(frozen=True, slots=True)
class NotOpened:
    """There is no table that anybody was told of. ``detail`` is for the log."""

    why: Why
    detail: str


class TableOpener:
    """Opens quick-start tables.

    Args:
        router: To the table engines, with a token of this service.
    """

    def __init__(self, router: TableRouter) -> None:
        self._router = router

    async def open(self, proposal: OpenProposal) -> Opened | NotOpened:
        """Open a group's table. The same group again gets the same table."""
        request = table_request(proposal)
        try:
            answer = await self._router.call(
                None, "CreateTable", request, seconds=CALL_SECONDS, within=PATIENCE_SECONDS
            )
        except grpc.aio.AioRpcError as error:
            return _not_opened(error)
        return Opened(answer.table_id)


def table_request(proposal: OpenProposal) -> pb.CreateTableRequest:
    """Return the request for a group's table: a seat for each, bots in the others."""
    wish = proposal.wish
    seats = [
        pb.SeatPlan(bot=BOT) if ticket is None else pb.SeatPlan(reserved_for=ticket.player_id)
        for ticket in seat_people(wish, proposal.tickets)
    ]
    return pb.CreateTableRequest(
        command_id=proposal.proposal_id,
        options=to_message(wish.game, dict(wish.options)),
        format=MatchFormat(mode=MODE_QUICK, rounds=wish.rounds),
        seats=seats,
    )


def _not_opened(error: grpc.aio.AioRpcError) -> NotOpened:
    info = reason_of(error)
    detail = f"{error.code().name} {info.reason if info else error.details()}"
    match error.code():
        case grpc.StatusCode.UNAVAILABLE:
            return NotOpened(Why.UNAVAILABLE, detail)
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return NotOpened(Why.LATE, detail)
        case _:
            return NotOpened(Why.REFUSED, detail)
