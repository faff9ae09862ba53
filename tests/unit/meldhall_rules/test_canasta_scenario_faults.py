"""Scenarios of Canasta that cannot be: each is a failed case with a clear detail."""

import json

import pytest

from meldhall_rules.scenario import run_text


def detail(case: dict[str, object], **head: object) -> str:
    """Run one case, written as JSON, which is YAML too, and return what is wrong with it."""
    document = {"game": "canasta", **head, "cases": [{"id": "one", **case}]}
    (result,) = run_text("file", json.dumps(document))
    assert result.ok == (not result.detail)
    return result.detail


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"hands": {"0": "R5"}}, "'0' is not a seat from 0 to 3"),
        ({"stock": "R5 R5 R5"}, "R5 once more, but the position cannot hold more than 2"),
        ({"stock": "* * *"}, "* once more"),
        ({"stock": "?5 R5"}, "can only be the end of a stock"),
        ({"stock": "?500"}, "only 50 tiles are left for it"),
        ({"discard": "R3"}, "R3 cannot be here, it is exposed at once"),
        ({"discard": "R3", "phase": "play"}, "given.discard"),
        ({"melds": ["0 set:R9,Y9,K9"]}, "team 0 has melds, but has not opened"),
        ({"phase": "play", "opened": "yes"}, "is not a mapping by seat"),
        ({"opened": {}}, "goes with a position, not with a fresh deal"),
        ({"acquired": "stock"}, "goes with a position, not with a fresh deal"),
        ({"phase": "draw", "acquired": "stock"}, "a turn with an acquired tile is in play"),
        ({"phase": "draw", "first_turn": True}, "the first turn begins in play"),
        ({"first_turn": True, "acquired": "stock"}, "nothing is acquired in the first turn"),
        ({"phase": "play", "acquired": "luck"}, "is not stock, button or discard and a tile"),
        ({"phase": "play", "acquired": "discard"}, "is not one tile"),
        ({"laid": [0]}, "unknown key 'laid'"),
        ({"dealer": 1, "turn": 1}, "seat 1 cannot start where seat 1 is the dealer"),
        ({"totals": [0, 0, 0, 0]}, "4 values, not 2"),
        ({"match": {"hands": 3}}, "unknown key 'hands'"),
        ({"match": {"rounds": 3, "target": 10000}}, "exclude each other"),
        ({"stake": 5}, "goes with mode: arena"),
    ],
)
def test_a_position_that_cannot_be_is_named(given: dict[str, object], expected: str) -> None:
    assert expected in detail({"given": given})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{hands: {0: R3}}", "given.hands[0]: R3 cannot be here"),
        ("{bonus: {0: R4}}", "given.bonus[0]: R4 is no bonus three"),
        ("{bonus: {0: R3 R3 R3}}", "R3 once more"),
        ("{bonus: {2: R3}}", "2 is not a seat from 0 to 1"),
        ("{phase: play, opened: {0: true}}", "team 0 has opened, but no melds"),
        ("{melds: ['0 set:R9,Y9,K9'], opened: {0: false}}", "team 0 has melds, but has not opened"),
        ("{melds: ['2 set:R9,Y9,K9'], opened: {0: true}}", "does not begin with a seat from 0 to 1"),
        ("{melds: ['0 run:R9,R10,R11'], opened: {0: true}}", "canasta has no run"),
        ("{melds: ['0 set:R9,Y9,*=K9'], opened: {0: true}}", "a wild stands for the number of its meld"),
        (
            "{melds: ['0 set:R9,Y9,K9', '0 set:R9,Y9,K9'], opened: {0: true}}",
            "team 0 has a meld of 9s already",
        ),
        ("{first_turn: true, hands: {0: R3 K4}, stock: ''}", "given.stock: no tile left to replace"),
    ],
)
def test_a_position_by_team_or_seat_that_cannot_be_is_named(given: str, expected: str) -> None:
    (result,) = run_text("file", f"game: canasta\ncases:\n  - id: one\n    given: {given}\n")
    assert expected in result.detail


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("{need: [50]}", "1 values, not 2"),
        ("{need: {melds: 50}}", "is not a list"),
        ("{winner: 2}", "2 is not from 0 to 1"),
        ("{match_winners: [3]}", "3 is not from 0 to 1"),
        ("{opened: {0: true}}", "opened[0]: expected true, found false"),
        ("{bonus: {0: R3 Y3 R3 Y3 K4}}", "bonus[0]"),
        ("{penalty: {0: 3}}", "unknown key 'penalty'"),
        ("{account: [0, 0]}", "2 values, not 4"),
        ("{melds: ['0 set:R9,Y9']}", "is no meld"),
    ],
)
def test_what_is_expected_is_read_strictly(then: str, expected: str) -> None:
    (result,) = run_text("file", f"game: canasta\ncases:\n  - id: one\n    then: {then}\n")
    assert expected in result.detail


def test_a_team_that_is_not_named_has_nothing() -> None:
    text = "game: canasta\ncases:\n  - id: one\n    given: {bonus: {1: R3}}\n    then: {bonus: {0: ''}}\n"
    (result,) = run_text("file", text)
    assert 'bonus[1]: expected "", found "R3"' in result.detail


def test_players_and_options_are_those_of_the_game() -> None:
    assert "3 is not from 4 to 4" in detail({}, players=3)
    assert "canasta has no option 'opening'" in detail({}, options={"opening": "rising"})
    assert detail({}, players=4) == ""


def test_the_button_may_have_brought_the_tile_of_the_turn() -> None:
    text = (
        "game: canasta\noptions: {joker_button_source: SOURCE}\ncases:\n  - id: one\n"
        "    given: {phase: play, acquired: button, hands: {0: '* * * K4'}, stock: '?9'}\n"
        "    play: ['0 discard *']\n"
    )
    (extra,) = run_text("file", text.replace("SOURCE", "extra"))
    assert extra.ok, extra.detail
    (stock,) = run_text("file", text.replace("SOURCE", "stock"))
    assert "* once more" in stock.detail


def test_a_named_pile_and_taken_tile_are_read() -> None:
    text = (
        "game: canasta\ncases:\n  - id: one\n"
        "    given: {phase: play, acquired: discard R9, hands: {0: R5 K4}, discard: '?5 R9', stock: '?9'}\n"
        "    then: {discard_top: R9}\n"
    )
    (result,) = run_text("file", text)
    assert result.ok, result.detail
