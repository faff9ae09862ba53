"""MatchmakingService: reads requests, asks the store, writes answers. Faults of a request name its field."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import grpc

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.matchmaking.v1 import matchmaking_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking import requests
from meldhall_matchmaking.codec import write_ticket
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.hub import HubClosed, TicketHub, Watcher
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.store import NewTicket, Sight, TicketStore
from meldhall_runtime import Clock, Ids
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    not_found,
    unavailable,
)

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]

RECHECK_SECONDS: Final = 5.0
"""How often a follower reads its ticket though nobody told it of a change: news may get lost, tickets not."""

CANCEL_SECONDS: Final = 4.0
"""How long a cancellation waits for a table that is being opened; longer than a call for a table takes."""

SERVICE: Final = "/meldhall.matchmaking.v1.MatchmakingService/"
ACCESS: Final[AccessTable] = {
    f"{SERVICE}Enqueue": frozenset({Role.PLAYER}),
    f"{SERVICE}Cancel": frozenset({Role.PLAYER}),
    f"{SERVICE}WatchTicket": frozenset({Role.PLAYER}),
}
"""Who may call what: players, each for themselves."""

_STATUS: Final = {
    Code.TICKET_ACTIVE: already_exists,
    Code.COMMAND_ID_REUSED: already_exists,
    Code.TICKET_NOT_FOUND: not_found,
    Code.ALREADY_MATCHED: failed_precondition,
}


class MatchmakingApi(rpc.MatchmakingServiceServicer):
    """The service over a store. The runtime has checked tokens and roles before a method is reached.

    Args:
        store: Tickets.
        hub: Where changes of tickets are told.
        wake: Lets the matcher look.
        clock: Wall time for tickets.
        ids: Ids of tickets.
        metrics: Counts them.
        bots_after_ms: Wait after which bots take the seats for which nobody came.
    """

    def __init__(
        self,
        store: TicketStore,
        hub: TicketHub,
        wake: Callable[[], None],
        *,
        clock: Clock,
        ids: Ids,
        metrics: MatchmakingMetrics,
        bots_after_ms: int,
    ) -> None:
        self._store = store
        self._hub = hub
        self._wake = wake
        self._clock = clock
        self._ids = ids
        self._metrics = metrics
        self._bots_after_ms = bots_after_ms

    async def Enqueue(self, request: pb.EnqueueRequest, _context: Context) -> pb.EnqueueResponse:  # noqa: N802 - the name of the RPC
        """Answer with the player's ticket."""
        now = self._clock.now_ms()
        new = NewTicket(
            ticket_id=self._ids.table_id(),
            player_id=requests.player_id(current_principal().subject),
            command_id=requests.command_id(request.command_id),
            wish=requests.wish(request),
            now_ms=now,
            bots_at_ms=now + self._bots_after_ms,
        )
        with _statuses():
            answer = _accepted(await self._store.enqueue(new))
        if answer.new:
            self._metrics.enqueued.inc()
        self._wake()
        return pb.EnqueueResponse(ticket=write_ticket(answer.ticket))

    async def Cancel(self, request: pb.CancelRequest, _context: Context) -> pb.CancelResponse:  # noqa: N802 - the name of the RPC
        """Answer with the ticket at its end, however it got there but by a table."""
        ticket_id = requests.ticket_id(request.ticket_id)
        player = current_principal().subject
        with _statuses():
            sight = await self._cancel(ticket_id, player)
            if sight.ticket.state is TicketState.PROPOSED:
                sight = await self._cancel_once_known(sight, player)
        if sight.ticket.state is TicketState.MATCHED:
            raise _refused(_matched(sight))
        return pb.CancelResponse(ticket=write_ticket(sight.ticket))

    async def WatchTicket(  # noqa: N802 - the name of the RPC
        self, request: pb.WatchTicketRequest, _context: Context
    ) -> AsyncGenerator[pb.WatchTicketResponse, None]:
        """Answer with the ticket now and at every change, up to its end."""
        ticket_id = requests.ticket_id(request.ticket_id)
        player = current_principal().subject
        with _statuses():
            sight = await self._sight(ticket_id, player)
            with self._hub.follow(sight) as watcher:
                # Again, for what happened between the first look and following.
                watcher.see(await self._sight(ticket_id, player))
                self._wake()
                while True:
                    sight = watcher.sight
                    yield pb.WatchTicketResponse(ticket=write_ticket(sight.ticket), waiting=sight.waiting)
                    if sight.ticket.state.is_final:
                        return
                    await self._changed(watcher, sight, player)

    async def _changed(self, watcher: Watcher, sent: Sight, player: str) -> None:
        """Return once there is something to see that was not sent."""
        while watcher.sight == sent:
            try:
                async with asyncio.timeout(RECHECK_SECONDS):
                    await watcher.changed()
            except TimeoutError:
                watcher.see(await self._sight(sent.ticket.ticket_id, player))

    async def _sight(self, ticket_id: str, player: str) -> Sight:
        return _accepted(await self._store.sight(ticket_id, player))

    async def _cancel(self, ticket_id: str, player: str) -> Sight:
        now = self._clock.now_ms()
        answer = _accepted(await self._store.cancel(ticket_id, player, now))
        if answer.cancelled:
            self._hub.publish([answer.sight.ticket])
            self._metrics.count_ended([answer.sight.ticket], now)
        return answer.sight

    async def _cancel_once_known(self, sight: Sight, player: str) -> Sight:
        """Wait until a group's table is open, or its tickets wait on and this one can be taken back."""
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                with self._hub.follow(sight) as watcher:
                    while sight.ticket.state is TicketState.PROPOSED:
                        sight = await self._cancel(sight.ticket.ticket_id, player)
                        watcher.see(sight)
                        if sight.ticket.state is TicketState.PROPOSED:
                            await self._changed(watcher, sight, player)
        except TimeoutError:
            raise unavailable(
                "TABLE_BEING_OPENED", "a table is being opened for the ticket; try again"
            ) from None
        return sight


def _accepted(answer: T | Refusal) -> T:
    if isinstance(answer, Refusal):
        raise _refused(answer)
    return answer


@contextmanager
def _statuses() -> Iterator[None]:
    """Report a database that does not answer, and a service that is being stopped, as what they are."""
    try:
        yield
    except LogUnavailable as error:
        raise unavailable(
            "DATABASE_UNAVAILABLE", "matchmaking's database does not answer; try again"
        ) from error
    except HubClosed:
        raise unavailable("DRAINING", "the service is being stopped; follow the ticket again") from None


def _refused(refusal: Refusal) -> ServiceError:
    return _STATUS[refusal.code](refusal.code.value, refusal.detail, **refusal.facts)


def _matched(sight: Sight) -> Refusal:
    ticket = sight.ticket
    facts = {
        "ticket_id": ticket.ticket_id,
        "table_id": ticket.table_id,
        "table_address": ticket.table_address,
    }
    return Refusal(Code.ALREADY_MATCHED, f"table {ticket.table_id} was found first", facts)
