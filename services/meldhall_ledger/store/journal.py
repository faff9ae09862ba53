"""Accounts and transfers inside a transaction.

Balances change by guarded ``UPDATE … WHERE`` only, one statement an account and in order of account ids, so
that two transactions never wait for each other in a circle. What is held counts as gone, in the same
statement.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, RowMapping, insert, or_, select, update

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_ledger.domain.accounts import AccountId, Balance
from meldhall_ledger.domain.refusals import Code, Refusal
from meldhall_ledger.domain.transfers import Cause, Kind, Phase, Transfer, differences
from meldhall_ledger.store.tables import accounts, postings, transfers


@dataclass(slots=True)
class Change:
    """What a transaction changes an account by. ``lowest`` is a limit beyond the account's own."""

    posted: int = 0
    held: int = 0
    lowest: int | None = None


def read_balances(connection: Connection, account_ids: Iterable[AccountId]) -> dict[AccountId, Balance]:
    """Return balances; accounts that were never used have zeros."""
    wanted = {str(account): account for account in account_ids}
    found = {account: Balance(account.unit) for account in wanted.values()}
    query = select(accounts.c.account_id, accounts.c.posted, accounts.c.held)
    for row in connection.execute(query.where(accounts.c.account_id.in_(wanted))):
        account = wanted[row.account_id]
        found[account] = Balance(account.unit, row.posted, row.held)
    return found


def change_accounts(
    connection: Connection, changes: Mapping[AccountId, Change]
) -> dict[AccountId, Balance] | Refusal:
    """Change several accounts or refuse; after a refusal the transaction must be rolled back."""
    after: dict[AccountId, Balance] = {}
    for account in sorted(changes, key=str):
        balance = _change_account(connection, account, changes[account])
        if balance is None:
            return Refusal(
                Code.INSUFFICIENT, f"{account} has too little to spare", {"unit": account.unit.value.upper()}
            )
        after[account] = balance
    return after


def _change_account(connection: Connection, account: AccountId, change: Change) -> Balance | None:
    row = {"account_id": str(account), "unit": account.unit, "posted": 0, "held": 0, "lowest": account.lowest}
    insert_if_absent(connection, accounts, row)
    statement = update(accounts).where(accounts.c.account_id == str(account))
    spare = change.posted - change.held
    if spare < 0:
        left = accounts.c.posted - accounts.c.held + spare
        statement = statement.where(or_(accounts.c.lowest.is_(None), left >= accounts.c.lowest))
        if change.lowest is not None:
            statement = statement.where(left >= change.lowest)
    changed = connection.execute(
        statement.values(
            posted=accounts.c.posted + change.posted, held=accounts.c.held + change.held
        ).returning(accounts.c.posted, accounts.c.held)
    ).one_or_none()
    return None if changed is None else Balance(account.unit, changed.posted, changed.held)


def find_transfer(connection: Connection, transfer_id: UUID) -> Transfer | None:
    """Return a posted transfer."""
    row = (
        connection.execute(select(transfers).where(transfers.c.transfer_id == str(transfer_id)))
        .mappings()
        .first()
    )
    return None if row is None else read_transfer(row)


def clash(connection: Connection, transfer: Transfer) -> Refusal | bool:
    """Compare a transfer with what its id was used for: True for the same one, False for nothing."""
    first = find_transfer(connection, transfer.id)
    if first is None:
        return False
    different = differences(first, transfer)
    if not different:
        return True
    fields = ",".join(different)
    return Refusal(
        Code.TRANSFER_EXISTS,
        f"transfer {transfer.id} was posted with another {fields}",
        {"transfer_id": str(transfer.id), "different": fields},
    )


def post(
    connection: Connection,
    new: Sequence[Transfer],
    *,
    now_ms: int,
    held: Mapping[AccountId, int] | None = None,
    lowest: Mapping[AccountId, int] | None = None,
) -> dict[AccountId, Balance] | Refusal:
    """Post transfers whose ids are free, all or none; after a refusal the transaction must be rolled back.

    Args:
        connection: in a writing transaction.
        new: what to post, in order.
        now_ms: Unix time in milliseconds.
        held: change of what is held, by account, in the same statement as the balance.
        lowest: limits beyond the accounts' own.

    Returns:
        The balances after it, or a refusal that names the account.
    """
    changes: dict[AccountId, Change] = {}
    for transfer in new:
        changes.setdefault(transfer.debit, Change()).posted -= transfer.amount
        changes.setdefault(transfer.credit, Change()).posted += transfer.amount
    for account, amount in (held or {}).items():
        changes.setdefault(account, Change()).held += amount
    for account, limit in (lowest or {}).items():
        changes.setdefault(account, Change()).lowest = limit
    after = change_accounts(connection, changes)
    if isinstance(after, Refusal):
        return after
    running = {account: after[account].posted - change.posted for account, change in changes.items()}
    for transfer in new:
        _write(connection, transfer, running, after, now_ms)
    return after


def _write(
    connection: Connection,
    transfer: Transfer,
    running: dict[AccountId, int],
    after: Mapping[AccountId, Balance],
    now_ms: int,
) -> None:
    cause = transfer.cause
    connection.execute(
        insert(transfers).values(
            transfer_id=str(transfer.id),
            debit=str(transfer.debit),
            credit=str(transfer.credit),
            amount=transfer.amount,
            unit=transfer.unit,
            kind=transfer.kind,
            table_id=cause.table_id if cause else None,
            round=cause.round if cause else None,
            seat=cause.seat if cause else None,
            reason=transfer.reason,
            actor=transfer.actor,
            posted_at_ms=now_ms,
        )
    )
    for account, change in ((transfer.debit, -transfer.amount), (transfer.credit, transfer.amount)):
        running[account] += change
        connection.execute(
            insert(postings).values(
                transfer_id=str(transfer.id),
                account_id=str(account),
                change=change,
                balance=running[account],
                held=after[account].held,
            )
        )


def balance_then(connection: Connection, transfer_id: UUID, account: AccountId) -> Balance:
    """Return an account's balance as it was right after a posted transfer."""
    row = connection.execute(
        select(postings.c.balance, postings.c.held).where(
            postings.c.transfer_id == str(transfer_id), postings.c.account_id == str(account)
        )
    ).one()
    return Balance(account.unit, row.balance, row.held)


def read_transfer(row: RowMapping) -> Transfer:
    """Read a transfer from the columns of its table."""
    return Transfer(
        id=UUID(row["transfer_id"]),
        debit=AccountId.parse(row["debit"]),
        credit=AccountId.parse(row["credit"]),
        amount=row["amount"],
        kind=Kind(row["kind"]),
        actor=row["actor"],
        cause=read_cause(row),
        reason=row["reason"],
        phase=Phase(row["phase"]),
        refers_to=None if row["refers_to"] is None else UUID(row["refers_to"]),
        expires_at_ms=row["expires_at_ms"],
    )


def read_cause(row: RowMapping) -> Cause | None:
    """Read a transfer's cause from its columns."""
    return None if row["table_id"] is None else Cause(row["table_id"], row["round"], row["seat"])
