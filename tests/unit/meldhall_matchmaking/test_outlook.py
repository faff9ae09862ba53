from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.outlook import (
    ENOUGH,
    MARKS,
    RECENT_MS,
    Outlook,
    Step,
    Waits,
    estimate_ms,
    marks,
    step_of,
)
from meldhall_matchmaking.domain.ticket import Play, Ticket
from meldhall_matchmaking.domain.windows import BOUND_MS

RANKED = replace(TWO, play=Play.RANKED)


def test_a_position_counts_who_came_before() -> None:
    outlook = Outlook(3, (10, 20, 30))

    assert [outlook.position(ticket("a", at=at)) for at in (10, 20, 30)] == [1, 2, 3]


@pytest.mark.parametrize("waiting", [65, 1_000, 100_000])
def test_a_position_among_many_is_near_the_true_one(waiting: int) -> None:
    outlook = Outlook(waiting, marks(range(waiting)))

    for at in range(0, waiting, max(1, waiting // 50)):
        assert abs(outlook.position(ticket("a", at=at)) - (at + 1)) <= waiting / (MARKS - 1) + 1


def test_marks_begin_with_the_oldest_and_end_with_the_youngest() -> None:
    chosen = marks(range(1_000))

    assert (len(chosen), chosen[0], chosen[-1]) == (MARKS, 0, 999)
    assert marks([5, 6]) == (5, 6)


def test_few_waits_are_no_estimate_and_old_ones_neither() -> None:
    waits = Waits()
    for number in range(ENOUGH - 1):
        waits.add([ticket("a", at=0)], 1_000 + number)
    assert waits.typical_ms(TWO, 2_000) is None

    waits.add([ticket("a", at=0)], 2_000)
    assert waits.typical_ms(TWO, 2_000) == 1_002
    assert waits.typical_ms(THREE, 2_000) is None
    assert waits.typical_ms(TWO, 2_001 + RECENT_MS) is None


def waiting(wish_play: Play = Play.RANKED) -> Ticket:
    return ticket("a", replace(TWO, play=wish_play), at=0, bots_at=10_000)


def test_an_estimate_is_what_others_waited_less_what_was_waited() -> None:
    assert estimate_ms(waiting(), Outlook(1, (), 30_000), 12_000) == 18_000


def test_who_waited_longer_than_others_is_told_nothing() -> None:
    assert estimate_ms(waiting(), Outlook(1, (), 30_000), 30_001) is None
    assert estimate_ms(waiting(), Outlook(1), 5) is None


def test_in_quick_start_bots_end_the_wait() -> None:
    assert estimate_ms(waiting(Play.QUICK), Outlook(1), 4_000) == 6_000
    assert estimate_ms(waiting(Play.QUICK), Outlook(1, (), 5_000), 4_000) == 1_000
    assert estimate_ms(waiting(Play.QUICK), Outlook(1, (), 60_000), 4_000) == 6_000
    assert estimate_ms(waiting(Play.QUICK), Outlook(1), 11_000) == 0


def test_a_step_says_how_far_and_until_when() -> None:
    plain = ticket("a", at=1_000)
    ranked = ticket("a", RANKED, at=1_000)
    located = replace(ranked, latencies=(("europe", 20),))

    assert step_of(plain, 99_000) == Step(None, None, None)
    assert step_of(ranked, 1_000) == Step(100, None, 6_000)
    assert step_of(located, 1_000) == Step(100, 80, 3_000)
    assert step_of(located, 8_000) == Step(150, None, 11_000)
    assert step_of(located, 1_000 + BOUND_MS) == Step(None, None, None)
