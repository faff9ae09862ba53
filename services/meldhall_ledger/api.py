"""LedgerService: reads requests, asks the ledger, writes answers. Faults of a request name its field."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeVar
from uuid import UUID

import grpc

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1 import ledger_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_ledger.domain.accounts import MAX_PLAYER_ID, Balance, Unit, is_player_id, of_player
from meldhall_ledger.domain.holds import Claim, Reservation
from meldhall_ledger.domain.refusals import Code, Refusal
from meldhall_ledger.domain.results import MAX_SEATS
from meldhall_ledger.domain.transfers import MAX_AMOUNT, MAX_REASON, Kind, StatementLine
from meldhall_ledger.store import Grant, Ledger
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    failed_precondition,
    invalid_argument,
    permission_denied,
    unavailable,
)

Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")

DEFAULT_PAGE: Final = 100
MAX_PAGE: Final = 1000
MAX_ID: Final = 128
_MAX_ROUND: Final = 1_000_000

_EVERYBODY: Final = frozenset({Role.PLAYER, Role.SERVICE, Role.OPERATOR})
_STAFF: Final = frozenset({Role.SERVICE, Role.OPERATOR})
_SERVICE: Final = "/meldhall.ledger.v1.LedgerService/"

ACCESS: Final[AccessTable] = {
    f"{_SERVICE}GetBalances": _EVERYBODY,
    f"{_SERVICE}ListStatement": _EVERYBODY,
    f"{_SERVICE}Grant": _STAFF,
    f"{_SERVICE}ReserveJokers": frozenset({Role.SERVICE}),
    f"{_SERVICE}GetSettlement": _EVERYBODY,
    f"{_SERVICE}CheckSums": _STAFF,
}
"""Who may call what. Of balances and statements players get their own; results of rounds are public."""

_UNITS: Final = {
    pb.UNIT_POINTS: Unit.POINTS,
    pb.UNIT_JOKERS: Unit.JOKERS,
    pb.UNIT_COINS: Unit.COINS,
}
_UNIT_NUMBERS: Final = {unit: number for number, unit in _UNITS.items()}
_KIND_NUMBERS: Final = {
    Kind.ROUND_RESULT: pb.TRANSFER_KIND_ROUND_RESULT,
    Kind.MATCH_RESULT: pb.TRANSFER_KIND_MATCH_RESULT,
    Kind.JOKER_SPENT: pb.TRANSFER_KIND_JOKER_SPENT,
    Kind.GRANT: pb.TRANSFER_KIND_GRANT,
}


class LedgerApi(rpc.LedgerServiceServicer):
    """The service over a ledger. The runtime has checked tokens and roles before a method is reached."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def GetBalances(self, request: pb.GetBalancesRequest, _context: Context) -> pb.GetBalancesResponse:  # noqa: N802 - the name of the RPC
        """Answer with one balance a unit."""
        player_id = _whose(request.player_id)
        with _database():
            balances = await self._ledger.balances(player_id)
        return pb.GetBalancesResponse(balances=[_balance(balance) for balance in balances])

    async def ListStatement(  # noqa: N802 - the name of the RPC
        self, request: pb.ListStatementRequest, _context: Context
    ) -> pb.ListStatementResponse:
        """Answer with a page; one line more than asked for is read to know whether there is another page."""
        account = of_player(_unit(request.unit), _whose(request.player_id))
        size, before = _page(request)
        with _database():
            lines = await self._ledger.statement(account, before=before, limit=size + 1)
        cursor = str(lines[size - 1].number) if len(lines) > size else ""
        return pb.ListStatementResponse(lines=[_line(line) for line in lines[:size]], next_cursor=cursor)

    async def Grant(self, request: pb.GrantRequest, _context: Context) -> pb.GrantResponse:  # noqa: N802 - the name of the RPC
        """Answer with the balance after the grant."""
        with _database():
            answer = await self._ledger.grant(_grant(request))
        return pb.GrantResponse(balance=_balance(_accepted(answer)))

    async def ReserveJokers(  # noqa: N802 - the name of the RPC
        self, request: pb.ReserveJokersRequest, _context: Context
    ) -> pb.ReserveJokersResponse:
        """Answer with the seats that a joker is held for."""
        reservation = Reservation(_table(request.table_id), _round(request.round), _claims(request))
        with _database():
            answer = await self._ledger.reserve_jokers(reservation)
        return pb.ReserveJokersResponse(seats=_accepted(answer))

    async def GetSettlement(  # noqa: N802 - the name of the RPC
        self, request: pb.GetSettlementRequest, _context: Context
    ) -> pb.GetSettlementResponse:
        """Answer with what was posted, by seat."""
        table_id, round_no = _table(request.table_id), _round(request.round, first=0)
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
                )
                for row in seats
            ],
        )

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
    make = failed_precondition if refusal.code is Code.INSUFFICIENT else already_exists
    return make(refusal.code.value, refusal.detail, **refusal.parameters)


