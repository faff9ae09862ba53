"""Places, lay-offs, bridges and pairs of arrangements where one tile more or less decides.

Source: ``deploy/docs/rules/rummy101.md`` 24, 27, 29, 32 to 34.
"""

import pytest
from tests.unit.meldhall_rules.positions import Box

from meldhall_rules.commands import LayOff, Placed
from meldhall_rules.notation import write_tiles
from meldhall_rules.solve.arrange import SHED_ALL, SPARE_JOKERS, Allowed, Arrangement, arrange, places
from meldhall_rules.solve.cover import Weights
from meldhall_rules.view import TableMeld

NOTHING_NEW = Allowed(runs_and_sets=False, pairs=False)
PAIRS = Allowed(runs_and_sets=False, pairs=True)
SEAT = 3


def table(box: Box, *melds: str) -> list[TableMeld]:
    return [box.meld(f"1 {text}") for text in melds]


def plan(
    hand: str, *melds: str, keep: int = 1, weights: Weights = SHED_ALL
) -> tuple[Arrangement, tuple[int, ...]]:
    """Arrange a hand on a table without new melds; return the hand, too."""
    box = Box()
    on = table(box, *melds)
    tiles = box.tiles(hand)
    return arrange(SEAT, tiles, on, NOTHING_NEW, keep=keep, weights=weights), tiles


@pytest.mark.parametrize(
    ("meld", "faces"),
    [
        ("run:R1,R2,R3", "R4"),
        ("run:R2,R3,R4", "R1 R5"),
        ("run:R10,R11,R12", "R9 R13"),
        ("run:K11,K12,K13", "K10"),
        ("set:R7,B7,K7", "Y7"),
        ("set:R7,Y7,B7,K7", ""),
        ("pair:R7,R7", ""),
    ],
)
def test_a_meld_has_a_place_at_each_end_of_a_run_and_for_each_missing_colour(meld: str, faces: str) -> None:
    (on,) = table(Box(), meld)
    assert write_tiles(2 * shown for shown in places(on)) == faces


def test_the_highest_tile_is_laid_off_first_where_one_has_to_stay() -> None:
    found, (high, _) = plan("R8 B5", "run:B2,B3,B4", "run:R5,R6,R7")
    assert found.moves == (LayOff(SEAT, 1, (Placed(high),)),)


def test_the_second_tile_of_a_face_is_laid_off_like_the_first() -> None:
    found, (twin, _) = plan("R8 K1", "set:R8,Y8,K8,B8", "run:R5,R6,R7")
    assert twin % 2 == 1
    assert found.moves == (LayOff(SEAT, 1, (Placed(twin),)),)


def test_a_joker_bridges_at_the_first_run_behind_other_melds_and_for_a_second_tile_of_a_face() -> None:
    found, (behind, joker, _) = plan("R9 * K1", "set:R9,Y9,K9,B9", "run:R5,R6,R7", weights=SPARE_JOKERS)
    assert behind % 2 == 1
    (move,) = found.moves
    assert move == LayOff(SEAT, 1, (Placed(joker, 7), Placed(behind)))


def test_a_bridge_that_leaves_no_discard_is_not_built() -> None:
    found, tiles = plan("R9 *", "run:R5,R6,R7", weights=SPARE_JOKERS)
    assert found == Arrangement((), tiles)


def test_a_joker_is_laid_off_at_the_lower_end_as_what_is_missing_there() -> None:
    found, (joker, kept) = plan("* K1", "run:R5,R6,R7")
    assert found == Arrangement((LayOff(SEAT, 0, (Placed(joker, 3),)),), (kept,))


@pytest.mark.parametrize("melds", [(), ("set:R7,Y7,B7,K7",)])
def test_a_joker_without_a_place_stays(melds: tuple[str, ...]) -> None:
    found, tiles = plan("* K1", *melds)
    assert found == Arrangement((), tuple(sorted(tiles)))


def test_the_only_tile_stays_even_where_it_is_a_joker_with_a_place() -> None:
    found, tiles = plan("*", "run:R5,R6,R7")
    assert found == Arrangement((), tiles)


@pytest.mark.parametrize(("worth", "stays"), [(-1, True), (0, True), (1, False), (1101, False)])
def test_a_joker_is_laid_off_for_itself_only_where_it_weighs_anything(worth: int, stays: bool) -> None:
    weights = Weights(SHED_ALL.natural, (worth,) * 14)
    found, tiles = plan("* K1", "run:R5,R6,R7", weights=weights)
    assert (tiles[0] in found.left) is stays
    box = Box()
    paired = arrange(SEAT, box.tiles("R4 * K1"), [], PAIRS, weights=weights)
    assert bool(paired.moves) is not stays


def test_naturals_are_paired_while_a_spared_joker_serves_as_the_discard() -> None:
    spared = arrange(SEAT, Box().tiles("R4 R4 *"), [], PAIRS, weights=SPARE_JOKERS)
    assert write_tiles(spared.left) == "*"


def test_a_pair_that_leaves_no_discard_is_not_laid() -> None:
    assert len(arrange(SEAT, Box().tiles("R4 R4 K7 K7"), [], PAIRS).left) == 2


@pytest.mark.parametrize(
    ("meld", "hand", "weights", "left"),
    [
        ("run:R10,R11,R12", "R6 * R6 R8", SPARE_JOKERS, "R6"),
        ("set:R8,Y8,B8", "* K8 R9 *", SPARE_JOKERS, "R9 * *"),
        ("set:R4,B4,K4", "R6 Y6 Y4 Y3 R5 *", SHED_ALL, "R5 Y3"),
    ],
)
def test_of_both_orders_the_one_that_leaves_less_weight_is_taken(
    meld: str, hand: str, weights: Weights, left: str
) -> None:
    box = Box()
    on = table(box, meld)
    found = arrange(SEAT, box.tiles(hand), on, Allowed(runs_and_sets=True, pairs=False), weights=weights)
    assert write_tiles(found.left) == left
