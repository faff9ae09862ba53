"""A slow and plain solver: every meld that a hand could make, and every way to take some of them.

It shares nothing with the solvers under test, not even the way tiles are counted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

Name = tuple[int, int]
"""A colour and a number."""


def name(tile: int) -> Name:
    return tile // 26, tile // 2 % 13 + 1


def shapes() -> Iterator[tuple[Name, ...]]:
    for colour in range(4):
        for low in range(1, 12):
            for high in range(low + 2, 14):
                yield tuple((colour, number) for number in range(low, high + 1))
    for number in range(1, 14):
        for size in (3, 4):
            for colours in combinations(range(4), size):
                yield tuple((colour, number) for colour in colours)


SHAPES = tuple(shapes())

Meld = tuple[tuple[Name, ...], int, int]
"""The natural tiles of a meld, how many jokers it has, and its points."""


def melds_of(hand: Sequence[int]) -> list[Meld]:
    """List the melds that a hand could make, each joker in each place, the dearest first."""
    held = {name(tile) for tile in hand if tile < 104}
    jokers = sum(tile >= 104 for tile in hand)
    best: dict[tuple[tuple[Name, ...], int], int] = {}
    for shape in SHAPES:
        points = sum(number for _, number in shape)
        have = [one for one in shape if one in held]
        for spent in range(max(0, len(shape) - len(have)), min(jokers, len(shape) - 1) + 1):
            for naturals in combinations(have, len(shape) - spent):
                key = naturals, spent
                best[key] = max(points, best.get(key, 0))
    return sorted(((*key, points) for key, points in best.items()), key=lambda meld: -meld[2])


def most_points(hand: Sequence[int], keep: int, must: int | None) -> int | None:
    """Return the most points of disjoint melds, None if ``must`` can be in none of them."""
    melds = melds_of(hand)
    left = Counter(name(tile) for tile in hand if tile < 104)
    best: int | None = None

    def take(first: int, jokers: int, tiles: int, points: int, used: bool) -> None:
        nonlocal best
        if used and (best is None or points > best):
            best = points
        for at in range(first, len(melds)):
            naturals, spent, gain = melds[at]
            size = len(naturals) + spent
            if spent > jokers or tiles - size < keep or any(not left[one] for one in naturals):
                continue
            left.subtract(naturals)
            has = must is None or (spent > 0 if must >= 104 else name(must) in naturals)
            take(at, jokers - spent, tiles - size, points + gain, used or has)
            left.update(naturals)

    take(0, sum(tile >= 104 for tile in hand), len(hand), 0, must is None)
    return best


def most_pairs(hand: Sequence[int], keep: int, must: int | None) -> int | None:
    """Return the most pairs, None if ``must`` can be in none of them."""
    tiles = list(hand)
    best: int | None = None

    def pair(first: int, free: frozenset[int], pairs: int, used: bool) -> None:
        nonlocal best
        if used and (best is None or pairs > best):
            best = pairs
        if len(free) - 2 < keep:
            return
        for at in range(first, len(tiles)):
            one = tiles[at]
            if one not in free:
                continue
            for other in tiles[at + 1 :]:
                naturals = [tile for tile in (one, other) if tile < 104]
                if other in free and naturals and len({name(tile) for tile in naturals}) == 1:
                    pair(at + 1, free - {one, other}, pairs + 1, used or must in (one, other))

    pair(0, frozenset(tiles), 0, must is None)
    return best
