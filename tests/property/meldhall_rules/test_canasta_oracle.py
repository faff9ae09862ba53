"""Melds and the best opening of Canasta against an oracle that tries everything."""

from itertools import combinations_with_replacement
from random import Random  # noqa: TID251 - choices for tests, from fixed seeds

import pytest
from tests.property.meldhall_rules import canasta_oracle as oracle

from meldhall_rules.canasta_tiles import is_bonus, value
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.games.canasta.melds import read_meld
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.canasta_opening import best_opening, thrifty_opening

TILES = {
    number: [tile for tile in range(104) if oracle.shown(tile) == number and not is_bonus(tile)]
    for number in range(1, 14)
} | {0: [104, 105, 106, 107]}


def tiles_of(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(TILES[number][numbers[:at].count(number)] for at, number in enumerate(numbers))


@pytest.mark.parametrize("size", range(8))
def test_every_combination_of_a_few_numbers_is_read_as_the_rules_say(size: int) -> None:
    for numbers in combinations_with_replacement((0, 2, 3, 4, 13), size):
        if numbers.count(0) > 4 or numbers.count(3) > 4:
            continue
        spec = MeldSpec(MeldKind.SET, tuple(map(Placed, tiles_of(numbers))))
        assert isinstance(read_meld(spec), Rejection) != oracle.is_meld(numbers), numbers


def hands(seed: int, count: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return hands of few numbers, so that melds are dense, and piles of some tiles."""
    chance = Random(seed)  # noqa: S311 - choices, not secrets
    found = []
    for _ in range(count):
        numbers = chance.sample((1, *range(3, 14)), 3)
        some = [tile for number in (*numbers, 0, 2) for tile in TILES[number][:5]]
        drawn = chance.sample(some, chance.randint(3, 10))
        below = chance.randint(0, 2)
        found.append((tuple(drawn[below + 1 :]), tuple(drawn[: below + 1])))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_best_opening_is_the_best(seed: int) -> None:
    for hand, _ in hands(seed, 60):
        found = best_opening(hand)
        expected = oracle.best_value(hand)
        assert (found.value if found else None) == expected, hand


@pytest.mark.parametrize("seed", range(4, 8))
def test_the_best_opening_with_the_pile_is_the_best(seed: int) -> None:
    for hand, pile in hands(seed, 60):
        found = best_opening(hand, pile=pile)
        assert (found.value if found else None) == oracle.best_value(hand, pile), (hand, pile)


@pytest.mark.parametrize("seed", range(8, 10))
def test_an_opening_is_of_the_hand_and_worth_what_it_says(seed: int) -> None:
    for hand, pile in hands(seed, 150):
        for top in ((), pile):
            best = best_opening(hand, pile=top)
            if best is None:
                continue
            tiles = [placed.tile for spec in best.melds for placed in spec.tiles]
            assert len(set(tiles)) == len(tiles)
            assert set(tiles) <= {*hand, *top[-1:]}
            assert sum(map(value, tiles)) == best.value
            assert not any(isinstance(read_meld(spec), Rejection) for spec in best.melds)
            assert not top or top[-1] in tiles
            thrifty = thrifty_opening(hand, best.value, pile=top)
            assert thrifty is not None
            assert thrifty.value == best.value
            assert thrifty_opening(hand, best.value + 1, pile=top) is None
            assert best_opening(hand, at_least=best.value + 1, pile=top) is None
