"""Prizes by place, and who gets them.

The pot is what the entrants' fees add up to, or what is guaranteed, or what the amounts add up to, whichever
is most. Shares of it are rounded by largest remainder, so that they add up to what the whole share of the pot
is. Who shares a place shares the prizes of all places that they take together, equally; the odd coins go to
those with the higher lots, in a team to the member who entered first. Who withdrew or was disqualified gets
nothing; his place is nobody's.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from itertools import groupby
from operator import attrgetter

from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.plan import WHOLE, Prizes
from meldhall_tournament.domain.standings import Row, standings
from meldhall_tournament.domain.state import Out, Tournament

Won = tuple[int, int]
"""A place and the coins for it."""


def largest_remainder(total: int, weights: Sequence[int], whole: int) -> list[int]:
    """Return ``total x weight / whole`` for each weight, rounded to add up to what all are."""
    parts = [divmod(total * weight, whole) for weight in weights]
    amounts = [amount for amount, _ in parts]
    missing = total * sum(weights) // whole - sum(amounts)
    for at in sorted(range(len(parts)), key=lambda at: (-parts[at][1], at))[:missing]:
        amounts[at] += 1
    return amounts


def fees_of(state: Tournament) -> int:
    """Return what the entrants' fees add up to."""
    return state.plan.entry_fee * sum(len(one.entrant.entries) for one in state.contestants.values())


def pot_of(state: Tournament) -> int:
    """Return what there is to win."""
    prizes = state.plan.prizes
    return max(fees_of(state), prizes.guaranteed, sum(prizes.amounts))


def by_place(prizes: Prizes, pot: int) -> list[int]:
    """Return the prize of each place, the first at 0."""
    if prizes.amounts:
        return list(prizes.amounts)
    return largest_remainder(pot, prizes.shares, WHOLE)


def prizes_of(state: Tournament) -> dict[str, Won]:
    """Return what each player has won, by the standings as they are."""
    table = by_place(state.plan.prizes, pot_of(state))
    rows = [row for row in standings(state) if row.out is Out.IN]
    won: dict[str, Won] = {}
    for place, group in groupby(rows, key=attrgetter("place")):
        if place > len(table):
            break
        sharing = list(group)
        for row, amount in _shared(sharing, sum(table[place - 1 : place - 1 + len(sharing)])):
            won.update((player, (place, part)) for player, part in _parts(row.players, amount) if part)
    return won


def _shared(rows: Sequence[Row], amount: int) -> Iterable[tuple[Row, int]]:
    by_lot = sorted(rows, key=lambda row: -row.lot)
    return zip(by_lot, largest_remainder(amount, [1] * len(rows), len(rows)), strict=True)


def _parts(players: Sequence[str], amount: int) -> Iterable[tuple[str, int]]:
    return zip(players, largest_remainder(amount, [1] * len(players), len(players)), strict=True)


def dues_at_close(state: Tournament, now_ms: int) -> tuple[e.PrizeDue, ...]:
    """Return the prizes of a tournament that closes."""
    return _differences(prizes_of(state), {}, 0, now_ms)


def dues_after(state: Tournament, changes: Iterable[e.Event], now_ms: int) -> tuple[e.PrizeDue, ...]:
    """Return by how much prizes differ once more has happened to a closed tournament, a player each."""
    paid: dict[str, Won] = {}
    for due in state.dues:
        paid[due.player] = (due.place, paid.get(due.player, (0, 0))[1] + due.amount)
    changed = deepcopy(state)
    for event in changes:
        changed.apply(event)
    revision = max((due.revision for due in state.dues), default=0) + 1
    return _differences(prizes_of(changed), paid, revision, now_ms)


def _differences(
    target: Mapping[str, Won], paid: Mapping[str, Won], revision: int, now_ms: int
) -> tuple[e.PrizeDue, ...]:
    dues = []
    for player in {**target, **paid}:
        place = target.get(player, paid.get(player, (0, 0)))[0]
        change = target.get(player, (0, 0))[1] - paid.get(player, (0, 0))[1]
        if change:
            dues.append(e.PrizeDue(revision, place, player, change, now_ms))
    return tuple(sorted(dues, key=attrgetter("place", "player")))
