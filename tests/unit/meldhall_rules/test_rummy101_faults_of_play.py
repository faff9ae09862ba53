"""Faults of openings, turns and scores that other implementations had in public:
each as an input of ours, with the answer that is right here.

The numbers are those of a survey of such faults; a name tells the whole story.
"""

from tests.unit.meldhall_rules.positions import events, hand, play, position, refusal, refused

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
from meldhall_rules.events import MeldLaid, StockDrawn
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.match import MatchFormat, MatchState, after_round, new_match, winners
from meldhall_rules.melds import meld_value, read_meld
from meldhall_rules.notation import describe, parse_meld, write_meld, write_table_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import permutation, shuffle_key
from meldhall_rules.view import Opening, Phase

OPENED = {0: "melds 101", 1: "melds 101"}


def read(text: str) -> tuple[str, int]:
    meld = read_meld(parse_meld(text, range(112)))
    assert isinstance(meld, MeldLaid), (text, meld)
    return write_meld(meld), meld_value(meld)


def code(state: State, command: Discard | LayMelds | LayOff | LayOpening | SwapJoker | TakeDiscard) -> Code:
    answer = RUMMY101.decide(state, command)
    assert isinstance(answer, Rejection), answer
    return answer.code


def melds_of(state: State) -> list[str]:
    return [write_table_meld(meld) for meld in state.table.melds]


PAIRS = "R1 R1 B5 B5 K9 K9 Y13 Y13"
FOUR = "pair:R1,R1 pair:B5,B5 pair:K9,K9 pair:Y13,Y13"


def test_fault_39_six_pairs_are_an_opening_of_six() -> None:
    after = play(position([f"{PAIRS} R7 R7 Y2 Y2 B1", "Y1"]), f"0 open {FOUR} pair:R7,R7 pair:Y2,Y2")
    assert after.table.opened[0] == Opening("pairs", 6)


def test_faults_40_41_pairs_with_a_joker_are_an_opening_by_pairs() -> None:
    start = position([f"{PAIRS} R7 * K4 K5 K6 Y7 B1", "Y1 Y2"], opened={1: "melds 101"})
    after = play(start, f"0 open {FOUR} pair:R7,*")
    assert melds_of(after)[-1] == "0 pair:R7,*=R7"
    assert refused(after, "0 meld run:K4,K5,K6") is Code.KIND_NOT_ALLOWED
    left = position(["R2", "Y7"], opened={0: "melds 101", 1: "pairs 5"})
    end = play(left, "0 discard R2").ending
    assert end is not None
    assert end.scores == (101, -14)


def test_fault_42_a_pair_is_no_target_and_the_automatic_turn_never_tries_it() -> None:
    start = position(["R4 K1", "Y1"], melds=["1 pair:R4,*"], opened=OPENED)
    assert refused(start, "0 add R4 to #0") is Code.WRONG_TARGET
    assert len(events(start, "0 auto")) == 1


def test_fault_43_pairs_are_open_to_melds_openers_after_a_pairs_opening() -> None:
    assert refused(position(["R2 R2 K1", "Y1"], opened=OPENED), "0 meld pair:R2,R2") is Code.KIND_NOT_ALLOWED
    after = play(position(["R2 R2 K1", "Y1"], opened={0: "melds 101", 1: "pairs 5"}), "0 meld pair:R2,R2")
    assert melds_of(after) == ["0 pair:R2,R2"]


def test_faults_44_45_what_is_refused_opens_nothing_and_is_not_added_to_later() -> None:
    tiles = "R13 Y13 B13 K6 K7 K8 Y8 Y9 Y10 B2 B3 B4 B5 R1"
    start = position([tiles, "Y1 Y2"])
    assert refused(start, "0 open set:R13,Y13,B13 run:K6,K7,K8") is Code.BELOW_THRESHOLD
    next_turn = play(start, "0 discard R1", "1 draw", "1 discard Y1", "0 draw")
    assert next_turn.table.opened == (None, None)
    assert refused(next_turn, "0 open run:Y8,Y9,Y10 run:B2,B3,B4,B5") is Code.BELOW_THRESHOLD
    assert len(hand(next_turn, 0)) == 14


def test_fault_47_a_taken_tile_is_used_and_only_a_held_tile_discarded() -> None:
    start = position(["K2 B9", "Y1"], phase=Phase.DRAW, melds=["1 run:R3,R4,R5"], opened=OPENED, discard="R6")
    assert refused(start, "0 take + discard K2") is Code.MUST_USE_TAKEN
    assert code(play(start, "0 draw"), Discard(0, 10)) is Code.TILE_NOT_HELD


def test_faults_48_102_a_take_that_fails_leaves_pile_stock_and_phase() -> None:
    start = position(["K2 B9", "Y1"], phase=Phase.DRAW, discard="R6", opened=OPENED)
    before = repr(start)
    assert refused(start, "0 take + meld run:K2,R6,B9") is Code.INVALID_MELD
    assert repr(start) == before
    assert play(start, "0 draw").discards == start.discards


