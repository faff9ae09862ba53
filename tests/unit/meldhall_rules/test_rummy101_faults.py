"""Faults of melds and jokers that other implementations had in public: each as an input
of ours, with the answer that is right here.

The numbers are those of a survey of such faults; a name tells the whole story.
"""

import pytest
from tests.unit.meldhall_rules.positions import hand, play, position, refused

from meldhall_rules.commands import (
    Discard,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    MeldSpec,
    Placed,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import MeldLaid
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.melds import meld_value, read_meld
from meldhall_rules.notation import parse_meld, write_meld, write_table_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Opening

OPENED = {0: "melds 101", 1: "melds 101"}


def read(text: str) -> tuple[str, int]:
    meld = read_meld(parse_meld(text, range(112)))
    assert isinstance(meld, MeldLaid), (text, meld)
    return write_meld(meld), meld_value(meld)


def reason(text: str) -> str:
    answer = read_meld(parse_meld(text, range(112)))
    assert isinstance(answer, Rejection), (text, answer)
    return answer.detail


def code(state: State, command: Discard | LayMelds | LayOff | LayOpening | SwapJoker | TakeDiscard) -> Code:
    answer = RUMMY101.decide(state, command)
    assert isinstance(answer, Rejection), answer
    return answer.code


def melds_of(state: State) -> list[str]:
    return [write_table_meld(meld) for meld in state.table.melds]


def test_fault_1_a_joker_counts_in_the_opening_as_what_it_stands_for() -> None:
    after = play(
        position(["R13 Y13 * K10 K11 K12 B9 B10 B11 R1", "Y1"]),
        "0 open set:R13,Y13,* run:K10,K11,K12 run:B9,B10,B11",
    )
    assert after.table.opened[0] == Opening("melds", 102)


def test_fault_2_lay_offs_follow_the_opening_in_the_same_turn() -> None:
    start = position(
        ["R13 Y13 * K10 K11 K12 B9 B10 B11 B6 R1", "Y1"],
        melds=["1 run:B3,B4,B5"],
        opened={1: "melds 101"},
    )
    after = play(start, "0 open set:R13,Y13,* run:K10,K11,K12 run:B9,B10,B11", "0 add B6 to #0")
    assert melds_of(after)[0] == "1 run:B3,B4,B5,B6"


def test_fault_3_colours_are_compared_with_all_tiles_of_a_set_not_only_the_first() -> None:
    assert reason("set:R13,Y13,K13,K13") == "colour repeated: K13"
    assert reason("set:R13,Y13,K13,R13") == "colour repeated: R13"


def test_fault_6_a_run_may_have_two_inner_jokers() -> None:
    assert read("run:R1,*,*,R4") == ("run:R1,*=R2,*=R3,R4", 10)


def test_fault_7_three_jokers_are_no_meld_and_three_beside_a_natural_are() -> None:
    assert reason("run:*,*,*") == "run without a natural tile"
    assert reason("set:*,*,*") == "set without a natural tile"
    assert read("run:R5,*,*,*") == ("run:R5,*=R6,*=R7,*=R8", 26)


def test_faults_8_23_33_one_joker_is_not_in_two_melds_and_two_jokers_are() -> None:
    start = position(["R13 Y13 K12 B12 Y9 Y10 Y11 R1 * *", "Y1"])

    held = hand(start, 0)
    kings = [tile for tile in held if tile // 2 in {12, 25}]
    queens = [tile for tile in held if tile // 2 in {37, 50}]
    run = [tile for tile in held if tile // 2 in {21, 22, 23}]

    def lay(first: int, second: int) -> LayOpening:
        return LayOpening(
            0,
            (
                MeldSpec(MeldKind.SET, tuple(map(Placed, [*kings, first]))),
                MeldSpec(MeldKind.SET, tuple(map(Placed, [*queens, second]))),
                MeldSpec(MeldKind.RUN, tuple(map(Placed, run))),
            ),
        )

    assert code(start, lay(104, 104)) is Code.TILE_NOT_HELD
    answer = RUMMY101.decide(start, lay(104, 105))
    assert not isinstance(answer, Rejection)


def test_fault_9_a_joker_named_twice_in_one_meld_is_one_joker() -> None:
    start = position(["R5 * R1", "Y1"], opened=OPENED)
    spec = MeldSpec(MeldKind.RUN, (Placed(8), Placed(104), Placed(104)))
    assert code(start, LayMelds(0, (spec,))) is Code.TILE_NOT_HELD


def test_fault_10_a_lay_off_takes_one_tile_from_the_hand_and_changes_one_meld() -> None:
    start = position(["R6 K1", "Y1"], melds=["1 run:R3,R4,R5", "1 set:R6,Y6,K6"], opened=OPENED)
    after = play(start, "0 add R6 to #0")
    assert (hand(start, 0), hand(after, 0)) == ((10, 52), (52,))
    assert melds_of(after) == ["1 run:R3,R4,R5,R6", "1 set:R6,Y6,K6"]
    assert (hand(after, 1), after.discards, after.hidden.order) == (
        hand(start, 1),
        start.discards,
        start.hidden.order,
    )


def test_fault_11_a_joker_that_was_not_named_stays_in_the_hand() -> None:
    after = play(position(["R4 Y4 B4 * K1", "Y1"], opened=OPENED), "0 meld set:R4,Y4,B4")
    assert hand(after, 0) == (52, 104)
    assert melds_of(after) == ["0 set:R4,Y4,B4"]


def test_fault_12_two_equal_melds_may_lie_on_the_table() -> None:
    start = position(["R1 R2 R3 R1 R2 R3 K1", "Y1"], opened=OPENED)
    after = play(start, "0 meld run:R1,R2,R3 run:R1,R2,R3")
    assert melds_of(after) == ["0 run:R1,R2,R3", "0 run:R1,R2,R3"]
    assert len({laid.tile for meld in after.table.melds for laid in meld.tiles}) == 6


def test_faults_13_36_two_jokers_around_a_five_are_what_the_kind_says() -> None:
    assert read("run:*,R5,*") == ("run:*=R4,R5,*=R6", 15)
    assert read("set:*,R5,*") == ("set:R5,*=Y5,*=K5", 15)
    assert "pair of 3 tiles" in reason("pair:*,R5,*")


def test_fault_14_a_refusal_gives_the_true_reason() -> None:
    assert reason("set:R7,R7,B7") == "colour repeated: R7"
    assert reason("run:R5,R6,B7") == "colours differ: R5 and B7"


def test_fault_16_a_gap_is_not_judged_by_a_sum() -> None:
    assert reason("run:R9,R10,R12") == "gap at R11"


def test_fault_17_a_joker_may_come_first() -> None:
    assert read("set:*,R8,Y8") == ("set:R8,Y8,*=K8", 24)
    assert read("run:*,R8,R9") == ("run:*=R7,R8,R9", 24)


def test_faults_18_92_the_deal_has_every_tile_and_gives_the_starter_one_more() -> None:
    dealt = RUMMY101.deal({}, RoundSetup(1, 4, 2, bytes(32), (0,) * 4))
    naturals = [tile // 2 for tile in dealt.order if tile < 104]
    assert all(naturals.count(shown) == 2 for shown in range(52))
    assert len(naturals) + 2 == len(dealt.order) == 106
    assert [len(some) for some in RUMMY101.evolve(None, dealt).hidden.hands] == [21, 21, 22, 21]


def test_fault_20_neighbouring_jokers_count_their_places() -> None:
    assert read("run:R9,*,*,R12")[1] == 42
    assert read("run:R1,*,R3")[1] == 6


def test_fault_21_a_one_goes_below_a_two_only() -> None:
    high = position(["R1 K1", "Y1"], melds=["1 run:R11,R12,*"], opened=OPENED)
    assert refused(high, "0 add R1 to #0") is Code.INVALID_MELD
    low = play(position(["R1 K1", "Y1"], melds=["1 run:R2,R3,R4"], opened=OPENED), "0 add R1 to #0")
    assert meld_value(low.table.melds[0]) == 10


def test_faults_22_24_jokers_on_a_run_that_ends_at_13_go_below_it() -> None:
    start = position(["* * R9 K1", "Y1"], melds=["1 run:R11,R12,R13"], opened=OPENED)
    assert melds_of(play(start, "0 add * to #0", "0 add * to #0")) == ["1 run:*=R9,*=R10,R11,R12,R13"]
    assert melds_of(play(start, "0 add *=R10 to #0", "0 add R9 to #0")) == ["1 run:R9,*=R10,R11,R12,R13"]
    assert refused(start, "0 add R9 to #0") is Code.INVALID_MELD


def test_fault_25_twelve_thirteen_joker_is_not_twelve_thirteen_one() -> None:
    assert read("run:R12,R13,*") == ("run:*=R11,R12,R13", 36)


@pytest.mark.parametrize("text", ["run:R13,R1,R2", "run:R12,R13,R1", "run:R13,R1,R2,R3"])
def test_faults_26_35_numbers_do_not_go_round(text: str) -> None:
    assert "gap" in reason(text)


def test_fault_27_a_lay_off_never_moves_a_joker() -> None:
    start = position(["Y8 Y9 K1", "Y1"], melds=["1 run:Y10,Y11,*"], opened=OPENED)
    assert refused(start, "0 add Y8 to #0") is Code.INVALID_MELD
    assert melds_of(play(start, "0 add Y9 to #0")) == ["1 run:Y9,Y10,Y11,*=Y12"]
    assert melds_of(play(start, "0 add Y9,Y8 to #0")) == ["1 run:Y8,Y9,Y10,Y11,*=Y12"]


def test_fault_28_a_joker_is_a_lay_off_like_any_tile() -> None:
    start = position(["* K1", "Y1"], melds=["1 run:Y4,Y5,Y6"], opened=OPENED)
    assert melds_of(play(start, "0 add * to #0")) == ["1 run:Y4,Y5,Y6,*=Y7"]
    assert melds_of(play(start, "0 add *=Y3 to #0")) == ["1 run:*=Y3,Y4,Y5,Y6"]


def test_fault_29_a_joker_at_the_end_is_swapped_by_its_own_number_only() -> None:
    start = position(["R11 R8 K1", "Y1"], melds=["1 run:R9,R10,*"], opened=OPENED)
    assert refused(start, "0 swap R8 for #0") is Code.NO_SUCH_JOKER
    assert melds_of(play(start, "0 swap R11 for #0")) == ["1 run:R9,R10,R11"]


def test_fault_30_a_joker_of_a_pair_is_swapped_and_one_of_a_set_has_one_colour() -> None:
    start = position(["R7 B8 K1", "Y1"], melds=["1 pair:R7,*", "1 set:R8,Y8,*"], opened=OPENED)
    assert melds_of(play(start, "0 swap R7 for #0"))[0] == "1 pair:R7,R7"
    assert refused(start, "0 swap B8 for #1") is Code.NO_SUCH_JOKER


def test_fault_31_who_has_not_opened_cannot_change_a_joker() -> None:
    start = position(["R11 K1", "Y1"], melds=["1 run:R9,R10,*"], opened={1: "melds 101"})
    assert refused(start, "0 swap R11 for #0") is Code.NOT_OPENED
    again = LayOff(0, 0, (Placed(105, 10),))
    assert code(start, again) is Code.TILE_NOT_HELD


def test_fault_32_a_declared_joker_may_stand_anywhere_in_the_list() -> None:
    assert read("run:*=R11,R10,R12") == read("run:R10,*,R12") == ("run:R10,*=R11,R12", 33)


def test_fault_34_a_joker_leaves_a_set_of_four_only_for_its_tile() -> None:
    start = position(["R5 K1", "Y1"], melds=["1 set:R4,Y4,K4,*"], opened=OPENED)
    assert refused(start, "0 swap R5 for #0") is Code.NO_SUCH_JOKER
    assert code(start, SwapJoker(0, 0, 104)) is Code.TILE_NOT_HELD
