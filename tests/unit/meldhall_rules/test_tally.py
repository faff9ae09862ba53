"""What a simulation comes to, reckoned by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from meldhall_rules.commands import Draw
from meldhall_rules.events import Finish, RoundDealt, RoundEnded
from meldhall_rules.game import RoundSetup
from meldhall_rules.simulate import PlayedRound, RoundPlan
from meldhall_rules.tally import Tally

SETUP = RoundSetup(1, 2, 0, bytes(32), (0, 0))
DEALT = RoundDealt("rummy", 1, (), 1, 2, 0, (), bytes(32), (0, 0))


def played(deal: int, bots: tuple[int, ...], scores: Sequence[int], winner: int | None = 0) -> PlayedRound:
    plan = RoundPlan(0, deal, 0, SETUP, bots)
    ended = RoundEnded(Finish.VOID if winner is None else Finish.NORMAL, winner, tuple(scores))
    return PlayedRound(plan, DEALT, (Draw(0), Draw(1)), 0, ended, None)


def tally_of(*rounds: PlayedRound, lowest_wins: bool = False) -> Tally:
    tally = Tally(("strong", "easy"), lowest_wins)
    for one in rounds:
        tally.add(one)
    return tally


def test_the_margin_is_the_mean_over_deals_whoever_sat_where() -> None:
    # Deal 0: strong is better by 10 and by 20, deal 1 by 30 and worse by 20, so 15 and 5.
    summary = tally_of(
        played(0, (0, 1), (10, 0)),
        played(0, (1, 0), (0, 20)),
        played(1, (0, 1), (30, 0)),
        played(1, (1, 0), (20, 0)),
    ).summary()
    assert summary.margin is not None
    assert summary.margin.mean == 10
    assert summary.margin.deals == 2


def test_the_interval_is_that_of_student() -> None:
    rounds = [played(deal, (0, 1), (score, 0)) for deal, score in enumerate((1, 2, 3, 4, 5, 6, 7, 8, 9))]
    margin = tally_of(*rounds).summary().margin
    assert margin is not None
    # Nine values, mean 5, standard deviation 2.7386; t with eight degrees of freedom is 2.306.
    assert margin.low == pytest.approx(5 - 2.306 * 2.7386 / 3, abs=0.01)
    assert margin.high == pytest.approx(5 + 2.306 * 2.7386 / 3, abs=0.01)


def test_a_single_deal_has_no_interval() -> None:
    margin = tally_of(played(0, (0, 1), (10, 0)), played(0, (1, 0), (0, 20))).summary().margin
    assert margin is not None
    assert (margin.low, margin.high) == (None, None)


def test_where_the_lowest_wins_fewer_points_are_a_positive_margin() -> None:
    margin = tally_of(played(0, (0, 1), (0, 12)), lowest_wins=True).summary().margin
    assert margin is not None
    assert margin.mean == 12


def test_sides_of_one_bot_count_by_their_mean() -> None:
    rounds = [played(0, (0, 1, 0), (10, 0, 4)), played(0, (1, 0, 1), (0, 9, 3))]
    summary = tally_of(*rounds).summary()
    assert summary.margin is not None
    assert summary.margin.mean == 7.25
    assert [(bot.played, bot.mean_score) for bot in summary.bots] == [(3, 7.6667), (3, 1.0)]


def test_wins_and_finishes_are_counted_by_bot_and_kind() -> None:
    rounds = [
        played(0, (0, 1), (5, 0)),
        played(0, (1, 0), (5, 0)),
        played(1, (0, 1), (0, 0), winner=None),
    ]
    summary = tally_of(*rounds, replace(rounds[0], faults=2)).summary()
    assert [bot.wins for bot in summary.bots] == [2, 1]
    assert summary.finishes == (("normal", 3), ("void", 1))
    assert (summary.rounds, summary.moves, summary.faults) == (4, 8, 2)


def test_a_bot_alone_has_no_margin() -> None:
    tally = Tally(("strong",), lowest_wins=False)
    tally.add(played(0, (0, 0), (5, 0)))
    assert tally.summary().margin is None


def test_moves_are_counted_over_all_rounds() -> None:
    assert tally_of().moves == 0
    assert tally_of(played(0, (0, 1), (10, 0)), played(0, (1, 0), (0, 20))).moves == 4