def test_fault_49_a_lay_off_names_its_meld() -> None:
    start = position(["R8 K1", "Y1"], melds=["1 set:Y8,B8,K8", "1 run:R5,R6,R7"], opened=OPENED)
    assert melds_of(play(start, "0 add R8 to #0")) == ["1 set:R8,Y8,K8,B8", "1 run:R5,R6,R7"]
    assert melds_of(play(start, "0 add R8 to #1")) == ["1 set:Y8,K8,B8", "1 run:R5,R6,R7,R8"]


def test_fault_51_one_foreign_tile_spoils_the_whole_command() -> None:
    start = position(["R1 R2 R3 B1 B2 K1", "B3 Y1"], opened=OPENED)
    before = repr(start)
    assert refused(start, "0 meld run:R1,R2,R3 run:B1,B2,B3") is Code.TILE_NOT_HELD
    assert repr(start) == before


def test_faults_52_96_exactly_the_named_copy_leaves_the_hand() -> None:
    start = position(["B5 B5 R5 Y5 K1", "Y1"], opened=OPENED)
    low, high = (tile for tile in hand(start, 0) if tile // 2 == 43)
    spec = MeldSpec(MeldKind.SET, (Placed(8), Placed(34), Placed(high)))
    answer = RUMMY101.decide(start, LayMelds(0, (spec,)))
    assert not isinstance(answer, Rejection)
    after = RUMMY101.evolve(start, answer[0])
    assert low in hand(after, 0)
    assert high not in hand(after, 0)


def test_fault_68_a_joker_in_the_hand_costs_by_the_way_of_opening() -> None:
    start = position(["R2", "*", "*", "K1 Y3"], opened={0: "melds 101", 1: "melds 101", 2: "pairs 5"})
    end = play(start, "0 discard R2").ending
    assert end is not None
    assert end.scores == (101, -101, -202, -202)


def test_fault_69_the_highest_total_wins() -> None:
    assert winners(MatchFormat(), MatchState((-101, -45, -202), 1, 0)) == (1,)


def test_fault_70_an_empty_stock_is_scored() -> None:
    start = position(
        ["R9 K9", "R1 R2", "B7", "*"],
        phase=Phase.DRAW,
        stock="Y1",
        opened={0: "melds 101", 2: "pairs 5", 3: "melds 103"},
    )
    end = play(start, "0 draw", "0 discard Y1").ending
    assert end is not None
    assert end.scores == (-18, -202, -14, -101)


def test_fault_71_a_joker_is_worth_its_tile_on_the_table_and_101_in_the_hand() -> None:
    assert read("run:R10,*,R12")[1] == 33
    end = play(position(["R2", "*"], opened=OPENED), "0 discard R2").ending
    assert end is not None
    assert end.scores[1] == -101


def test_fault_79_equal_totals_are_equal() -> None:
    assert winners(MatchFormat(), MatchState((48, 51, 51), 1, 0)) == (1, 2)


def test_fault_85_the_start_goes_round() -> None:
    match = new_match(3, 0)
    starters = []
    for _ in range(4):
        starters.append(match.starter)
        match = after_round(match, (0, 0, 0))
    assert starters == [0, 1, 2, 0]


def test_fault_87_nobody_waits_for_a_draw_that_cannot_be() -> None:
    start = position(["R9 K9", "R1 R2"], phase=Phase.DRAW, stock="Y1")
    assert play(start, "0 draw", "0 discard Y1").phase is Phase.OVER


def test_fault_89_an_empty_pile_offers_nothing() -> None:
    start = position(["R9 K9", "R1 R2"], phase=Phase.DRAW, opened=OPENED)
    assert code(start, TakeDiscard(0)) is Code.NOTHING_TO_TAKE


def test_faults_93_104_a_refused_command_leaves_everything_as_it_was() -> None:
    start = position(["R9 K9", "R1 R2"], phase=Phase.DRAW, discard="K1")
    before = repr(start)
    assert refused(start, "1 draw") is Code.NOT_YOUR_TURN
    assert code(start, Discard(0, 16)) is Code.WRONG_PHASE
    drawn = play(start, "0 draw")
    assert code(drawn, Discard(0, start.discards[0])) is Code.TILE_NOT_HELD
    assert repr(start) == before


def test_fault_98_others_are_not_told_what_was_drawn() -> None:
    assert describe(StockDrawn(0, 12), reveal=False) == "0 draw"


def test_faults_100_101_every_seed_deals_otherwise() -> None:
    keys = [shuffle_key(number.to_bytes(32, "big"), (b"seed",)) for number in range(1000)]
    assert len({permutation(key, "deal", 106)[:21] for key in keys}) > 990


def test_fault_103_the_button_pays_once() -> None:
    start = position(["R9 K9", "R1 R2"], phase=Phase.DRAW, jokers=(2, 0))
    after = play(start, "0 button")
    assert refused(after, "0 button") is Code.WRONG_PHASE
    assert after.jokers.spare == (1, 0)


def test_fault_108_looking_at_a_round_changes_nothing() -> None:
    start = position(["R9 K9", "R1 R2"])
    before = repr(start)
    RUMMY101.view(start, 0)
    assert repr(start) == before
    assert refusal(start, "1 discard R1").code is Code.NOT_YOUR_TURN
