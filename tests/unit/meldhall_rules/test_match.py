"""Totals over several rounds and the account (rules 4, 46-50; vectors 44 and 45)."""

import pytest

from meldhall_rules.match import (
    MatchFormat,
    MatchState,
    Mode,
    account_changes,
    after_round,
    is_over,
    leaders,
    match_changes,
    new_match,
    next_starter,
    rake,
    refuse_deal,
    round_changes,
    winners,
)
from meldhall_rules.rejections import Code

ARENA = MatchFormat(mode=Mode.ARENA, rounds=3, stake=500)


def test_the_start_passes_to_the_next_seat() -> None:
    assert [next_starter(seat, 4) for seat in range(4)] == [1, 2, 3, 0]
    assert after_round(new_match(3, 2), (1, 2, 3)).starter == 0


def test_round_results_are_added_up() -> None:
    match = after_round(after_round(new_match(2, 0), (-202, 101)), (101, -18))
    assert match == MatchState((-101, 83), 2, 0)


def test_a_result_for_another_number_of_seats_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="zip"):
        after_round(new_match(3, 0), (101, -202))


def test_the_match_is_over_after_its_rounds() -> None:
    form = MatchFormat(rounds=2)
    match = after_round(new_match(2, 0), (101, -202))
    assert not is_over(form, match)
    assert winners(form, match) == ()
    match = after_round(match, (-404, 202))
    assert is_over(form, match)
    assert winners(form, match) == (1,)


def test_equal_totals_share_the_win_where_no_single_winner_is_needed() -> None:
    form, match = MatchFormat(rounds=1), MatchState((101, -5, 101), 1, 0)
    assert winners(form, match) == (0, 2)


@pytest.mark.parametrize("form", [MatchFormat(single_winner=True), MatchFormat(mode=Mode.ARENA)])
def test_equal_totals_are_played_off_where_one_winner_is_needed(form: MatchFormat) -> None:
    tied = MatchState((40, 50, 50), 1, 1)
    assert not is_over(form, tied)
    assert leaders(tied) == (1, 2)
    decided = after_round(tied, (101, -202, -5))
    assert winners(form, decided) == (0,), "who was not tied may pass the leaders"


def test_the_next_deal_waits_for_the_round_and_never_follows_the_match() -> None:
    form, match = MatchFormat(rounds=1), new_match(2, 0)
    during = refuse_deal(form, match, round_over=False)
    assert during is not None
    assert during.code is Code.ROUND_NOT_OVER
    assert refuse_deal(form, match, round_over=True) is None
    after = refuse_deal(form, after_round(match, (101, -202)), round_over=True)
    assert after is not None
    assert after.code is Code.MATCH_OVER


@pytest.mark.parametrize("mode", [Mode.FRIENDS, Mode.QUICK])
def test_vector_44_every_round_moves_the_account(mode: Mode) -> None:
    form = MatchFormat(mode=mode, rounds=2)
    match, change = new_match(2, 0), 0
    for scores in ((101, -202), (-18, 101)):
        match = after_round(match, scores)
        change += account_changes(form, match, scores)[1]
    assert change == -101
    assert match_changes(form, match) == (0, 0)


def test_vector_45_the_arena_moves_the_stakes_at_the_end() -> None:
    match = MatchState((0, -101, -202, 20), 2, 0)
    assert account_changes(ARENA, match, (0, -1, -2, 3)) == (0, 0, 0, 0)
    match = after_round(match, (101, -202, -202, -202))
    assert account_changes(ARENA, match, (101, -202, -202, -202)) == (1500, -500, -500, -500)
    assert round_changes(ARENA, (101, -202, -202, -202)) == (0, 0, 0, 0)


@pytest.mark.parametrize(("bps", "net", "house"), [(0, 500, 0), (333, 483, 17), (10_000, 0, 500)])
def test_the_rake_is_rounded_up_and_nothing_is_lost(bps: int, net: int, house: int) -> None:
    form = MatchFormat(mode=Mode.ARENA, stake=500, rake_bps=bps)
    changes = match_changes(form, MatchState((5, 4, 3), 1, 0))
    assert changes == (2 * net, -500, -500)
    assert rake(form, 3) == 2 * house
    assert sum(changes) + rake(form, 3) == 0


def test_an_extra_round_does_not_multiply_the_stake() -> None:
    tied = MatchState((101, 101), 3, 1)
    assert match_changes(ARENA, tied) == (0, 0)
    assert match_changes(ARENA, after_round(tied, (101, -202))) == (500, -500)


def test_a_tournament_only_ranks() -> None:
    form = MatchFormat(mode=Mode.TOURNAMENT, stake=500)
    match = after_round(new_match(2, 0), (101, -202))
    assert account_changes(form, match, (101, -202)) == (0, 0)
    assert rake(form, 2) == 0
    assert winners(form, match) == (0,)


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"stake": -1}, {"rake_bps": 10_001}, {"rake_bps": -1}])
def test_a_format_that_cannot_be_played_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"rounds|stake|rake"):
        MatchFormat(**wrong)  # type: ignore[arg-type]