def _wrong(field: str, what: str) -> NoReturn:
    raise invalid_argument("INVALID_FIELD", f"{field}: {what}", field=field)


def _whose(player_id: str) -> str:
    """Return whose account is asked for; players are only told about themselves."""
    caller = current_principal()
    if caller.role is Role.PLAYER:
        if player_id not in {"", caller.subject}:
            raise permission_denied("NOT_YOUR_ACCOUNT", "players read their own accounts")
        player_id = caller.subject
    return _player("player_id", player_id)


def _player(field: str, player_id: str) -> str:
    if not is_player_id(player_id):
        _wrong(field, f"must be 1 to {MAX_PLAYER_ID} printable characters")
    return player_id


def _table(table_id: str) -> str:
    if not 0 < len(table_id) <= MAX_ID or not table_id.isprintable():
        _wrong("table_id", f"must be 1 to {MAX_ID} printable characters")
    return table_id


def _round(round_no: int, *, first: int = 1) -> int:
    if not first <= round_no <= _MAX_ROUND:
        _wrong("round", f"must be {first} to {_MAX_ROUND}")
    return round_no


def _unit(number: int) -> Unit:
    for known, unit in _UNITS.items():
        if number == known:
            return unit
    _wrong("unit", "must be points, jokers or coins")


def _page(request: pb.ListStatementRequest) -> tuple[int, int | None]:
    size, cursor = request.page.size, request.page.cursor
    if size > MAX_PAGE:
        _wrong("page.size", f"must be at most {MAX_PAGE}")
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        _wrong("page.cursor", "must be one that an answer gave")
    return size or DEFAULT_PAGE, int(cursor) if cursor else None


def _grant(request: pb.GrantRequest) -> Grant:
    try:
        transfer_id = UUID(request.transfer_id)
    except ValueError:
        _wrong("transfer_id", "must be a UUID")
    if request.amount == 0 or abs(request.amount) > MAX_AMOUNT:
        _wrong("amount", f"must be between -{MAX_AMOUNT} and {MAX_AMOUNT} and not 0")
    if not 0 < len(request.reason) <= MAX_REASON or not request.reason.isprintable():
        _wrong("reason", f"must be 1 to {MAX_REASON} printable characters")
    return Grant(
        transfer_id=transfer_id,
        player_id=_player("player_id", request.player_id),
        unit=_unit(request.unit),
        amount=request.amount,
        reason=request.reason,
        actor=current_principal().subject,
    )


def _claims(request: pb.ReserveJokersRequest) -> tuple[Claim, ...]:
    claims: dict[int, Claim] = {}
    for index, claim in enumerate(request.claims):
        if claim.seat >= MAX_SEATS:
            _wrong(f"claims[{index}].seat", f"must be below {MAX_SEATS}")
        if claim.seat in claims:
            _wrong(f"claims[{index}].seat", "is claimed for twice")
        claims[claim.seat] = Claim(claim.seat, _player(f"claims[{index}].player_id", claim.player_id))
    return tuple(sorted(claims.values()))


def _balance(balance: Balance) -> pb.Balance:
    return pb.Balance(unit=_UNIT_NUMBERS[balance.unit], posted=balance.posted, held=balance.held)


def _line(line: StatementLine) -> pb.StatementLine:
    return pb.StatementLine(
        transfer_id=str(line.transfer_id),
        change=line.change,
        balance=line.balance,
        kind=_KIND_NUMBERS[line.kind],
        table_id=line.cause.table_id if line.cause else "",
        round=line.cause.round if line.cause else 0,
        reason=line.reason,
        posted_at_unix_ms=line.posted_at_ms,
    )
