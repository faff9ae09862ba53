"""The worked examples of the rules of Canasta, one by one: melds, openings, the pile, scores."""

import pytest
from tests.unit.meldhall_rules.canasta_positions import (
    CLEAN,
    SIX,
    SMALL,
    ending,
    play,
    position,
    refused,
    scores_of,
    session,
)

from meldhall_rules.events import MeldLaid
from meldhall_rules.games.canasta.melds import meld_value, read_meld, table_shape
from meldhall_rules.games.canasta.state import threshold
from meldhall_rules.notation import parse_meld
from meldhall_rules.rejections import Code


def value(tiles: str) -> int | None:
    """Return the value of tiles as a meld, None if they are none."""
    meld = read_meld(parse_meld(f"set:{tiles}"))
    return meld_value(meld) if isinstance(meld, MeldLaid) else None


@pytest.mark.parametrize(
    ("tiles", "worth"),
    [
        ("R9,Y9,R2", 30),
        ("R9,R2,Y2", None),
        ("R9,Y9,R2,*", None),
        ("R9,Y9,K9,R2,*", 85),
        ("R9,Y9,K9,B9,R2,Y2,*", 110),
        ("R9,R9,Y9,Y9,K9,R2,Y2,*,*", None),
        ("R2,Y2,K2", 60),
        ("R2,Y2,*", 90),
        ("R2,*,*", None),
        ("R2,Y2,*,*", None),
        ("R2,Y2,K2,*,*", 160),
        ("K3,B3,B3", None),
        ("R4,R5,R6", None),
        ("R12,Y12,K12", 30),
        ("R1,Y1,R2", 70),
        ("R4,Y4,K4", 15),
        ("R1,Y1,K1", 75),
        ("R2,R2,Y2,Y2,K2,K2,B2", 140),
        ("R2,R2,Y2,Y2,K2,K2,*", 170),
    ],
)
def test_a_meld_is_legal_and_worth_what_its_tiles_are(tiles: str, worth: int | None) -> None:
    assert value(tiles) == worth


@pytest.mark.parametrize(
    ("tiles", "bonus", "total"),
    [
        ("R2,R2,Y2,Y2,K2,K2,B2", 1000, 1140),
        ("R2,R2,Y2,Y2,K2,K2,*", 700, 870),
        ("R2,R2,Y2,Y2,K2,*,*", 700, 900),
        ("R2,R2,Y2,Y2,K2,K2,B2,B2", 1000, 1160),
        ("R2,R2,Y2,Y2,K2,K2,B2,*", 700, 890),
        ("R2,R2,Y2,Y2,K2,K2,B2,B2,*", 700, 910),
        ("R2,R2,Y2,Y2,K2,K2,*,*", 700, 920),
        ("R2,R2,Y2,Y2,*,*", 0, 180),
        ("R12,R12,Y12,Y12,K12,K12,B12,B12", 500, 580),
        ("R9,R9,Y9,Y9,K9,K9,B9,B9,R2,Y2,*", 300, 430),
        ("R1,R1,Y1,Y1,K1,K1,B1", 500, 675),
        ("R1,R1,Y1,Y1,K1,R2,*", 300, 495),
    ],
)
def test_a_canasta_has_one_bonus_by_what_it_is(tiles: str, bonus: int, total: int) -> None:
    meld = read_meld(parse_meld(f"set:{tiles}"))
    assert isinstance(meld, MeldLaid)
    assert table_shape(meld).bonus == bonus
    assert meld_value(meld) + bonus == total


@pytest.mark.parametrize(
    ("total", "needed"),
    [
        (-4000, 15),
        (-5, 15),
        (0, 50),
        (1495, 50),
        (1500, 90),
        (2995, 90),
        (3000, 120),
        (6995, 120),
        (7000, 150),
        (9995, 150),
    ],
)
def test_the_threshold_follows_the_total(total: int, needed: int) -> None:
    assert threshold(total) == needed


@pytest.mark.parametrize(
    ("total", "melds", "opens"),
    [
        (0, "set:R12,Y12,K12 set:R7,Y7,R2", True),
        (0, "set:R1,Y1,R2", True),
        (0, "set:R4,Y4,K4 set:R13,Y13,K13", False),
        (-5, "set:R4,Y4,K4", True),
        (0, "set:R4,Y4,K4", False),
        (1495, "set:R2,Y2,*", True),
        (1495, "set:R1,Y1,K1", True),
        (1500, "set:R2,Y2,*", True),
        (1500, "set:R1,Y1,K1", False),
        (2995, "set:R2,Y2,* set:R4,Y4,K4", True),
        (3000, "set:R2,Y2,* set:R4,Y4,K4", False),
        (6995, "set:R2,R2,Y2,Y2,K2,K2,B2", True),
        (7000, "set:R2,R2,Y2,Y2,K2,K2,B2", False),
        (7000, "set:R2,R2,Y2,Y2,K2,K2,*", True),
        (3000, "set:R10,R10,Y10,Y10,K10,K10,B10", False),
    ],
)
def test_an_opening_reaches_the_threshold_or_is_refused_as_a_whole(
    total: int, melds: str, *, opens: bool
) -> None:
    tiles = " ".join(part.partition(":")[2].replace(",", " ") for part in melds.split())
    start = position(phase="play", totals=[total, 0], hands={0: f"{tiles} B8 K6"})
    if opens:
        after = play(start, f"0 open {melds}")
        assert after.table.opened[0] is not None
        assert len(after.hand) == 2
    else:
        assert refused(start, f"0 open {melds}") is Code.BELOW_THRESHOLD


