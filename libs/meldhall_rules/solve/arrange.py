"""What a player who has opened can lay: new melds, lay-offs on the table, pairs where they are open to him.

The melds are those of the heaviest cover, so exact for the hand by itself. Lay-offs are greedy to a fixpoint:
as long as a natural tile of the hand fits somewhere it is laid off, and a joker bridges one number where a
held tile fits behind it. Both orders, melds first and lay-offs first, are tried and the better one is taken.
What neither finds is an arrangement that divides the tiles between melds and the table in another way.
Source: ``deploy/docs/rules/rummy101.md`` 27, 32 to 34; ``deploy/docs/solvers.md``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from meldhall_rules.commands import LayMelds, LayOff, MeldKind, MeldSpec, Placed
from meldhall_rules.events import MeldLaid
from meldhall_rules.melds import MeldLike, extend, read_meld
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.build import fill
from meldhall_rules.solve.cover import Weights
from meldhall_rules.solve.opening import lay_heaviest
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.tiles import HIGHEST_NUMBER, colour_of, face, is_joker, number_of

JOKER_IN_HAND: Final = 101
"""What a joker in the hand counts, rule 23."""

_T = TypeVar("_T")
_TILE: Final = 1000
_NATURALS: Final = tuple(_TILE + number for number in range(HIGHEST_NUMBER + 1))

SHED_ALL: Final = Weights(_NATURALS, (_TILE + JOKER_IN_HAND,) * (HIGHEST_NUMBER + 1))
"""Most tiles, and of equally many the greatest hand value."""
SPARE_JOKERS: Final = Weights(_NATURALS, (-1,) * (HIGHEST_NUMBER + 1))
"""Most naturals, of equally many the greatest value; a joker is laid only to bring a natural along."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The new melds that are open to a player, rules 32 and 33."""

    runs_and_sets: bool
    pairs: bool


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Moves that can be made one after the other, and the tiles that then stay in the hand."""

    moves: tuple[LayMelds | LayOff, ...]
    left: tuple[int, ...]


def arrange(
    seat: int,
    hand: Sequence[int],
    table: Sequence[MeldLike],
    allowed: Allowed,
    *,
    keep: int = 1,
    weights: Weights = SHED_ALL,
) -> Arrangement:
    """Arrange a hand so that most of it can be laid.

    Args:
        seat: who would lay it.
        hand: tile ids, no two equal.
        table: the melds on the table, in the order laid.
        allowed: the new melds that are open to the player.
        keep: how many tiles have to stay; one is the discard.
        weights: what is worth laying. Jokers are laid off for themselves only if they weigh anything.
    """
    plans = []
    for melds_first in (True, False):
        plan = _Plan(seat, hand, table, keep)
        if not melds_first:
            plan.lay_off_naturals()
        if allowed.runs_and_sets:
            plan.lay_runs_and_sets(weights)
        plan.lay_off_naturals()
        if allowed.pairs:
            plan.lay_pairs(with_jokers=weights.joker[1] > 0)
        if weights.joker[1] > 0:
            plan.lay_off_jokers()
        plans.append(plan)
    best = min(plans, key=lambda plan: _weight(plan.hand, weights))
    return Arrangement(tuple(best.moves), tuple(sorted(best.hand)))


def places(meld: MeldLike) -> Iterator[int]:
    """Yield the faces that a meld on the table could take as a single tile, lower end first."""
    if meld.kind is MeldKind.RUN:
        lowest, highest = meld.tiles[0].face, meld.tiles[-1].face
        if number_of(lowest) > 1:
            yield lowest - 1
        if number_of(highest) < HIGHEST_NUMBER:
            yield highest + 1
    elif meld.kind is MeldKind.SET and len(meld.tiles) < 4:
        held = {colour_of(laid.face) for laid in meld.tiles}
        number = number_of(meld.tiles[0].face)
        yield from (face(colour, number) for colour in range(4) if colour not in held)


def _accepted(answer: _T | Rejection) -> _T:
    if isinstance(answer, Rejection):
        # The solver formed what the rules refuse: a bug of the solver, not a wrong type.
        raise RuntimeError(answer.detail)  # noqa: TRY004 - see above
    return answer


def _weight(hand: Sequence[int], weights: Weights) -> int:
    return sum(weights.joker[1] if is_joker(tile) else weights.natural[number_of(tile // 2)] for tile in hand)


class _Plan:
    """An arrangement in the making."""

    def __init__(self, seat: int, hand: Sequence[int], table: Sequence[MeldLike], keep: int) -> None:
        self.moves: list[LayMelds | LayOff] = []
        self.hand = sorted(hand)
        self._seat = seat
        self._keep = keep
        self._table: list[MeldLike] = list(table)

    def lay_runs_and_sets(self, weights: Weights) -> None:
        """Lay the heaviest runs and sets."""
        forms = lay_heaviest(self.hand, weights, keep=self._keep, must=None)
        if forms:
            self._lay(fill(forms, self.hand))

    def lay_pairs(self, *, with_jokers: bool) -> None:
        """Lay all pairs."""
        tiles = [tile for tile in self.hand if with_jokers or not is_joker(tile)]
        pairs = best_pairs(tiles, keep=self._keep - (len(self.hand) - len(tiles)))
        if pairs is not None and pairs.melds:
            self._lay(pairs.melds)

    def lay_off_naturals(self) -> None:
        """Lay off naturals until none fits, a joker bridging a number where that brings a natural along."""
        while len(self.hand) > self._keep:
            move = self._natural_off() or self._bridge()
            if move is None:
                return
            self._lay_off(move)

    def lay_off_jokers(self) -> None:
        """Lay off the jokers that are left, where they fit."""
        for joker in [tile for tile in self.hand if is_joker(tile)]:
            spots = ((meld, shown) for meld, on in enumerate(self._table) for shown in places(on))
            spot = next(spots, None)
            if spot is None or len(self.hand) <= self._keep:
                return
            self._lay_off(LayOff(self._seat, spot[0], (Placed(joker, spot[1]),)))

    def _natural_off(self) -> LayOff | None:
        by_face = {tile // 2: tile for tile in reversed(self.hand) if not is_joker(tile)}
        fits = [
            (-number_of(shown), meld, by_face[shown])
            for meld, on in enumerate(self._table)
            for shown in places(on)
            if shown in by_face
        ]
        if not fits:
            return None
        _, meld, tile = min(fits)
        return LayOff(self._seat, meld, (Placed(tile),))

    def _bridge(self) -> LayOff | None:
        """Find a run that a joker lengthens by one number so that a held tile fits behind it."""
        joker = next((tile for tile in self.hand if is_joker(tile)), None)
        if joker is None or len(self.hand) < self._keep + 2:
            return None
        by_face = {tile // 2: tile for tile in reversed(self.hand) if not is_joker(tile)}
        for meld, on in enumerate(self._table):
            if on.kind is not MeldKind.RUN:
                continue
            for shown in places(on):
                behind = shown + 1 if shown > on.tiles[0].face else shown - 1
                if behind in by_face and colour_of(behind) == colour_of(shown):
                    return LayOff(self._seat, meld, (Placed(joker, shown), Placed(by_face[behind])))
        return None

    def _lay(self, melds: tuple[MeldSpec, ...]) -> None:
        self.moves.append(LayMelds(self._seat, melds))
        for spec in melds:
            self._table.append(_accepted(read_meld(spec)))
            for placed in spec.tiles:
                self.hand.remove(placed.tile)

    def _lay_off(self, move: LayOff) -> None:
        on = self._table[move.meld]
        self._table[move.meld] = MeldLaid(on.kind, _accepted(extend(on, move.tiles)))
        self.moves.append(move)
        for placed in move.tiles:
            self.hand.remove(placed.tile)
