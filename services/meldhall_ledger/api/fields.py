"""Reading the fields of requests. What is wrong with one is said with its name."""

from typing import Final, NoReturn
from uuid import UUID

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_ledger.domain.accounts import MAX_PLAYER_ID, Unit, is_player_id
from meldhall_ledger.domain.holds import Claim
from meldhall_ledger.domain.results import MAX_SEATS
from meldhall_ledger.domain.stakes import Stakes
from meldhall_ledger.domain.transfers import MAX_AMOUNT, MAX_REASON
from meldhall_ledger.store import Grant
from meldhall_runtime.auth import Role, current_principal
from meldhall_runtime.errors import invalid_argument, permission_denied

DEFAULT_PAGE: Final = 100
MAX_PAGE: Final = 1000
MAX_ID: Final = 128
MAX_ROUND: Final = 1_000_000

UNITS: Final = {
    pb.UNIT_POINTS: Unit.POINTS,
    pb.UNIT_JOKERS: Unit.JOKERS,
    pb.UNIT_COINS: Unit.COINS,
}


def wrong(field: str, what: str) -> NoReturn:
    """Refuse a request, naming the field."""
    raise invalid_argument("INVALID_FIELD", f"{field}: {what}", field=field)


def whose(player_id: str) -> str:
    """Return whose account is asked for; players are only told about themselves."""
    caller = current_principal()
    if caller.role is Role.PLAYER:
        if player_id not in {"", caller.subject}:
            raise permission_denied("NOT_YOUR_ACCOUNT", "players read their own accounts")
        player_id = caller.subject
    return player("player_id", player_id)


def player(field: str, player_id: str) -> str:
    """Read a player id."""
    if not is_player_id(player_id):
        wrong(field, f"must be 1 to {MAX_PLAYER_ID} printable characters")
    return player_id


def table(table_id: str) -> str:
    """Read a table id."""
    if not 0 < len(table_id) <= MAX_ID or not table_id.isprintable():
        wrong("table_id", f"must be 1 to {MAX_ID} printable characters")
    return table_id


def round_number(round_no: int, *, first: int = 1) -> int:
    """Read the number of a round."""
    if not first <= round_no <= MAX_ROUND:
        wrong("round", f"must be {first} to {MAX_ROUND}")
    return round_no


def unit(number: int) -> Unit:
    """Read a unit."""
    for known, found in UNITS.items():
        if number == known:
            return found
    wrong("unit", "must be points, jokers or coins")


def page(request: pb.ListStatementRequest) -> tuple[int, int | None]:
    """Read how many lines are wanted, and the number of the last one seen."""
    size, cursor = request.page.size, request.page.cursor
    if size > MAX_PAGE:
        wrong("page.size", f"must be at most {MAX_PAGE}")
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        wrong("page.cursor", "must be one that an answer gave")
    return size or DEFAULT_PAGE, int(cursor) if cursor else None


def grant(request: pb.GrantRequest) -> Grant:
    """Read a grant."""
    if request.amount == 0 or abs(request.amount) > MAX_AMOUNT:
        wrong("amount", f"must be between -{MAX_AMOUNT} and {MAX_AMOUNT} and not 0")
    return Grant(
        transfer_id=transfer_id("transfer_id", request.transfer_id),
        player_id=player("player_id", request.player_id),
        unit=unit(request.unit),
        amount=request.amount,
        reason=reason("reason", request.reason),
        actor=current_principal().subject,
    )


def claims(request: pb.ReserveJokersRequest) -> tuple[Claim, ...]:
    """Read claims, in order of seats."""
    by_seat: dict[int, Claim] = {}
    for index, claim in enumerate(request.claims):
        if claim.seat >= MAX_SEATS:
            wrong(f"claims[{index}].seat", f"must be below {MAX_SEATS}")
        if claim.seat in by_seat:
            wrong(f"claims[{index}].seat", "is claimed for twice")
        by_seat[claim.seat] = Claim(claim.seat, player(f"claims[{index}].player_id", claim.player_id))
    return tuple(sorted(by_seat.values()))


def stakes(request: pb.HoldStakesRequest) -> Stakes:
    """Read stakes."""
    if not 0 < request.stake <= MAX_AMOUNT:
        wrong("stake", f"must be 1 to {MAX_AMOUNT}")
    if not 1 <= len(request.players) <= MAX_SEATS:
        wrong("players", f"must be 1 to {MAX_SEATS}")
    players = tuple(player(f"players[{seat}]", name) for seat, name in enumerate(request.players))
    if len(set(players)) != len(players):
        wrong("players", "must be different from one another")
    return Stakes(table(request.table_id), request.stake, players)


def transfer_id(field: str, text: str) -> UUID:
    """Read a UUID."""
    try:
        return UUID(text)
    except ValueError:
        wrong(field, "must be a UUID")


def reason(field: str, text: str) -> str:
    """Read why something is done."""
    if not 0 < len(text) <= MAX_REASON or not text.isprintable():
        wrong(field, f"must be 1 to {MAX_REASON} printable characters")
    return text
