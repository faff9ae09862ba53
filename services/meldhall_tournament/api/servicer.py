"""TournamentService: reads requests, asks the desk, writes answers."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import grpc

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall.tournament.v1 import tournament_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    invalid_argument,
    not_found,
    unavailable,
)
from meldhall_tournament.api import codec, requests
from meldhall_tournament.api.shown import Shown
from meldhall_tournament.desk import Desk, UnknownTournamentError
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain.events import Source
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.state import Fee
from meldhall_tournament.store import CommandIdReusedError, Receipt, TournamentStore, WrongVersionError
from meldhall_tournament.store.codec import fingerprint

Context = grpc.aio.ServicerContext[Any, Any]

NAMESPACE: Final = uuid.UUID("0b4b7a52-2f0f-5a60-8a0e-6a0c6d6a7f31")
"""Of ids of tournaments, which follow from who announced them and the command id."""

SETTLE_SECONDS: Final = 0.1
"""How long a follower is left alone after he was told something, so that he hears of many changes at once."""

RECHECK_SECONDS: Final = 5.0
"""How often a follower looks though nobody told it of a change: another process may have made one."""

_EVERYBODY: Final = frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR})
_PLAYERS: Final = frozenset({Role.PLAYER})
_STAFF: Final = frozenset({Role.SERVICE, Role.OPERATOR})
_OPERATORS: Final = frozenset({Role.OPERATOR})
_SERVICE: Final = "/meldhall.tournament.v1.TournamentService/"

ACCESS: Final[AccessTable] = {
    f"{_SERVICE}CreateTournament": _STAFF,
    f"{_SERVICE}Register": _PLAYERS,
    f"{_SERVICE}Withdraw": _PLAYERS,
    f"{_SERVICE}CheckIn": _PLAYERS,
    f"{_SERVICE}GetTournament": _EVERYBODY,
    f"{_SERVICE}ListTournaments": _EVERYBODY,
    f"{_SERVICE}ListStandings": _EVERYBODY,
    f"{_SERVICE}ListPairings": _EVERYBODY,
    f"{_SERVICE}WatchTournament": _EVERYBODY,
    f"{_SERVICE}PauseTournament": _OPERATORS,
    f"{_SERVICE}ResumeTournament": _OPERATORS,
    f"{_SERVICE}CancelTournament": _OPERATORS,
    f"{_SERVICE}VoidResult": _OPERATORS,
    f"{_SERVICE}SetResult": _OPERATORS,
    f"{_SERVICE}DisqualifyEntrant": _OPERATORS,
}
"""Who may call what: players for themselves, operators for the rest. Standings and pairings are public."""

_STATUS: Final = {
    Code.BAD_PLAN: invalid_argument,
    Code.BAD_RESULT: invalid_argument,
    Code.TOURNAMENT_EXISTS: already_exists,
    Code.ALREADY_ENTERED: already_exists,
    Code.NOT_ENTERED: not_found,
    Code.NO_SUCH_TABLE: not_found,
    Code.NO_SUCH_ENTRANT: not_found,
}
"""The others are FAILED_PRECONDITION."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Where players are told that their table is, and how long a registration waits for the ledger."""

    told_address: str
    fee_seconds: float


