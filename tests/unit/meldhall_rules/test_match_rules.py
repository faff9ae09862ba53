"""Matches of games that differ: teams, lowest totals, targets, ties, void rounds, and what they pay."""

import pytest

from meldhall_rules.events import Finish
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.match import (
    MatchFormat,
    MatchRules,
    MatchState,
    Mode,
    Tie,
    account_changes,
    after_round,
    is_over,
    leaders,
    match_changes,
    new_match,
    points_of_match,
    rake,
    refuse_format,
    round_changes,
    winners,
)
from meldhall_rules.rejections import Code

TEAMS = MatchRules(
    team_size=2,
    scores_pay=False,
    round_pays=1000,
    targets=True,
    single_winner_in=frozenset({Mode.FRIENDS, Mode.QUICK, Mode.ARENA}),
)
LOWEST = THREE_THIRTEEN.match_rules({})
TARGET = MatchRules(scores_pay=False, targets=True)


def test_teams_have_one_total_and_every_seat_starts_in_turn() -> None:
    match = new_match(4, 3, TEAMS)
    assert (match.totals, match.seats) == ((0, 0), 4)
    assert [match.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert after_round(match, (100, 50)).starter == 0
    with pytest.raises(ValueError, match="3 seats in teams of 2"):
        new_match(3, 0, TEAMS)


def test_winners_of_a_team_match_are_paid_by_the_rounds_that_were_played() -> None:
    form, match = MatchFormat(rounds=2), new_match(4, 0, TEAMS)
    match = after_round(match, (300, 100))
    assert account_changes(form, match, (300, 100)) == (0, 0, 0, 0)
    match = after_round(match, (0, 500))
    assert winners(form, match) == (1,)
    assert account_changes(form, match, (0, 500)) == (-2000, 2000, -2000, 2000)


def test_a_tie_of_teams_is_played_off_where_points_are_paid_and_shared_in_a_tournament() -> None:
    match = after_round(new_match(4, 0, TEAMS), (70, 70))
    assert not is_over(MatchFormat(), match)
    ranked = MatchFormat(mode=Mode.TOURNAMENT)
    assert winners(ranked, match) == (0, 1)
    assert match_changes(ranked, match) == (0, 0, 0, 0)


def test_the_result_of_a_match_alone_says_what_it_moves() -> None:
    paid = points_of_match(Mode.QUICK, TEAMS, sides=2, won=(1,), rounds=3)
    assert paid == (-3000, 3000, -3000, 3000)
    assert points_of_match(Mode.QUICK, TEAMS, sides=2, won=(0, 1), rounds=3) == (0, 0, 0, 0)
    assert points_of_match(Mode.ARENA, TEAMS, sides=2, won=(1,), rounds=3) == (0, 0, 0, 0)
    assert points_of_match(Mode.QUICK, LOWEST, sides=3, won=(1,), rounds=11) == (0, 0, 0)


def test_scores_that_pay_do_so_for_every_seat_of_a_team() -> None:
    assert round_changes(MatchFormat(), (5, -5), MatchRules(team_size=2)) == (5, -5, 5, -5)
    assert round_changes(MatchFormat(), (5, -5), TEAMS) == (0, 0, 0, 0)


def test_a_target_ends_the_match_when_it_is_reached_however_many_rounds_that_takes() -> None:
    form, match = MatchFormat(target=150), MatchState((130, 149), 9, 0, TARGET)
    assert not is_over(form, match)
    assert winners(form, after_round(match, (20, 0))) == (0,)
    assert winners(form, after_round(match, (19, 1))) == (1,)


def test_the_higher_of_two_totals_beyond_the_target_wins_and_equal_ones_play_on() -> None:
    form = MatchFormat(target=10_000)
    assert winners(form, MatchState((10_050, 10_300), 10, 0, TEAMS)) == (1,)
    assert not is_over(form, MatchState((10_050, 10_050), 10, 0, TEAMS))


def test_a_void_round_leaves_the_match_as_it_was() -> None:
    match = MatchState((40, 50), 2, 1, TARGET)
    assert after_round(match, (0, 0), finish=Finish.VOID) == match


def test_where_the_winner_deals_the_other_of_two_starts() -> None:
    rules = MatchRules(winner_deals=True)
    assert after_round(new_match(2, 0, rules), (10, 0), winner=0).starter == 1
    assert after_round(new_match(2, 1, rules), (10, 0), winner=0).starter == 1
    assert after_round(new_match(2, 0, rules), (0, 0)).starter == 1
    assert after_round(new_match(3, 0, rules), (10, 0, 0), winner=0).starter == 1
    assert after_round(new_match(3, 1, rules), (10, 0, 0), winner=0).starter == 2


def test_lowest_totals_lead_and_ties_are_decided_by_the_rounds() -> None:
    match = new_match(3, 0, LOWEST)
    for winner, scores in ((0, (0, 5, 9)), (2, (9, 5, 0)), (2, (3, 9, 3))):
        match = after_round(match, scores, winner=winner)
    assert leaders(match) == (0, 2)
    assert winners(MatchFormat(rounds=3), match) == (0, 2)
    assert winners(MatchFormat(rounds=3, single_winner=True), match) == (2,)


def test_with_as_many_rounds_won_the_last_round_counts_first() -> None:
    form, match = MatchFormat(rounds=3, single_winner=True), new_match(2, 0, LOWEST)
    for winner, scores in ((None, (4, 4)), (0, (0, 3)), (1, (3, 0))):
        match = after_round(match, scores, winner=winner)
    assert winners(form, match) == (1,)


def test_a_history_is_kept_only_where_ties_are_decided_by_it() -> None:
    assert after_round(new_match(2, 0), (5, 0), winner=0).history == ()
    assert LOWEST.tie is Tie.ROUNDS_PLAYED
    assert len(after_round(new_match(2, 0, LOWEST), (5, 0), winner=1).history) == 1


def test_winners_of_an_arena_share_what_the_losers_pay_and_the_house_keeps_its_part() -> None:
    form = MatchFormat(mode=Mode.ARENA, stake=25, rake_bps=400)
    match = MatchState((48, 51, 48), 1, 0, LOWEST)
    changes = match_changes(form, match)
    assert changes == (12, -25, 12)
    assert sum(changes) + rake(form, 3, 2) == 0
    odd = MatchFormat(mode=Mode.ARENA, stake=25)
    assert match_changes(odd, match) == (13, -25, 12)
    assert match_changes(odd, MatchState((4, 4), 1, 0, LOWEST)) == (0, 0)


def test_a_length_that_the_game_does_not_have_is_refused() -> None:
    assert refuse_format(MatchFormat(rounds=11), LOWEST) is None
    for form in (MatchFormat(rounds=3), MatchFormat(rounds=11, target=100)):
        refused = refuse_format(form, LOWEST)
        assert refused is not None
        assert refused.code is Code.UNKNOWN_OPTION
    assert refuse_format(MatchFormat(target=150), TARGET) is None
    with pytest.raises(ValueError, match="to -1 points"):
        MatchFormat(target=-1)
