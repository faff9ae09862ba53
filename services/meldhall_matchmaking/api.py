"""MatchmakingService: reads requests, asks the store, writes answers. Faults of a request name its field."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.matchmaking.v1 import matchmaking_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking import requests
from meldhall_matchmaking.codec import write_ratings, write_sight, write_ticket
from meldhall_matchmaking.domain.outlook import step_of
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Play, Ticket, TicketState
from meldhall_matchmaking.hub import HubClosed, Sight, TicketHub, Watcher
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.parties import Parties
from meldhall_matchmaking.results import Ratings
from meldhall_matchmaking.store import NewTicket, TicketStore
from meldhall_runtime import Clock, Ids
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    not_found,
    resource_exhausted,
    unavailable,
)

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]

RECHECK_SECONDS: Final = 30.0
"""How often a follower reads its ticket though nobody told it of a change: news may get lost, tickets not."""

CANCEL_SECONDS: Final = 4.0
"""How long a cancellation waits for a table that is being opened; longer than a call for a table takes."""

SERVICE: Final = "/meldhall.matchmaking.v1.MatchmakingService/"
ACCESS: Final[AccessTable] = {
    f"{SERVICE}Enqueue": frozenset({Role.PLAYER}),
    f"{SERVICE}Cancel": frozenset({Role.PLAYER}),
    f"{SERVICE}WatchTicket": frozenset({Role.PLAYER}),
    f"{SERVICE}Block": frozenset({Role.PLAYER}),
    f"{SERVICE}Unblock": frozenset({Role.PLAYER}),
    f"{SERVICE}ListBlocks": frozenset({Role.PLAYER}),
    f"{SERVICE}GetRatings": frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR}),
}
"""Who may call what: players, each for themselves; ratings are open to all who have a token."""

_STATUS: Final = {
    Code.TICKET_ACTIVE: already_exists,
    Code.COMMAND_ID_REUSED: already_exists,
    Code.TICKET_NOT_FOUND: not_found,
    Code.ALREADY_MATCHED: failed_precondition,
    Code.TOO_MANY_BLOCKS: resource_exhausted,
    Code.NOT_PARTY_LEADER: failed_precondition,
    Code.PARTY_TOO_LARGE: failed_precondition,
    Code.PARTY_BUSY: failed_precondition,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on offer.

    Attributes:
        bots_after_ms: Wait after which bots take the seats for which nobody came, in quick start.
        stakes: Of the arena, in coins; empty where there is none.
        can_pay: Whether a player has so many coins to spare; it raises ``AioRpcError`` where nobody knows.
    """

    bots_after_ms: int
    stakes: tuple[int, ...]
    can_pay: Callable[[str, int], Awaitable[bool]]