class TournamentApi(rpc.TournamentServiceServicer):
    """The service over a desk. The runtime has checked tokens and roles before a method is reached."""

    def __init__(
        self, desk: Desk, store: TournamentStore, terms: Terms, new_seed: Callable[[], bytes]
    ) -> None:
        self._desk = desk
        self._store = store
        self._terms = terms
        self._new_seed = new_seed
        self._shown = Shown()

    async def CreateTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.CreateTournamentRequest, _context: Context
    ) -> pb.CreateTournamentResponse:
        """Answer with the tournament; the same command again is the same tournament."""
        command_id, by = requests.command_id(request.command_id), current_principal().subject
        tournament_id = str(uuid.uuid5(NAMESPACE, f"{by}\0{command_id}"))
        plan = requests.plan(request.tournament)
        with _statuses():
            refused = await self._desk.announce(c.Announce(tournament_id, plan, self._new_seed(), by))
            if refused is not None:
                raise _refused(refused)
            async with self._desk.seen(tournament_id) as state:
                return pb.CreateTournamentResponse(tournament=self._shown.tournament(state))

    async def Register(self, request: pb.RegisterRequest, _context: Context) -> pb.RegisterResponse:  # noqa: N802 - the name of the RPC
        """Answer once the fee is held, or refused."""
        tournament_id = requests.tournament_id(request.tournament_id)
        player = requests.player(current_principal().subject)
        command = c.Register(player, requests.partner(request.partner))
        await self._command(tournament_id, request.command_id, command)
        with _statuses():
            return await self._registered(tournament_id, player)

    async def _registered(self, tournament_id: str, player: str) -> pb.RegisterResponse:
        left = self._terms.fee_seconds
        while True:
            async with self._desk.seen(tournament_id) as state:
                entry = state.entries[state.entries_of[player][-1]]
                version, entries = state.version, len(state.counting)
                own = codec.write_own(state, player, self._terms.told_address)
                fee, codes = entry.fee, state.fee_codes
            if fee is Fee.HELD:
                return pb.RegisterResponse(entries=entries, own=own)
            if fee is Fee.REFUSED:
                code = codes.get(entry.number, "")
                raise failed_precondition(
                    "FEE_REFUSED", f"the ledger does not hold the fee: {code}", code=code
                )
            if left <= 0:
                raise unavailable("FEE_PENDING", "the ledger has not answered about the fee; ask again")
            step = min(left, 1.0)
            await self._desk.wait(tournament_id, version, step)
            left -= step

    async def Withdraw(self, request: pb.WithdrawRequest, _context: Context) -> pb.WithdrawResponse:  # noqa: N802 - the name of the RPC
        """Answer when the entry is taken back; the fee follows."""
        tournament_id = requests.tournament_id(request.tournament_id)
        await self._command(tournament_id, request.command_id, c.Withdraw(current_principal().subject))
        return pb.WithdrawResponse()

    async def CheckIn(self, request: pb.CheckInRequest, _context: Context) -> pb.CheckInResponse:  # noqa: N802 - the name of the RPC
        """Answer when it is noted that the player is there."""
        tournament_id = requests.tournament_id(request.tournament_id)
        await self._command(tournament_id, request.command_id, c.CheckIn(current_principal().subject))
        return pb.CheckInResponse()

    async def GetTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.GetTournamentRequest, _context: Context
    ) -> pb.GetTournamentResponse:
        """Answer with the tournament and the caller's part in it."""
        tournament_id = requests.tournament_id(request.tournament_id)
        with _statuses():
            _, tournament, own = await self._sight(tournament_id)
        return pb.GetTournamentResponse(tournament=tournament, own=own)

    async def WatchTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.WatchTournamentRequest, _context: Context
    ) -> AsyncGenerator[pb.WatchTournamentResponse, None]:
        """Answer with the tournament now and at every change, until it is settled."""
        tournament_id = requests.tournament_id(request.tournament_id)
        sent, told = 0, True
        with _statuses():
            while True:
                # Told of a change, this process knows it; after a wait in vain the database is asked.
                version, tournament, own = await self._sight(tournament_id, known=told and sent > 0)
                if version != sent:
                    sent = version
                    yield pb.WatchTournamentResponse(tournament=tournament, own=own)
                    if tournament.status.settled:
                        return
                    await asyncio.sleep(SETTLE_SECONDS)
                told = await self._desk.wait(tournament_id, version, RECHECK_SECONDS)

    async def _sight(
        self, tournament_id: str, *, known: bool = False
    ) -> tuple[int, pb.Tournament, pb.OwnEntry]:
        async with self._desk.seen(tournament_id, known=known) as state:
            own = codec.write_own(state, current_principal().subject, self._terms.told_address)
            return state.version, self._shown.tournament(state), own

    async def ListTournaments(  # noqa: N802 - the name of the RPC
        self, request: pb.ListTournamentsRequest, _context: Context
    ) -> pb.ListTournamentsResponse:
        """Answer with a page, the newest first."""
        size, before = requests.page(request.page)
        with _statuses():
            heads = await self._store.newest(before or None, size + 1)
            found = []
            for head in heads[:size]:
                async with self._desk.seen(head.tournament_id) as state:
                    found.append(self._shown.tournament(state))
        cursor = str(heads[size - 1].number) if len(heads) > size else ""
        return pb.ListTournamentsResponse(tournaments=found, next_cursor=cursor)

    async def ListStandings(  # noqa: N802 - the name of the RPC
        self, request: pb.ListStandingsRequest, _context: Context
    ) -> pb.ListStandingsResponse:
        """Answer with a page of the standings as they are now."""
        size, after = requests.page(request.page)
        with _statuses():
            async with self._desk.seen(requests.tournament_id(request.tournament_id)) as state:
                rows = self._shown.standings(state)
        return pb.ListStandingsResponse(
            standings=rows[after : after + size],
            next_cursor=str(after + size) if len(rows) > after + size else "",
        )

    async def ListPairings(  # noqa: N802 - the name of the RPC
        self, request: pb.ListPairingsRequest, _context: Context
    ) -> pb.ListPairingsResponse:
        """Answer with a page of the tables of a round."""
        size, after = requests.page(request.page)
        with _statuses():
            async with self._desk.seen(requests.tournament_id(request.tournament_id)) as state:
                number = request.round or len(state.rounds)
                if number > len(state.rounds):
                    raise not_found("NO_SUCH_ROUND", f"round {number} has not been paired")
                tables = state.rounds[number - 1] if number else []
                pairings = [
                    codec.write_pairing(state, table, pairing)
                    for table, pairing in enumerate(tables, 1)
                    if after < table <= after + size
                ]
        cursor = str(after + size) if len(tables) > after + size else ""
        return pb.ListPairingsResponse(round=number, pairings=pairings, next_cursor=cursor)

    async def PauseTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.PauseTournamentRequest, _context: Context
    ) -> pb.PauseTournamentResponse:
        """Answer when nothing more begins."""
        tournament_id, reason = _staff(request.tournament_id, request.reason)
        await self._command(tournament_id, request.command_id, c.Pause(reason, _by()))
        return pb.PauseTournamentResponse()

    async def ResumeTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.ResumeTournamentRequest, _context: Context
    ) -> pb.ResumeTournamentResponse:
        """Answer when it goes on."""
        tournament_id = requests.tournament_id(request.tournament_id)
        await self._command(tournament_id, request.command_id, c.Resume(_by()))
        return pb.ResumeTournamentResponse()

    async def CancelTournament(  # noqa: N802 - the name of the RPC
        self, request: pb.CancelTournamentRequest, _context: Context
    ) -> pb.CancelTournamentResponse:
        """Answer when it is off; fees follow."""
        tournament_id, reason = _staff(request.tournament_id, request.reason)
        await self._command(tournament_id, request.command_id, c.Cancel(reason, _by()))
        return pb.CancelTournamentResponse()

    async def VoidResult(self, request: pb.VoidResultRequest, _context: Context) -> pb.VoidResultResponse:  # noqa: N802 - the name of the RPC
        """Answer when the result counts no more."""
        tournament_id, reason = _staff(request.tournament_id, request.reason)
        command = c.Void(request.round, request.table, request.replay, reason, _by())
        await self._command(tournament_id, request.command_id, command)
        return pb.VoidResultResponse()

    async def SetResult(self, request: pb.SetResultRequest, _context: Context) -> pb.SetResultResponse:  # noqa: N802 - the name of the RPC
        """Answer when the result counts."""
        tournament_id, sides = requests.tournament_id(request.tournament_id), requests.sides(request.sides)
        command = c.Record(request.round, request.table, sides, Source.OPERATOR, by=_by())
        await self._command(tournament_id, request.command_id, command)
        return pb.SetResultResponse()

    async def DisqualifyEntrant(  # noqa: N802 - the name of the RPC
        self, request: pb.DisqualifyEntrantRequest, _context: Context
    ) -> pb.DisqualifyEntrantResponse:
        """Answer when the entrant is out."""
        tournament_id, reason = _staff(request.tournament_id, request.reason)
        await self._command(tournament_id, request.command_id, c.Disqualify(request.entrant, reason, _by()))
        return pb.DisqualifyEntrantResponse()

    async def _command(self, tournament_id: str, command_id: str, command: c.Command) -> None:
        """Have a command carried out once; the same id with the same command again does nothing more."""
        receipt = Receipt(_by(), requests.command_id(command_id), fingerprint(command))
        with _statuses():
            if await self._is_answered(tournament_id, receipt):
                return
            try:
                answer = (await self._desk.execute(tournament_id, [command], receipt))[0]
            except CommandIdReusedError:
                # The same request came twice at once, and the other one was first.
                await self._is_answered(tournament_id, receipt)
                return
        if isinstance(answer, Refusal):
            raise _refused(answer)

    async def _is_answered(self, tournament_id: str, receipt: Receipt) -> bool:
        known = await self._store.receipt(tournament_id, receipt.actor, receipt.command_id)
        if known is not None and known != receipt.fingerprint:
            raise already_exists("COMMAND_ID_REUSED", "the command id belongs to another command")
        return known is not None


def _by() -> str:
    return current_principal().subject


def _staff(tournament_id: str, reason: str) -> tuple[str, str]:
    return requests.tournament_id(tournament_id), requests.reason(reason)


@contextmanager
def _statuses() -> Iterator[None]:
    """Report a database that does not answer, and tournaments that there are not, as what they are."""
    try:
        yield
    except LogUnavailable as error:
        raise unavailable(
            "DATABASE_UNAVAILABLE", "the tournaments' database does not answer; try again"
        ) from error
    except WrongVersionError as error:
        raise unavailable("BUSY", "others were faster, again and again; try again") from error
    except UnknownTournamentError:
        raise not_found("TOURNAMENT_NOT_FOUND", "there is no such tournament") from None


def _refused(refusal: Refusal) -> ServiceError:
    make = _STATUS.get(refusal.code, failed_precondition)
    return make(refusal.code.value, refusal.detail, **refusal.parameters)
