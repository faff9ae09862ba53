"""Settlements of rounds and matches inside a transaction, and reading them. Round 0 is the match."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, and_, func, insert, or_, select

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_ledger.domain.happenings import Numbered
from meldhall_ledger.domain.matches import MatchEnded, check_match
from meldhall_ledger.domain.refusals import Fault, FaultCode, Refusal
from meldhall_ledger.domain.results import SettledSeat, points_accounts, settle
from meldhall_ledger.domain.rounds import RoundEnded, check_round
from meldhall_ledger.store.boards import count_settled
from meldhall_ledger.store.journal import Change, change_accounts, find_transfer, post
from meldhall_ledger.store.reservations import release
from meldhall_ledger.store.stakes import settle_stakes
from meldhall_ledger.store.tables import settled_seats, settlements
from meldhall_rules.match import Mode

Result = RoundEnded | MatchEnded


@dataclass(frozen=True, slots=True)
class SeatRow:
    """What a result changed for a seat, as it was written down."""

    seat: int
    player_id: str
    points: int
    transfer_id: UUID | None
    coins: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What a ledger settles by.

    ``floor`` is what no loss takes points below (None: no floor), ``season_months`` the length of a season of
    leaderboards.
    """

    floor: int | None = None
    season_months: int = 1


def settle_ended(
    connection: Connection, event: Numbered, ended: Result, *, now_ms: int, terms: Terms
) -> tuple[SettledSeat, ...] | Fault:
    """Post a result, write down that it is settled, and release the jokers that nobody spent.

    A result that moves nothing is settled too. The end of a match releases all that its table still holds.
    After a fault the transaction must be rolled back.
    """
    fault = check_round(ended) if isinstance(ended, RoundEnded) else check_match(ended)
    if fault is not None:
        return fault
    row = {
        "table_id": ended.table_id,
        "round": ended.round,
        "game": ended.game,
        "mode": ended.mode.value if ended.mode else "",
        "sequence": event.sequence,
        "settled_at_ms": now_ms,
        "ended_at_ms": event.at_ms,
    }
    if not insert_if_absent(connection, settlements, row):
        return Fault(FaultCode.SETTLED_BEFORE, f"{_name(ended)} was settled before")
    seats = _settled(connection, ended, terms.floor)
    fault = _post(connection, seats, now_ms) or _settle_stakes(connection, ended, now_ms)
    if fault is not None:
        return fault
    for seat in seats:
        _write_seat(connection, ended, seat)
    last = ended.round if isinstance(ended, RoundEnded) else None
    release(connection, ended.table_id, up_to_round=last, now_ms=now_ms)
    # At the very end: rows of boards are shared by the results of many tables, until the commit.
    count_settled(connection, ended.table_id, ended.round, terms.season_months)
    return seats


def _post(connection: Connection, seats: Sequence[SettledSeat], now_ms: int) -> Fault | None:
    transfers = [seat.transfer for seat in seats if seat.transfer is not None]
    for transfer in transfers:
        if find_transfer(connection, transfer.id) is not None:
            return Fault(FaultCode.TRANSFER_CLASH, f"transfer {transfer.id} exists already")
    after = post(connection, transfers, now_ms=now_ms)
    if isinstance(after, Refusal):
        raise TypeError(f"a result was refused: {after.detail}")
    return None


def _settle_stakes(connection: Connection, ended: Result, now_ms: int) -> Fault | None:
    if isinstance(ended, MatchEnded) and ended.mode is Mode.ARENA:
        return settle_stakes(connection, ended, now_ms=now_ms)
    return None


def _name(ended: Result) -> str:
    return f"round {ended.round}" if isinstance(ended, RoundEnded) else "the match"


def _settled(connection: Connection, ended: Result, floor: int | None) -> tuple[SettledSeat, ...]:
    if floor is None:
        return settle(ended)
    # A change of nothing reads the balances and keeps them until the transaction ends.
    locked = change_accounts(connection, {account: Change() for account in points_accounts(ended)})
    if isinstance(locked, Refusal):
        raise TypeError("a change of nothing was refused")
    return settle(ended, {account: balance.posted for account, balance in locked.items()}, floor)


def _write_seat(connection: Connection, ended: Result, seat: SettledSeat) -> None:
    match = ended if isinstance(ended, MatchEnded) else None
    connection.execute(
        insert(settled_seats).values(
            table_id=ended.table_id,
            round=ended.round,
            seat=seat.seat,
            player_id=seat.player_id,
            points=seat.points,
            transfer_id=None if seat.transfer is None else str(seat.transfer.id),
            coins=match.stake_changes[seat.seat] if match else 0,
            won=match is not None and seat.seat % len(match.totals) in match.winners,
        )
    )


def read_settlement(connection: Connection, table_id: str, round_no: int) -> tuple[SeatRow, ...] | None:
    """Return what a round, or 0 for the match, changed by seat; None where it is not settled."""
    settled = select(settlements.c.round).where(
        settlements.c.table_id == table_id, settlements.c.round == round_no
    )
    if connection.execute(settled).first() is None:
        return None
    query = select(settled_seats).where(
        settled_seats.c.table_id == table_id, settled_seats.c.round == round_no
    )
    return tuple(
        SeatRow(
            row.seat,
            row.player_id,
            row.points,
            None if row.transfer_id is None else UUID(row.transfer_id),
            row.coins,
        )
        for row in connection.execute(query.order_by(settled_seats.c.seat))
    )


def read_settled(connection: Connection, *, after: tuple[str, int], limit: int) -> Sequence[tuple[str, int]]:
    """Return a page of tables and rounds that are settled, in that order."""
    table_id, round_no = after
    query = (
        select(settlements.c.table_id, settlements.c.round)
        .where(
            or_(
                settlements.c.table_id > table_id,
                and_(settlements.c.table_id == table_id, settlements.c.round > round_no),
            )
        )
        .order_by(settlements.c.table_id, settlements.c.round)
        .limit(limit)
    )
    return [(row.table_id, row.round) for row in connection.execute(query)]


def count_settlements(connection: Connection) -> int:
    """Return how many rounds are settled."""
    rounds = select(func.count()).select_from(settlements).where(settlements.c.round > 0)
    return connection.execute(rounds).scalar_one()
