"""Scenarios of card games that cannot be: each is a failed case that names the place."""

import pytest
import yaml

from meldhall_rules.scenario import run_text


def detail(game: str, players: int = 2, **case: object) -> str:
    """Run one case and return what is wrong with it; empty when it holds."""
    document = {"game": game, "players": players, "cases": [{"id": "case", **case}]}
    (result,) = run_text("file.yaml", yaml.safe_dump(document))
    assert result.ok == (not result.detail)
    return result.detail


HANDS = {0: "2S 6H 9D", 1: "3S 7H TD"}

THREE_THIRTEEN = [
    ({"given": {"round": 12}}, "given.round: there are 11 rounds"),
    ({"given": {"hands": {0: "2S 6H"}}}, "given.hands[0]: 2 cards, not 3"),
    ({"given": {"hands": {0: "2S 2S 2H"}}}, "given.hands[0]: 2S once more"),
    ({"given": {"hands": {0: "2S 6H R7"}}}, "given.hands[0]: there is no tile 'R7'"),
    ({"given": {"hands": HANDS, "phase": "play"}}, "given.hands[0]: 3 cards, not 4"),
    ({"given": {"out": 0, "turn": 0}}, "given.turn: seat 0 is out"),
    ({"given": {"out": 2}}, "given.out: 2 is not from 0 to 1"),
    ({"given": {"out": 1, "hands": {1: "2S 3S 4S"}}}, "given.hands[1]: 3 cards, not 0"),
    ({"given": {"melds": ["1 set:8S,8H,8D"]}}, "given.melds: nobody is out"),
    ({"given": {"out": 1, "melds": ["1 set:8S,8H"]}}, "given.melds[0]: set:8S,8H is no meld"),
    ({"given": {"out": 1, "melds": ["1 group:8S,8H,8D"]}}, "given.melds[0]: 'group:8S,8H,8D' is not"),
    ({"given": {"out": 1, "melds": ["2 set:8S,8H,8D"]}}, "given.melds[0]: '2 set:8S,8H,8D' does not begin"),
    ({"given": {"acquired": "stock"}}, "given.acquired: a fresh deal begins with a draw"),
    (
        {"given": {"acquired": "button", "hands": HANDS}},
        "given.acquired: 'button' is not stock, or discard and a card",
    ),
    (
        {"given": {"acquired": "discard 8S", "hands": {0: "2S 6H 9D KC"}}},
        "given.acquired: seat 0 does not hold 8S",
    ),
    ({"given": {"acquired": "stock", "phase": "draw"}}, "given.phase: a turn with an acquired card"),
    ({"given": {"dealer": 0, "turn": 0}}, "given.turn: seat 0 cannot start"),
    ({"given": {"stock": "?4 2S"}}, "given.stock: '?n' can only be the end"),
    ({"given": {"hands": HANDS, "stock": "?99"}}, "given.stock: ?99, but only 46 tiles"),
    ({"given": {"match": {"target": 100}}}, "given.match: unknown key 'target'"),
    ({"given": {"opened": {0: "melds 101"}}}, "given: unknown key 'opened'"),
    ({"given": {"history": [{"out": 0, "scores": [0, 5]}]}}, "given.history: 1 rounds, but 0 were played"),
    (
        {"given": {"round": 2, "totals": [0, 6], "history": [{"out": 0, "scores": [0, 5]}]}},
        "given.totals: (0, 6) is not the sum of history, (0, 5)",
    ),
    ({"options": {"wilds": 2}}, "options: three_thirteen has no option 'wilds'"),
    ({"then": {"need": {"melds": 1}}}, "then: unknown key 'need'"),
    ({"then": {"melds": ["0 row:2S"]}}, "then.melds[0]: 'row:2S' is not"),
    (
        {"given": {"hands": HANDS}, "then": {"hands": {0: "2S 6H 9C"}}},
        'hands[0]: expected "2S 6H 9C", found "2S 6H 9D"',
    ),
    (
        {"given": {"hands": HANDS, "discard": "KC"}, "then": {"discard_top": "KH"}},
        'discard_top: expected "KH", found "KC"',
    ),
    ({"given": {"hands": HANDS}, "then": {"penalty": {0: 1}}}, "penalty[0]: expected 1, found 17"),
    ({"play": ["0 meld tile:2S"]}, "is no move"),
]


