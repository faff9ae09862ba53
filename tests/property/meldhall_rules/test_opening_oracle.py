"""The best opening against exhaustive search, and what must hold for hands too big to search."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random  # noqa: TID251 - hands for tests, from fixed seeds

import pytest
from tests.property.meldhall_rules.oracle import most_pairs, most_points

from meldhall_rules.commands import MeldKind, MeldSpec
from meldhall_rules.melds import meld_value, read_meld
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.opening import Opening, best_opening_value
from meldhall_rules.solve.pairs import best_pairs


def hands(seed: int, count: int, most: int) -> Iterator[tuple[Random, list[int]]]:
    """Yield small hands crowded into few numbers and colours, so that melds compete for tiles."""
    chance = Random(seed)  # noqa: S311 - hands, not secrets
    for _ in range(count):
        low = chance.choice((0, 0, 5, 8, 9))
        numbers = range(low, min(13, low + chance.choice((3, 4, 5, 13))))
        colours = chance.sample(range(4), chance.choice((1, 2, 3, 4)))
        pool = [(colour * 13 + at) * 2 + copy for colour in colours for at in numbers for copy in (0, 1)]
        jokers = chance.choice((0, 0, 1, 1, 2, 2, 3))
        naturals = min(len(pool), chance.randint(2, most - jokers))
        hand = [*chance.sample(pool, naturals), *range(104, 104 + jokers)]
        chance.shuffle(hand)
        yield chance, hand


def big_hands(seed: int, count: int) -> Iterator[tuple[Random, list[int]]]:
    chance = Random(seed)  # noqa: S311 - hands, not secrets
    for _ in range(count):
        jokers = chance.choice((0, 1, 2, 2, 4))
        yield chance, [*chance.sample(range(104), 22 - jokers), *range(104, 104 + jokers)]


def tiles_of(melds: Sequence[MeldSpec]) -> list[int]:
    return [placed.tile for spec in melds for placed in spec.tiles]


def check(hand: Sequence[int], opening: Opening, keep: int, must: int | None) -> None:
    """Check that an opening can be laid from a hand and is worth what it says."""
    used = tiles_of(opening.melds)
    assert len(set(used)) == len(used)
    assert set(used) <= set(hand)
    assert len(hand) - len(used) >= min(keep, len(hand))
    assert must is None or must in used
    points = 0
    for spec in opening.melds:
        laid = read_meld(spec)
        assert not isinstance(laid, Rejection), (spec, laid)
        for placed, shown in zip(spec.tiles, laid.tiles, strict=True):
            assert spec.kind is MeldKind.PAIR or placed.tile == shown.tile
        points += 1 if spec.kind is MeldKind.PAIR else meld_value(laid)
    assert points == opening.value


@pytest.mark.parametrize("seed", range(4))
def test_the_best_opening_is_what_exhaustive_search_finds(seed: int) -> None:
    for chance, hand in hands(seed, 400, most=9):
        keep = chance.choice((0, 1, 1, 2))
        must = chance.choice((None, None, hand[0], max(hand)))
        found = best_opening_value(hand, keep=keep, must=must)
        assert (found.value if found else None) == most_points(hand, keep, must), (hand, keep, must)
        if found is not None:
            check(hand, found, keep, must)


def test_most_pairs_are_what_exhaustive_search_finds() -> None:
    for chance, hand in hands(9, 1200, most=9):
        keep = chance.choice((0, 1, 1, 2))
        must = chance.choice((None, None, hand[0], max(hand)))
        found = best_pairs(hand, keep=keep, must=must)
        assert (found.value if found else None) == most_pairs(hand, keep, must), (hand, keep, must)
        if found is not None:
            check(hand, found, keep, must)


def test_a_bound_changes_no_answer_that_reaches_it() -> None:
    for _, hand in hands(5, 400, most=12):
        best = best_opening_value(hand)
        assert best is not None
        reached = best_opening_value(hand, at_least=best.value)
        assert reached is not None
        assert reached.value == best.value
        assert best_opening_value(hand, at_least=best.value + 1) is None


def test_an_opening_of_a_whole_hand_can_be_laid() -> None:
    for chance, hand in big_hands(6, 150):
        must = chance.choice((None, hand[0]))
        found = best_opening_value(hand, must=must)
        if found is not None:
            check(hand, found, 1, must)
        pairs = best_pairs(hand, must=must)
        if pairs is not None:
            check(hand, pairs, 1, must)


def test_one_more_tile_never_makes_an_opening_worse() -> None:
    for chance, hand in big_hands(7, 50):
        less = best_opening_value(hand[1:])
        more = best_opening_value(hand)
        assert less is not None
        assert more is not None
        assert less.value <= more.value
        natural = next(at for at, tile in enumerate(hand) if tile < 104)
        joker = [*hand[:natural], 110 + chance.randrange(5), *hand[natural + 1 :]]
        better = best_opening_value(joker)
        assert better is not None
        assert better.value >= more.value


def test_the_value_does_not_depend_on_copies_order_or_colours() -> None:
    orders = list(permutations(range(4)))
    for chance, hand in big_hands(8, 40):
        order = chance.choice(orders)
        twins = chance.sample(range(52), 20)

        def moved(tile: int, order: Sequence[int] = order, twins: Sequence[int] = twins) -> int:
            if tile >= 104:
                return tile
            other = tile ^ 1 if tile // 2 in twins else tile
            return order[other // 26] * 26 + other % 26

        changed = [moved(tile) for tile in hand]
        chance.shuffle(changed)
        one, two = best_opening_value(hand), best_opening_value(changed)
        assert one is not None
        assert two is not None
        assert one.value == two.value
        assert best_opening_value(hand) == best_opening_value(sorted(hand))
