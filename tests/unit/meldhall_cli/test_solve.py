"""`meldhall solve`: answers line by line, faults that name their line, and one hand for people."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from meldhall_cli.app import app


def solve(kind: str, *lines: str | bytes) -> tuple[int, list[dict[str, Any]]]:
    data = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    result = CliRunner().invoke(app, ["solve", kind, "--jsonl"], input=data)
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_a_penalty_and_its_melds_are_added_to_the_object() -> None:
    code, answers = solve("penalty", '{"id": "a", "round": 2, "hand": "6S 6H 4D KS"}')
    assert code == 0
    assert answers == [
        {"id": "a", "round": 2, "hand": "6S 6H 4D KS", "penalty": 10, "melds": ["set:6S,6H,4D=6D"]}
    ]


def test_wilds_alone_cost_nothing_only_where_they_are_a_set() -> None:
    hand = '"round": 4, "hand": "6S 6H 6D"'
    _, (without,) = solve("penalty", f"{{{hand}}}")
    _, (allowed,) = solve("penalty", '{"round": 1, "hand": "3S 3H 3D", "allow_all_wild": true}')
    _, (refused,) = solve("penalty", '{"round": 1, "hand": "3S 3H 3D"}')
    assert (without["penalty"], allowed["penalty"], refused["penalty"]) == (18, 0, 9)


def test_an_opening_counts_all_tiles_unless_some_have_to_stay() -> None:
    code, (free, kept) = solve(
        "opening", '{"hand": "R1 R2 R3 * R7 R7"}', '{"hand": "R1 R2 R3 R4", "keep": 1}'
    )
    assert code == 0
    assert (free["best_value"], free["melds"]) == (10, ["run:R1,R2,R3,*=R4"])
    assert (free["best_pairs"], free["pair_melds"]) == (2, ["pair:R7,R7", "pair:R3,*=R3"])
    assert (kept["best_value"], kept["melds"], kept["best_pairs"], kept["pair_melds"]) == (
        9,
        ["run:R2,R3,R4"],
        0,
        [],
    )


@pytest.mark.parametrize(
    ("kind", "line", "error"),
    [
        ("penalty", "six of spades", "not JSON"),
        ("penalty", "[1]", "not an object"),
        ("penalty", b'{"hand": "\xff"}', "byte 11 is not UTF-8"),
        ("penalty", "[" * 100_000, "nested too deeply"),
        ("penalty", '{"round": NaN, "hand": ""}', "NaN is not a number of JSON"),
        ("penalty", '{"round": 1e999, "hand": ""}', "1e999 is not a number of JSON"),
        ("penalty", '{"hand": "6S"}', "round is missing"),
        ("penalty", '{"round": 12, "hand": "6S"}', "round is 12, not a number from 1 to 11"),
        ("penalty", '{"round": true, "hand": "6S"}', "round is true, not a number"),
        ("penalty", '{"round": 1}', "hand is missing"),
        ("penalty", '{"round": 1, "hand": ["6S"]}', 'hand is ["6S"], not a text'),
        ("penalty", '{"round": 1, "hand": "6S 1S"}', "character 4: '1S' is not a card"),
        ("penalty", '{"round": 1, "hand": "*"}', "'*' is not a card"),
        ("penalty", '{"round": 1, "hand": "6S 6S 6S"}', "6S 3 times, there are 2"),
        ("penalty", '{"round": 1, "hand": "6S 6S", "players": 2}', "6S 2 times, there are 1"),
        ("penalty", '{"round": 1, "hand": "6S", "decks": 3}', "decks is 3"),
        ("penalty", '{"round": 1, "hand": "6S", "players": 2, "decks": 2}', "2 players have 1 decks, not 2"),
        ("penalty", '{"round": 1, "hand": "6S", "allow_all_wild": 1}', "allow_all_wild is 1"),
        ("penalty", f'{{"round": 1, "hand": "{"6S " * 15}"}}', "hand has 15 cards, 14 are the most"),
        ("opening", '{"hand": "R14"}', "'R14' is not a tile"),
        ("opening", '{"hand": "R1 R1 R1"}', "R1 3 times, there are 2"),
        ("opening", '{"hand": "* * * * * * *"}', "* 7 times, there are 6"),
        ("opening", '{"hand": "R1", "keep": -1}', "keep is -1"),
        ("opening", f'{{"hand": "{"* " * 31}"}}', "hand has 31 tiles, 30 are the most"),
    ],
)
def test_a_faulty_line_is_answered_by_what_is_wrong_and_the_others_by_their_answer(
    kind: str, line: str | bytes, error: str
) -> None:
    good = '{"round": 1, "hand": ""}'
    code, (first, faulty, last) = solve(kind, good, "", line, good)
    assert code == 1
    assert faulty["error"].startswith("line 3: ")
    assert error in faulty["error"]
    assert "error" not in first
    assert first == last


def test_one_hand_is_answered_for_people() -> None:
    named = CliRunner().invoke(app, ["solve", "opening", "R1 R2 R3"])
    piped = CliRunner().invoke(app, ["solve", "penalty", "--round", "2"], input="6S 6H 4D 7S\n")
    asked = CliRunner().invoke(app, ["solve", "penalty", '{"round": 2, "hand": "6S 6H 4D 7S"}'])
    assert (named.exit_code, piped.exit_code, asked.exit_code) == (0, 0, 0)
    assert "run:R1,R2,R3" in named.stdout
    for result in (piped, asked):
        assert ["penalty", "6"] in [line.split() for line in result.stdout.splitlines()]


def test_a_faulty_hand_is_told_to_people_without_a_traceback() -> None:
    result = CliRunner().invoke(app, ["solve", "opening", "R1 R2 R33"])
    assert result.exit_code == 1
    assert "'R33' is not a tile" in result.stdout
    assert "Traceback" not in result.stdout
