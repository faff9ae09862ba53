"""The worked vectors 1-34 of the rules of Rummy 101; the names have the numbers of the table there."""

import pytest
from tests.unit.meldhall_rules.positions import hand, play, position, refused

from meldhall_rules.games.rummy101.options import OpeningMode
from meldhall_rules.notation import write_table_meld
from meldhall_rules.rejections import Code
from meldhall_rules.view import Opening, Phase

OPENED = {0: "melds 101", 1: "melds 101"}
THIRTEENS_TWELVES = "set:R13,Y13,B13,K13 set:R12,Y12,K12"


def table(*moves: str, hands: str, melds: tuple[str, ...]) -> list[str]:
    after = play(position([hands, "Y1"], melds=melds, opened=OPENED), *moves)
    return [write_table_meld(meld) for meld in after.table.melds]


@pytest.mark.parametrize(
    ("number", "melds", "value"),
    [
        (1, "set:R11,Y11,B11 run:K11,K12,K13 run:Y10,Y11,Y12", 102),
        (3, "set:R13,Y13,B13,K13 run:R4,R5,R6,R7 run:K8,K9,K10", 101),
        (5, "set:R13,Y13,* run:K10,K11,K12 run:B9,B10,B11", 102),
    ],
)
def test_vectors_1_3_5_open(number: int, melds: str, value: int) -> None:
    tiles = " ".join(meld.partition(":")[2].replace(",", " ") for meld in melds.split())
    after = play(position([f"{tiles} B1", "Y1"]), f"0 open {melds}")
    assert after.table.opened[0] == Opening("melds", value)


@pytest.mark.parametrize(
    "melds",
    ["set:R11,Y11,B11 run:K11,K12,K13", "set:R13,Y13,B13,K13 run:R3,R4,R5,R6 run:K9,K10,K11"],
)
def test_vectors_2_4_are_worth_too_little(melds: str) -> None:
    tiles = " ".join(meld.partition(":")[2].replace(",", " ") for meld in melds.split())
    assert refused(position([f"{tiles} B1", "Y1"]), f"0 open {melds}") is Code.BELOW_THRESHOLD


def test_vector_7_the_joker_of_a_run_worth_33_is_swapped_after_the_opening() -> None:
    start = position(["R10 * R12 Y13 B13 K13 K9 K10 K11 R11 Y1", "Y1"])
    after = play(start, "0 open run:R10,*,R12 set:Y13,B13,K13 run:K9,K10,K11", "0 swap R11 for #0")
    assert write_table_meld(after.table.melds[0]) == "0 run:R10,R11,R12"
    assert 104 in hand(after, 0)


def test_vector_13_a_joker_on_the_table_keeps_its_number() -> None:
    melds = ("1 run:Y10,Y11,*",)
    start = position(["Y8 Y9 Y13 Y12 R1", "Y1"], melds=melds, opened=OPENED)
    assert refused(start, "0 add Y8 to #0") is Code.INVALID_MELD
    assert refused(start, "0 add Y12 to #0") is Code.INVALID_MELD
    assert table("0 add Y9 to #0", hands="Y9 R1", melds=melds) == ["1 run:Y9,Y10,Y11,*=Y12"]
    assert table("0 add Y13 to #0", hands="Y13 R1", melds=melds) == ["1 run:Y10,Y11,*=Y12,Y13"]
    assert table("0 swap Y12 for #0", hands="Y12 R1", melds=melds) == ["1 run:Y10,Y11,Y12"]


def test_vector_14_a_joker_of_a_set_keeps_its_colour() -> None:
    melds = ("1 set:R8,Y8,*",)
    assert refused(position(["K8 R1", ""], melds=melds, opened=OPENED), "0 add K8 to #0") is Code.INVALID_MELD
    moves = ("0 add B8 to #0", "0 swap K8 for #0")
    assert table(*moves, hands="B8 K8 R1", melds=melds) == ["1 set:R8,Y8,K8,B8"]


@pytest.mark.parametrize("meld", ["set:R8,Y8,B8,K8", "run:R1,R2,R3,R4,R5,R6,R7,R8,R9,R10,R11,R12,R13"])
def test_vectors_15_16_a_full_meld_takes_no_joker(meld: str) -> None:
    start = position(["* R1", "Y1"], melds=[f"1 {meld}"], opened=OPENED)
    assert refused(start, "0 add * to #0") is Code.INVALID_MELD


FOUR_PAIRS = "pair:R1,R1 pair:B5,B5 pair:K9,K9 pair:Y13,Y13"
PAIR_HAND = "R1 R1 B5 B5 K9 K9 Y13 Y13"


