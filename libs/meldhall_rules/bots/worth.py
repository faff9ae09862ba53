"""How much a player would miss a tile: what to keep and what to discard.

A tile is worth the melds of three that lack one more tile, each by the copies of that tile that have not been
seen: what lies on the table or in the discard pile twice will not come. Source: ``deploy/docs/solvers.md``.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Final

from meldhall_rules.commands import MeldKind
from meldhall_rules.solve.arrange import places
from meldhall_rules.tiles import FACES, HIGHEST_NUMBER, colour_of, face, is_joker, number_of
from meldhall_rules.view import View

Shape = tuple[int, int, int]

_RUNS: Final[tuple[Shape, ...]] = tuple(
    (face(colour, low), face(colour, low + 1), face(colour, low + 2))
    for colour in range(4)
    for low in range(1, HIGHEST_NUMBER - 1)
)
_SETS: Final[tuple[Shape, ...]] = tuple(
    (face(one, number), face(two, number), face(three, number))
    for number in range(1, HIGHEST_NUMBER + 1)
    for one, two, three in combinations(range(4), 3)
)
SHAPES: Final = tuple(tuple(shape for shape in (*_RUNS, *_SETS) if shown in shape) for shown in range(FACES))
"""By face: the runs and sets of three that it could be in."""

_LIVE: Final = 4
"""How many points of number one live copy of a missing tile outweighs, once the player has opened."""


def live_copies(view: View, hand: Collection[int]) -> list[int]:
    """Count by face the copies that are neither in the hand nor on the table nor in the discard pile."""
    live = [2] * FACES
    seen = [*hand, *view.discards, *(laid.tile for meld in view.melds for laid in meld.tiles)]
    for tile in seen:
        if not is_joker(tile):
            live[tile // 2] -= 1
    return live


def before_opening(view: View, hand: Sequence[int], used: Collection[int]) -> dict[int, int]:
    """Rate tiles for a player who collects points; ``used`` are those of his best opening so far."""
    live = live_copies(view, hand)
    held = {tile // 2 for tile in hand if not is_joker(tile)}
    worth = {}
    for tile in hand:
        if is_joker(tile) or tile in used:
            continue
        worth[tile] = sum(_promise(shape, held, live) * _points(shape) for shape in SHAPES[tile // 2])
        worth[tile] += number_of(tile // 2)
    twins = _second_copies(worth)
    return {tile: value // 2 if tile in twins else value for tile, value in worth.items()}


def after_opening(view: View, left: Sequence[int]) -> dict[int, int]:
    """Rate the tiles that a player who has opened cannot lay now: chances to lay them, less their points."""
    live = live_copies(view, left)
    held = {tile // 2 for tile in left if not is_joker(tile)}
    near = _one_short(view, live)
    worth = {}
    for tile in left:
        if is_joker(tile):
            continue
        shown = tile // 2
        chances = sum(_promise(shape, held, live) for shape in SHAPES[shown]) + near.get(shown, 0)
        worth[tile] = _LIVE * chances - number_of(shown)
    return worth


def _promise(shape: Shape, held: Collection[int], live: Sequence[int]) -> int:
    """Count the live copies of the one tile that a shape lacks; a complete one promises most."""
    missing = [shown for shown in shape if shown not in held]
    if not missing:
        return 4
    return live[missing[0]] if len(missing) == 1 else 0


def _points(shape: Shape) -> int:
    return sum(map(number_of, shape))


def _second_copies(tiles: Collection[int]) -> set[int]:
    return {tile for tile in tiles if tile % 2 and tile - 1 in tiles}


def _one_short(view: View, live: Sequence[int]) -> Mapping[int, int]:
    """Count by face the live copies of the tile between it and the end of a run on the table."""
    near: dict[int, int] = {}
    for meld in view.melds:
        if meld.kind is not MeldKind.RUN:
            continue
        lowest = meld.tiles[0].face
        for shown in places(meld):
            behind = shown - 1 if shown < lowest else shown + 1
            if 0 <= behind < FACES and colour_of(behind) == colour_of(shown):
                near[behind] = near.get(behind, 0) + live[shown]
    return near
