"""Whole rounds of bots: never refused, never stuck, mostly won by going out."""

from collections import Counter

from tests.property.meldhall_rules.rounds import dealt, states

from meldhall_rules.bots import rummy101 as bot
from meldhall_rules.events import Finish
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.view import Phase


def endings(seats: int, rounds: int) -> Counter[Finish]:
    counted: Counter[Finish] = Counter()
    for number in range(rounds):
        opening = "rising" if number % 4 == 3 else "fixed"
        *_, last = states(dealt(number, seats, opening=opening, spare=number % 2), bot.choose)
        assert last.phase is Phase.OVER
        assert last.ending is not None
        counted[last.ending.finish] += 1
    print(seats, dict(counted))  # noqa: T201 - shown by pytest -s
    return counted


def test_two_bots_nearly_always_go_out() -> None:
    assert endings(2, 70)[Finish.EXHAUSTED] <= 7


def test_three_bots_mostly_go_out() -> None:
    assert endings(3, 70)[Finish.EXHAUSTED] <= 18


def test_four_bots_go_out_more_often_than_not() -> None:
    assert endings(4, 60)[Finish.EXHAUSTED] <= 30


def test_the_same_view_and_salt_always_give_the_same_move() -> None:
    for state in states(dealt(5, 3), bot.choose):
        if state.phase is not Phase.OVER:
            view = RUMMY101.view(state, state.turn)
            assert bot.choose(view, 7) == bot.choose(view, 7)


def test_salt_only_breaks_ties_and_never_leads_astray() -> None:
    for salt in range(1, 6):
        *_, last = states(dealt(11, 2), lambda view, salt=salt: bot.choose(view, salt))  # type: ignore[misc]
        assert last.phase is Phase.OVER
