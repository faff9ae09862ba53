"""Carrying out orders inside a transaction: lock and read, decide (``domain.books``), write.

Accounts are locked in the order of their ids before anything is read, so that two transactions never wait for
each other in a circle, and what is read stays as it is until the end. A pending transfer is only ever
resolved under the lock of its accounts.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql

from meldhall_ledger.domain.accounts import AccountId, Balance
from meldhall_ledger.domain.books import (
    Books,
    Chain,
    Entry,
    Pending,
    PendingState,
    Verdict,
    accounts_of,
    execute,
    ids_of,
)
from meldhall_ledger.domain.transfers import Phase, Transfer
from meldhall_ledger.store.journal import read_transfer
from meldhall_ledger.store.tables import accounts, pendings, postings, transfers

_MOST_PARAMETERS: Final = 500
"""Ids in one statement; both databases allow more."""

_set_balance = (
    update(accounts)
    .where(accounts.c.account_id == bindparam("of_account"))
    .values(posted=bindparam("new_posted"), held=bindparam("new_held"))
)
_set_pending = (
    update(pendings)
    .where(pendings.c.transfer_id == bindparam("of_transfer"))
    .values(
        state=bindparam("new_state"),
        posted=bindparam("new_posted"),
        resolved_by=bindparam("by"),
        resolved_at_ms=bindparam("at_ms"),
    )
)


def carry_out(
    connection: Connection, chains: Sequence[Chain], *, now_ms: int, floor: int | None = None
) -> list[tuple[Verdict, ...]]:
    """Carry out chains of orders; those that are refused leave nothing, the others are written.

    Args:
        connection: in a writing transaction.
        chains: each all or none.
        now_ms: Unix time in milliseconds.
        floor: what no debit takes a player's points below.
    """
    ids, resolved = ids_of(chains)
    # Read once without a lock, only to know which accounts they are of; what they are of never changes.
    involved = accounts_of(chains, _read_pendings(connection, resolved))
    balances = lock_accounts(connection, involved)
    before = dict(balances)
    books = Books(
        balances=balances,
        transfers=_read_transfers(connection, ids),
        pendings=_read_pendings(connection, resolved),
        floor=floor,
    )
    verdicts = execute(books, chains, now_ms)
    _write_balances(connection, {a: b for a, b in books.balances.items() if b != before[a]})
    _write_entries(connection, books.entries, now_ms)
    _write_pendings(connection, books, now_ms)
    return verdicts


@dataclass(frozen=True, slots=True)
class Found:
    """A transfer, when it was made (Unix milliseconds), and what became of it if it was pending first."""

    transfer: Transfer
    posted_at_ms: int
    pending: Pending | None


def find(connection: Connection, transfer_id: UUID) -> Found | None:
    """Read one transfer."""
    query = select(transfers).where(transfers.c.transfer_id == str(transfer_id))
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    pending = _read_pendings(connection, [transfer_id]).get(transfer_id)
    return Found(read_transfer(row), row["posted_at_ms"], pending)


def expire(connection: Connection, *, now_ms: int, limit: int) -> int:
    """Release what overdue pending transfers hold; return how many there were, ``limit`` at most."""
    query = select(pendings.c.transfer_id).where(
        pendings.c.state == PendingState.PENDING,
        pendings.c.expires_at_ms.is_not(None),
        pendings.c.expires_at_ms <= now_ms,
    )
    found = connection.execute(query.order_by(pendings.c.expires_at_ms).limit(limit)).scalars()
    late = {UUID(one) for one in found}
    if not late:
        return 0
    debits = {pending.transfer.debit for pending in _read_pendings(connection, late).values()}
    balances = lock_accounts(connection, debits)
    still = [one for one in _read_pendings(connection, late).values() if one.state is PendingState.PENDING]
    for pending in still:
        debit, amount = pending.transfer.debit, pending.transfer.amount
        balance = balances[debit]
        balances[debit] = Balance(balance.unit, balance.posted, balance.held - amount)
    _write_balances(connection, balances)
    if still:
        rows = [_resolution(one.transfer.id, PendingState.EXPIRED, 0, None, now_ms) for one in still]
        connection.execute(_set_pending, rows)
    return len(still)


def lock_accounts(connection: Connection, wanted: Collection[AccountId]) -> dict[AccountId, Balance]:
    """Make sure that accounts are there, lock them in order of their ids, and read them."""
    ordered = {str(account): account for account in sorted(wanted, key=str)}
    found = _locked(connection, ordered)
    missing = [account for account in ordered.values() if account not in found]
    if missing:
        rows = [
            {"account_id": str(one), "unit": one.unit, "posted": 0, "held": 0, "lowest": one.lowest}
            for one in missing
        ]
        if connection.dialect.name == "postgresql":
            # Somebody else may be opening the same account: wait for him, then lock all again in order.
            connection.execute(postgresql.insert(accounts).on_conflict_do_nothing(), rows)
            found = _locked(connection, ordered)
        else:
            connection.execute(insert(accounts), rows)
            found.update({one: Balance(one.unit) for one in missing})
    return found


def _locked(connection: Connection, ordered: Mapping[str, AccountId]) -> dict[AccountId, Balance]:
    found: dict[AccountId, Balance] = {}
    for page in _pages(list(ordered)):
        query = select(accounts.c.account_id, accounts.c.posted, accounts.c.held)
        query = query.where(accounts.c.account_id.in_(page)).order_by(accounts.c.account_id)
        for row in connection.execute(query.with_for_update()):
            account = ordered[row.account_id]
            found[account] = Balance(account.unit, row.posted, row.held)
    return found


def _read_transfers(connection: Connection, ids: Iterable[UUID]) -> dict[UUID, Transfer]:
    found: dict[UUID, Transfer] = {}
    for page in _pages([str(one) for one in ids]):
        rows = connection.execute(select(transfers).where(transfers.c.transfer_id.in_(page))).mappings()
        found.update((transfer.id, transfer) for transfer in map(read_transfer, rows))
    return found


def _read_pendings(connection: Connection, ids: Iterable[UUID]) -> dict[UUID, Pending]:
    found: dict[UUID, Pending] = {}
    for page in _pages([str(one) for one in ids]):
        query = (
            select(transfers, pendings.c.state, pendings.c.resolved_by, pendings.c.posted)
            .join(pendings, pendings.c.transfer_id == transfers.c.transfer_id)
            .where(pendings.c.transfer_id.in_(page))
        )
        for row in connection.execute(query).mappings():
            transfer = read_transfer(row)
            by = None if row["resolved_by"] is None else UUID(row["resolved_by"])
            found[transfer.id] = Pending(transfer, PendingState(row["state"]), by, row["posted"])
    return found


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    for start in range(0, len(ids), _MOST_PARAMETERS):
        yield ids[start : start + _MOST_PARAMETERS]


def _write_balances(connection: Connection, changed: Mapping[AccountId, Balance]) -> None:
    rows = [
        {"of_account": str(account), "new_posted": balance.posted, "new_held": balance.held}
        for account, balance in changed.items()
    ]
    if rows:
        connection.execute(_set_balance, rows)


def _write_entries(connection: Connection, entries: Sequence[Entry], now_ms: int) -> None:
    if not entries:
        return
    connection.execute(insert(transfers), [_transfer_row(entry.transfer, now_ms) for entry in entries])
    rows = [row for entry in entries if entry.transfer.phase.moves for row in _posting_rows(entry)]
    if rows:
        connection.execute(insert(postings), rows)


def _transfer_row(transfer: Transfer, now_ms: int) -> dict[str, Any]:
    cause = transfer.cause
    return {
        "transfer_id": str(transfer.id),
        "debit": str(transfer.debit),
        "credit": str(transfer.credit),
        "amount": transfer.amount,
        "unit": transfer.unit,
        "kind": transfer.kind,
        "table_id": cause.table_id if cause else None,
        "round": cause.round if cause else None,
        "seat": cause.seat if cause else None,
        "reason": transfer.reason,
        "actor": transfer.actor,
        "posted_at_ms": now_ms,
        "phase": transfer.phase,
        "refers_to": None if transfer.refers_to is None else str(transfer.refers_to),
        "expires_at_ms": transfer.expires_at_ms,
    }


def _posting_rows(entry: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    transfer = entry.transfer
    sides = (
        (transfer.debit, -transfer.amount, entry.debit),
        (transfer.credit, transfer.amount, entry.credit),
    )
    debit, credit = (
        {
            "transfer_id": str(transfer.id),
            "account_id": str(account),
            "change": change,
            "balance": after.posted,
            "held": after.held,
        }
        for account, change, after in sides
    )
    return debit, credit


def _write_pendings(connection: Connection, books: Books, now_ms: int) -> None:
    new = [entry.transfer for entry in books.entries if entry.transfer.phase is Phase.PENDING]
    if new:
        rows = [
            {
                "transfer_id": str(transfer.id),
                "state": PendingState.PENDING,
                "posted": 0,
                "resolved_by": None,
                "resolved_at_ms": None,
                "expires_at_ms": transfer.expires_at_ms,
            }
            for transfer in new
        ]
        connection.execute(insert(pendings), rows)
    changed = [books.pendings[one] for one in books.touched]
    rows = [
        _resolution(one.transfer.id, one.state, one.posted, one.resolved_by, now_ms)
        for one in changed
        if one.state is not PendingState.PENDING
    ]
    if rows:
        connection.execute(_set_pending, rows)


def _resolution(
    transfer_id: UUID, state: PendingState, posted: int, by: UUID | None, now_ms: int
) -> dict[str, Any]:
    return {
        "of_transfer": str(transfer_id),
        "new_state": state,
        "new_posted": posted,
        "by": None if by is None else str(by),
        "at_ms": now_ms,
    }
