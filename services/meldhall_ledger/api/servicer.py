"""LedgerService: reads requests, asks the ledger, writes answers. Faults of a request name its field."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import grpc

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1 import ledger_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_ledger.api import boards, fields, orders
from meldhall_ledger.domain.accounts import Balance, of_player
from meldhall_ledger.domain.holds import Reservation
from meldhall_ledger.domain.refusals import Code, Refusal
from meldhall_ledger.domain.transfers import StatementLine
from meldhall_ledger.store import CHECKS, Ledger
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    not_found,
    unavailable,
)

Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")

_EVERYBODY: Final = frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR})
_STAFF: Final = frozenset({Role.SERVICE, Role.OPERATOR})
_SERVICE: Final = "/meldhall.ledger.v1.LedgerService/"

ACCESS: Final[AccessTable] = {
    f"{_SERVICE}GetBalances": _EVERYBODY,
    f"{_SERVICE}ListStatement": _EVERYBODY,
    f"{_SERVICE}Grant": _STAFF,
    f"{_SERVICE}CreateTransfers": _STAFF,
    f"{_SERVICE}GetTransfer": _STAFF,
    f"{_SERVICE}ReserveJokers": frozenset({Role.SERVICE}),
    f"{_SERVICE}HoldStakes": frozenset({Role.SERVICE}),
    f"{_SERVICE}ReturnStakes": frozenset({Role.SERVICE}),
    f"{_SERVICE}GetSettlement": _EVERYBODY,
    f"{_SERVICE}GetLeaderboard": _EVERYBODY,
    f"{_SERVICE}CheckSums": _STAFF,
    f"{_SERVICE}Reconcile": _STAFF,
}
"""Who may call what. Of balances and statements players get their own; results of rounds are public."""

_UNIT_NUMBERS: Final = {unit: number for number, unit in fields.UNITS.items()}


class LedgerApi(rpc.LedgerServiceServicer):
    """The service over a ledger. The runtime has checked tokens and roles before a method is reached."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def GetBalances(self, request: pb.GetBalancesRequest, _context: Context) -> pb.GetBalancesResponse:  # noqa: N802 - the name of the RPC
        """Answer with one balance a unit."""
        player_id = fields.whose(request.player_id)
        with _database():
            balances = await self._ledger.balances(player_id)
        return pb.GetBalancesResponse(balances=[_balance(balance) for balance in balances])

    async def ListStatement(  # noqa: N802 - the name of the RPC
        self, request: pb.ListStatementRequest, _context: Context
    ) -> pb.ListStatementResponse:
        """Answer with a page; one line more than asked for is read to know whether there is another page."""
        account = of_player(fields.unit(request.unit), fields.whose(request.player_id))
        size, before = fields.page(request)
        with _database():
            lines = await self._ledger.statement(account, before=before, limit=size + 1)
        cursor = str(lines[size - 1].number) if len(lines) > size else ""
        return pb.ListStatementResponse(lines=[_line(line) for line in lines[:size]], next_cursor=cursor)

    async def Grant(self, request: pb.GrantRequest, _context: Context) -> pb.GrantResponse:  # noqa: N802 - the name of the RPC
        """Answer with the balance after the grant."""
        with _database():
            answer = await self._ledger.grant(fields.grant(request))
        return pb.GrantResponse(balance=_balance(_accepted(answer)))

    async def CreateTransfers(  # noqa: N802 - the name of the RPC
        self, request: pb.CreateTransfersRequest, _context: Context
    ) -> pb.CreateTransfersResponse:
        """Answer with a verdict for every order."""
        chains = orders.chains(request, current_principal())
        with _database():
            verdicts = await self._ledger.carry_out(chains)
        return orders.answer(request, verdicts)

    async def GetTransfer(  # noqa: N802 - the name of the RPC
        self, request: pb.GetTransferRequest, _context: Context
    ) -> pb.GetTransferResponse:
        """Answer with a transfer."""
        wanted = fields.transfer_id("transfer_id", request.transfer_id)
        with _database():
            found = await self._ledger.transfer(wanted)
        if found is None:
            raise not_found("TRANSFER_NOT_FOUND", f"there is no transfer {wanted}")
        return orders.found(found)

    async def ReserveJokers(  # noqa: N802 - the name of the RPC
        self, request: pb.ReserveJokersRequest, _context: Context
    ) -> pb.ReserveJokersResponse:
        """Answer with the seats that a joker is held for."""
        reservation = Reservation(
            fields.table(request.table_id), fields.round_number(request.round), fields.claims(request)
        )
        with _database():
            answer = await self._ledger.reserve_jokers(reservation)
        return pb.ReserveJokersResponse(seats=_accepted(answer))

    async def HoldStakes(self, request: pb.HoldStakesRequest, _context: Context) -> pb.HoldStakesResponse:  # noqa: N802 - the name of the RPC
        """Answer when all stakes are held."""
        stakes = fields.stakes(request)
        with _database():
            refused = await self._ledger.hold_stakes(stakes, actor=current_principal().subject)
        if refused is not None:
            raise _refused(refused)
        return pb.HoldStakesResponse()

    async def ReturnStakes(  # noqa: N802 - the name of the RPC
        self, request: pb.ReturnStakesRequest, _context: Context
    ) -> pb.ReturnStakesResponse:
        """Answer when nothing is held any more."""
        table_id = fields.table(request.table_id)
        with _database():
            returned = await self._ledger.return_stakes(table_id)
        return pb.ReturnStakesResponse(returned=returned)

    async def GetSettlement(  # noqa: N802 - the name of the RPC
        self, request: pb.GetSettlementRequest, _context: Context
    ) -> pb.GetSettlementResponse:
        """Answer with what was posted, by seat."""
        table_id, round_no = fields.table(request.table_id), fields.round_number(request.round, first=0)
        with _database():
            seats = await self._ledger.settlement(table_id, round_no)
        if seats is None:
            return pb.GetSettlementResponse(settled=False)
        return pb.GetSettlementResponse(
            settled=True,
            seats=[
                pb.SettledSeat(
                    seat=row.seat,
                    player_id=row.player_id,
                    points=row.points,
                    transfer_id="" if row.transfer_id is None else str(row.transfer_id),
                    coins=row.coins,
                )
                for row in seats
            ],
        )

    async def GetLeaderboard(  # noqa: N802 - the name of the RPC
        self, request: pb.GetLeaderboardRequest, _context: Context
    ) -> pb.GetLeaderboardResponse:
        """Answer with a part of a leaderboard."""
        wanted = boards.wanted(request, self._ledger.season)
        with _database():
            if wanted.around:
                entries = await self._ledger.leaders_around(wanted.board, wanted.around, wanted.size)
            else:
                entries = await self._ledger.leaders(wanted.board, after=wanted.after, limit=wanted.size + 1)
        return boards.answer(wanted, entries)

    async def CheckSums(self, _request: pb.CheckSumsRequest, _context: Context) -> pb.CheckSumsResponse:  # noqa: N802 - the name of the RPC
        """Answer with the sums of all units."""
        with _database():
            sums = await self._ledger.sums()
        return pb.CheckSumsResponse(
            sums=[
                pb.UnitSum(unit=_UNIT_NUMBERS[one.unit], sum=one.sum, transfers=one.transfers)
                for one in sums.units
            ],
            settled_rounds=sums.settled_rounds,
        )

    async def Reconcile(self, _request: pb.ReconcileRequest, _context: Context) -> pb.ReconcileResponse:  # noqa: N802 - the name of the RPC
        """Answer with what is wrong."""
        with _database():
            found = await self._ledger.reconcile()
        findings = [pb.Finding(check=one.check, subject=one.subject, detail=one.detail) for one in found]
        return pb.ReconcileResponse(findings=findings, checks=CHECKS)


@contextmanager
def _database() -> Iterator[None]:
    """Report a database that does not answer as that, never as a refusal."""
    try:
        yield
    except LogUnavailable as error:
        raise unavailable(
            "DATABASE_UNAVAILABLE", "the ledger's database does not answer; try again"
        ) from error


def _accepted(answer: T | Refusal) -> T:
    if isinstance(answer, Refusal):
        raise _refused(answer)
    return answer


def _refused(refusal: Refusal) -> ServiceError:
    make = failed_precondition if refusal.code in {Code.INSUFFICIENT, Code.TABLE_OVER} else already_exists
    return make(refusal.code.value, refusal.detail, **refusal.parameters)


def _balance(balance: Balance) -> pb.Balance:
    return pb.Balance(unit=_UNIT_NUMBERS[balance.unit], posted=balance.posted, held=balance.held)


def _line(line: StatementLine) -> pb.StatementLine:
    return pb.StatementLine(
        transfer_id=str(line.transfer_id),
        change=line.change,
        balance=line.balance,
        kind=orders.KIND_NUMBERS[line.kind],
        table_id=line.cause.table_id if line.cause else "",
        round=line.cause.round if line.cause else 0,
        reason=line.reason,
        posted_at_unix_ms=line.posted_at_ms,
    )
