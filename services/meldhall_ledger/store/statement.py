"""Reading accounts' histories and the sums of everything."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, RowMapping, func, select

from meldhall_ledger.domain.accounts import AccountId, Unit
from meldhall_ledger.domain.transfers import Kind, StatementLine
from meldhall_ledger.store.journal import read_cause
from meldhall_ledger.store.settlements import count_settlements
from meldhall_ledger.store.tables import accounts, postings, transfers


@dataclass(frozen=True, slots=True)
class UnitSum:
    """The sum over all accounts of a unit, zero unless something is wrong, and its transfers."""

    unit: Unit
    sum: int
    transfers: int


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of every unit, and how many rounds are settled."""

    units: tuple[UnitSum, ...]
    settled_rounds: int


def read_lines(
    connection: Connection, account: AccountId, *, before: int | None, limit: int
) -> Sequence[StatementLine]:
    """Return an account's transfers, the newest first.

    Args:
        connection: in any transaction.
        account: whose.
        before: only lines with a smaller number; None for the newest.
        limit: how many at most.
    """
    query = (
        select(postings.c.number, postings.c.change, postings.c.balance, transfers)
        .join(transfers, transfers.c.transfer_id == postings.c.transfer_id)
        .where(postings.c.account_id == str(account))
        .order_by(postings.c.number.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(postings.c.number < before)
    return [_line(row) for row in connection.execute(query).mappings()]


def _line(row: RowMapping) -> StatementLine:
    return StatementLine(
        number=row["number"],
        transfer_id=UUID(row["transfer_id"]),
        change=row["change"],
        balance=row["balance"],
        kind=Kind(row["kind"]),
        cause=read_cause(row),
        reason=row["reason"],
        posted_at_ms=row["posted_at_ms"],
    )


def read_sums(connection: Connection) -> Sums:
    """Add up all accounts."""
    balances = select(accounts.c.unit, func.sum(accounts.c.posted)).group_by(accounts.c.unit)
    sums = {unit: int(total) for unit, total in connection.execute(balances)}
    counts = select(transfers.c.unit, func.count()).group_by(transfers.c.unit)
    posted = {unit: int(count) for unit, count in connection.execute(counts)}
    return Sums(
        tuple(UnitSum(unit, sums.get(unit, 0), posted.get(unit, 0)) for unit in Unit),
        count_settlements(connection),
    )
