"""Deal, phases, the Joker button, the automatic turn, the order of refusals and the view of Rummy 101."""

from dataclasses import replace

import pytest
from tests.unit.meldhall_rules.positions import events, hand, play, position, refusal, refused

from meldhall_rules.commands import (
    AutoTurn,
    Discard,
    Draw,
    GoOut,
    LayMelds,
    LayOff,
    LayOpening,
    Placed,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import Discarded, JokerSwapped, RoundDealt, RoundEnded, StockDrawn
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.auto import chosen_discard
from meldhall_rules.games.rummy101.options import OpeningMode, Options, from_canonical
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import SPECTATOR, Phase

OPENED = {0: "melds 101", 1: "melds 101"}
DEFAULTS = {
    "joker_button_source": "extra",
    "joker_discard_penalty": "0",
    "opening": "fixed",
    "playable_discard_penalty": "0",
    "set_joker_color": "fixed",
    "starter_may_meld": "true",
}


def deal(seats: int, starter: int, spare: int = 0) -> RoundDealt:
    setup = RoundSetup(1, seats, starter, bytes(range(32)), (spare,) * seats)
    return RUMMY101.deal({"opening": "fixed"}, setup)


def dealt(seats: int, starter: int) -> State:
    return RUMMY101.evolve(None, deal(seats, starter))


def code(state: State, command: object) -> Code:
    answer = RUMMY101.decide(state, command)  # type: ignore[arg-type]
    assert isinstance(answer, Rejection), answer
    return answer.code


@pytest.mark.parametrize(("seats", "stock"), [(2, 63), (3, 42), (4, 21)])
def test_the_starter_is_dealt_22_tiles_and_everybody_else_21(seats: int, stock: int) -> None:
    for starter in range(seats):
        view = RUMMY101.view(dealt(seats, starter), SPECTATOR)
        assert view.hand_sizes == tuple(22 if seat == starter else 21 for seat in range(seats))
        assert (view.stock_size, view.turn, view.phase, view.first_turn) == (stock, starter, Phase.PLAY, True)


def test_the_deal_holds_every_tile_once_and_carries_its_key() -> None:
    event = deal(4, 1)
    assert sorted(event.order) == list(range(106))
    assert event.shuffle_key == bytes(range(32))
    assert event == deal(4, 1)
    state = RUMMY101.evolve(None, event)
    assert hand(state, 1) == tuple(sorted(event.order[:22]))
    assert hand(state, 2) == tuple(sorted(event.order[22:43]))


@pytest.mark.parametrize(
    "setup",
    [
        RoundSetup(1, 1, 0, bytes(32), (0,)),
        RoundSetup(1, 5, 0, bytes(32), (0,) * 5),
        RoundSetup(1, 2, 2, bytes(32), (0, 0)),
        RoundSetup(1, 2, 0, bytes(32), (0,)),
        RoundSetup(1, 2, 0, bytes(32), (0, -1)),
    ],
)
def test_a_deal_that_cannot_be_is_a_bug_of_the_caller(setup: RoundSetup) -> None:
    with pytest.raises(ValueError, match=r"rummy101|starter|spare"):
        RUMMY101.deal({"opening": "fixed"}, setup)


def test_options_are_checked_by_name_and_value() -> None:
    assert RUMMY101.parse_options({}) == DEFAULTS
    assert RUMMY101.parse_options({"opening": "rising"}) == DEFAULTS | {"opening": "rising"}
    name = RUMMY101.parse_options({"openning": "rising"})
    value = RUMMY101.parse_options({"opening": "falling"})
    number = RUMMY101.parse_options({"opening": 101})
    for answer, named in ((name, "openning"), (value, "falling"), (number, "101")):
        assert isinstance(answer, Rejection)
        assert answer.code is Code.UNKNOWN_OPTION
        assert named in answer.detail
    with pytest.raises(ValueError, match="falling"):
        from_canonical({"opening": "falling"})


def test_a_deal_logged_before_an_option_existed_is_the_game_that_it_was() -> None:
    setup = RoundSetup(1, 2, 0, bytes(32), (0, 0))
    now = RUMMY101.deal(DEFAULTS, setup)
    then = replace(now, options=(("opening", "rising"),))
    assert RUMMY101.evolve(None, then).frame.options == Options(opening=OpeningMode.RISING)


def test_nothing_folds_before_the_deal() -> None:
    with pytest.raises(ValueError, match="StockDrawn before the deal"):
        RUMMY101.evolve(None, StockDrawn(0, 1))


def test_a_swap_that_never_was_does_not_fold() -> None:
    state = position(["R1 R2", "Y1"], melds=["1 run:R9,R10,*"], opened=OPENED)
    with pytest.raises(ValueError, match="meld 0 has no joker that stands for tile 2"):
        RUMMY101.evolve(state, JokerSwapped(0, 0, 2, 104))


def test_a_turn_is_a_draw_and_a_discard_in_seat_order() -> None:
    start = position(["R1 R2", "Y1 Y2"], phase=Phase.DRAW, stock="K1 K2 K3")
    assert refused(start, "0 discard R1") is Code.WRONG_PHASE
    after = play(start, "0 draw")
    assert refused(after, "0 draw") is Code.WRONG_PHASE
    after = play(after, "0 discard R1")
    assert (after.turn, after.phase, after.discards) == (1, Phase.DRAW, (0,))
    assert refused(after, "0 draw") is Code.NOT_YOUR_TURN


def test_the_first_question_is_whether_the_round_is_over() -> None:
    over = play(position(["R1", "Y1"], opened=OPENED), "0 discard R1")
    for seat in (0, 1):
        for command in (Draw(seat), AutoTurn(seat), Discard(seat, 200), PressJokerButton(seat)):
            assert code(over, command) is Code.ROUND_OVER


def test_the_second_question_is_whose_turn_it_is() -> None:
    start = position(["R1 R2", "Y1 Y2"], opened=OPENED)
    for seat in (1, 2, -1):
        for command in (Draw(seat), Discard(seat, 200), AutoTurn(seat), TakeDiscard(seat)):
            assert code(start, command) is Code.NOT_YOUR_TURN


def test_the_third_question_is_the_phase() -> None:
    start = position(["R1 R2", "Y1 Y2"], phase=Phase.DRAW)
    for command in (
        Discard(0, 200),
        LayOpening(0, ()),
        LayMelds(0, ()),
        LayOff(0, 9, (Placed(200),)),
        SwapJoker(0, 9, 200),
    ):
        assert code(start, command) is Code.WRONG_PHASE
    playing = position(["R1 R2", "Y1 Y2"], discard="K1", jokers=(0, 0))
    for acquisition in (Draw(0), PressJokerButton(0), TakeDiscard(0)):
        assert code(playing, acquisition) is Code.WRONG_PHASE


def test_the_fourth_question_is_whether_the_tiles_are_held() -> None:
    start = position(["R1 R2", "Y1 Y2"])
    for command in (Discard(0, 30), LayOff(0, 9, (Placed(30),)), SwapJoker(0, 9, 30)):
        assert code(start, command) is Code.TILE_NOT_HELD


def test_the_use_of_a_taken_tile_is_the_takers_own() -> None:
    start = position(["R4 R5 K1", "Y1"], phase=Phase.DRAW, discard="R6", opened=OPENED)
    assert code(start, TakeDiscard(0, SwapJoker(1, 0, 10))) is Code.NOT_YOUR_TURN
    assert code(position(["R4", "Y1"], phase=Phase.DRAW), TakeDiscard(0)) is Code.NOTHING_TO_TAKE


def test_nobody_goes_out_by_a_command_of_another_game() -> None:
    assert code(position(["R1", "Y1"]), GoOut(0, (), 0)) is Code.UNKNOWN_MOVE


def test_empty_commands_lay_nothing() -> None:
    assert code(position(["R1", "Y1"], opened=OPENED), LayMelds(0, ())) is Code.INVALID_MELD
    assert code(position(["R1", "Y1"]), LayOpening(0, ())) is Code.BELOW_THRESHOLD


def test_a_player_opens_once_and_lays_before_that_nothing_else() -> None:
    tiles = "R13 Y13 B13 K13 R12 Y12 K12 R5 Y5 B5 K1"
    moves = "set:R13,Y13,B13,K13 set:R12,Y12,K12 set:R5,Y5,B5"
    assert refused(position([tiles, "Y1"], opened=OPENED), f"0 open {moves}") is Code.ALREADY_OPENED
    assert refused(position([tiles, "Y1"]), f"0 meld {moves}") is Code.NOT_OPENED
    late = position([f"R1 {tiles}", "Y1"], melds=["1 run:R2,R3,R4"], opened={1: "melds 101"})
    assert refused(late, "0 add R1 to #0") is Code.NOT_OPENED
    assert refused(play(late, f"0 open {moves}"), "0 add R1 to #1") is Code.INVALID_MELD
    assert refused(play(late, f"0 open {moves}"), "0 add R1 to #4") is Code.WRONG_TARGET


def test_an_invalid_meld_among_good_ones_lays_nothing() -> None:
    start = position(["R1 R2 R3 B1 B2 B4 K1", "Y1"], opened=OPENED)
    assert refused(start, "0 meld run:R1,R2,R3 run:B1,B2,B4") is Code.INVALID_MELD


def test_a_swap_needs_a_meld_and_its_exact_tile() -> None:
    start = position(["B11 K1 *", "Y1"], melds=["1 run:R9,R10,*"], opened=OPENED)
    assert refused(start, "0 swap B11 for #3") is Code.WRONG_TARGET
    assert "stands for B11" in refusal(start, "0 swap B11 for #0").detail
    assert refused(start, "0 swap * for #0") is Code.NO_SUCH_JOKER


def test_the_button_issues_an_extra_joker_and_leaves_the_stock() -> None:
    start = position(["R1", "Y1"], phase=Phase.DRAW, jokers=(2, 1))
    after = play(start, "0 button")
    assert hand(after, 0) == (0, 106)
    assert after.hidden.stock_size == start.hidden.stock_size
    assert (after.jokers.spare, after.jokers.used) == ((1, 1), (True, False))
    assert after.phase is Phase.PLAY


def test_without_a_stock_there_is_neither_a_draw_nor_a_button() -> None:
    start = position(["R1", "Y1"], phase=Phase.DRAW, stock="", jokers=(1, 1))
    assert refused(start, "0 draw") is Code.STOCK_EMPTY
    assert refused(start, "0 button") is Code.STOCK_EMPTY
    assert refused(start, "0 auto") is Code.STOCK_EMPTY


def test_the_automatic_turn_draws_and_discards_what_it_drew() -> None:
    start = position(["R2 R7", "Y1"], phase=Phase.DRAW, stock="R6 R9", discard="R2", jokers=(1, 0))
    assert events(start, "0 auto") == (StockDrawn(0, 10), Discarded(0, 10))


def test_the_automatic_turn_keeps_a_drawn_joker() -> None:
    start = position(["R2 Y12 K9", "Y1"], phase=Phase.DRAW, stock="* R9")
    assert events(start, "0 auto") == (StockDrawn(0, 104), Discarded(0, 48))


def test_the_automatic_turn_finishes_what_was_begun() -> None:
    hands, melds = ["R6 K9 K13", "Y1"], ["1 run:R3,R4,R5"]
    start = position(hands, phase=Phase.DRAW, stock="Y1 R9", melds=melds, opened=OPENED)
    after = play(start, "0 draw", "0 add R6 to #0", "0 auto")
    assert after.discards == (27,)
    laid = position(hands, melds=melds, opened=OPENED, drawn="R6")
    assert play(laid, "0 add R6 to #0", "0 auto").discards == (76,)


def test_the_automatic_turn_goes_out_with_the_last_tile() -> None:
    ended = events(position(["R6", "Y1"], opened=OPENED), "0 auto")[-1]
    assert isinstance(ended, RoundEnded)
    assert ended.winner == 0


@pytest.mark.parametrize(
    ("held", "drawn", "discard"),
    [
        ((0, 25, 51, 104), None, 25),
        ((0, 25, 51, 104), 0, 0),
        ((0, 25, 51, 104), 104, 25),
        ((0, 24, 25), 7, 24),
        ((104, 106), 106, 104),
    ],
)
def test_the_automatic_discard(held: tuple[int, ...], drawn: int | None, discard: int) -> None:
    assert chosen_discard(held, drawn) == discard


def test_a_drawn_tile_counts_for_the_turn_in_which_it_was_drawn() -> None:
    start = position(["R2 K13", "Y1 Y2"], phase=Phase.DRAW, stock="R6 R9 R8", jokers=(1, 1))
    after = play(start, "0 draw", "0 discard R2", "1 auto", "0 button", "0 auto")
    assert after.discards[-1] == 76, "the highest tile, not the 6 of the turn before"


def test_a_seat_sees_its_own_hand_and_spare_jokers_and_a_spectator_none() -> None:
    state = position(["R1 R2", "Y1"], melds=["1 run:R3,R4,R5"], discard="K1", opened=OPENED, jokers=(2, 5))
    seat, spectator = RUMMY101.view(state, 0), RUMMY101.view(state, SPECTATOR)
    assert (seat.hand, seat.jokers) == ((0, 2), 2)
    assert (spectator.hand, spectator.jokers) == (None, None)
    assert seat.hand_sizes == spectator.hand_sizes == (2, 1)
    assert dict(seat.options) == DEFAULTS
    assert (seat.finish, seat.winner, seat.scores) == (None, None, None)
    with pytest.raises(ValueError, match="no seat 2"):
        RUMMY101.view(state, 2)


def test_a_view_of_a_finished_round_has_its_result() -> None:
    view = RUMMY101.view(play(position(["R1", "Y1"], opened=OPENED), "0 discard R1"), SPECTATOR)
    assert (view.finish, view.winner, view.scores, view.phase) == ("normal", 0, (101, -1), Phase.OVER)
