"""Faults of Canasta that other implementations had in public:
each as an input of ours, with the answer that is right here.

The numbers are those of a survey of such faults; a name tells the whole story.
"""

import copy
from collections import Counter

import pytest
from tests.unit.meldhall_rules.canasta_positions import (
    CLEAN,
    HANDS,
    SIX,
    SMALL,
    ending,
    events,
    play,
    position,
    refused,
    scores_of,
    session,
)

from meldhall_rules.canasta_tiles import is_bonus, number
from meldhall_rules.commands import Discard, LayMelds, LayOff, LayOpening, MeldKind, MeldSpec, Placed
from meldhall_rules.events import BonusExposed, Discarded, Finish, RoundEnded, StockDrawn
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.canasta.melds import read_meld
from meldhall_rules.games.canasta.options import Options
from meldhall_rules.notation import parse_meld, write_table_meld
from meldhall_rules.rejections import Code, Rejection

OTHERS = {1: "R9", 2: "R5", 3: "Y9"}


def dealt(number_of_deal: int) -> RoundSetup:
    return RoundSetup(1, 4, number_of_deal % 4, number_of_deal.to_bytes(32, "big"), (0,) * 4)


def test_fault_18_a_deal_has_each_tile_once_and_each_face_twice() -> None:
    order = CANASTA.deal(Options().canonical(), dealt(3)).order
    assert sorted(order) == list(range(106))
    numbers = Counter(map(number, order))
    assert numbers.pop(0) == 2
    assert set(numbers.values()) == {8}
    assert sum(map(is_bonus, order)) == 4


def test_fault_45_an_opening_below_the_threshold_leaves_no_trace() -> None:
    start = position(phase="play", hands={0: "R9 Y9 K9 R6 K8"})
    assert refused(start, "0 open set:R9,Y9,K9") is Code.BELOW_THRESHOLD
    after = play(start, "0 discard R6")
    assert after.table.melds == ()
    assert after.table.opened == (None, None)
    assert len(after.hidden.hands[0]) == 4


def test_fault_46_melds_of_an_opening_are_summed_each_with_its_own_wild() -> None:
    start = position(phase="play", hands={0: "R12 Y12 K12 R7 Y7 R2 K5 K6"})
    (opened,) = events(start, "0 open set:R12,Y12,K12 set:R7,Y7,R2")
    assert getattr(opened, "value", None) == 60
    after = play(start, "0 open set:R12,Y12,K12 set:R7,Y7,R2")
    assert [write_table_meld(meld) for meld in after.table.melds] == ["0 set:R12,Y12,K12", "0 set:R7,Y7,R2"]


