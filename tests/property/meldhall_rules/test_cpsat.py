"""The solvers against CP-SAT on random hands of whole size.

Some hundred hands; `MELDHALL_ORACLE=long` asks about thousands, in some minutes.
"""

import os
from collections.abc import Iterator, Sequence
from random import Random  # noqa: TID251 - hands for tests, from fixed seeds

import pytest
from tests.property.meldhall_rules.cpsat_games import canasta_opening_model, rummy_model

from meldhall_cli.bench.cpsat import opening_model, pairs_model, penalty_model
from meldhall_rules.canasta_tiles import is_bonus
from meldhall_rules.games.rummy.score import card_value
from meldhall_rules.solve.canasta_opening import best_opening
from meldhall_rules.solve.lay import best_plan
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.solve.penalty import least_penalty, least_value

LONG = os.environ.get("MELDHALL_ORACLE") == "long"
FACTOR = 25 if LONG else 1
pytestmark = pytest.mark.timeout(3600 if LONG else 120)


def chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - hands, not secrets


def card_hands(seed: int, count: int) -> Iterator[tuple[list[int], int]]:
    """Yield 3 to 14 cards of one deck or two and a wild rank; some are crowded, some have many wilds."""
    some = chance(seed)
    for number in range(count):
        wild = some.randint(1, 13)
        deck = list(range(some.choice((52, 104))))
        size = some.choice((some.randint(3, 14), 13, 14))
        if number % 3 == 0:
            low = some.randint(1, 9)
            deck = [card for card in deck if low <= card % 13 + 1 <= low + 4 or card % 13 + 1 == wild]
        wilds = [card for card in deck if card % 13 + 1 == wild]
        hand = some.sample(wilds, min(len(wilds), size, some.choice((0, 0, 0, 2, 4, 6))))
        rest = [card for card in deck if card not in hand]
        yield [*hand, *some.sample(rest, min(size - len(hand), len(rest)))], wild


def tile_hands(seed: int, count: int) -> Iterator[list[int]]:
    """Yield up to 24 tiles with up to 4 jokers; every third hand takes them from few numbers or colours."""
    some = chance(seed)
    for number in range(count):
        pool = list(range(104))
        if number % 3 == 0:
            low, colours = some.randint(0, 6), some.sample(range(4), some.choice((2, 3, 4)))
            pool = [tile for tile in pool if low <= tile // 2 % 13 <= low + 6 and tile // 26 in colours]
        jokers = some.randint(0, 4)
        size = some.choice((24, 22, 21, some.randint(5, 24)))
        yield [*some.sample(pool, min(size - jokers, len(pool))), *range(104, 104 + jokers)]


def size_of(hand: Sequence[int]) -> str:
    return f"{len(hand)}: {sorted(hand)}"


@pytest.mark.parametrize("seed", range(2))
def test_no_hand_of_three_thirteen_costs_less(seed: int) -> None:
    some = chance(100 + seed)
    for hand, wild in card_hands(seed, 130 * FACTOR):
        all_wild = some.random() < 0.3
        expected = penalty_model(hand, wild, all_wild=all_wild).best()
        assert least_value(hand, wild, all_wild=all_wild) == expected, (size_of(hand), wild, all_wild)
        assert least_penalty(hand, wild, all_wild=all_wild).value == expected


@pytest.mark.parametrize("seed", range(2))
def test_no_opening_of_rummy_101_is_worth_more(seed: int) -> None:
    some = chance(200 + seed)
    for hand in tile_hands(seed, 25 * FACTOR):
        keep = some.choice((0, 0, 1, 2))
        found = best_opening_value(hand, keep=keep)
        assert found is not None
        assert found.value == opening_model(hand, keep).best(), (size_of(hand), keep)


def test_no_opening_of_rummy_101_has_more_pairs() -> None:
    some = chance(300)
    for hand in tile_hands(7, 100 * FACTOR):
        keep = some.choice((0, 0, 1, 2))
        found = best_pairs(hand, keep=keep)
        assert found is not None
        assert found.value == pairs_model(hand, keep).best(), (size_of(hand), keep)


def test_no_opening_of_canasta_is_worth_more() -> None:
    some = chance(400)
    for number in range(100 * FACTOR):
        numbers = some.sample((1, *range(4, 14)), some.choice((3, 5, 11)))
        allowed = {*numbers, 2, 3} if number % 2 else set(range(1, 14))
        pool = [tile for tile in range(104) if tile // 2 % 13 + 1 in allowed and not is_bonus(tile)]
        wilds = [104, 105, 106] + [tile for tile in pool if tile // 2 % 13 == 1]
        hand = some.sample(wilds, some.randint(0, 6))
        rest = [tile for tile in pool if tile not in hand]
        hand += some.sample(rest, min(some.randint(3, 30), len(rest) - 5))
        found = best_opening(hand)
        expected = canasta_opening_model(hand).best() if len(hand) >= 2 else None
        assert (found.value if found else None) == expected, size_of(hand)
        top = [tile for tile in rest if tile not in hand and tile // 2 % 13 + 1 in numbers]
        if not top:
            continue
        below = [tile for tile in rest if tile not in (*hand, *top)]
        pile = (*below[: some.randint(0, 3)], top[0])
        taken = best_opening(hand, pile=pile)
        try:
            expected = canasta_opening_model(hand, pile).best()
        except ValueError:
            expected = None
        assert (taken.value if taken else None) == expected, (size_of(hand), pile)


def test_no_melds_of_basic_rummy_leave_less() -> None:
    some = chance(500)
    for number in range(200 * FACTOR):
        ace_high = some.random() < 0.5
        deck = [card for card in range(52) if number % 3 or card % 13 < 5 or card % 13 > 10]
        hand = some.sample(deck, some.randint(3, 11))
        new_melds = some.choice((None, None, 1, 2))

        def value(card: int, *, ace_high: bool = ace_high) -> int:
            return card_value(card, ace_high=ace_high)

        found = best_plan(0, hand, (), value, ace_high=ace_high, new_melds=new_melds)
        expected = rummy_model(hand, ace_high=ace_high, new_melds=new_melds).best()
        assert found.value == expected, (size_of(hand), ace_high, new_melds)
