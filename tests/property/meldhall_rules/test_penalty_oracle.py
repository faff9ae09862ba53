"""The least penalty of a hand against an enumeration of all melds that knows nothing of the search."""

from functools import cache
from itertools import combinations
from random import Random  # noqa: TID251 - hands for tests, from fixed seeds
from time import perf_counter

import pytest

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.games.three_thirteen.melds import WildRule, read_meld
from meldhall_rules.games.three_thirteen.score import best_discards
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.penalty import least_penalty, least_value


def value(card: int) -> int:
    return min(card % 13 + 1, 10)


def brute(hand: list[int], wild: int, *, all_wild: bool) -> int:
    """Try every subset as a meld, by the reader of melds of the rules, and every way to combine them."""
    rule = WildRule(wild, all_wild)
    count = len(hand)
    masks = []
    for size in range(3, count + 1):
        for chosen in combinations(range(count), size):
            tiles = tuple(Placed(hand[at]) for at in chosen)
            if any(
                not isinstance(read_meld(MeldSpec(kind, tiles), rule), Rejection)
                for kind in (MeldKind.RUN, MeldKind.SET)
            ):
                masks.append(sum(1 << at for at in chosen))

    @cache
    def least(free: int) -> int:
        if not free:
            return 0
        low = free & -free
        best = value(hand[low.bit_length() - 1]) + least(free ^ low)
        for mask in masks:
            if mask & low and not mask & ~free:
                best = min(best, least(free ^ mask))
        return best

    return least((1 << count) - 1)


def hands(seed: int, count: int) -> list[tuple[list[int], int, bool]]:
    """Choose hands that are full of chances: few ranks or suits, many wilds."""
    chance = Random(seed)  # noqa: S311 - hands, not secrets
    found = []
    for _ in range(count):
        wild = chance.randint(3, 13)
        low = chance.randint(1, 9)
        near = range(low, low + chance.randint(3, 6))
        deck = range(chance.choice([52, 104]))
        pool = [card for card in deck if card % 13 + 1 in near]
        wilds = [card for card in deck if card % 13 + 1 == wild and card not in pool]
        size = chance.randint(3, 9)
        jokers = wilds[: chance.choice([0, 0, 1, 2, 3, 5])]
        hand = jokers + chance.sample(pool, size)
        found.append((hand[:10], wild, chance.random() < 0.3))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_least_penalty_is_that_of_the_enumeration(seed: int) -> None:
    for hand, wild, all_wild in hands(seed, 60):
        expected = brute(hand, wild, all_wild=all_wild)
        assert least_value(hand, wild, all_wild=all_wild) == expected, (hand, wild, all_wild)
        best = least_penalty(hand, wild, all_wild=all_wild)
        assert best.value == expected
        assert sum(map(value, best.left)) == expected
        laid = [placed.tile for spec in best.melds for placed in spec.tiles]
        assert sorted([*laid, *best.left]) == sorted(hand)
        for spec in best.melds:
            meld = read_meld(spec, WildRule(wild, all_wild))
            assert not isinstance(meld, Rejection), (hand, wild, spec, meld)


def test_runs_with_many_gaps_are_found() -> None:
    chance = Random(9)  # noqa: S311 - hands, not secrets
    for _ in range(40):
        wilds = [card for card in range(104) if card % 13 == 12][: chance.randint(2, 7)]
        suit = chance.randrange(4)
        ranks = chance.sample(range(12), chance.randint(3, 5))
        hand = wilds + [suit * 13 + rank for rank in ranks]
        assert least_value(hand, 13) == brute(hand, 13, all_wild=False)


def test_the_best_discard_is_that_of_all_discards() -> None:
    for hand, wild, all_wild in hands(11, 40):
        rule = WildRule(wild, all_wild)
        card, penalty = best_discards(hand, rule)[0]
        assert penalty == min(
            least_value([held for held in hand if held != other], wild, all_wild=all_wild) for other in hand
        )
        assert penalty == least_value([held for held in hand if held != card], wild, all_wild=all_wild)


def test_thirteen_cards_are_answered_in_milliseconds() -> None:
    chance = Random(4)  # noqa: S311 - hands, not secrets
    times = []
    for _ in range(200):
        hand, wild = chance.sample(range(104), 13), chance.randint(3, 13)
        start = perf_counter()
        least_penalty(hand, wild)
        times.append(perf_counter() - start)
    times.sort()
    assert times[100] < 0.002
    # Far above what it takes, and far below what an exponential search would.
    assert times[-1] < 0.25
