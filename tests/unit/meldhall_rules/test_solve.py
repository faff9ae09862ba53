"""Openings, pairs and arrangements of hands that players met, or that solvers got wrong."""

import pytest
from tests.unit.meldhall_rules.positions import Box

from meldhall_rules.commands import LayMelds, LayOff, MeldKind, MeldSpec, Placed
from meldhall_rules.notation import write_tiles
from meldhall_rules.solve.arrange import SPARE_JOKERS, Allowed, arrange
from meldhall_rules.solve.build import fill
from meldhall_rules.solve.cover import pack, unpack
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.view import TableMeld

RUNS_AND_SETS = Allowed(runs_and_sets=True, pairs=False)
PAIRS = Allowed(runs_and_sets=False, pairs=True)
ALL = Allowed(runs_and_sets=True, pairs=True)


def points(names: str, *, keep: int = 1, at_least: int = 0) -> int | None:
    found = best_opening_value(Box().tiles(names), keep=keep, at_least=at_least)
    return found.value if found else None


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        ("R11 Y11 B11 K11 K12 K13 Y10 Y11 Y12 R1", 102),
        ("R13 Y13 B13 K13 R4 R5 R6 R7 K8 K9 K10 B1", 101),
        ("R13 Y13 B13 K13 R3 R4 R5 R6 K9 K10 K11 B1", 100),
        ("R13 Y13 * K10 K11 K12 B9 B10 B11 R1", 102),
        ("R12 R13 * R1", 36),
        ("R5 * * R1", 18),
        ("R12 * * R1", 36),
        ("* * R1", 0),
        ("R9 R10 R12 R1", 0),
        ("R12 R13 R1 K5", 0),
        ("R7 R7 B7 K2", 0),
        ("R11 R12 R11 R12 R13 R13 * * * R1", 111),
    ],
)
def test_the_best_opening_is_worth_what_the_rules_count(hand: str, value: int) -> None:
    assert points(hand) == value


def test_a_run_gives_up_a_tile_to_a_set_where_that_is_worth_more() -> None:
    hand = Box().tiles("R3 R4 R5 R6 R7 B6 K6")
    found = best_opening_value(hand)
    assert found is not None
    laid = {placed.tile for spec in found.melds for placed in spec.tiles}
    assert write_tiles(tile for tile in hand if tile not in laid) == "R7"


def test_one_joker_is_in_one_meld_only() -> None:
    found = best_opening_value(Box().tiles("R9 Y9 K4 B4 *"))
    assert found is not None
    assert found.value == 27
    assert len(found.melds) == 1


def test_a_joker_may_stand_for_a_tile_of_which_both_copies_are_held() -> None:
    found = best_opening_value(Box().tiles("R11 R12 R13 R11 R12 R13 Y13 B13 * K1"))
    assert found is not None
    assert found.value == 36 + 36 + 39
    assert any(placed.stands_for == 12 for spec in found.melds for placed in spec.tiles)


def test_a_hand_that_could_be_laid_whole_keeps_its_least_tile_for_the_discard() -> None:
    hand = Box().tiles("R1 R2 R3 R4 K11 K12 K13")
    found = best_opening_value(hand)
    assert found is not None
    assert found.value == 9 + 36
    assert points("R7 R8 R9") == 0
    assert points("R7 R8 R9", keep=0) == 24


def test_the_taken_tile_is_in_the_opening_or_there_is_none() -> None:
    box = Box()
    hand, taken = box.tiles("R6 R4 R5 R13 Y13 B13 K13 R12 Y12 B12"), box.tiles("R6")[0]
    found = best_opening_value((*hand, taken), must=taken)
    assert found is not None
    assert found.value == 103
    assert any(placed.tile == taken for spec in found.melds for placed in spec.tiles)
    lonely = box.tiles("B1")[0]
    assert best_opening_value((*hand, lonely), must=lonely) is None


def test_a_taken_joker_is_in_the_opening() -> None:
    hand = Box().tiles("R11 R12 R13 * * K1")
    found = best_opening_value(hand, must=105)
    assert found is not None
    assert any(placed.tile == 105 for spec in found.melds for placed in spec.tiles)


def test_a_threshold_out_of_reach_has_no_answer() -> None:
    assert points("R11 R12 R13 K1", at_least=36) == 36
    assert points("R11 R12 R13 K1", at_least=37) is None


@pytest.mark.parametrize(
    ("hand", "pairs"),
    [
        ("R1 R1 B5 B5 K9 K9 Y13 Y13 R7 * K2", 5),
        ("R1 R1 B5 B5 K9 K9 Y13 Y13 * * K2", 5),
        ("R1 R1 * * K2", 2),
        ("R1 R1 * *", 1),
        ("* * K2", 1),
        ("* *", 0),
        ("R7 B7 K2", 0),
    ],
)
def test_pairs_are_counted_with_one_joker_each_at_most(hand: str, pairs: int) -> None:
    found = best_pairs(Box().tiles(hand))
    assert found is not None
    assert found.value == pairs
    assert all(any(placed.tile < 104 for placed in spec.tiles) for spec in found.melds)


