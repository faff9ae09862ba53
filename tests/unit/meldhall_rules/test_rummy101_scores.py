"""The worked vectors 35-43 and 46 of the rules of Rummy 101, and the whole table of rule 42."""

import pytest
from tests.unit.meldhall_rules.positions import play, position

from meldhall_rules.events import Finish, RoundEnded
from meldhall_rules.games.rummy101.score import finish_of, hand_value, round_scores
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.view import Opening, Phase

LAY_21 = "0 open run:R1,R2,R3,R4,R5,R6,R7 run:B8,B9,B10,B11,B12,B13 run:Y4,Y5,Y6,Y7 run:K2,K3,K4,K5"
HELD_20 = "R1 R2 R3 R4 R5 R6 R7 B8 B9 B10 B11 B12 B13 Y4 Y5 Y6 Y7 K2 K3 K4"
MIXED = {0: "melds 101", 2: "melds 104", 3: "pairs 5"}


def ending(state: State) -> RoundEnded:
    assert state.ending is not None
    assert state.phase is Phase.OVER
    return state.ending


def test_vector_35_a_normal_finish() -> None:
    end = ending(play(position(["R2", "R9 R10", "R13 B5", "K4 *"], opened=MIXED), "0 discard R2"))
    assert end == RoundEnded(Finish.NORMAL, 0, (101, -202, -18, -210))


def test_vector_36_a_joker_as_the_last_discard() -> None:
    end = ending(play(position(["*", "R9 R10", "R13 B5", "K4 *"], opened=MIXED), "0 discard *"))
    assert end == RoundEnded(Finish.JOKER, 0, (202, -404, -36, -420))


def test_vector_37_everything_in_one_turn() -> None:
    start = position([f"{HELD_20} K5", "Y1", "Y2", "Y3"], phase=Phase.DRAW, stock="R13 B1")
    end = ending(play(start, "0 draw", LAY_21, "0 discard R13"))
    assert end == RoundEnded(Finish.ONE_TURN, 0, (202, -404, -404, -404))


def test_vector_38_everything_in_one_turn_and_a_joker() -> None:
    start = position([f"{HELD_20} *", "Y1", "Y2", "Y3"], phase=Phase.DRAW, stock="K5 B1")
    end = ending(play(start, "0 draw", LAY_21, "0 discard *"))
    assert end == RoundEnded(Finish.ONE_TURN_JOKER, 0, (404, -808, -808, -808))


def test_vector_39_an_earlier_opening_makes_the_finish_normal() -> None:
    start = position(
        [f"{HELD_20} K5", "Y2 Y3", "Y1"], phase=Phase.DRAW, stock="R13 B1", opened={1: "melds 101"}
    )
    end = ending(play(start, "0 draw", LAY_21, "0 discard R13"))
    assert end == RoundEnded(Finish.NORMAL, 0, (101, -5, -202))


def test_an_own_opening_in_an_earlier_turn_makes_the_finish_normal() -> None:
    start = position(["R13 Y13 K13 B13 R12 Y12 K12 B12 R1 R2 R3 K1 K3", "Y1 Y2"], stock="B1 R4 B2")
    opening = "0 open set:R13,Y13,K13,B13 set:R12,Y12,K12,B12 run:R1,R2,R3"
    first = play(start, opening, "0 discard K1", "1 draw", "1 discard Y1")
    end = ending(play(first, "0 draw", "0 add R4 to #2", "0 discard K3"))
    assert end == RoundEnded(Finish.NORMAL, 0, (101, -202))


def test_vector_40_jokers_of_an_unopened_loser_add_nothing() -> None:
    end = ending(play(position(["R2", "* * R5"], opened={0: "melds 101"}), "0 discard R2"))
    assert end.scores == (101, -202)


@pytest.mark.parametrize(("last", "penalty"), [("R2", -215), ("*", -430)])
def test_vector_41_jokers_of_an_opened_loser_cost_101_each(last: str, penalty: int) -> None:
    start = position([last, "* * R13"], opened={0: "melds 101", 1: "melds 101"})
    assert ending(play(start, f"0 discard {last}")).scores[1] == penalty


def test_vector_42_the_stock_runs_out() -> None:
    start = position(
        ["R9 K9", "R1 R2", "B7", "*"],
        phase=Phase.DRAW,
        stock="Y1",
        opened={0: "melds 101", 2: "pairs 5", 3: "melds 103"},
    )
    end = ending(play(start, "0 draw", "0 discard Y1"))
    assert end == RoundEnded(Finish.EXHAUSTED, None, (-18, -202, -14, -101))


def test_vector_43_going_out_with_the_last_tile_of_the_stock_is_a_normal_finish() -> None:
    start = position(
        ["R9", "B7 B8"],
        phase=Phase.DRAW,
        stock="R6",
        melds=["1 run:R3,R4,R5"],
        opened={0: "melds 101", 1: "melds 101"},
    )
    end = ending(play(start, "0 draw", "0 add R6 to #0", "0 discard R9"))
    assert end == RoundEnded(Finish.NORMAL, 0, (101, -15))


def test_vector_46_two_buttons_make_108_tiles() -> None:
    start = position(["R1", "R2", "R3", "R4"], phase=Phase.DRAW, jokers=(1, 1, 1, 1))
    after = play(start, "0 button", "0 discard R1", "1 button", "1 discard R2")
    assert after.jokers.issued == 2
    assert after.hidden.hands[:2] == ((106,), (107,))
    assert after.hidden.stock_size == 4


UNOPENED, MELDS, PAIRS = None, Opening("melds", 101), Opening("pairs", 5)
ROWS = {
    Finish.NORMAL: (101, -202, -18, -36),
    Finish.JOKER: (202, -404, -36, -72),
    Finish.ONE_TURN: (202, -404, -18, -36),
    Finish.ONE_TURN_JOKER: (404, -808, -36, -72),
}


@pytest.mark.parametrize("finish", ROWS)
def test_the_table_of_penalties_and_gains(finish: Finish) -> None:
    hands = ((), (104, 105), (24, 8), (24, 8))
    opened = (MELDS, UNOPENED, MELDS, PAIRS)
    assert round_scores(finish, 0, hands, opened, (0,) * 4) == ROWS[finish]


def test_with_an_exhausted_stock_every_seat_pays_its_own_row() -> None:
    hands = ((24,), (104, 105), (24, 8), (24, 8))
    opened = (MELDS, UNOPENED, MELDS, PAIRS)
    assert round_scores(Finish.EXHAUSTED, None, hands, opened, (0,) * 4) == (-13, -202, -18, -36)


@pytest.mark.parametrize("finish", ROWS)
def test_fines_are_subtracted_from_every_result_and_never_multiplied(finish: Finish) -> None:
    hands = ((), (104, 105), (24, 8), (24, 8))
    fines = (1, 20, 300, 4000)
    scores = round_scores(finish, 0, hands, (MELDS, UNOPENED, MELDS, PAIRS), fines)
    assert scores == tuple(score - fine for score, fine in zip(ROWS[finish], fines, strict=True))


def test_the_last_discard_names_the_finish() -> None:
    assert finish_of(0, one_turn=False) is Finish.NORMAL
    assert finish_of(107, one_turn=False) is Finish.JOKER
    assert finish_of(103, one_turn=True) is Finish.ONE_TURN
    assert finish_of(104, one_turn=True) is Finish.ONE_TURN_JOKER


def test_a_button_joker_in_the_hand_costs_what_any_joker_costs() -> None:
    assert hand_value((0, 25, 107)) == 1 + 13 + 101