@pytest.mark.parametrize(
    ("hand", "pile", "melds", "move", "accepted"),
    [
        ("R13 Y13 R1 Y1 * R4 Y5", "K8 K13", [], "open set:K13,R13,Y13 set:R1,Y1,*", True),
        ("R13 Y13 R4 Y5", "R1 Y1 K1 K13", [], "open set:K13,R13,Y13", False),
        ("R9 Y9 R4 Y5", "K6 K9", ["0 set:R9,Y9,K9,B9"], "add K9,R9,Y9 to #0", True),
        ("R9 R4 Y5", "K6 K9", ["0 set:R9,Y9,K9,B9"], "add K9,R9 to #0", False),
        ("R9 R2 R4 Y5", "K6 K9", ["0 set:R9,Y9,K9,B9"], "add K9,R9,R2 to #0", False),
        ("R2 Y2 R4 Y5", "K9 K2", [f"0 {SMALL}"], "meld set:K2,R2,Y2", False),
        ("R9 Y9 R4 Y5", "K9 *", [f"0 {SMALL}"], "meld set:R9,Y9,*", False),
        ("B3 K3 R4 Y5", "K9 K3", [f"0 {SMALL}"], "meld set:K3,K3,B3", False),
        ("R9 Y9 R4 Y5", "* K9", [f"0 {SMALL}"], "meld set:K9,R9,Y9", True),
        ("R9 Y9", "K9", [f"0 {CLEAN}"], "meld set:K9,R9,Y9", False),
        ("R9 Y9", "R6 K9", [f"0 {SIX}"], "meld set:K9,R9,Y9", False),
        ("R9 Y9", "R6 K9", [f"0 {CLEAN}"], "meld set:K9,R9,Y9", True),
        ("R10 Y10 R2 K9 B8", "K10", [], "open set:K10,R10,Y10,R2", True),
    ],
)
def test_the_pile_is_taken_with_a_pair_or_not_at_all(
    hand: str, pile: str, melds: list[str], move: str, *, accepted: bool
) -> None:
    start = position(hands={0: hand}, discard=pile, melds=melds)
    if accepted:
        assert play(start, f"0 take + {move}").discards == ()
    else:
        refused(start, f"0 take + {move}")


OTHERS = {1: "R8", 2: "R4", 3: "Y8"}


@pytest.mark.parametrize(
    ("melds", "bonus", "hands", "scores"),
    [
        (
            [
                "0 set:R10,R10,Y10,Y10,K10,K10,B10",
                "0 set:R1,R1,Y1,Y1,K1,R2,Y2",
                "0 set:R5,Y5,K5",
            ],
            {0: "R3 Y3"},
            {2: "K13 R4 *"},
            (1285, -10),
        ),
        ([f"0 {CLEAN}"], {1: "R3 Y3"}, {1: "R1 Y1 R2 R9 R11 K3", 3: "R12 Y12 R7"}, (665, -410)),
        ([f"0 {CLEAN}", "1 set:R9,Y9,K9"], {1: "R3 R3 Y3 Y3"}, {}, (665, 405)),
        ([f"0 {CLEAN}"], {1: "R3 R3 Y3 Y3"}, {}, (665, -410)),
        (["0 set:R6,R6,Y6,Y6,K6,K6,B6,R2"], {}, {}, (450, -10)),
        (["0 set:R8,Y8,R8,K8,K8,B8,B8,*"], {}, {1: "R5", 3: "R7"}, (480, -10)),
        (["0 set:R12,R12,Y12,Y12,K12,K12,B12,B12"], {}, {}, (675, -10)),
        (["0 set:R2,R2,Y2,Y2,K2,K2,B2,*"], {}, {}, (985, -10)),
        (["0 set:R9,R9,Y9,Y9,K9,K9,B9,B9,R2,Y2,*"], {}, {}, (525, -10)),
        ([f"0 {CLEAN}"], {}, {1: "K3 B3 * R2 R1"}, (665, -300)),
    ],
)
def test_a_round_is_worth_what_lies_there_less_what_is_held(
    melds: list[str], bonus: dict[int, str], hands: dict[int, str], scores: tuple[int, ...]
) -> None:
    assert scores_of(melds=melds, bonus=bonus, hands={0: "K11", **OTHERS, **hands}) == scores


def test_the_last_tile_of_the_stock_may_be_a_bonus_three() -> None:
    alone = play(position(hands={0: "R4", **OTHERS}, stock="R3"), "0 draw")
    assert ending(alone).scores == (-110, -10)
    assert ending(alone).winner is None
    replaced = play(position(hands={0: "R4 K7", **OTHERS}, stock="Y3 R5"), "0 draw")
    assert replaced.ending is None
    assert ending(play(replaced, "0 discard R5")).winner is None


def test_going_out_takes_a_canasta() -> None:
    without = position(phase="play", hands={0: "K3", **OTHERS}, melds=[f"0 {SIX}"])
    assert refused(without, "0 discard K3") is Code.MUST_KEEP_DISCARD
    made = position(phase="play", hands={0: "B13 K3", **OTHERS}, melds=[f"0 {SIX}"])
    assert ending(play(made, "0 add B13 to #0", "0 discard K3")).scores == (665, -10)


def test_three_rounds_and_a_tie_pay_four_thousand_or_the_stake_once() -> None:
    fourth: dict[str, object] = {
        "phase": "play",
        "hands": {0: "K11", **OTHERS},
        "melds": [f"0 {CLEAN}"],
        "totals": [1535, 1535],
        "match": {"rounds": 3, "played": 3},
    }
    friends = session(None, **fourth)
    friends.move("0 discard K11")
    assert friends.account == (4000, -4000, 4000, -4000)
    arena = session(None, **fourth, mode="arena", stake=500)
    arena.move("0 discard K11")
    assert arena.account == (500, -500, 500, -500)