def test_fault_52_the_very_copies_that_are_named_leave_the_hand() -> None:
    start = position(phase="play", hands={0: "B5 B5 R5 Y5 K6 K7"}, melds=[f"0 {SMALL}"])
    low, high = [tile for tile in start.hand if tile // 2 == (3 * 13 + 4)]
    others = [tile for tile in start.hand if number(tile) == 5 and tile not in {low, high}]
    spec = MeldSpec(MeldKind.SET, (Placed(high), *map(Placed, others)))
    after = play(start, LayMelds(0, (spec,)))
    assert low in after.hand
    assert high not in after.hand
    assert play(start, Discard(0, high)).discards == (high,)


def test_faults_53_54_a_pair_takes_the_pile_and_less_does_not() -> None:
    melds = ["0 set:R9,Y9,K9"]
    pair = position(hands={0: "R9 Y9 R4 K5"}, discard="B9", melds=melds)
    assert len(play(pair, "0 take + add B9,R9,Y9 to #0").table.melds[0].tiles) == 6
    for hand, use in (
        ("R9 K4 K5", "add B9,R9 to #0"),
        ("R9 K4 K5", "add B9 to #0"),
        ("R9 R2 K4 K5", "add B9,R9,R2 to #0"),
        ("R9 * K4 K5", "add B9,R9,* to #0"),
        ("R2 * K4 K5", "add B9,R2,* to #0"),
    ):
        assert refused(position(hands={0: hand}, discard="B9", melds=melds), f"0 take + {use}") is (
            Code.INVALID_MELD
        )


def test_fault_55_the_take_lays_three_and_brings_the_rest() -> None:
    start = position(hands={0: "R9 Y9 R4 K5"}, discard="R6 R7 B9", melds=[f"0 {SMALL}"])
    after = play(start, "0 take + meld set:B9,R9,Y9")
    assert len(after.hand) == len(start.hand) - 2 + 2
    assert len(after.table.melds[1].tiles) == 3
    assert after.discards == ()


def test_fault_56_only_the_top_blocks() -> None:
    below = position(hands={0: "R9 Y9 R4 K5"}, discard="* R2 K3 B9", melds=[f"0 {SMALL}"])
    assert len(play(below, "0 take + meld set:B9,R9,Y9").hand) == 5
    for top in ("*", "R2", "K3"):
        start = position(hands={0: "R9 Y9 R4 K5"}, discard=f"B9 {top}", melds=[f"0 {SMALL}"])
        assert refused(start, "0 take + meld set:B9,R9,Y9") is Code.PILE_BLOCKED


def test_fault_57_a_dark_three_blocks_exactly_the_next_player() -> None:
    start = position(
        phase="play",
        hands={0: "B3 K4 K5", 1: "R7 K6", 2: "Y7 B7 K8 K9", 3: "Y9"},
        discard="R11",
        melds=[f"0 {SMALL}", f"1 {SMALL.replace('13', '12')}"],
        stock="B11 ?9",
    )
    thrown = play(start, "0 discard B3")
    assert refused(thrown, "1 take + meld set:B3,R7,K6") is Code.PILE_BLOCKED
    covered = play(thrown, "1 draw", "1 discard R7")
    after = play(covered, "2 take + meld set:R7,Y7,B7")
    assert Counter(map(number, after.hand)) == Counter([8, 9, 11, 3])


def test_fault_58_dark_threes_cost_a_hundred_each_and_nothing_else() -> None:
    assert scores_of(melds=[f"0 {CLEAN}"], hands={0: "K4", **OTHERS, 1: "K3 B3"}) == (665, -205)


def test_fault_59_as_many_wilds_as_naturals_are_illegal() -> None:
    assert isinstance(read_meld(parse_meld("set:R9,Y9,R2,*")), Rejection)
    assert not isinstance(read_meld(parse_meld("set:R9,Y9,K9,R2,*")), Rejection)


def test_fault_60_a_canasta_is_counted_once_however_it_grew() -> None:
    start = position(
        phase="play",
        hands={0: "K12 B12 K4", **OTHERS},
        melds=["0 set:R12,R12,Y12,Y12,K12,B12"],
    )
    assert ending(play(start, "0 add K12 to #0", "0 add B12 to #0", "0 discard K4")).scores == (675, -10)


def test_fault_61_a_melded_wild_stays_where_it_is() -> None:
    start = position(
        phase="play", hands={0: "R9 R4 K5 K6"}, melds=["0 set:Y9,K9,*", "0 set:R8,Y8,K8", f"1 {SIX}"]
    )
    joker = start.table.melds[0].tiles[-1].tile
    assert refused(start, "0 swap R9 for #0") is Code.UNKNOWN_MOVE
    for target in range(3):
        assert refused(start, LayOff(0, target, (Placed(joker),))) is Code.TILE_NOT_HELD
    assert refused(start, Discard(0, joker)) is Code.TILE_NOT_HELD


def test_fault_62_nobody_wins_an_exhausted_round() -> None:
    end = ending(play(position(hands=HANDS, stock="K7"), "0 draw", "0 discard K7"))
    assert end.winner is None
    assert end.finish is Finish.EXHAUSTED
    assert end.scores == (-20, -10)


def test_fault_63_one_pair_and_one_tile_are_a_dead_end() -> None:
    start = position(hands={0: "R9 Y9"}, discard="B9", melds=[f"0 {CLEAN}"])
    assert refused(start, "0 take + meld set:B9,R9,Y9") is Code.MUST_KEEP_DISCARD


@pytest.mark.parametrize(("bonus", "unopened", "opened"), [("R3 Y3", -200, 200), ("R3 R3 Y3 Y3", -400, 400)])
def test_fault_64_bonus_threes_go_by_the_opening_and_count_once(
    bonus: str, unopened: int, opened: int
) -> None:
    hands = {0: "K4", **OTHERS}
    assert scores_of(melds=[f"0 {CLEAN}"], hands=hands, bonus={1: bonus})[1] == unopened - 10
    melds = [f"0 {CLEAN}", "1 set:R6,Y6,K6"]
    assert scores_of(melds=melds, hands=hands, bonus={1: bonus})[1] == opened + 15 - 10


def test_fault_65_a_last_bonus_three_ends_the_round_at_once() -> None:
    start = position(hands=HANDS, stock="R3")
    exposed, ended = events(start, "0 draw")
    assert isinstance(exposed, BonusExposed)
    assert isinstance(ended, RoundEnded)
    assert ended.scores == (-120, -10)
    assert play(start, "0 draw").hidden.hands == start.hidden.hands
    more = play(position(hands=HANDS, stock="R3 Y3 B5"), "0 draw")
    assert more.ending is None
    assert len(more.table.bonus[0]) == 2
    assert len(more.hand) == 3


def test_fault_66_after_the_last_tile_there_is_one_discard_and_no_take() -> None:
    start = position(
        hands={0: "K4 R6", 1: "R9 Y9 K5", 2: "R5", 3: "Y8"},
        stock="K9",
        discard="K7",
        melds=["1 set:R12,Y12,K12"],
    )
    drawn = play(start, "0 draw")
    assert drawn.ending is None
    over = play(drawn, "0 discard K9")
    assert refused(over, "1 take + meld set:K9,R9,Y9") is Code.ROUND_OVER


def test_fault_67_teams_survive_a_copy_of_the_state() -> None:
    start = position(phase="play", hands={0: "R1 Y1 K1 K4 K5", 2: "B1 B7 R8"}, stock="R9 ?9")
    copied = copy.deepcopy(play(start, "0 open set:R1,Y1,K1"))
    after = play(copied, "0 discard K4", "1 draw", "1 auto", "2 draw", "2 add B1 to #0")
    assert after.table.melds[0].owner == 0
    assert len(after.table.melds[0].tiles) == 4


def test_fault_78_what_the_partner_adds_counts_for_the_team_once() -> None:
    start = position(phase="play", turn=2, hands={0: "R5", 1: "R9", 2: "B13 K4", 3: "Y9"}, melds=[f"0 {SIX}"])
    assert ending(play(start, "2 add B13 to #0", "2 discard K4")).scores == (665, -10)


def test_fault_79_equal_totals_are_played_off() -> None:
    level = session(
        hands={0: "R1", 1: "K1 R4", 2: "Y1", 3: "R1 Y10"},
        stock="R12",
        match={"rounds": 3, "played": 2},
        totals=[1585, 1600],
    )
    level.move("0 draw")
    level.move("0 discard R12")
    assert level.match.totals == (1535, 1535)
    assert level.account == (0, 0, 0, 0)
    assert level.move("next") is None


def test_fault_87_an_empty_stock_ends_the_round_with_the_discard_itself() -> None:
    drawn = play(position(hands=HANDS, stock="K7"), "0 draw")
    found = events(drawn, "0 discard K7")
    assert [type(event) for event in found] == [Discarded, RoundEnded]


def test_fault_89_there_is_nothing_to_take_from_an_empty_pile() -> None:
    start = position(
        hands={0: "R9 Y9 R4 K5", 1: "R7 K6"},
        discard="B9",
        melds=[f"0 {SMALL}", f"1 {SMALL.replace('13', '12')}"],
    )
    after = play(start, "0 take + meld set:B9,R9,Y9")
    assert after.discards == ()
    fresh = play(position(seed=1), "0 auto")
    assert len(fresh.discards) == 1
    empty = position(hands={0: "R9 Y9 R4 K5"}, melds=[f"0 {SMALL}"])
    assert refused(empty, "0 take + meld set:B9,R9,Y9") is Code.NOTHING_TO_TAKE


def test_fault_106_the_deal_is_one_event_with_its_replacements() -> None:
    for number_of_deal in range(20):
        state = CANASTA.evolve(None, CANASTA.deal(Options().canonical(), dealt(number_of_deal)))
        assert not any(is_bonus(tile) for hand in state.hidden.hands for tile in hand)
        assert state.hidden.stock_size == 49 - sum(map(len, state.table.bonus))


def test_a_bonus_three_never_gets_anywhere_else() -> None:
    (drawn,) = events(position(hands=HANDS, stock="B3 ?9"), "0 draw")
    assert isinstance(drawn, StockDrawn)
    three = next(filter(is_bonus, range(106)))
    start = position(phase="play", hands=HANDS)
    assert refused(start, Discard(0, three)) is Code.TILE_NOT_HELD
    assert refused(start, LayOpening(0, (MeldSpec(MeldKind.SET, (Placed(three),)),))) is Code.TILE_NOT_HELD
