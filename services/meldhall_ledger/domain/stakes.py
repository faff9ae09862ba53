"""Stakes of arena matches: put up before the table opens, paid out when its match is over.

Each seat's stake is pending on the player's account, towards the table's escrow. The end of the match posts
all of them, pays the winners and the house's rake out of the escrow, and leaves nothing there. A table that
closes without it gives every stake back. What moves by seat follows from the rules alone
(``deploy/docs/rules/rummy101.md`` 49).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from meldhall_ledger.domain.accounts import Unit, escrow, house, of_player
from meldhall_ledger.domain.books import Chain, Resolve
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.results import ACTOR
from meldhall_ledger.domain.transfers import NAMESPACE, Cause, Kind, Phase, Transfer, derived_id
from meldhall_rules.match import MatchFormat, Mode, stakes_of_match

RAKE: Final = "rake"
"""The house's account that rake goes to."""

MATCH: Final = 0
"""The round in the cause of what a match moves."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What the seats of a table put up: the same amount each, one player a seat."""

    table_id: str
    stake: int
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArenaTable:
    """What a table's match is played for, as the table said when it was opened."""

    stake: int
    rake_bps: int
    seats: int

    @property
    def form(self) -> MatchFormat:
        """Return the format as far as stakes depend on it."""
        return MatchFormat(mode=Mode.ARENA, stake=self.stake, rake_bps=self.rake_bps)


def hold(stakes: Stakes, actor: str) -> Chain:
    """Return the orders that hold every stake, or none."""
    return tuple(
        Transfer(
            id=derived_id(stakes.table_id, MATCH, Kind.STAKE, seat),
            debit=of_player(Unit.COINS, player),
            credit=escrow(Unit.COINS, stakes.table_id),
            amount=stakes.stake,
            kind=Kind.STAKE,
            actor=actor,
            cause=Cause(stakes.table_id, MATCH, seat),
            phase=Phase.PENDING,
        )
        for seat, player in enumerate(stakes.players)
    )


def give_back(pending: Sequence[Transfer]) -> Chain:
    """Return the orders that void stakes."""
    return tuple(_resolve(one, Phase.VOID, "stake_voided") for one in pending)


def pay_out(ended: MatchEnded, arena: ArenaTable, pending: Mapping[int, Transfer]) -> Chain | Fault:
    """Return the orders that a match's end amounts to; a fault where it is not what the rules make of it.

    Args:
        ended: checked as a match; its seats are those of the table.
        arena: what the table is played for.
        pending: the stakes that are held, by seat.
    """
    seats = len(ended.players)
    if seats != arena.seats or any(ended.bots):
        return Fault(
            FaultCode.MALFORMED, f"{seats} seats, bots {ended.bots}, at an arena table of {arena.seats}"
        )
    sides = len(ended.totals)
    winning = [seat for seat in range(seats) if seat % sides in ended.winners]
    right = stakes_of_match(arena.form, seats=seats, winning=winning)
    if ended.stake_changes != right:
        return Fault(FaultCode.CHANGES_DIFFER, f"stakes {ended.stake_changes} instead of {right}")
    for seat, player in enumerate(ended.players):
        held = pending.get(seat)
        if held is None or held.amount != arena.stake or held.debit != of_player(Unit.COINS, player):
            return Fault(FaultCode.NO_HOLD, f"the stake of seat {seat} is not held for its player")
    paid = [_payout(ended, seat, arena.stake + right[seat]) for seat in winning]
    rake = arena.stake * seats - sum(one.amount for one in paid)
    posted = [_resolve(pending[seat], Phase.POST, "stake_posted") for seat in range(seats)]
    return (*posted, *paid, *([_rake(ended.table_id, rake)] if rake else []))


def _resolve(pending: Transfer, phase: Phase, name: str) -> Resolve:
    cause = pending.cause
    if cause is None:
        raise ValueError(f"stake {pending.id} has no cause")
    return Resolve(
        id=_id(cause.table_id, name, cause.seat),
        pending_id=pending.id,
        phase=phase,
        kind=Kind.STAKE,
        actor=ACTOR,
        cause=cause,
    )


def _payout(ended: MatchEnded, seat: int, amount: int) -> Transfer:
    return Transfer(
        id=derived_id(ended.table_id, MATCH, Kind.PAYOUT, seat),
        debit=escrow(Unit.COINS, ended.table_id),
        credit=of_player(Unit.COINS, ended.players[seat]),
        amount=amount,
        kind=Kind.PAYOUT,
        actor=ACTOR,
        cause=Cause(ended.table_id, MATCH, seat),
    )


def _rake(table_id: str, amount: int) -> Transfer:
    return Transfer(
        id=derived_id(table_id, MATCH, Kind.RAKE, 0),
        debit=escrow(Unit.COINS, table_id),
        credit=house(Unit.COINS, RAKE),
        amount=amount,
        kind=Kind.RAKE,
        actor=ACTOR,
        cause=Cause(table_id, MATCH, 0),
    )


def _id(table_id: str, name: str, seat: int) -> UUID:
    """Return the id of what becomes of a stake; ``deploy/docs/ledger.md`` has the form."""
    return uuid5(NAMESPACE, f"{table_id}/{MATCH}/{name}/{seat}")
