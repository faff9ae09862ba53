"""Times that keep a round, a match and a waiting table from going on for ever."""

from dataclasses import replace

import pytest
from tests.fixtures.table_domain import LIMITS, START, dealt, folded, opened

from meldhall_rules import commands, registry
from meldhall_rules import events as rules
from meldhall_rules.events import Finish
from meldhall_rules.match import MatchFormat, Mode
from meldhall_table.domain import events, limits, lobby, play
from meldhall_table.domain.events import CloseReason, Limit
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import Due, What, deadline, due, resume

NARROW = replace(LIMITS, fill_ms=40_000, round_ms=90_000, match_ms=200_000)


def playing(*players: str, form: MatchFormat | None = None) -> Table:
    """A table in its first round, between the first turn and the second."""
    table = opened(*("",) * len(players), form=form)
    table = replace(table, limits=NARROW)
    for seat, name in enumerate(players):
        table = folded(table, events.SeatTaken(seat, name, name.encode(), ""))
    table = folded(table, *play.deal(table, (0,) * len(players), START))
    return folded(table, *play.automatic(table, START))


def kinds(new: tuple[events.Event, ...]) -> list[str]:
    return [type(event).__name__ for event in new]


@pytest.mark.parametrize("game", registry.names())
def test_every_game_has_limits_and_a_round_of_absent_players_ends_before_them(game: str) -> None:
    rules_of, known = registry.game(game), limits.GAME_LIMITS[game]
    options = rules_of.parse_options({})
    assert isinstance(options, dict)
    new = lobby.NewTable(
        table_id="t",
        game=game,
        options=tuple(sorted(options.items())),
        form=MatchFormat(rounds=rules_of.match_rules(options).length or 1),
        limits=LIMITS,
        seats=tuple(lobby.SeatPlan(bot="normal") for _ in range(rules_of.min_seats)),
        created_by="host",
        tip=bytes(32),
    )
    table = folded(None, *lobby.create(new))
    table = folded(table, *play.deal(table, (0,) * rules_of.min_seats, START))
    turns = 0
    while table.status is Status.PLAYING:
        table = folded(table, *play.automatic(table, START))
        turns += 1
    assert turns < known.round_turns


def test_defaults_fit_the_time_for_a_turn_and_what_is_said_is_kept() -> None:
    made = limits.with_defaults("rummy101", MatchFormat(), LIMITS)
    assert made.round_ms == 150 * LIMITS.turn_ms
    assert made.match_ms == 12 * (made.round_ms + LIMITS.break_ms)
    long = limits.with_defaults("rummy101", MatchFormat(rounds=100), LIMITS)
    assert long.match_ms == 100 * (made.round_ms + LIMITS.break_ms)
    assert limits.with_defaults("rummy101", MatchFormat(), NARROW) == NARROW
    slow = limits.with_defaults("canasta", MatchFormat(), replace(LIMITS, turn_ms=86_400_000))
    assert (slow.round_ms, slow.match_ms) == (limits.LONGEST_MS, limits.LONGEST_MS)


def test_a_round_and_a_match_have_their_ends_from_the_first_deal_on() -> None:
    table = playing("anna", "ben", form=MatchFormat(rounds=2))
    assert (table.round_deadline_ms, table.match_deadline_ms) == (START + 90_000, START + 200_000)
    table = folded(table, *play.round_limit(table, START + 90_000), at_ms=START + 90_000)
    assert (table.status, table.round_deadline_ms) == (Status.BREAK, 0)
    table = folded(table, *play.deal(table, (0, 0), START + 95_000), at_ms=START + 95_000)
    assert (table.round_deadline_ms, table.match_deadline_ms) == (START + 185_000, START + 200_000)


def test_a_limit_comes_before_the_turn_that_ends_at_the_same_moment() -> None:
    table = playing("anna", "ben")
    assert due(table) == Due(What.AUTOMATIC_TURN, START + 60_000)
    late = replace(table, deadline_ms=START + 90_000)
    assert due(late) == Due(What.ROUND_LIMIT, START + 90_000)
    assert due(replace(late, match_deadline_ms=START + 90_000)) == Due(What.MATCH_LIMIT, START + 90_000)


def test_a_round_whose_time_is_up_ends_as_one_whose_stock_has_run_out() -> None:
    table = playing("anna", "ben", form=MatchFormat(rounds=2))
    new = play.round_limit(table, START + 90_000)
    assert kinds(new) == ["LimitReached", "RoundEnded", "BreakBegan"]
    ended = new[1]
    assert isinstance(ended, events.RoundEnded)
    assert (ended.ending.finish, ended.ending.scores) == (Finish.EXHAUSTED, (-202, -202))
    assert ended.account_changes == (-202, -202)


def test_a_turn_that_has_begun_is_finished_first() -> None:
    table = playing("anna", "ben")
    drawn = play.move(table, commands.Draw(0 if table.round is None else table.round.turn), START)
    assert not isinstance(drawn, Refusal)
    table = folded(table, *drawn)
    assert kinds(play.round_limit(table, START))[:3] == ["LimitReached", "Discarded", "RoundEnded"]


