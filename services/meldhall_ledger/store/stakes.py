"""Stakes of arena tables inside a transaction."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from meldhall_ledger.domain.books import Chain, Posted
from meldhall_ledger.domain.happenings import ArenaOpened
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Code, Fault, FaultCode, Refusal
from meldhall_ledger.domain.stakes import ArenaTable, Stakes, give_back, hold, pay_out
from meldhall_ledger.domain.transfers import Kind, Transfer
from meldhall_ledger.store.inbox import is_over, lock_table
from meldhall_ledger.store.journal import read_transfer
from meldhall_ledger.store.orders import carry_out
from meldhall_ledger.store.tables import arena_tables, pendings, transfers


def note_arena(connection: Connection, opened: ArenaOpened) -> Fault | None:
    """Write down what a table is played for."""
    if opened.stake < 0 or not 0 <= opened.rake_bps <= 10_000 or opened.seats < 1:
        return Fault(FaultCode.MALFORMED, f"a stake of {opened.stake}, a rake of {opened.rake_bps} bps")
    connection.execute(
        insert(arena_tables).values(
            table_id=opened.table_id, stake=opened.stake, rake_bps=opened.rake_bps, seats=opened.seats
        )
    )
    return None


def hold_stakes(connection: Connection, stakes: Stakes, *, actor: str, now_ms: int) -> Refusal | None:
    """Hold every stake of a table or none; after a refusal the transaction must be rolled back.

    The same stakes again are the same answer, whatever became of them since.
    """
    lock_table(connection, stakes.table_id)
    chain = hold(stakes, actor)
    verdicts = carry_out(connection, [chain], now_ms=now_ms)[0]
    refusals = [one for one in verdicts if isinstance(one, Refusal) and one.code is not Code.LINKED_REFUSED]
    if refusals:
        return refusals[0]
    new = any(isinstance(one, Posted) and one.created for one in verdicts)
    if new and is_over(connection, stakes.table_id):
        return Refusal(Code.TABLE_OVER, f"table {stakes.table_id} is over", {"table_id": stakes.table_id})
    return None


def return_stakes(connection: Connection, table_id: str, *, now_ms: int) -> int:
    """Void what is held for a table; return how many stakes that were."""
    lock_table(connection, table_id)
    held = pending_stakes(connection, table_id)
    if held:
        _must(connection, give_back(held), now_ms)
    return len(held)


def settle_stakes(connection: Connection, ended: MatchEnded, *, now_ms: int) -> Fault | None:
    """Pay the winners of an arena match and the house; after a fault the transaction must be rolled back."""
    query = select(arena_tables).where(arena_tables.c.table_id == ended.table_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        return Fault(FaultCode.MALFORMED, f"table {ended.table_id} was not opened as an arena table")
    arena = ArenaTable(row.stake, row.rake_bps, row.seats)
    if arena.stake == 0:
        return None
    held = {one.cause.seat: one for one in pending_stakes(connection, ended.table_id) if one.cause}
    orders = pay_out(ended, arena, held)
    if isinstance(orders, Fault):
        return orders
    _must(connection, orders, now_ms)
    return None


def pending_stakes(connection: Connection, table_id: str) -> Sequence[Transfer]:
    """Return the stakes that are held for a table, in order of seats."""
    query = (
        select(transfers)
        .join(pendings, pendings.c.transfer_id == transfers.c.transfer_id)
        .where(
            transfers.c.table_id == table_id,
            transfers.c.kind == Kind.STAKE,
            pendings.c.state == "pending",
        )
        .order_by(transfers.c.seat)
    )
    return [read_transfer(row) for row in connection.execute(query).mappings()]


def _must(connection: Connection, chain: Chain, now_ms: int) -> None:
    for verdict in carry_out(connection, [chain], now_ms=now_ms)[0]:
        if isinstance(verdict, Refusal):
            raise TypeError(f"stakes that are held were refused: {verdict.detail}")
