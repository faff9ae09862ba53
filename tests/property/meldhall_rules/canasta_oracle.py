"""Canasta melds and openings by brute force, written from the rules and from nothing else.

Slow and plain: every way to divide the tiles of a small hand is tried.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

VALUES = {0: 50, 1: 25, 2: 20, 3: 0, **dict.fromkeys(range(4, 10), 5), **dict.fromkeys(range(10, 14), 10)}


def shown(tile: int) -> int:
    """Return the number of a tile, 0 for a joker."""
    return 0 if tile >= 104 else tile // 2 % 13 + 1


def is_meld(numbers: Sequence[int]) -> bool:
    """Tell whether numbers, jokers as 0, are one meld."""
    naturals = [one for one in numbers if one not in {0, 2}]
    jokers, twos = list(numbers).count(0), list(numbers).count(2)
    if len(numbers) < 3 or 3 in naturals or len(set(naturals)) > 1:
        return False
    if not naturals:
        return jokers < twos and jokers <= 2
    return twos + jokers < len(naturals) and twos + jokers <= 3


def number_of(numbers: Sequence[int]) -> int:
    """Return the number of a meld."""
    return max((one for one in numbers if one not in {0, 2}), default=2)


def divisions(hand: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every choice of melds from a hand, one meld a number at most, each by its numbers."""
    yield ()
    if len(hand) < 3:
        return
    first, rest = hand[0], hand[1:]
    for without in divisions(rest):
        if without:
            yield without
    for size in range(2, len(rest) + 1):
        for others in combinations(range(len(rest)), size):
            meld = (first, *(rest[at] for at in others))
            if not is_meld(meld):
                continue
            left = tuple(tile for at, tile in enumerate(rest) if at not in others)
            for more in divisions(left):
                if all(number_of(one) != number_of(meld) for one in more):
                    yield (meld, *more)


def best_value(hand: Sequence[int], pile: Sequence[int] = ()) -> int | None:
    """Return the most that an opening can be worth, 0 without a meld; None if the pile cannot be taken."""
    numbers = tuple(sorted(map(shown, (*hand, *pile[-1:]))))
    top = shown(pile[-1]) if pile else None
    if top in {0, 2, 3}:
        return None
    best = None
    for melds in divisions(numbers):
        laid = [number for meld in melds for number in meld]
        left = len(hand) + len(pile) - len(laid)
        if left < (1 if any(len(meld) >= 7 for meld in melds) else 2):
            continue
        if top is not None and not any(list(meld).count(top) >= 3 for meld in melds):
            continue
        value = sum(VALUES[number] for number in laid)
        best = value if best is None else max(best, value)
    return best
