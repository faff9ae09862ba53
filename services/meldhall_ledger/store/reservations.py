"""Holds of jokers inside a transaction: made for a round in one go, resolved once each."""

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, insert, select, update

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_ledger.domain.accounts import AccountId, Unit, of_player
from meldhall_ledger.domain.happenings import JokerSpent, spend
from meldhall_ledger.domain.holds import Claim, HoldState, Reservation, may_follow, seats_to_hold
from meldhall_ledger.domain.refusals import Code, Fault, FaultCode, Refusal
from meldhall_ledger.store.inbox import is_over, lock_table
from meldhall_ledger.store.journal import Change, change_accounts, find_transfer, post, read_balances
from meldhall_ledger.store.tables import holds, reservations, settlements


def reserve(connection: Connection, reservation: Reservation, *, now_ms: int) -> tuple[int, ...] | Refusal:
    """Hold a joker for every claim that one is there for, and return the seats.

    A reservation that is made already answers as it did, whatever became of its holds. One that comes after
    its round or its table is over holds nothing, since nothing would ever release it.
    """
    table_id, round_no = reservation.table_id, reservation.round
    lock_table(connection, table_id)
    row = {"table_id": table_id, "round": round_no, "claims": reservation.body, "reserved_at_ms": now_ms}
    if not insert_if_absent(connection, reservations, row):
        return _answer_again(connection, reservation)
    if is_over(connection, table_id) or _settled_since(connection, table_id, round_no):
        return ()
    players = {claim.player_id: of_player(Unit.JOKERS, claim.player_id) for claim in reservation.claims}
    available = _lock(connection, players.values())
    chosen = seats_to_hold(
        reservation.claims, {player: available[account] for player, account in players.items()}
    )
    amounts = Counter(claim.player_id for claim in chosen)
    after = change_accounts(
        connection, {players[player]: Change(held=amount) for player, amount in amounts.items()}
    )
    if isinstance(after, Refusal):
        return after
    for claim in chosen:
        _insert_hold(connection, reservation, claim, now_ms)
    return tuple(claim.seat for claim in chosen)


def _lock(connection: Connection, account_ids: Iterable[AccountId]) -> dict[AccountId, int]:
    """Return what is available, and let nobody else change those accounts until the transaction ends."""
    used = read_balances(connection, account_ids)
    touched = {account: Change() for account, balance in used.items() if balance.available > 0}
    locked = change_accounts(connection, touched)
    if isinstance(locked, Refusal):
        raise TypeError("a change of nothing was refused")
    return {account: locked[account].available if account in locked else 0 for account in used}


def _answer_again(connection: Connection, reservation: Reservation) -> tuple[int, ...] | Refusal:
    row = connection.execute(
        select(reservations.c.claims).where(
            reservations.c.table_id == reservation.table_id, reservations.c.round == reservation.round
        )
    ).one()
    if row.claims != reservation.body:
        return Refusal(
            Code.RESERVATION_EXISTS,
            f"round {reservation.round} of table {reservation.table_id} was reserved with other claims",
            {"table_id": reservation.table_id, "round": str(reservation.round), "different": "claims"},
        )
    seats = select(holds.c.seat).where(
        holds.c.table_id == reservation.table_id, holds.c.round == reservation.round
    )
    return tuple(connection.execute(seats.order_by(holds.c.seat)).scalars())


def _settled_since(connection: Connection, table_id: str, round_no: int) -> bool:
    query = select(settlements.c.round).where(
        settlements.c.table_id == table_id, settlements.c.round >= round_no
    )
    return connection.execute(query.limit(1)).first() is not None


def _insert_hold(connection: Connection, reservation: Reservation, claim: Claim, now_ms: int) -> None:
    connection.execute(
        insert(holds).values(
            table_id=reservation.table_id,
            round=reservation.round,
            seat=claim.seat,
            player_id=claim.player_id,
            state=HoldState.PENDING,
            held_at_ms=now_ms,
            resolved_at_ms=None,
        )
    )


def post_joker(connection: Connection, spent: JokerSpent, *, now_ms: int) -> Fault | None:
    """Resolve the seat's hold by taking the joker; a fault where no hold is pending for that player."""
    mine = (
        holds.c.table_id == spent.table_id,
        holds.c.round == spent.round,
        holds.c.seat == spent.seat,
        holds.c.player_id == spent.player_id,
    )
    if _resolve(connection, HoldState.POSTED, mine, now_ms) != [spent.player_id]:
        return Fault(FaultCode.NO_HOLD, f"no joker is held for seat {spent.seat} in round {spent.round}")
    transfer = spend(spent)
    if find_transfer(connection, transfer.id) is not None:
        return Fault(FaultCode.TRANSFER_CLASH, f"transfer {transfer.id} exists already")
    after = post(connection, [transfer], now_ms=now_ms, held={transfer.debit: -1})
    if isinstance(after, Refusal):
        raise TypeError(f"a held joker was not there: {after.detail}")
    return None


def release(connection: Connection, table_id: str, *, up_to_round: int | None, now_ms: int) -> int:
    """Release what a table still holds, up to a round or for all of them; return how many that were."""
    which: tuple[ColumnElement[bool], ...] = (holds.c.table_id == table_id,)
    if up_to_round is not None:
        which = (*which, holds.c.round <= up_to_round)
    players = _resolve(connection, HoldState.RELEASED, which, now_ms)
    changes = {
        of_player(Unit.JOKERS, player): Change(held=-amount) for player, amount in Counter(players).items()
    }
    after = change_accounts(connection, changes)
    if isinstance(after, Refusal):
        raise TypeError(f"a release was refused: {after.detail}")
    return len(players)


def _resolve(
    connection: Connection, state: HoldState, which: Iterable[ColumnElement[bool]], now_ms: int
) -> list[str]:
    """Move holds on that may still move, and return their players."""
    before = [one for one in HoldState if may_follow(one, state)]
    statement = update(holds).where(*which, holds.c.state.in_(before))
    resolved = statement.values(state=state, resolved_at_ms=now_ms).returning(holds.c.player_id)
    return list(connection.execute(resolved).scalars())
