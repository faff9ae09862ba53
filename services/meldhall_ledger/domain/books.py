"""What orders do to accounts: the ledger's arithmetic, on values alone.

``execute`` is given what a transaction has locked and read, decides one chain of orders after the other, and
says what has to be written. It asks nothing and knows no database, so that one and the same code is tried
against a model, and a thousand orders cost one transaction. What is held counts as gone. Source:
``deploy/docs/ledger.md``, "Orders".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from typing import Final
from uuid import UUID

from meldhall_ledger.domain.accounts import AccountId, Balance, Holder, Unit
from meldhall_ledger.domain.refusals import Code, Refusal
from meldhall_ledger.domain.transfers import Cause, Kind, Phase, Transfer, differences


@dataclass(frozen=True, slots=True)
class Resolve:
    """An order to post or void a pending transfer; the accounts are the pending one's.

    ``amount`` is how much of it is posted, the rest is released; None: all. A void has none.
    """

    id: UUID
    pending_id: UUID
    phase: Phase
    kind: Kind
    actor: str
    amount: int | None = None
    cause: Cause | None = None
    reason: str = ""

    def of(self, pending: Transfer) -> Transfer:
        """Return the transfer that this is for a pending one."""
        return Transfer(
            id=self.id,
            debit=pending.debit,
            credit=pending.credit,
            amount=pending.amount if self.amount is None else self.amount,
            kind=self.kind,
            actor=self.actor,
            cause=self.cause,
            reason=self.reason,
            phase=self.phase,
            refers_to=self.pending_id,
        )


Order = Transfer | Resolve
"""What can be asked for: a single or pending transfer, or what becomes of a pending one."""

Chain = tuple[Order, ...]
"""Orders of which all are posted or none."""


@unique
class PendingState(StrEnum):
    """Where a pending transfer stands. It leaves ``PENDING`` once."""

    PENDING = "pending"
    POSTED = "posted"
    VOIDED = "voided"
    EXPIRED = "expired"


_RESOLVED: Final = {
    PendingState.POSTED: Code.PENDING_POSTED,
    PendingState.VOIDED: Code.PENDING_VOIDED,
    PendingState.EXPIRED: Code.PENDING_EXPIRED,
}


@dataclass(frozen=True, slots=True)
class Pending:
    """A pending transfer, and what became of it; ``posted`` is how much was posted."""

    transfer: Transfer
    state: PendingState = PendingState.PENDING
    resolved_by: UUID | None = None
    posted: int = 0


@dataclass(frozen=True, slots=True)
class Posted:
    """An order was done. ``created`` is False where it had been done before, with the same body."""

    transfer: Transfer
    created: bool


Verdict = Posted | Refusal


@dataclass(frozen=True, slots=True)
class Entry:
    """A transfer to be written, with both balances after it: debit's, credit's."""

    transfer: Transfer
    debit: Balance
    credit: Balance


@dataclass(slots=True)
class Books:
    """What a transaction has read, and, after ``execute``, what it has to write.

    Args:
        balances: every account that the orders touch.
        transfers: those of the orders' ids, and of the ids that they correct, that are there already.
        pendings: those that the orders resolve and that are there, by id.
        floor: what no debit takes a player's points below; None: no floor.
    """

    balances: dict[AccountId, Balance]
    transfers: dict[UUID, Transfer] = field(default_factory=dict)
    pendings: dict[UUID, Pending] = field(default_factory=dict)
    floor: int | None = None
    entries: list[Entry] = field(default_factory=list)
    touched: set[UUID] = field(default_factory=set)
    """Pending transfers that are new or were resolved."""


def execute(books: Books, chains: Iterable[Chain], now_ms: int) -> list[tuple[Verdict, ...]]:
    """Do chains of orders one after another; a chain that is refused leaves nothing.

    Args:
        books: changed in place.
        chains: each all or none; an order sees what the chains before it did.
        now_ms: Unix time in milliseconds, for what has expired.

    Returns:
        A verdict for each order, chain by chain.
    """
    return [_execute_chain(books, chain, now_ms) for chain in chains]


def _execute_chain(books: Books, chain: Chain, now_ms: int) -> tuple[Verdict, ...]:
    before = [_done_before(books, order) for order in chain]
    done = [verdict for verdict in before if isinstance(verdict, Posted)]
    if len(done) == len(chain):
        return tuple(done)
    undo = _Undo(books)
    verdicts: list[Verdict] = []
    for number, order in enumerate(chain):
        verdict = _execute_linked(books, undo, order, now_ms)
        if isinstance(verdict, Refusal):
            undo.roll_back()
            return _all_refused(chain, number, verdict)
        verdicts.append(verdict)
    undo.forget()
    return tuple(verdicts)


def _execute_linked(books: Books, undo: "_Undo", order: Order, now_ms: int) -> Verdict:
    before = _done_before(books, order)
    if isinstance(before, Posted):
        # It was posted without the others of its chain, or is in the chain twice: not the same order.
        return Refusal(
            Code.TRANSFER_EXISTS,
            f"transfer {order.id} was posted before, without the others of its chain",
            {"transfer_id": str(order.id), "different": "chain"},
        )
    return before or _execute(books, undo, order, now_ms)


def _all_refused(chain: Chain, number: int, refusal: Refusal) -> tuple[Verdict, ...]:
    broken = Refusal(
        Code.LINKED_REFUSED,
        f"transfer {chain[number].id} of the same chain was refused: {refusal.code}",
        {"refused": str(chain[number].id), "code": refusal.code.value},
    )
    return tuple(refusal if at == number else broken for at in range(len(chain)))


def _done_before(books: Books, order: Order) -> Verdict | None:
    """Compare an order with what its id was used for; None where it is free."""
    first = books.transfers.get(order.id)
    if first is None:
        return None
    different = _differences(first, order)
    if not different:
        return Posted(first, created=False)
    fields = ",".join(different)
    return Refusal(
        Code.TRANSFER_EXISTS,
        f"transfer {order.id} was posted with another {fields}",
        {"transfer_id": str(order.id), "different": fields},
    )


def _differences(first: Transfer, order: Order) -> tuple[str, ...]:
    if isinstance(order, Transfer):
        return differences(first, order)
    # The accounts follow from the pending transfer. "All of it" is the amount that was posted then.
    different = [
        name for name in ("phase", "kind", "cause", "reason") if getattr(first, name) != getattr(order, name)
    ]
    if first.refers_to != order.pending_id:
        different.append("pending_id")
    if order.amount is not None and order.amount != first.amount:
        different.append("amount")
    return tuple(different)


def _execute(books: Books, undo: "_Undo", order: Order, now_ms: int) -> Verdict:
    if isinstance(order, Resolve):
        return _resolve(books, undo, order, now_ms)
    if order.kind is Kind.CORRECTION and order.refers_to not in books.transfers:
        return Refusal(
            Code.CORRECTED_NOT_FOUND,
            f"there is no transfer {order.refers_to} to correct",
            {"transfer_id": str(order.refers_to)},
        )
    held = order.amount if order.phase is Phase.PENDING else 0
    if not _spares(books, order.debit, order.amount):
        return Refusal(
            Code.INSUFFICIENT, f"{order.debit} has too little to spare", {"unit": order.unit.value.upper()}
        )
    if order.phase is Phase.PENDING:
        undo.set_pending(order.id, Pending(order))
    return _write(books, undo, order, held)


def _resolve(books: Books, undo: "_Undo", order: Resolve, now_ms: int) -> Verdict:
    pending = books.pendings.get(order.pending_id)
    name = {"pending_id": str(order.pending_id)}
    if pending is None:
        return Refusal(Code.PENDING_NOT_FOUND, f"there is no pending transfer {order.pending_id}", name)
    if pending.state in _RESOLVED:
        code = _RESOLVED[pending.state]
        return Refusal(code, f"the pending transfer {order.pending_id} was {pending.state} before", name)
    if overdue(pending, now_ms):
        return Refusal(Code.PENDING_EXPIRED, f"the pending transfer {order.pending_id} has expired", name)
    transfer = order.of(pending.transfer)
    if transfer.amount > pending.transfer.amount:
        return Refusal(
            Code.EXCEEDS_PENDING,
            f"{transfer.amount} is more than the {pending.transfer.amount} that are pending",
            {**name, "pending": str(pending.transfer.amount)},
        )
    posts = order.phase is Phase.POST
    state = PendingState.POSTED if posts else PendingState.VOIDED
    posted = transfer.amount if posts else 0
    undo.set_pending(order.pending_id, replace(pending, state=state, resolved_by=order.id, posted=posted))
    return _write(books, undo, transfer, -pending.transfer.amount)


def overdue(pending: Pending, now_ms: int) -> bool:
    """Whether a transfer is pending still though its time is over."""
    expires = pending.transfer.expires_at_ms
    return pending.state is PendingState.PENDING and expires is not None and expires <= now_ms


def _spares(books: Books, account: AccountId, amount: int) -> bool:
    lowest = account.lowest
    if books.floor is not None and account.holder is Holder.PLAYER and account.unit is Unit.POINTS:
        lowest = books.floor
    return lowest is None or books.balances[account].available - amount >= lowest


def _write(books: Books, undo: "_Undo", transfer: Transfer, held: int) -> Posted:
    moved = transfer.amount if transfer.phase.moves else 0
    debit, credit = books.balances[transfer.debit], books.balances[transfer.credit]
    debit = Balance(debit.unit, debit.posted - moved, debit.held + held)
    credit = Balance(credit.unit, credit.posted + moved, credit.held)
    undo.set_balance(transfer.debit, debit)
    undo.set_balance(transfer.credit, credit)
    undo.add(Entry(transfer, debit, credit))
    return Posted(transfer, created=True)


class _Undo:
    """Changes books, and takes the changes of a chain back."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._balances: dict[AccountId, Balance] = {}
        self._pendings: dict[UUID, Pending | None] = {}
        self._added: list[UUID] = []

    def set_balance(self, account: AccountId, balance: Balance) -> None:
        self._balances.setdefault(account, self._books.balances[account])
        self._books.balances[account] = balance

    def set_pending(self, transfer_id: UUID, pending: Pending) -> None:
        self._pendings.setdefault(transfer_id, self._books.pendings.get(transfer_id))
        self._books.pendings[transfer_id] = pending

    def add(self, entry: Entry) -> None:
        self._added.append(entry.transfer.id)
        self._books.transfers[entry.transfer.id] = entry.transfer
        self._books.entries.append(entry)

    def forget(self) -> None:
        """The chain is done for good."""
        self._books.touched.update(self._pendings)

    def roll_back(self) -> None:
        books = self._books
        books.balances.update(self._balances)
        for transfer_id, pending in self._pendings.items():
            if pending is None:
                del books.pendings[transfer_id]
            else:
                books.pendings[transfer_id] = pending
        for transfer_id in self._added:
            del books.transfers[transfer_id]
        if self._added:
            del books.entries[-len(self._added) :]


