"""The least that a hand of Three-Thirteen costs: exact, for any wild rank, one deck or two.

Three facts keep the search small. Wilds are alike, so only their number counts. A run of six or more places
is two runs with the same cards and gaps, so runs of at most five places are enough; sets of six or more
split in the same way. And once there is a meld, wilds that are left over join it for nothing, so what is
searched is how to save most of the natural cards with so many wilds.

The cards are taken in the order of their ranks. The lowest one is either left, or it begins a run, or it
joins others of its rank; what remains is the same question again, answered once for each set of cards and
number of wilds. Of equally good answers the first in this fixed order is given, so the same hand has the
same answer on any machine. Source: ``deploy/docs/rules/three_thirteen.md`` 7-11, 14;
``deploy/docs/solvers.md``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from meldhall_rules.cards import HIGHEST_RANK, face, face_of, rank_of, suit_of, value_of
from meldhall_rules.commands import MeldKind, MeldSpec, Placed

SMALLEST: Final = 3
_LONGEST_RUN: Final = 5
_LARGEST_SET: Final = 5

Group = tuple[int, int, MeldKind]
"""Natural cards of a meld as a mask, the wilds that it needs at least, and its kind."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """The least cost of a hand, melds that reach it, and the cards that they leave, by id."""

    value: int
    melds: tuple[MeldSpec, ...]
    left: tuple[int, ...]


def least_penalty(hand: Sequence[int], wild: int, *, all_wild: bool = False) -> Penalty:
    """Meld a hand so that the cards left over cost least.

    Args:
        hand: card ids, at most 14.
        wild: the rank that is wild in this round.
        all_wild: whether three or more wilds alone are a set.
    """
    naturals, wilds = _divided(hand, wild)
    total = sum(map(value_of, naturals))
    search = _Search(naturals)
    cost = search.least(search.everything, len(wilds))
    if cost == total:
        if all_wild and len(wilds) >= SMALLEST:
            spec = MeldSpec(MeldKind.SET, tuple(map(Placed, wilds)))
            return Penalty(cost, (spec,), tuple(sorted(naturals)))
        return Penalty(cost + sum(map(value_of, wilds)), (), tuple(sorted(hand)))
    groups, left = search.answer(len(wilds))
    return Penalty(cost, tuple(_with_wilds(groups, wilds)), left)


def least_value(hand: Sequence[int], wild: int, *, all_wild: bool = False) -> int:
    """Return the least cost of a hand without the melds; see ``least_penalty``."""
    naturals, wilds = _divided(hand, wild)
    search = _Search(naturals)
    cost = search.least(search.everything, len(wilds))
    if cost < sum(map(value_of, naturals)) or (all_wild and len(wilds) >= SMALLEST):
        return cost
    return cost + sum(map(value_of, wilds))


def _divided(hand: Sequence[int], wild: int) -> tuple[list[int], list[int]]:
    """Divide a hand into naturals, by rank, suit and deck, and wilds."""
    naturals = [card for card in hand if rank_of(card) != wild]
    wilds = sorted(card for card in hand if rank_of(card) == wild)
    return sorted(naturals, key=lambda card: (rank_of(card), suit_of(card), card)), wilds


class _Search:
    """The search over sets of natural cards; bit i of a mask is the card at place i, ranks rising."""

    __slots__ = ("_cards", "_groups", "_known", "_values", "everything")

    def __init__(self, cards: Sequence[int]) -> None:
        self._cards = cards
        self._values = [value_of(card) for card in cards]
        self._groups = [_groups_from(cards, place) for place in range(len(cards))]
        self._known: dict[tuple[int, int], int] = {}
        self.everything = (1 << len(cards)) - 1

    def least(self, mask: int, wilds: int) -> int:
        """Return what is left at least of the cards of a mask with so many wilds."""
        if not mask:
            return 0
        known = self._known.get((mask, wilds))
        if known is not None:
            return known
        lowest = mask & -mask
        place = lowest.bit_length() - 1
        best = self._values[place] + self.least(mask ^ lowest, wilds)
        for group, need, _ in self._groups[place]:
            if need > wilds or group & ~mask:
                continue
            best = min(best, self.least(mask ^ group, wilds - need))
            if not best:
                break
        self._known[mask, wilds] = best
        return best

    def answer(self, wilds: int) -> tuple[list[tuple[MeldKind, list[int]]], tuple[int, ...]]:
        """Return melds of natural cards that reach the least, and the natural cards that they leave."""
        mask = self.everything
        groups: list[tuple[MeldKind, list[int]]] = []
        left: list[int] = []
        while mask:
            cost = self.least(mask, wilds)
            place = (mask & -mask).bit_length() - 1
            for group, need, kind in self._groups[place]:
                if need <= wilds and not group & ~mask and self.least(mask ^ group, wilds - need) == cost:
                    groups.append((kind, self._of(group)))
                    mask, wilds = mask ^ group, wilds - need
                    break
            else:
                left.append(self._cards[place])
                mask ^= 1 << place
        return groups, tuple(sorted(left))

    def _of(self, mask: int) -> list[int]:
        return [card for place, card in enumerate(self._cards) if mask >> place & 1]


def _groups_from(cards: Sequence[int], place: int) -> tuple[Group, ...]:
    """List the melds in which the card at a place is the first; those that need fewer wilds come first."""
    groups = {**_runs_from(cards, place), **_sets_from(cards, place)}
    found = ((mask, need, kind) for mask, (need, kind) in groups.items())
    return tuple(sorted(found, key=lambda group: (group[1], -group[0].bit_count(), group[0])))


def _sets_from(cards: Sequence[int], place: int) -> dict[int, tuple[int, MeldKind]]:
    rank = rank_of(cards[place])
    others = [later for later in range(place + 1, len(cards)) if rank_of(cards[later]) == rank]
    return {
        sum(1 << one for one in (place, *chosen)): (max(SMALLEST - 1 - size, 0), MeldKind.SET)
        for size in range(min(len(others), _LARGEST_SET - 1) + 1)
        for chosen in combinations(others, size)
    }


def _runs_from(cards: Sequence[int], place: int) -> dict[int, tuple[int, MeldKind]]:
    rank, suit = rank_of(cards[place]), suit_of(cards[place])
    masks = {1 << place: (1, 1)}
    for later in range(place + 1, len(cards)):
        span = rank_of(cards[later]) - rank + 1
        if suit_of(cards[later]) != suit or not 1 < span <= _LONGEST_RUN:
            continue
        longer = {mask | 1 << later: (count + 1, span) for mask, (count, end) in masks.items() if end < span}
        masks |= longer
    return {
        mask: (max(span, SMALLEST) - count, MeldKind.RUN)
        for mask, (count, span) in masks.items()
        if count > 1
    }


def _with_wilds(groups: Iterable[tuple[MeldKind, list[int]]], wilds: Sequence[int]) -> Iterator[MeldSpec]:
    """Fill the melds with wilds: those that they need first, then all that are left over."""
    free = list(wilds)
    melds: list[tuple[MeldKind, list[Placed]]] = []
    for kind, cards in groups:
        placed = [Placed(card) for card in cards]
        if kind is MeldKind.RUN:
            placed += _gaps(cards, free)
        while len(placed) < SMALLEST:
            placed.append(_one_more(kind, placed, free))
        melds.append((kind, placed))
    for kind, placed in sorted(melds, key=lambda meld: meld[0] is MeldKind.RUN):
        while free and (kind is MeldKind.SET or len(placed) < HIGHEST_RANK):
            placed.append(_one_more(kind, placed, free))
    for kind, placed in melds:
        yield MeldSpec(kind, tuple(sorted(placed, key=_place_of) if kind is MeldKind.RUN else placed))


def _gaps(cards: Sequence[int], free: list[int]) -> list[Placed]:
    ranks, suit = {rank_of(card) for card in cards}, suit_of(cards[0])
    missing = (rank for rank in range(min(ranks), max(ranks)) if rank not in ranks)
    return [Placed(free.pop(0), face(suit, rank)) for rank in missing]


def _one_more(kind: MeldKind, placed: Sequence[Placed], free: list[int]) -> Placed:
    """Add a wild to a meld: in a run above it, then below."""
    if kind is MeldKind.SET:
        return Placed(free.pop(0))
    ranks = [rank_of(_place_of(one)) for one in placed]
    highest = max(ranks)
    rank = highest + 1 if highest < HIGHEST_RANK else min(ranks) - 1
    return Placed(free.pop(0), face(suit_of(placed[0].tile), rank))


def _place_of(placed: Placed) -> int:
    return face_of(placed.tile) if placed.stands_for is None else placed.stands_for
