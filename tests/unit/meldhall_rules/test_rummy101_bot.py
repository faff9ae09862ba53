"""What the bot does where one move is plainly right."""

import pytest
from tests.unit.meldhall_rules.positions import position

from meldhall_rules.bots import rummy101 as bot
from meldhall_rules.bots.worth import SHAPES, after_opening, before_opening, live_copies
from meldhall_rules.commands import Command, Discard, Draw, LayOpening, PressJokerButton, SwapJoker
from meldhall_rules.events import Finish, RoundEnded
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.notation import write_move, write_tile
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import SPECTATOR, Phase

OPENED = {0: "melds 101", 1: "melds 101"}
LONG_STOCK = "Y1 Y2 Y3 Y4 Y6 Y8 B2 B4 B6 B7 B12 R2"
OTHER = "Y9 Y10 Y11 Y12 K1 K11 R12 R11"
OPENING = "R13 Y13 B13 K13 R4 R5 R6 R7 K8 K9 K10"


def move(state: State) -> Command:
    return bot.choose(RUMMY101.view(state, state.turn))


def turn(state: State) -> tuple[list[str], State]:
    """Let the bot play until the turn or the round ends; return its moves and what came of them."""
    seat, moves = state.turn, []
    while state.turn == seat and state.phase is not Phase.OVER:
        command = move(state)
        answer = RUMMY101.decide(state, command)
        assert not isinstance(answer, Rejection), answer
        moves.append(write_move(command))
        for event in answer:
            state = RUMMY101.evolve(state, event)
    return moves, state


def finish(state: State) -> Finish | None:
    return state.ending.finish if isinstance(state.ending, RoundEnded) else None


def test_it_opens_when_it_can_and_keeps_the_joker_that_is_not_needed() -> None:
    moves, state = turn(position([f"{OPENING} * B1 Y5 K3", OTHER], stock=LONG_STOCK))
    assert " open " in moves[0]
    assert 104 in state.hidden.hands[0]


def test_it_takes_the_discard_that_opens() -> None:
    hand = OPENING.replace("R6 ", "") + " B1 Y5"
    state = position([hand, OTHER], phase=Phase.DRAW, discard="R6", stock=LONG_STOCK)
    assert "take + open" in write_move(move(state))


def test_it_draws_rather_than_take_what_it_cannot_use() -> None:
    state = position(["R1 Y5 K9 B13", OTHER], phase=Phase.DRAW, discard="R6", stock=LONG_STOCK)
    assert move(state) == Draw(0)


def test_it_presses_the_button_where_the_joker_opens() -> None:
    hand = OPENING.replace("R6 ", "") + " B1 Y5"
    ready = position([hand, OTHER], phase=Phase.DRAW, jokers=(1, 0), stock=LONG_STOCK)
    assert move(ready) == PressJokerButton(0)
    without = position([hand, OTHER], phase=Phase.DRAW, jokers=(0, 1), stock=LONG_STOCK)
    assert move(without) == Draw(0)
    far = position(["R1 Y5 K9 B13", OTHER], phase=Phase.DRAW, jokers=(1, 0), stock=LONG_STOCK)
    assert move(far) == Draw(0)


def test_it_presses_the_button_to_go_out_with_the_joker() -> None:
    state = position(
        ["R8 R9", OTHER],
        phase=Phase.DRAW,
        melds=["1 run:R5,R6,R7"],
        opened=OPENED,
        jokers=(1, 0),
        stock=LONG_STOCK,
    )
    moves, after = turn(state)
    assert moves[0] == "0 button"
    assert finish(after) is Finish.JOKER


def test_it_takes_a_discard_that_it_can_lay_off() -> None:
    state = position(
        ["K1 B3 Y13", OTHER],
        phase=Phase.DRAW,
        discard="R8",
        melds=["1 run:R5,R6,R7"],
        opened=OPENED,
        stock=LONG_STOCK,
    )
    assert write_move(move(state)) == "0 take + add R8 to #0"


def test_it_goes_out_with_a_joker_rather_than_lay_it() -> None:
    state = position(["R8 R9 *", OTHER], melds=["1 run:R5,R6,R7"], opened=OPENED, stock=LONG_STOCK)
    assert finish(turn(state)[1]) is Finish.JOKER


def test_it_swaps_for_the_joker_that_doubles_the_finish() -> None:
    melds = ["1 run:R5,R6,*", "1 run:K5,K6,K7"]
    state = position(["R7 K8", OTHER], melds=melds, opened=OPENED, stock=LONG_STOCK)
    assert move(state) == SwapJoker(0, 0, 12)
    assert finish(turn(state)[1]) is Finish.JOKER