def test_vector_17_five_pairs_open() -> None:
    after = play(position([f"{PAIR_HAND} R7 * B1", "Y1"]), f"0 open {FOUR_PAIRS} pair:R7,*")
    assert after.table.opened[0] == Opening("pairs", 5)


def test_vector_18_two_jokers_are_no_pair() -> None:
    start = position([f"{PAIR_HAND} * * B1", "Y1"])
    assert refused(start, f"0 open {FOUR_PAIRS} pair:*,*") is Code.INVALID_MELD


def test_vector_19_a_set_is_no_fifth_pair() -> None:
    start = position([f"{PAIR_HAND} R9 B9 Y9 B1", "Y1"])
    four = "pair:R1,R1 pair:B5,B5 pair:Y13,Y13"
    assert refused(start, f"0 open {four} set:R9,B9,Y9") is Code.MIXED_OPENING
    assert refused(start, f"0 open {FOUR_PAIRS}") is Code.BELOW_THRESHOLD


def test_vector_20_six_pairs_raise_the_pairs_track_alone() -> None:
    start = position([f"{PAIR_HAND} R7 R7 Y2 Y2 B1", "Y1"], opening=OpeningMode.RISING)
    after = play(start, f"0 open {FOUR_PAIRS} pair:R7,R7 pair:Y2,Y2")
    assert after.table.opened[0] == Opening("pairs", 6)
    assert after.table.need == (101, 7)


def test_vector_21_an_opening_must_exceed_the_one_before() -> None:
    tiles = "R13 Y13 B13 K13 Y8 Y9 Y10 Y11 K5 K6 K7 K8 B8 B9 B10 R1"
    start = position([tiles, "Y1"], opened={1: "melds 116"}, opening=OpeningMode.RISING)
    base = "set:R13,Y13,B13,K13 run:Y8,Y9,Y10,Y11"
    assert refused(start, f"0 open {base} run:K5,K6,K7,K8") is Code.BELOW_THRESHOLD
    assert play(start, f"0 open {base} run:B8,B9,B10").table.need == (118, 5)


def test_vector_22_what_is_laid_later_in_the_turn_does_not_raise_the_need() -> None:
    start = position(
        ["R13 Y13 K13 K12 B12 R12 Y9 Y10 Y11 R6 R1", "Y1"],
        melds=["1 run:R3,R4,R5"],
        opened={1: "melds 101"},
        opening=OpeningMode.RISING,
    )
    after = play(start, "0 open set:R13,Y13,K13 set:K12,B12,R12 run:Y9,Y10,Y11", "0 add R6 to #0")
    assert after.table.need == (106, 5)


def test_vector_23_the_taken_tile_counts_inside_the_opening() -> None:
    start = position(["R4 R5 R13 Y13 B13 K13 R12 Y12 K12 B1", "Y1"], phase=Phase.DRAW, discard="R6")
    after = play(start, f"0 take + open run:R4,R5,R6 {THIRTEENS_TWELVES}")
    assert after.table.opened[0] == Opening("melds", 103)
    assert after.discards == ()


def test_vector_24_the_taken_tile_must_be_inside_the_opening() -> None:
    start = position(
        ["R13 Y13 B13 K13 R12 Y12 K12 K5 K6 K7 B1", "Y1"],
        phase=Phase.DRAW,
        melds=["1 run:R3,R4,R5"],
        opened={1: "melds 101"},
        discard="R6",
    )
    assert refused(start, f"0 take + open {THIRTEENS_TWELVES} run:K5,K6,K7") is Code.MUST_USE_TAKEN
    assert refused(start, "0 take + add R6 to #0") is Code.NOT_OPENED


def test_vectors_25_26_an_opened_player_uses_the_taken_tile_at_once() -> None:
    start = position(["K2 B9", "Y1"], phase=Phase.DRAW, melds=["1 run:R3,R4,R5"], opened=OPENED, discard="R6")
    after = play(start, "0 take + add R6 to #0", "0 discard K2")
    assert write_table_meld(after.table.melds[0]) == "1 run:R3,R4,R5,R6"
    for move in ("0 take", "0 take + discard K2", "0 take + discard R6"):
        assert refused(start, move) is Code.MUST_USE_TAKEN


