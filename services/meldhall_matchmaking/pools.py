"""PoolService: what operators ask about pools, and why a ticket waits."""

from collections.abc import Sequence
from typing import Any, Final

import grpc

from meldhall.matchmaking.v1 import pool_service_pb2 as pb
from meldhall.matchmaking.v1 import pool_service_pb2_grpc as rpc
from meldhall_contracts.options import to_message
from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking import requests
from meldhall_matchmaking.codec import PLAYS, write_reach, write_ticket
from meldhall_matchmaking.domain.reasons import Explanation, Reason
from meldhall_matchmaking.domain.refusals import Code
from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.store.inspecting import PoolView, explain_ticket, pool_views
from meldhall_matchmaking.upkeep import STALE_MS
from meldhall_runtime import Clock
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import not_found, unavailable

Context = grpc.aio.ServicerContext[Any, Any]

SERVICE: Final = "/meldhall.matchmaking.v1.PoolService/"
_REASONS: Final = {
    Reason.ENDED: pb.WAIT_REASON_ENDED,
    Reason.BEING_SEATED: pb.WAIT_REASON_BEING_SEATED,
    Reason.NO_LEADER: pb.WAIT_REASON_NO_LEADER,
    Reason.TABLES_FAIL: pb.WAIT_REASON_TABLES_FAIL,
    Reason.PARTY_INCOMPLETE: pb.WAIT_REASON_PARTY_INCOMPLETE,
    Reason.TOO_FEW: pb.WAIT_REASON_TOO_FEW,
    Reason.RATING: pb.WAIT_REASON_RATING,
    Reason.LATENCY: pb.WAIT_REASON_LATENCY,
    Reason.BLOCKED: pb.WAIT_REASON_BLOCKED,
    Reason.REMATCH: pb.WAIT_REASON_REMATCH,
    Reason.MISFIT: pb.WAIT_REASON_MISFIT,
    Reason.ABSENT: pb.WAIT_REASON_ABSENT,
}

ACCESS: Final[AccessTable] = {
    f"{SERVICE}ListPools": frozenset({Role.OPERATOR, Role.SERVICE}),
    f"{SERVICE}ExplainTicket": frozenset({Role.OPERATOR, Role.SERVICE, Role.PLAYER}),
}
"""Who may call what; a player asks for his own tickets only."""


class Inspector:
    """Reads what operators ask for, over matchmaking's database, which somebody else closes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pools(self, now_ms: int) -> Sequence[PoolView]:
        """Return every pool with somebody in it."""
        return await self._database.read(lambda connection: pool_views(connection, now_ms - STALE_MS))

    async def explain(
        self, ticket_id: str, now_ms: int, *, player_id: str | None = None
    ) -> Explanation | None:
        """Say why a ticket waits; None where there is none, or it is another player's than the one named."""
        return await self._database.read(
            lambda connection: explain_ticket(connection, ticket_id, player_id, now_ms, now_ms - STALE_MS)
        )


class PoolApi(rpc.PoolServiceServicer):
    """The service over an inspector."""

    def __init__(self, inspector: Inspector, clock: Clock) -> None:
        self._inspector = inspector
        self._clock = clock

    async def ListPools(self, _request: pb.ListPoolsRequest, _context: Context) -> pb.ListPoolsResponse:  # noqa: N802 - the name of the RPC
        """Answer with every pool."""
        try:
            found = await self._inspector.pools(self._clock.now_ms())
        except LogUnavailable as error:
            raise _away() from error
        return pb.ListPoolsResponse(pools=[_pool(one) for one in found])

    async def ExplainTicket(  # noqa: N802 - the name of the RPC
        self, request: pb.ExplainTicketRequest, _context: Context
    ) -> pb.ExplainTicketResponse:
        """Answer why a ticket waits."""
        ticket_id, caller, now = (
            requests.ticket_id(request.ticket_id),
            current_principal(),
            self._clock.now_ms(),
        )
        player = caller.subject if caller.role is Role.PLAYER else None
        try:
            found = await self._inspector.explain(ticket_id, now, player_id=player)
        except LogUnavailable as error:
            raise _away() from error
        if found is None:
            raise not_found(Code.TICKET_NOT_FOUND.value, "there is no such ticket")
        return _explanation(found, now)


def _away() -> Exception:
    return unavailable("DATABASE_UNAVAILABLE", "matchmaking's database does not answer; try again")


def _pool(view: PoolView) -> pb.Pool:
    return pb.Pool(
        options=to_message(view.wish.game, dict(view.wish.options)),
        seats=view.wish.seats,
        rounds=view.wish.rounds,
        play=PLAYS[view.wish.play],
        part=view.part,
        leader=view.leader,
        waiting=view.waiting,
        proposed=view.proposed,
        oldest_at_unix_ms=view.oldest_ms,
        typical_wait_ms=view.typical_ms,
        failing=view.failing,
        stake=view.wish.stake,
    )


def _explanation(found: Explanation, now_ms: int) -> pb.ExplainTicketResponse:
    message = pb.ExplainTicketResponse(
        ticket=write_ticket(found.ticket),
        reason=_REASONS[found.reason],
        waiting=found.waiting,
        fitting=found.fitting,
        obstacles={one.value: number for one, number in found.obstacles.items()},
    )
    if found.ticket.state is TicketState.WAITING:
        write_reach(message.reach, found.ticket, now_ms)
    return message