def test_it_takes_a_joker_for_a_tile_that_fits_nowhere_else() -> None:
    melds = ["1 set:R8,Y8,*=K8"]
    state = position(["K8 B1 Y3 K12 R11", OTHER], melds=melds, opened=OPENED, stock=LONG_STOCK)
    moves, after = turn(state)
    assert "swap" in moves[0]
    assert 104 in after.hidden.hands[0]


def test_it_sheds_a_joker_when_an_opponent_is_about_to_go_out() -> None:
    calm = position(["* B1 Y3 K12", OTHER], melds=["1 run:R5,R6,R7"], opened=OPENED, stock=LONG_STOCK)
    assert 104 in turn(calm)[1].hidden.hands[0]
    tense = position(["* B1 Y3 K12", "B9 B11"], melds=["1 run:R5,R6,R7"], opened=OPENED, stock=LONG_STOCK)
    assert 104 not in turn(tense)[1].hidden.hands[0]


def test_it_goes_out_in_one_turn_from_a_hand_that_melds_whole() -> None:
    hand = "R1 R2 R3 R4 R5 R6 R7 B8 B9 B10 B11 B12 B13 Y4 Y5 Y6 Y7 K2 K3 K4 K5 R13"
    moves, after = turn(position([hand, "Y1"], stock=LONG_STOCK))
    assert len(moves) == 2
    assert finish(after) is Finish.ONE_TURN


def test_it_opens_by_pairs_only_when_time_runs_out() -> None:
    hand = "R1 R1 Y5 Y5 K5 K5 B5 B5 R9 R9 K11"
    early = position([hand, OTHER], stock=LONG_STOCK)
    assert isinstance(move(early), Discard)
    late = position([hand, OTHER], stock="Y2 Y4 B2 B4")
    command = move(late)
    assert isinstance(command, LayOpening)
    assert len(command.melds) == 5


def test_it_takes_a_discard_for_pairs_only_when_time_runs_out() -> None:
    hand = "R1 R1 Y5 Y5 K5 K5 B5 B5 R9 K11"
    early = position([hand, OTHER], phase=Phase.DRAW, discard="R9", stock=LONG_STOCK)
    assert move(early) == Draw(0)
    late = position([hand, OTHER], phase=Phase.DRAW, discard="R9", stock="Y2 Y4 B2 B4")
    assert "take + open" in write_move(move(late))


def test_it_discards_what_melds_with_nothing_and_never_a_joker() -> None:
    command = move(position(["R9 R10 K9 B1 *", OTHER], stock=LONG_STOCK))
    assert isinstance(command, Discard)
    assert write_tile(command.tile) == "B1"
    assert move(position(["* *", OTHER], stock=LONG_STOCK)) == Discard(0, 104)


def test_it_breaks_up_a_meld_when_the_hand_is_nothing_else() -> None:
    command = move(position(["R9 R10 R11 *", OTHER], stock=LONG_STOCK))
    assert isinstance(command, Discard)
    assert write_tile(command.tile) != "*"


def test_it_refuses_to_play_for_others() -> None:
    state = position(["R1 R2", OTHER], stock=LONG_STOCK)
    with pytest.raises(ValueError, match="spectator"):
        bot.choose(RUMMY101.view(state, SPECTATOR))
    with pytest.raises(ValueError, match="seat 1 is not on turn"):
        bot.choose(RUMMY101.view(state, 1))


def test_a_tile_is_worth_nothing_for_a_meld_whose_last_tile_is_gone() -> None:
    state = position(["R1 R2 K12", OTHER], discard="R3 R3", stock=LONG_STOCK)
    view = RUMMY101.view(state, 0)
    assert view.hand is not None
    assert live_copies(view, view.hand)[2] == 0
    assert before_opening(view, view.hand, ()) == {0: 1, 2: 2, 74: 12}


def test_a_tile_one_step_from_a_run_on_the_table_is_worth_keeping() -> None:
    melds = ["1 run:R5,R6,R7"]
    state = position(["R9 R3 K12", OTHER], melds=melds, opened=OPENED, stock=LONG_STOCK)
    view = RUMMY101.view(state, 0)
    assert view.hand is not None
    worth = after_opening(view, view.hand)
    assert worth[4] > worth[74]
    assert worth[16] > worth[74]


def test_every_face_is_in_three_sets_and_up_to_three_runs() -> None:
    assert [len(shapes) for shapes in SHAPES[:13]] == [4, 5, *[6] * 9, 5, 4]
