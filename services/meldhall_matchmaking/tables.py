"""Opens tables at the table service."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

import grpc

from meldhall.common.v1.game_pb2 import MODE_QUICK, MatchFormat
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_contracts.options import to_message
from meldhall_matchmaking.store import OpenProposal
from meldhall_runtime import Clock, reason_of

BOT: Final = "normal"
"""Policy of the bots that take the seats for which nobody came."""

PATIENCE_SECONDS: Final = 0.7
"""How long a table service that is not there is tried again: a group waits on within a second."""

PAUSE_SECONDS: Final = 0.1
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
        channel: To the table service, with a token of this service.
        clock: Measures patience.
    """

    def __init__(self, channel: grpc.aio.Channel, clock: Clock) -> None:
        self._stub = TableServiceStub(channel)
        self._clock = clock

    async def open(self, proposal: OpenProposal) -> Opened | NotOpened:
        """Open a group's table. The same group again gets the same table."""
        request = table_request(proposal)
        until = self._clock.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = await self._stub.CreateTable(request, timeout=CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                failed = _not_opened(error)
                if failed.why is not Why.UNAVAILABLE or self._clock.monotonic() >= until:
                    return failed
            else:
                return Opened(answer.table_id)
            await self._clock.sleep(PAUSE_SECONDS)


def table_request(proposal: OpenProposal) -> pb.CreateTableRequest:
    """Return the request for a group's table: a seat for each in order of age, then bots.

    Where seats are teams the two oldest are opponents, the third plays with the first.
    """
    wish = proposal.wish
    people = [pb.SeatPlan(reserved_for=ticket.player_id) for ticket in proposal.tickets]
    bots = [pb.SeatPlan(bot=BOT) for _ in range(wish.seats - len(people))]
    return pb.CreateTableRequest(
        command_id=proposal.proposal_id,
        options=to_message(wish.game, dict(wish.options)),
        format=MatchFormat(mode=MODE_QUICK, rounds=wish.rounds),
        seats=[*people, *bots],
    )


def _not_opened(error: grpc.aio.AioRpcError) -> NotOpened:
    info = reason_of(error)
    detail = f"{error.code().name} {info.reason if info else error.details()}"
    match error.code():
        # CANCELLED, since nothing here cancels: the table service let go of the call while it stopped.
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.CANCELLED:
            return NotOpened(Why.UNAVAILABLE, detail)
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return NotOpened(Why.LATE, detail)
        case _:
            return NotOpened(Why.REFUSED, detail)
