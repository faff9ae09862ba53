"""The orders that a tournament has for the ledger, from its facts alone.

Each has a key, and a transfer id derived from the tournament and the key, so that it moves money once however
often it is sent. An order is open until ``MoneyMoved`` (or for a hold the answer about the fee) says that it
was carried out.

    hold/<entry>     the fee is held on the way from the player to the tournament's account
    post/<entry>     who plays pays
    void/<entry>     who does not play gets the fee back
    refund/<entry>   so does who played in a tournament that was cancelled
    add/<revision>   the room adds what prizes take and fees do not have
    prize/<revision>/<place>/<player>
    rest             the room keeps what no prize takes

Prizes wait until every fee is where it belongs.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final
from uuid import UUID, uuid5

from meldhall_tournament.domain.prizes import fees_of
from meldhall_tournament.domain.state import Entry, Fee, Phase, Tournament

NAMESPACE: Final = UUID("a6a2b5e2-8e1c-5f8b-9d5a-0a8f5f9c2b11")
"""Of transfer ids. Another one would pay all again."""

ISSUE: Final = "issue:coins"
HOUSE: Final = "house:tournaments:coins"


@unique
class What(StrEnum):
    """What an order does."""

    HOLD = "hold"
    POST = "post"
    VOID = "void"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Order:
    """An order. ``debit``, ``credit`` and ``amount`` of what moves; ``pending`` is the key of the hold."""

    key: str
    what: What
    debit: str = ""
    credit: str = ""
    amount: int = 0
    pending: str = ""
    entry: int = 0

    @property
    def is_fee(self) -> bool:
        """Whether a fee is moved; else it is a prize, or what the room adds or keeps."""
        return bool(self.entry)


def transfer_id(tournament_id: str, key: str) -> UUID:
    """Return the id of an order's transfer."""
    return uuid5(NAMESPACE, f"{tournament_id}/{key}")


def pot(tournament_id: str) -> str:
    """Return the account of what is put up for a tournament."""
    return f"prize:{tournament_id}:coins"


def open_orders(state: Tournament) -> list[Order]:
    """Return what is to be carried out now, in order."""
    orders = [order for entry in state.entries.values() for order in _of_entry(state, entry)]
    if orders or state.phase is not Phase.CLOSED:
        return orders
    return _of_prizes(state)


def _of_entry(state: Tournament, entry: Entry) -> list[Order]:
    """Return the next order about a fee; nothing where it is where it belongs."""
    fee, account = state.plan.entry_fee, pot(state.tournament_id)
    if not fee or entry.fee is Fee.REFUSED:
        return []
    player, number = f"player:{entry.player}:coins", entry.number
    hold = f"hold/{number}"
    if entry.fee is Fee.ASKED:
        return [Order(hold, What.HOLD, player, account, fee, entry=number)]
    if entry.entrant:
        if f"post/{number}" not in state.moved:
            return [Order(f"post/{number}", What.POST, amount=fee, pending=hold, entry=number)]
        if state.phase is Phase.CANCELLED and f"refund/{number}" not in state.moved:
            return [Order(f"refund/{number}", What.MOVE, account, player, fee, entry=number)]
        return []
    waits = state.phase is Phase.OPEN and entry.counts
    if waits or f"void/{number}" in state.moved:
        return []
    return [Order(f"void/{number}", What.VOID, amount=fee, pending=hold, entry=number)]


def _of_prizes(state: Tournament) -> list[Order]:
    account = pot(state.tournament_id)
    revisions = sorted({due.revision for due in state.dues} | {0})
    for revision in revisions:
        dues = [due for due in state.dues if due.revision == revision and due.amount > 0]
        prizes = sum(due.amount for due in dues)
        missing = prizes - (fees_of(state) if revision == 0 else 0)
        if missing > 0 and f"add/{revision}" not in state.moved:
            return [Order(f"add/{revision}", What.MOVE, ISSUE, account, missing)]
        keyed = [(f"prize/{revision}/{due.place}/{due.player}", due) for due in dues]
        orders = [
            Order(key, What.MOVE, account, f"player:{due.player}:coins", due.amount)
            for key, due in keyed
            if key not in state.moved
        ]
        if orders:
            return orders
        if revision == 0 and missing < 0 and "rest" not in state.moved:
            return [Order("rest", What.MOVE, account, HOUSE, -missing)]
    return []


def is_settled(state: Tournament) -> bool:
    """Whether nothing more is to be moved for a tournament that is over."""
    return state.phase.is_over and not open_orders(state)