def accounts_of(chains: Iterable[Chain], pendings: Mapping[UUID, Pending]) -> set[AccountId]:
    """Return every account that chains touch, of what is known of the pending transfers that they resolve."""
    found: set[AccountId] = set()
    for chain in chains:
        for order in chain:
            if isinstance(order, Transfer):
                found.update((order.debit, order.credit))
            elif order.pending_id in pendings:
                transfer = pendings[order.pending_id].transfer
                found.update((transfer.debit, transfer.credit))
    return found


def ids_of(chains: Iterable[Chain]) -> tuple[set[UUID], set[UUID]]:
    """Return the ids that orders have or refer to, and of these the pending ones that they resolve."""
    ids: set[UUID] = set()
    pendings: set[UUID] = set()
    for chain in chains:
        for order in chain:
            ids.add(order.id)
            if isinstance(order, Resolve):
                pendings.add(order.pending_id)
            elif order.refers_to is not None:
                ids.add(order.refers_to)
    return ids, pendings


def chained(orders: Sequence[Order], linked: Sequence[bool]) -> list[Chain]:
    """Cut orders into chains: a linked order and the next one are of one chain.

    Raises:
        ValueError: the last order is linked, so that its chain does not end.
    """
    chains: list[Chain] = []
    chain: list[Order] = []
    for order, goes_on in zip(orders, linked, strict=True):
        chain.append(order)
        if not goes_on:
            chains.append(tuple(chain))
            chain = []
    if chain:
        raise ValueError("the last order is linked to nothing")
    return chains
