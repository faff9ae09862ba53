"""The moves that a seat could make, as far as a list can hold them.

Twins are the same move, so of two equal tiles, and of jokers, the one with the lowest id is named. The list
is complete for the draw, the Joker button, the discard, the joker swap and the lay-off of a single tile, a
joker in every identity that fits. Melds would fill books; of them it has:

* before the opening, the opening of the greatest value and that of the most pairs, where they reach the need;
* after it, every single run, set or pair that is open to the seat, a joker standing only for what the hand
  does not hold (joker and tile as a pair are always listed).

A tile from the discard pile is listed with every one of these uses that has it in. Lay-offs of several tiles
and several melds at once are not listed; they can be made one after the other. A list has at most some
hundred moves.

The Joker button is listed where the seat cannot know that it will be refused: where its joker comes out of
the stock, only the stock tells whether one is left. Source: ``deploy/docs/rules/rummy101.md`` 7 to 16, 22, 24
to 38.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    MeldSpec,
    Placed,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.games.rummy101.options import Options, SetJoker, from_canonical
from meldhall_rules.games.rummy101.state import PAIRS
from meldhall_rules.melds import MeldLike, open_colours
from meldhall_rules.solve.arrange import Allowed, places
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.tiles import HIGHEST_NUMBER, face, is_joker
from meldhall_rules.view import Phase, View

Use = LayOpening | LayMelds | LayOff | SwapJoker


def legal_moves(view: View) -> tuple[Command, ...]:
    """List the moves of the viewing seat, empty when it is not on turn; the module says which."""
    if not isinstance(view.viewer, int) or view.hand is None:
        return ()
    if view.turn != view.viewer or view.phase is Phase.OVER:
        return ()
    if view.phase is Phase.DRAW:
        return (*_acquisitions(view, view.viewer), *takes(view))
    discards = tuple(Discard(view.viewer, tile) for tile in _distinct(view.hand))
    return (*(uses(view, view.hand) if may_lay(view) else ()), *discards)


def options_of(view: View) -> Options:
    """Read the options of the table."""
    return from_canonical(dict(view.options))


def may_lay(view: View) -> bool:
    """Tell whether this turn is one in which tiles may be laid at all (rule 8)."""
    return not view.first_turn or options_of(view).starter_may_meld


def takes(view: View) -> tuple[TakeDiscard, ...]:
    """List the ways to take the top discard and use it."""
    if not isinstance(view.viewer, int) or view.hand is None or not view.discards:
        return ()
    taken = view.discards[-1]
    return tuple(TakeDiscard(view.viewer, use) for use in uses(view, (*view.hand, taken), taken))


def uses(view: View, hand: tuple[int, ...], must: int | None = None) -> tuple[Use, ...]:
    """List what can be laid from a hand by the viewing seat, with ``must`` among the tiles if it is given."""
    seat = view.viewer
    if not isinstance(seat, int):
        return ()
    if view.opened[seat] is None:
        return tuple(openings(view, hand, must))
    held = _Held.of(hand, must)
    melds = (LayMelds(seat, (spec,)) for spec in _single_melds(held, allowed_melds(view)))
    return (*melds, *_lay_offs(view, seat, held), *_swaps(view, seat, held))


def swaps(view: View) -> tuple[SwapJoker, ...]:
    """List the jokers on the table that the viewing seat could take, once it has opened."""
    if not isinstance(view.viewer, int) or view.hand is None or view.opened[view.viewer] is None:
        return ()
    return tuple(_swaps(view, view.viewer, _Held.of(view.hand, None)))


def openings(view: View, hand: tuple[int, ...], must: int | None = None) -> Iterator[LayOpening]:
    """Yield the best opening by points and the best by pairs, as far as they reach the need."""
    if not isinstance(view.viewer, int):
        return
    points, pairs = view.need
    by_value = best_opening_value(hand, must=must, at_least=points)
    if by_value is not None:
        yield LayOpening(view.viewer, by_value.melds)
    by_pairs = best_pairs(hand, must=must)
    if by_pairs is not None and by_pairs.value >= pairs:
        yield LayOpening(view.viewer, by_pairs.melds)


def allowed_melds(view: View) -> Allowed:
    """Tell what new melds are open to the viewing seat once it has opened, rules 32 and 33."""
    own = view.opened[view.viewer] if isinstance(view.viewer, int) else None
    by_pairs = own is not None and own.by == PAIRS
    anybody = any(opening is not None and opening.by == PAIRS for opening in view.opened)
    return Allowed(runs_and_sets=own is not None and not by_pairs, pairs=own is not None and anybody)


@dataclass(frozen=True, slots=True)
class _Held:
    """A hand by face: of twins the tile to name, both tiles for a pair, and the jokers."""

    tiles: dict[int, tuple[int, ...]]
    jokers: tuple[int, ...]
    size: int
    must: int | None

    @staticmethod
    def of(hand: tuple[int, ...], must: int | None) -> "_Held":
        tiles: dict[int, tuple[int, ...]] = {}
        jokers: tuple[int, ...] = ()
        for tile in sorted(hand, key=lambda tile: (tile != must, tile)):
            if is_joker(tile):
                jokers += (tile,)
            else:
                tiles[tile // 2] = (*tiles.get(tile // 2, ()), tile)
        return _Held(tiles, jokers, len(hand), must)

    def meld(self, kind: MeldKind, faces: tuple[int, ...]) -> MeldSpec | None:
        """Fill faces with naturals, else with jokers; None if that cannot be or misses ``must``."""
        jokers = iter(self.jokers)
        placed = []
        for shown in faces:
            tiles = self.tiles.get(shown)
            tile = tiles[0] if tiles else next(jokers, None)
            if tile is None:
                return None
            placed.append(Placed(tile, None if tiles else shown))
        names = [one.tile for one in placed]
        if len(placed) >= self.size or all(map(is_joker, names)):
            return None
        if self.must is not None and self.must not in names:
            return None
        return MeldSpec(kind, tuple(placed))


def _acquisitions(view: View, seat: int) -> Iterator[Command]:
    if view.stock_size:
        yield Draw(seat)
        if view.jokers and not view.button_used[seat]:
            yield PressJokerButton(seat)


def _distinct(hand: tuple[int, ...]) -> Iterator[int]:
    """Yield one tile of each face, and one joker."""
    seen = set()
    for tile in sorted(hand):
        shown = None if is_joker(tile) else tile // 2
        if shown not in seen:
            seen.add(shown)
            yield tile


def _single_melds(held: _Held, allowed: Allowed) -> Iterator[MeldSpec]:
    if allowed.runs_and_sets:
        for kind, faces in (*_RUNS, *_SETS):
            spec = held.meld(kind, faces)
            if spec is not None:
                yield spec
    if allowed.pairs and held.size > 2:
        yield from _pairs(held)


def _pairs(held: _Held) -> Iterator[MeldSpec]:
    for shown, tiles in held.tiles.items():
        partners = tuple(Placed(tile) for tile in tiles[1:])
        partners += tuple(Placed(joker, shown) for joker in held.jokers[:1])
        for partner in partners:
            if held.must is None or held.must in (tiles[0], partner.tile):
                yield MeldSpec(MeldKind.PAIR, (Placed(tiles[0]), partner))


def _lay_offs(view: View, seat: int, held: _Held) -> Iterator[LayOff]:
    if held.size < 2:
        return
    open_sets = _open_sets(view)
    for number, meld in enumerate(view.melds):
        for shown in (open_sets and open_colours(meld)) or places(meld):
            tiles = held.tiles.get(shown, ())
            options = tuple(Placed(tile) for tile in tiles[:1])
            options += tuple(Placed(joker, shown) for joker in held.jokers[:1])
            for placed in options:
                if held.must is None or placed.tile == held.must:
                    yield LayOff(seat, number, (placed,))


def _swaps(view: View, seat: int, held: _Held) -> Iterator[SwapJoker]:
    open_sets = _open_sets(view)
    for number, meld in enumerate(view.melds):
        for shown in (open_sets and open_colours(meld)) or _jokers_show(meld):
            tiles = held.tiles.get(shown, ())
            if tiles and held.must in (None, tiles[0]):
                yield SwapJoker(seat, number, tiles[0])


def _open_sets(view: View) -> bool:
    return options_of(view).set_joker_color is SetJoker.OPEN


def _jokers_show(meld: MeldLike) -> tuple[int, ...]:
    return tuple(laid.face for laid in meld.tiles if is_joker(laid.tile))


_RUNS = tuple(
    (MeldKind.RUN, tuple(face(colour, number) for number in range(lowest, highest + 1)))
    for colour in range(4)
    for lowest in range(1, HIGHEST_NUMBER - 1)
    for highest in range(lowest + 2, HIGHEST_NUMBER + 1)
)
_SETS = tuple(
    (MeldKind.SET, tuple(face(colour, number) for colour in colours))
    for number in range(1, HIGHEST_NUMBER + 1)
    for size in (3, 4)
    for colours in combinations(range(4), size)
)