def test_vector_27_one_acquisition_a_turn_and_one_button_a_round() -> None:
    start = position(
        ["K2 B9 K3", "Y1 Y2"],
        phase=Phase.DRAW,
        melds=["1 run:R3,R4,R5"],
        opened=OPENED,
        discard="R6",
        jokers=(2, 0),
    )
    taken = play(start, "0 take + add R6 to #0")
    assert refused(taken, "0 draw") is Code.WRONG_PHASE
    assert refused(taken, "0 button") is Code.WRONG_PHASE
    pressed = play(start, "0 button")
    assert refused(pressed, "0 draw") is Code.WRONG_PHASE
    assert refused(pressed, "0 button") is Code.WRONG_PHASE
    again = play(pressed, "0 discard K3", "1 draw", "1 discard Y2")
    assert refused(again, "0 button") is Code.NO_JOKER
    poor = play(start, "0 draw", "0 discard K3")
    assert refused(poor, "1 button") is Code.NO_JOKER
    first = position(["K2 K3", "Y1"], first_turn=True, jokers=(1, 1))
    assert refused(first, "0 button") is Code.WRONG_PHASE


def test_vector_28_only_the_newest_discard_of_the_player_before_is_taken() -> None:
    hands = ["R6 K2", "B1 B2", "Y1 Y9"]
    opened = {0: "melds 101", 1: "melds 101", 2: "melds 101"}
    start = position(hands, melds=["2 run:R3,R4,R5"], opened=opened)
    after = play(start, "0 discard R6", "1 draw", "1 discard B1")
    assert refused(after, "2 take + add R6 to #0") is Code.TILE_NOT_HELD


def test_vector_29_pairs_are_closed_to_a_melds_opener_until_another_opened_by_pairs() -> None:
    closed = position(["R2 R2 K9", "Y1"], opened=OPENED)
    assert refused(closed, "0 meld pair:R2,R2") is Code.KIND_NOT_ALLOWED
    opened = position(["R2 R2 K9", "Y1"], opened={0: "melds 101", 1: "pairs 5"})
    assert len(play(opened, "0 meld pair:R2,R2").table.melds) == 1


def test_vector_30_what_a_pairs_opener_may_lay() -> None:
    start = position(
        ["K4 K5 K6 B2 B2 R7 Y1", "Y1"],
        melds=["1 run:K3,K4,K5", "0 pair:R7,*"],
        opened={0: "pairs 5", 1: "melds 101"},
    )
    assert refused(start, "0 meld run:K4,K5,K6") is Code.KIND_NOT_ALLOWED
    assert len(play(start, "0 add K6 to #0").table.melds[0].tiles) == 4
    assert len(play(start, "0 meld pair:B2,B2").table.melds) == 3
    assert refused(start, "0 add R7 to #1") is Code.WRONG_TARGET


def test_vector_31_a_joker_is_swapped_after_the_own_opening_only() -> None:
    start = position(
        ["R11 R13 Y13 B13 K13 R12 Y12 K12 R5 Y5 B5 Y1", "Y1"],
        melds=["1 run:R9,R10,*"],
        opened={1: "melds 101"},
    )
    assert refused(start, "0 swap R11 for #0") is Code.NOT_OPENED
    after = play(start, f"0 open {THIRTEENS_TWELVES} set:R5,Y5,B5", "0 swap R11 for #0")
    assert hand(after, 0) == (26, 104)


def test_vector_32_a_joker_is_swapped_out_of_a_pair() -> None:
    assert table("0 swap R7 for #0", hands="R7 K2", melds=("1 pair:R7,*",)) == ["1 pair:R7,R7"]


def test_vector_33_one_tile_must_stay_for_the_discard() -> None:
    start = position(["R7 R8 R9", "B7"], opened=OPENED)
    assert refused(start, "0 meld run:R7,R8,R9") is Code.NO_DISCARD
    out = play(position(["R7 R8 R9 K1", "B7"], opened=OPENED), "0 meld run:R7,R8,R9", "0 discard K1")
    assert out.ending is not None
    assert out.ending.winner == 0


def test_vector_34_draw_lay_off_and_go_out() -> None:
    start = position(["R5", "B2"], phase=Phase.DRAW, stock="B9 B1", melds=["1 run:B6,B7,B8"], opened=OPENED)
    after = play(start, "0 draw", "0 add B9 to #0", "0 discard R5")
    assert after.ending is not None
    assert (after.ending.finish, after.ending.winner, after.ending.scores) == ("normal", 0, (101, -2))


def test_a_lay_off_carries_the_identity_that_its_joker_is_given() -> None:
    start = position(["* * K2", "Y1"], melds=["1 run:Y4,Y5,Y6"], opened=OPENED)
    after = play(start, "0 add *=Y3 to #0", "0 add * to #0")
    assert write_table_meld(after.table.melds[0]) == "1 run:*=Y3,Y4,Y5,Y6,*=Y7"
