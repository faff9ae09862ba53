"""What a hand of Basic Rummy can lay: all melds and lay-offs, and the best choice among them, exactly.

A choice is a set of new melds and lay-offs that share no card. On a sequence of the table a lay-off goes up
or down from an end, so two lay-offs at one end share their first card and exclude each other by themselves.
That leaves the question which disjoint sets of cards to lay, and it is answered once for each set of cards
that is left; a hand of eleven cards has 2,048 of them. Source: ``deploy/docs/rules/rummy.md`` 6-9, 14;
``deploy/docs/solvers.md``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from meldhall_rules.card_melds import ACE, HIGH_ACE, LARGEST_GROUP, SMALLEST_MELD, places
from meldhall_rules.cards import HIGHEST_RANK, face, face_of, rank_of, suit_of
from meldhall_rules.commands import LayMelds, LayOff, MeldKind, MeldSpec, Placed
from meldhall_rules.view import TableMeld

_UNLIMITED: Final = 99


@dataclass(frozen=True, slots=True)
class Plan:
    """What to lay, in this order, the cards that stay, and their value."""

    moves: tuple[LayMelds | LayOff, ...]
    left: tuple[int, ...]
    value: int


def melds_of(hand: Sequence[int], *, ace_high: bool) -> Iterator[MeldSpec]:
    """Yield every single meld that can be laid from a hand, its cards in table order."""
    held = {face_of(card): card for card in hand}
    for rank in range(1, HIGHEST_RANK + 1):
        group = [held[face(suit, rank)] for suit in range(LARGEST_GROUP) if face(suit, rank) in held]
        for size in range(SMALLEST_MELD, len(group) + 1):
            for cards in combinations(group, size):
                yield MeldSpec(MeldKind.SET, tuple(map(Placed, cards)))
    for suit in range(LARGEST_GROUP):
        for row in _rows(held, suit, ace_high=ace_high):
            yield MeldSpec(MeldKind.RUN, tuple(map(Placed, row)))


def offs_of(
    hand: Sequence[int], melds: Sequence[TableMeld], *, ace_high: bool
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield every lay-off: the number of the meld and the cards, at one end of a sequence or at both."""
    held = {face_of(card): card for card in hand}
    for number, meld in enumerate(melds):
        above, below = _fitting(held, meld, ace_high=ace_high)
        for up in range(len(above) + 1):
            for down in range(len(below) + 1):
                cards = (*above[:up], *below[:down])
                # An ace may fit both ends, and is one card.
                if cards and len(set(cards)) == len(cards):
                    yield number, cards


def best_plan(
    seat: int,
    hand: Sequence[int],
    melds: Sequence[TableMeld],
    value: Callable[[int], int],
    *,
    ace_high: bool = False,
    new_melds: int | None = None,
    first: int | None = None,
) -> Plan:
    """Lay so that the cards left in the hand are worth least. Exact.

    Args:
        seat: whose moves they are.
        hand: the cards that may be laid, at most eleven.
        melds: what lies on the table.
        value: the points of a card left in the hand.
        ace_high: whether an ace may stand above the king as well.
        new_melds: how many new melds may be laid, None for any number.
        first: a card whose move comes before the others if it is laid.
    """
    search = _Search(seat, hand, melds, value, ace_high=ace_high)
    moves, left = search.answer(_UNLIMITED if new_melds is None else new_melds)
    moves.sort(key=lambda move: first not in cards_of(move))
    return Plan(tuple(moves), left, sum(map(value, left)))


def cards_of(move: LayMelds | LayOff) -> tuple[int, ...]:
    """Return the cards that a move puts on the table."""
    if isinstance(move, LayOff):
        return tuple(placed.tile for placed in move.tiles)
    return tuple(placed.tile for spec in move.melds for placed in spec.tiles)