class MatchmakingApi(rpc.MatchmakingServiceServicer):
    """The service over a store. The runtime has checked tokens and roles before a method is reached.

    Args:
        store: Tickets.
        ratings: How strong players are.
        parties: Who enters together.
        hub: Where changes of tickets are told.
        wake: Lets the matcher look.
        clock: Wall time for tickets.
        ids: Ids of tickets.
        metrics: Counts them.
        offer: What is on offer.
    """

    def __init__(
        self,
        store: TicketStore,
        ratings: Ratings,
        parties: Parties,
        hub: TicketHub,
        wake: Callable[[], None],
        *,
        clock: Clock,
        ids: Ids,
        metrics: MatchmakingMetrics,
        offer: Offer,
    ) -> None:
        self._store = store
        self._ratings = ratings
        self._parties = parties
        self._hub = hub
        self._wake = wake
        self._clock = clock
        self._ids = ids
        self._metrics = metrics
        self._offer = offer

    async def Enqueue(self, request: pb.EnqueueRequest, _context: Context) -> pb.EnqueueResponse:  # noqa: N802 - the name of the RPC
        """Answer with the player's ticket."""
        now = self._clock.now_ms()
        new = NewTicket(
            ticket_id=self._ids.table_id(),
            player_id=requests.player_id(current_principal().subject),
            command_id=requests.command_id(request.command_id),
            wish=requests.wish(request, self._offer.stakes),
            now_ms=now,
            bots_at_ms=now + self._offer.bots_after_ms,
            latencies=requests.latencies(request),
        )
        await self._check_coins(new)
        with _statuses():
            enter = self._parties.enter if request.as_party else self._store.enqueue
            answer = _accepted(await enter(new))
        if answer.new:
            self._metrics.enqueued.inc()
        self._wake()
        return pb.EnqueueResponse(ticket=write_ticket(answer.ticket))

    async def _check_coins(self, new: NewTicket) -> None:
        """Refuse who cannot pay the stake now; whether it can be held is known when there is a group."""
        if new.wish.play is not Play.ARENA:
            return
        try:
            enough = await self._offer.can_pay(new.player_id, new.wish.stake)
        except grpc.aio.AioRpcError as error:
            raise unavailable("LEDGER_UNAVAILABLE", "the ledger does not answer; try again") from error
        if not enough:
            raise failed_precondition(
                Code.NOT_ENOUGH_COINS.value, f"the player does not have {new.wish.stake} coins to spare"
            )

    async def Cancel(self, request: pb.CancelRequest, _context: Context) -> pb.CancelResponse:  # noqa: N802 - the name of the RPC
        """Answer with the ticket at its end, however it got there but by a table."""
        ticket_id = requests.ticket_id(request.ticket_id)
        player = current_principal().subject
        with _statuses():
            ticket = await self._cancel(ticket_id, player)
            if ticket.state is TicketState.PROPOSED:
                ticket = await self._cancel_once_known(ticket, player)
        if ticket.state is TicketState.MATCHED:
            raise _refused(_matched(ticket))
        return pb.CancelResponse(ticket=write_ticket(ticket))

    async def WatchTicket(  # noqa: N802 - the name of the RPC
        self, request: pb.WatchTicketRequest, _context: Context
    ) -> AsyncGenerator[pb.WatchTicketResponse, None]:
        """Answer with the ticket now and at every change, up to its end."""
        ticket_id = requests.ticket_id(request.ticket_id)
        player = current_principal().subject
        with _statuses():
            ticket = await self._read(ticket_id, player)
            with self._hub.follow(ticket) as watcher:
                # Again, for what happened between the first look and following.
                watcher.see(await self._read(ticket_id, player))
                self._wake()
                while True:
                    sight, now = watcher.sight, self._clock.now_ms()
                    yield write_sight(sight, now)
                    if sight.ticket.state.is_final:
                        return
                    await self._changed(watcher, sight, player, now)

    async def Block(self, request: pb.BlockRequest, _context: Context) -> pb.BlockResponse:  # noqa: N802 - the name of the RPC
        """Let the caller never meet somebody."""
        player = current_principal().subject
        other = requests.other_player(request.player_id, player)
        with _statuses():
            refusal = await self._store.block(player, other, self._clock.now_ms())
        if refusal is not None:
            raise _refused(refusal)
        return pb.BlockResponse()

    async def Unblock(self, request: pb.UnblockRequest, _context: Context) -> pb.UnblockResponse:  # noqa: N802 - the name of the RPC
        """Take a block back."""
        player = current_principal().subject
        with _statuses():
            await self._store.unblock(player, requests.other_player(request.player_id, player))
        return pb.UnblockResponse()

    async def ListBlocks(self, _request: pb.ListBlocksRequest, _context: Context) -> pb.ListBlocksResponse:  # noqa: N802 - the name of the RPC
        """Answer with the caller's blocks."""
        with _statuses():
            blocked = await self._store.blocked_by(current_principal().subject)
        return pb.ListBlocksResponse(player_ids=blocked)

    async def GetRatings(self, request: pb.GetRatingsRequest, _context: Context) -> pb.GetRatingsResponse:  # noqa: N802 - the name of the RPC
        """Answer with anybody's ratings: they are no secret."""
        player = requests.named_player(request.player_id) or current_principal().subject
        with _statuses():
            return write_ratings(await self._ratings.of(player))

    async def _changed(self, watcher: Watcher, sent: Sight, player: str, sent_at_ms: int) -> None:
        """Return once there is something to see that was not sent, or the ticket's reach has grown."""
        widens = step_of(sent.ticket, sent_at_ms).widens_at_ms
        while watcher.sight is sent:
            left = RECHECK_SECONDS if widens is None else (widens - self._clock.now_ms()) / 1000
            if left <= 0:
                return
            try:
                async with asyncio.timeout(min(left, RECHECK_SECONDS)):
                    await watcher.changed()
            except TimeoutError:
                if left >= RECHECK_SECONDS:
                    watcher.see(await self._read(sent.ticket.ticket_id, player))

    async def _read(self, ticket_id: str, player: str) -> Ticket:
        return _accepted(await self._store.read(ticket_id, player))

    async def _cancel(self, ticket_id: str, player: str) -> Ticket:
        now = self._clock.now_ms()
        answer = _accepted(await self._store.cancel(ticket_id, player, now))
        self._hub.publish(answer.ended)
        self._metrics.count_ended(answer.ended, now)
        return answer.ticket

    async def _cancel_once_known(self, ticket: Ticket, player: str) -> Ticket:
        """Wait until a group's table is open, or its tickets wait on and this one can be taken back."""
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                with self._hub.follow(ticket) as watcher:
                    while ticket.state is TicketState.PROPOSED:
                        ticket = await self._cancel(ticket.ticket_id, player)
                        watcher.see(ticket)
                        if ticket.state is TicketState.PROPOSED:
                            await self._changed(watcher, watcher.sight, player, self._clock.now_ms())
        except TimeoutError:
            raise unavailable(
                "TABLE_BEING_OPENED", "a table is being opened for the ticket; try again"
            ) from None
        return ticket


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


def _matched(ticket: Ticket) -> Refusal:
    facts = {
        "ticket_id": ticket.ticket_id,
        "table_id": ticket.table_id,
        "table_address": ticket.table_address,
    }
    return Refusal(Code.ALREADY_MATCHED, f"table {ticket.table_id} was found first", facts)