def test_a_taken_tile_is_paired_or_there_are_no_pairs() -> None:
    assert best_pairs(Box().tiles("R1 R1 K2 K3"), must=52 + 2) is None
    alone = best_pairs(Box().tiles("R1 R1 K2 * K9"), must=104)
    assert alone is not None
    assert any(placed.tile == 104 for spec in alone.melds for placed in spec.tiles)
    twins = best_pairs(Box().tiles("R1 R1 *"), must=104)
    assert twins is not None
    assert twins.melds == (MeldSpec(MeldKind.PAIR, (Placed(0), Placed(104, 0))),)


def test_open_runs_survive_packing() -> None:
    assert unpack(pack((1, 2, 3, 4, 5))) == (1, 2, 3, 4, 5)


def test_a_hand_without_the_tiles_cannot_fill_a_meld() -> None:
    with pytest.raises(IndexError):
        fill([(MeldKind.PAIR, ((3, False), (3, False)))], [6])


def table(box: Box, *melds: str) -> list[TableMeld]:
    return [box.meld(text) for text in melds]


def test_an_arrangement_lays_melds_and_lays_off_the_rest() -> None:
    box = Box()
    melds = table(box, "1 run:R5,R6,R7")
    hand = box.tiles("K1 K2 K3 R8 R9 B13")
    plan = arrange(0, hand, melds, RUNS_AND_SETS)
    assert write_tiles(plan.left) == "B13"
    assert isinstance(plan.moves[0], LayMelds)
    assert [move.meld for move in plan.moves if isinstance(move, LayOff)] == [0, 0]


def test_an_arrangement_lays_off_first_where_that_leaves_less() -> None:
    box = Box()
    melds = table(box, "1 set:R8,Y8,K8", "1 run:B2,B3,B4")
    hand = box.tiles("B5 B6 B7 B8 Y1")
    assert write_tiles(arrange(0, hand, melds, RUNS_AND_SETS).left) == "Y1"


def test_an_arrangement_keeps_a_tile_for_the_discard() -> None:
    hand = Box().tiles("R7 R8 R9")
    assert arrange(0, hand, [], RUNS_AND_SETS).moves == ()
    assert arrange(0, hand, [], RUNS_AND_SETS, keep=0).left == ()


def test_a_joker_stays_in_the_hand_where_the_meld_stands_without_it() -> None:
    hand = Box().tiles("R4 Y4 B4 * K9")
    spared = arrange(0, hand, [], RUNS_AND_SETS, weights=SPARE_JOKERS)
    assert write_tiles(spared.left) == "K9 *"
    assert write_tiles(arrange(0, hand, [], RUNS_AND_SETS).left) == "K9"


def test_a_joker_bridges_a_gap_on_the_table_for_a_tile_behind_it() -> None:
    box = Box()
    melds = table(box, "1 run:R5,R6,R7")
    hand = box.tiles("R9 * K1")
    plan = arrange(0, hand, melds, RUNS_AND_SETS, weights=SPARE_JOKERS)
    assert write_tiles(plan.left) == "K1"
    downwards = arrange(0, Box().tiles("R3 * K1"), melds, RUNS_AND_SETS, weights=SPARE_JOKERS)
    assert write_tiles(downwards.left) == "K1"


@pytest.mark.parametrize("hand", ["K1 * K8 B5", "Y1 * K8 B5"])
def test_a_run_is_not_bridged_past_its_colour(hand: str) -> None:
    box = Box()
    melds = table(box, "1 run:R10,R11,R12")
    plan = arrange(0, box.tiles(hand), melds, RUNS_AND_SETS, weights=SPARE_JOKERS)
    assert plan.moves == ()


def test_a_pair_is_never_laid_off_on() -> None:
    box = Box()
    melds = table(box, "1 pair:R4,R4")
    hand = box.tiles("* Y4 K9")
    assert arrange(0, hand, melds, PAIRS, weights=SPARE_JOKERS).moves == ()


def test_pairs_are_arranged_where_they_are_open() -> None:
    hand = Box().tiles("R4 R4 K7 K8 K9 Y1")
    assert write_tiles(arrange(0, hand, [], PAIRS).left) == "Y1 K7 K8 K9"
    assert write_tiles(arrange(0, hand, [], ALL).left) == "Y1"
    assert write_tiles(arrange(0, Box().tiles("R4 * Y1"), [], PAIRS).left) == "Y1"