@pytest.mark.parametrize(("case", "problem"), THREE_THIRTEEN)
def test_a_position_of_three_thirteen_that_cannot_be_is_a_failed_case(
    case: dict[str, object], problem: str
) -> None:
    assert problem in detail("three_thirteen", **case)  # type: ignore[arg-type]


RUMMY = [
    ({"given": {"hands": {0: ""}}}, "given.hands[0]: a seat on turn has a card that it may discard"),
    ({"given": {"hands": {0: "2S"}, "acquired": "discard 2S"}}, "given.hands[0]: a seat on turn has a card"),
    ({"given": {"hands": {0: "2S 2S"}}}, "given.hands[0]: 2S once more"),
    ({"given": {"laid": [2]}}, "given.laid[0]: 2 is not from 0 to 1"),
    ({"given": {"melds": ["0 run:QS,KS,AS"]}}, "given.melds[0]: run:QS,KS,AS is no meld"),
    ({"given": {"match": {"target": 150, "hands": 3}}}, "given.match: hands and target exclude each other"),
    ({"given": {"stake": 5}}, "given.stake: goes with mode: arena"),
    ({"players": 7}, "players: 7 is not from 2 to 6"),
    ({"then": {"penalty": {0: 1}}}, "then: unknown key 'penalty'"),
]


@pytest.mark.parametrize(("case", "problem"), RUMMY)
def test_a_position_of_rummy_that_cannot_be_is_a_failed_case(case: dict[str, object], problem: str) -> None:
    assert problem in detail("rummy", **case)  # type: ignore[arg-type]


LAID = {
    "given": {"out": 1, "melds": ["1 run:9H,TH,3D=JH"], "hands": {0: "2S 6H 9D"}},
}


@pytest.mark.parametrize("melds", [["1 run:3D,TH,9H"], ["1 run:3D=JH,9H,TH"], ["1 run:9H=9H,TH,3D"]])
def test_melds_are_the_same_in_any_order_and_where_nothing_is_stated(melds: list[str]) -> None:
    assert detail("three_thirteen", **LAID, then={"melds": melds}) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "melds",
    [
        [],
        ["1 run:3D=8H,9H,TH"],
        ["0 run:3D,9H,TH"],
        ["1 set:3D,9H,TH"],
        ["1 run:3D,9H,TH,JH"],
        ["1 run:3H,9H,TH"],
        ["1 run:3D,9H,TH", "1 run:3D,9H,TH"],
    ],
)
def test_other_melds_are_a_difference_that_shows_both(melds: list[str]) -> None:
    found = detail("three_thirteen", **LAID, then={"melds": melds})  # type: ignore[arg-type]
    assert found.startswith("melds: expected")
    assert "found" in found


def test_a_stated_identity_is_not_used_up_by_a_twin_without_one() -> None:
    given = {"out": 1, "round": 2, "melds": ["1 run:9H,TH,4D=JH,4D=QH"], "hands": {0: "2S 6H 9D 2C", 2: "?4"}}
    assert detail("three_thirteen", 3, given=given, then={"melds": ["1 run:4D,4D=QH,9H,TH"]}) == ""
    assert detail("three_thirteen", 3, given=given, then={"melds": ["1 run:4D=QH,4D=QH,9H,TH"]}) != ""


@pytest.mark.parametrize("game", ["three_thirteen", "rummy"])
def test_a_take_with_a_use_is_a_refused_move(game: str) -> None:
    given = {"hands": HANDS, "discard": "KC"}
    for move in ("take + discard 2S", "take + meld set:2S,6H,9D", "take + add 2S to #0"):
        assert detail(game, given=given, play=[{"do": f"0 {move}", "error": "UNKNOWN_MOVE"}]) == ""


def test_totals_that_are_the_sum_of_the_history_may_be_stated() -> None:
    given = {"round": 2, "totals": [0, 5], "history": [{"out": 0, "scores": [0, 5]}]}
    assert detail("three_thirteen", given=given, then={"totals": [0, 5]}) == ""
    assert detail("three_thirteen", given=given, then={"totals": [0, 6]}) != ""
