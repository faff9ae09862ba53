"""PartyService: players who enter together."""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import grpc
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from meldhall.matchmaking.v1 import party_service_pb2 as pb
from meldhall.matchmaking.v1 import party_service_pb2_grpc as rpc
from meldhall_eventlog.database import Database, commits_for
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking import requests
from meldhall_matchmaking.codec import write_ticket
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.store import parties as store
from meldhall_matchmaking.store.enqueuing import Enqueued, NewTicket
from meldhall_runtime import Clock, Ids
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import ServiceError, failed_precondition, not_found, unavailable

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]

RACES: Final = 3
"""How often a change may be overtaken by another one of the same players before it is an error."""

SERVICE: Final = "/meldhall.matchmaking.v1.PartyService/"
ACCESS: Final[AccessTable] = {
    f"{SERVICE}{name}": frozenset({Role.PLAYER})
    for name in ("CreateParty", "JoinParty", "LeaveParty", "GetParty")
}
"""Who may call what: players, each for themselves."""


class Parties:
    """Parties over matchmaking's database.

    Args:
        database: migrated and open; closed by whoever opened it, after ``close``.
        ids: Ids of parties and tickets.
    """

    def __init__(self, database: Database, ids: Ids) -> None:
        self._database = database
        self._commits = commits_for(database)
        self._ids = ids

    async def close(self) -> None:
        """Finish what runs."""
        await self._commits.close()

    async def found(self, player_id: str, now_ms: int) -> store.Party | Refusal:
        """Found a party, or return the one that the player is in."""
        party_id = self._ids.table_id()
        return await self._write(lambda connection: store.found(connection, party_id, player_id, now_ms))

    async def join(self, party_id: str, player_id: str, now_ms: int) -> store.Party | Refusal:
        """Let a player join a party."""
        return await self._write(lambda connection: store.join(connection, party_id, player_id, now_ms))

    async def leave(self, player_id: str, now_ms: int) -> tuple[Ticket, ...]:
        """Let a player leave; return the tickets that were taken back with that."""
        return await self._write(lambda connection: store.leave(connection, player_id, now_ms))

    async def enter(self, request: NewTicket) -> Enqueued | Refusal:
        """Make a ticket for each of the party that a player leads; return his own."""
        return await self._write(lambda connection: store.enter(connection, request, self._ids.table_id))

    async def of(self, player_id: str) -> tuple[store.Party | None, Ticket | None]:
        """Return a player's party and active ticket."""
        return await self._database.read(
            lambda connection: (
                store.party_of(connection, player_id),
                store.active_ticket(connection, player_id),
            )
        )

    async def _write(self, work: Callable[[Connection], T]) -> T:
        for _ in range(RACES):
            try:
                return await self._commits.run(work)
            except IntegrityError:
                # Another request of one of the players got in between; this one finds what it did.
                continue
        return await self._commits.run(work)


class PartyApi(rpc.PartyServiceServicer):
    """The service over parties.

    Args:
        parties: Over the database.
        clock: Time.
        ended: Is told of tickets that were taken back.
    """

    def __init__(self, parties: Parties, clock: Clock, ended: Callable[[Iterable[Ticket]], None]) -> None:
        self._parties = parties
        self._clock = clock
        self._ended = ended

    async def CreateParty(self, _request: pb.CreatePartyRequest, _context: Context) -> pb.CreatePartyResponse:  # noqa: N802 - the name of the RPC
        """Answer with the caller's party."""
        player = requests.player_id(current_principal().subject)
        try:
            party = await self._parties.found(player, self._clock.now_ms())
        except LogUnavailable as error:
            raise _away() from error
        return pb.CreatePartyResponse(party=_written(party))

    async def JoinParty(self, request: pb.JoinPartyRequest, _context: Context) -> pb.JoinPartyResponse:  # noqa: N802 - the name of the RPC
        """Answer with the party joined."""
        player = requests.player_id(current_principal().subject)
        party_id = requests.party_id(request.party_id)
        try:
            party = await self._parties.join(party_id, player, self._clock.now_ms())
        except LogUnavailable as error:
            raise _away() from error
        return pb.JoinPartyResponse(party=_written(party))

    async def LeaveParty(self, _request: pb.LeavePartyRequest, _context: Context) -> pb.LeavePartyResponse:  # noqa: N802 - the name of the RPC
        """Answer once the caller is in no party."""
        try:
            ended = await self._parties.leave(current_principal().subject, self._clock.now_ms())
        except LogUnavailable as error:
            raise _away() from error
        self._ended(ended)
        return pb.LeavePartyResponse()

    async def GetParty(self, _request: pb.GetPartyRequest, _context: Context) -> pb.GetPartyResponse:  # noqa: N802 - the name of the RPC
        """Answer with the caller's party and ticket, as far as there are any."""
        try:
            party, ticket = await self._parties.of(current_principal().subject)
        except LogUnavailable as error:
            raise _away() from error
        return pb.GetPartyResponse(
            party=None if party is None else _written(party),
            ticket=None if ticket is None else write_ticket(ticket),
        )


def refused(refusal: Refusal) -> ServiceError:
    """Return a refusal of a party as an error."""
    status = not_found if refusal.code is Code.PARTY_NOT_FOUND else failed_precondition
    return status(refusal.code.value, refusal.detail, **refusal.facts)


def _written(party: store.Party | Refusal) -> pb.Party:
    if isinstance(party, Refusal):
        raise refused(party)
    return pb.Party(party_id=party.party_id, leader_id=party.leader_id, player_ids=party.players)


def _away() -> ServiceError:
    return unavailable("DATABASE_UNAVAILABLE", "matchmaking's database does not answer; try again")