class _Search:
    """The search over sets of cards; bit i of a mask is the card at place i of the hand."""

    __slots__ = ("_choices", "_hand", "_known", "_values")

    def __init__(
        self,
        seat: int,
        hand: Sequence[int],
        melds: Sequence[TableMeld],
        value: Callable[[int], int],
        *,
        ace_high: bool,
    ) -> None:
        self._hand = sorted(hand)
        self._values = [value(card) for card in self._hand]
        self._known: dict[tuple[int, int], int] = {}
        self._choices: list[list[tuple[int, LayMelds | LayOff]]] = [[] for _ in self._hand]
        moves: list[LayMelds | LayOff] = [
            LayMelds(seat, (spec,)) for spec in melds_of(hand, ace_high=ace_high)
        ]
        held = {face_of(card): card for card in hand}
        for number, meld in enumerate(melds):
            for end in _fitting(held, meld, ace_high=ace_high):
                moves += (
                    LayOff(seat, number, tuple(map(Placed, end[:size]))) for size in range(1, len(end) + 1)
                )
        for move in moves:
            mask = sum(1 << self._hand.index(card) for card in cards_of(move))
            self._choices[(mask & -mask).bit_length() - 1].append((mask, move))

    def least(self, mask: int, new_melds: int) -> int:
        """Return what is left at least of the cards of a mask with so many new melds."""
        if not mask:
            return 0
        known = self._known.get((mask, new_melds))
        if known is not None:
            return known
        lowest = mask & -mask
        place = lowest.bit_length() - 1
        best = self._values[place] + self.least(mask ^ lowest, new_melds)
        for laid, move in self._choices[place]:
            spent = isinstance(move, LayMelds)
            if not laid & ~mask and new_melds >= spent:
                best = min(best, self.least(mask ^ laid, new_melds - spent))
        self._known[mask, new_melds] = best
        return best

    def answer(self, new_melds: int) -> tuple[list[LayMelds | LayOff], tuple[int, ...]]:
        """Return moves that reach the least, and the cards that they leave."""
        mask = (1 << len(self._hand)) - 1
        moves: list[LayMelds | LayOff] = []
        left: list[int] = []
        while mask:
            cost, place = self.least(mask, new_melds), (mask & -mask).bit_length() - 1
            for laid, move in self._choices[place]:
                spent = isinstance(move, LayMelds)
                fits = not laid & ~mask and new_melds >= spent
                if fits and self.least(mask ^ laid, new_melds - spent) == cost:
                    moves.append(move)
                    mask, new_melds = mask ^ laid, new_melds - spent
                    break
            else:
                left.append(self._hand[place])
                mask ^= 1 << place
        return moves, tuple(left)


def _rows(held: Mapping[int, int], suit: int, *, ace_high: bool) -> Iterator[tuple[int, ...]]:
    """Yield every sequence of a suit that the cards held make."""
    highest = HIGH_ACE if ace_high else HIGHEST_RANK
    for start in range(1, highest - 1):
        row: list[int] = []
        for place in range(start, highest + 1):
            card = held.get(_face_at(suit, place))
            if card is None or card in row:
                break
            row.append(card)
            if len(row) >= SMALLEST_MELD:
                yield tuple(row)


def _fitting(
    held: Mapping[int, int], meld: TableMeld, *, ace_high: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cards held that fit a meld one after the other: above or into it, and below it."""
    tiles = [laid.tile for laid in meld.tiles]
    if meld.kind is MeldKind.SET:
        rank = rank_of(tiles[0])
        missing = [held.get(face(suit, rank)) for suit in range(LARGEST_GROUP)]
        return tuple(card for card in missing if card is not None), ()
    suit, taken = suit_of(tiles[0]), places(tiles)
    highest = HIGH_ACE if ace_high else HIGHEST_RANK
    above = (held.get(_face_at(suit, place)) for place in range(max(taken) + 1, highest + 1))
    below = (held.get(_face_at(suit, place)) for place in range(min(taken) - 1, 0, -1))
    return _until_missing(above), _until_missing(below)


def _until_missing(cards: Iterator[int | None]) -> tuple[int, ...]:
    found: list[int] = []
    for card in cards:
        if card is None:
            break
        found.append(card)
    return tuple(found)


def _face_at(suit: int, place: int) -> int:
    return face(suit, ACE if place == HIGH_ACE else place)
