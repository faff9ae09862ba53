"""The tables of a tournament: opened at the table service, read from there when they are over."""

import hashlib
from dataclasses import dataclass
from typing import Final

import grpc

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.common.v1.game_pb2 import MODE_TOURNAMENT, MatchFormat
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_contracts.options import to_message
from meldhall_routing import TableRouter
from meldhall_runtime import reason_of
from meldhall_tournament.domain.state import Pairing, Tournament
from meldhall_tournament.outcomes import Outcome, outcome_of

CALL_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 5.0
READ_SECONDS: Final = 20.0
PAGE: Final = 500

_PASSING: Final = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.CANCELLED,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unopened:
    """There is no table. ``passing``: the same request may be answered later; else it never will."""

    detail: str
    passing: bool


class TournamentTables:
    """Opens and reads tables.

    Args:
        router: to the table engines, with a token of this service.
    """

    def __init__(self, router: TableRouter) -> None:
        self._router = router

    async def open(self, request: pb.CreateTableRequest) -> str | Unopened:
        """Open a table and return its id. The same request again gives the same table."""
        try:
            answer = await self._router.call(
                None, "CreateTable", request, seconds=CALL_SECONDS, within=PATIENCE_SECONDS
            )
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            detail = f"{error.code().name} {info.reason if info else error.details()}"
            return Unopened(detail, passing=error.code() in _PASSING)
        table_id: str = answer.table_id
        return table_id

    async def outcome(self, table_id: str, sides: int, *, lowest_wins: bool) -> Outcome | None:
        """Read what a table gave, None while it is played.

        Raises:
            grpc.aio.AioRpcError: no engine answered, or none knows the table.
            ValueError: what it says does not fit a table of so many sides.
        """
        found = await self.read(table_id, 0)
        envelopes = list(found)
        while len(found) == PAGE:
            found = await self.read(table_id, envelopes[-1].sequence)
            envelopes += found
        return outcome_of(envelopes, sides, lowest_wins=lowest_wins)

    async def read(self, table_id: str, after: int) -> list[EventEnvelope]:
        """Return a page of a table's public events after a sequence, in order.

        Raises:
            grpc.aio.AioRpcError: no engine answered, or none knows the table.
        """
        request = pb.ReadStreamRequest(table_id=table_id, after_sequence=after, limit=PAGE)
        return await self._router.read_stream(request, within=READ_SECONDS)


def command_id(tournament_id: str, round_no: int, table: int, attempt: int) -> str:
    """Return the command id of a pairing's table, so that asking again gives the same one."""
    text = f"{tournament_id}/{round_no}/{table}/{attempt}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def table_request(state: Tournament, round_no: int, table: int, pairing: Pairing) -> pb.CreateTableRequest:
    """Return the request for a pairing's table: a seat kept for each, members of a side not side by side."""
    plan, form = state.plan, state.plan.match_format()
    sides = [state.contestants[number].entrant.players for number in pairing.entrants]
    seats = [players[member] for member in range(plan.team_size) for players in sides]
    return pb.CreateTableRequest(
        command_id=command_id(state.tournament_id, round_no, table, pairing.attempt),
        options=to_message(plan.game, dict(plan.options)),
        format=MatchFormat(
            mode=MODE_TOURNAMENT, rounds=form.rounds, single_winner=form.single_winner, target=form.target
        ),
        seats=[pb.SeatPlan(reserved_for=player) for player in seats],
        limits=events_pb.TimeLimits(join_ms=plan.join_ms, match_ms=plan.table_ms, rematch_ms=0),
    )
