"""Opens tables at the table service."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

import grpc

from meldhall.common.v1.game_pb2 import MODE_ARENA, MODE_QUICK, MatchFormat
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_contracts.ids import table_id_of
from meldhall_contracts.options import to_message
from meldhall_matchmaking.domain.seating import seat_people
from meldhall_matchmaking.domain.ticket import Play, Wish
from meldhall_matchmaking.stakes import Stakes
from meldhall_matchmaking.store import OpenProposal
from meldhall_routing import TableRouter
from meldhall_runtime import reason_of
from meldhall_runtime.failpoints import failpoint

CALLER: Final = "matchmaking"
"""As whom this service opens tables: the name of its role, which its token says."""

BOT: Final = "normal"
"""Policy of the bots that take the seats for which nobody came."""

PATIENCE_SECONDS: Final = 0.7
"""How long a table service that is not there is tried again: a group waits on within a second.

The next table of the group has another id, and perhaps another engine.
"""

CALL_SECONDS: Final = 3.0

AFTER_HOLD: Final = "matchmaking.after_hold"
"""Failpoint: the stakes of an arena table are held, the table is not asked for."""


@unique
class Why(StrEnum):
    """Why a table was not opened."""

    STAKES = "stakes"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Opened:
    """A table is open and has the group's seats."""

    table_id: str


@dataclass(frozen=True, slots=True)
class NotOpened:
    """There is no table that anybody was told of.

    ``detail`` is for the log, ``poor`` names who could not pay.
    """

    why: Why
    detail: str
    poor: frozenset[str] = frozenset()


class TableOpener:
    """Opens tables.

    Args:
        router: To the table engines, with a token of this service.
        stakes: At the ledger, for arena tables.
        rake_bps: The house's part of what is won there, in basis points.
    """

    def __init__(self, router: TableRouter, stakes: Stakes, rake_bps: int) -> None:
        self._router = router
        self._stakes = stakes
        self._rake_bps = rake_bps
        self._after_hold = failpoint(AFTER_HOLD)

    async def open(self, proposal: OpenProposal) -> Opened | NotOpened:
        """Open a group's table, in the arena once all stakes are held. The same group again gets the same."""
        request = table_request(proposal, self._rake_bps)
        if proposal.wish.play is Play.ARENA:
            players = [seat.reserved_for for seat in request.seats]
            not_held = await self._stakes.hold(table_of(proposal.proposal_id), proposal.wish.stake, players)
            if not_held is not None:
                return NotOpened(Why.STAKES, not_held.detail, not_held.poor)
            self._after_hold()
        try:
            answer = await self._router.call(
                None, "CreateTable", request, seconds=CALL_SECONDS, within=PATIENCE_SECONDS
            )
        except grpc.aio.AioRpcError as error:
            return _not_opened(error)
        return Opened(answer.table_id)


def table_of(proposal_id: str) -> str:
    """Return the id of the table that a proposal gets, which is known before it is opened."""
    return table_id_of(CALLER, proposal_id)


def table_request(proposal: OpenProposal, rake_bps: int = 0) -> pb.CreateTableRequest:
    """Return the request for a group's table: a seat for each, bots in the others."""
    wish = proposal.wish
    seats = [
        pb.SeatPlan(bot=BOT) if ticket is None else pb.SeatPlan(reserved_for=ticket.player_id)
        for ticket in seat_people(wish, proposal.tickets)
    ]
    return pb.CreateTableRequest(
        command_id=proposal.proposal_id,
        options=to_message(wish.game, dict(wish.options)),
        format=_format(wish, rake_bps),
        seats=seats,
    )


def _format(wish: Wish, rake_bps: int) -> MatchFormat:
    if wish.play is Play.ARENA:
        return MatchFormat(mode=MODE_ARENA, rounds=wish.rounds, stake=wish.stake, rake_bps=rake_bps)
    return MatchFormat(mode=MODE_QUICK, rounds=wish.rounds)


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