def test_a_match_whose_time_is_up_is_won_by_who_is_ahead() -> None:
    table = playing("anna", "ben", form=MatchFormat(rounds=3, single_winner=True))
    ahead = replace(table, match=replace(table.match, totals=(50, 0), rounds_played=1))  # type: ignore[type-var]
    new = play.match_limit(ahead, START + 200_000)
    assert kinds(new) == ["LimitReached", "RoundEnded", "MatchEnded", "TableClosed"]
    over = new[2]
    assert isinstance(over, events.MatchEnded)
    assert (over.winners, over.totals, over.rounds) == ((0,), (-152, -202), 2)
    assert new[3] == events.TableClosed(CloseReason.MATCH_OVER)
    assert folded(ahead, *new).match_deadline_ms == 0


def test_a_tie_that_would_have_to_be_played_off_leaves_the_match_without_a_winner() -> None:
    table = playing("anna", "ben", form=MatchFormat(mode=Mode.ARENA, rounds=3, stake=5))
    new = play.match_limit(table, START + 200_000)
    assert kinds(new) == ["LimitReached", "RoundEnded", "TableClosed"]
    assert new[-1] == events.TableClosed(CloseReason.TIME_UP)
    shared = playing("anna", "ben", form=MatchFormat(rounds=3))
    assert kinds(play.match_limit(shared, START))[-2:] == ["MatchEnded", "TableClosed"]


def test_the_stakes_of_a_match_that_was_cut_short_move_as_of_any_other() -> None:
    table = playing("anna", "ben", form=MatchFormat(mode=Mode.ARENA, rounds=3, stake=5))
    ahead = replace(table, match=replace(table.match, totals=(0, 1), rounds_played=1))  # type: ignore[type-var]
    over = play.match_limit(ahead, START)[2]
    assert isinstance(over, events.MatchEnded)
    assert over.stake_changes == (-5, 5)


def test_in_a_break_the_match_is_decided_at_once() -> None:
    table = playing("anna", "ben", form=MatchFormat(rounds=3))
    table = folded(table, *play.round_limit(table, START + 90_000), at_ms=START + 199_000)
    assert due(replace(table, deadline_ms=START + 300_000)) == Due(What.MATCH_LIMIT, START + 200_000)
    new = play.match_limit(table, START + 200_000)
    assert kinds(new) == ["LimitReached", "MatchEnded", "TableClosed"]
    assert new[0] == events.LimitReached(Limit.MATCH)


def test_a_match_of_nothing_but_void_rounds_has_no_winner() -> None:
    table = playing("anna", "ben", form=MatchFormat(rounds=3))
    void = events.RoundEnded(
        table.table_id,
        table.game,
        table.form,
        1,
        rules.RoundEnded(Finish.VOID, None, (0, 0)),
        (0, 0),
        ((), ()),
        ("anna", "ben"),
        (False, False),
        (0, 0),
        bytes(32),
    )
    table = folded(table, void, events.BreakBegan(START + 5))
    assert kinds(play.match_limit(table, START + 200_000)) == ["LimitReached", "TableClosed"]


def waiting(*reserved_for: str, mode: Mode = Mode.FRIENDS) -> Table:
    table = opened(*reserved_for, form=MatchFormat(mode=mode))
    return replace(table, limits=NARROW, fill_deadline_ms=START + 40_000)


def test_e5_j3_a_table_with_somebody_in_it_does_not_wait_for_ever() -> None:
    table = folded(waiting("", ""), events.SeatTaken(0, "anna", b"", ""))
    assert due(table) == Due(What.WAITING_OVER, START + 40_000)
    assert deadline(table) == START + 40_000
    assert lobby.waiting_over(table, START + 39_999) == ()
    assert lobby.waiting_over(table, START + 40_000) == (events.TableClosed(CloseReason.NOT_FILLED),)


def test_bots_take_open_seats_of_a_quick_table_when_it_has_waited_long_enough() -> None:
    table = folded(waiting("", "", mode=Mode.QUICK), events.SeatTaken(0, "anna", b"", ""))
    assert lobby.waiting_over(table, START + 39_999) == ()
    assert lobby.waiting_over(table, START + 40_000) == (events.SeatTaken(1, "bot-1", b"", "normal"),)


def test_seats_that_are_kept_are_kept_for_their_own_time() -> None:
    table = folded(waiting("", "ben"), events.SeatTaken(0, "anna", b"", ""))
    assert due(table) == Due(What.WAITING_OVER, START + LIMITS.join_ms)


def test_an_outage_moves_every_deadline() -> None:
    table = playing("anna", "ben")
    (moved,) = resume(table, 7_000)
    assert moved == events.DeadlineMoved(table.deadline_ms + 7_000, 7_000)
    after = folded(table, moved)
    assert (after.deadline_ms, after.round_deadline_ms, after.match_deadline_ms) == (
        table.deadline_ms + 7_000,
        table.round_deadline_ms + 7_000,
        table.match_deadline_ms + 7_000,
    )
    alone = folded(waiting("", ""), events.SeatTaken(0, "anna", b"", ""))
    assert deadline(folded(alone, *resume(alone, 7_000))) == START + 47_000
    assert folded(alone, *resume(alone, 7_000)).round_deadline_ms == 0


def test_k2_a_table_without_limits_goes_on_as_long_as_its_players_do() -> None:
    table = dealt("anna", "ben")
    assert (table.round_deadline_ms, table.match_deadline_ms) == (0, 0)
    assert due(table) == Due(What.AUTOMATIC_TURN, table.deadline_ms)
