"""Runs every scenario file as a test, and sees to it that every numbered rule has one."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from meldhall_rules.registry import names
from meldhall_rules.scenario import CaseResult, run_text
from meldhall_rules.scenario.load import load_document

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]

RULES_TESTS: Final = "tests/unit/meldhall_rules"

GAMES_WITH_CASES: Final = names()
"""Games whose pages of rules and whose cases are measured against each other."""

TESTED_OTHERWISE: Final = {
    ("canasta", 11): (
        f"{RULES_TESTS}/test_canasta_turns.py::test_everybody_sees_every_tile_of_a_meld_and_who_owns_it",
    ),
    ("canasta", 35): (
        f"{RULES_TESTS}/test_canasta_turns.py::test_a_seat_sees_its_own_hand_and_neither_its_partners_nor_the_stock",
    ),
    ("rummy101", 50): (
        "tests/unit/meldhall_ledger/test_accounts.py::test_only_issue_accounts_and_points_may_go_below_zero",
        "tests/unit/meldhall_ledger/test_transfers.py::test_derived_ids_never_change",
    ),
    ("rummy101", 52): (
        f"{RULES_TESTS}/test_rummy101_turns.py::test_a_seat_sees_its_own_hand_and_spare_jokers_and_a_spectator_none",
    ),
    ("three_thirteen", 19): (
        f"{RULES_TESTS}/test_three_thirteen_turns.py::test_hands_are_hidden_until_the_round_is_over_and_then_shown",
    ),
}
"""Rules that no position can show, and the tests that show them."""


def _shared() -> tuple[Path, ...]:
    """Return the folders of further cases: a named one, or those of a suite that lies beside the checkout."""
    named = os.environ.get("MELDHALL_SCENARIOS")
    if named:
        return (Path(named),)
    return tuple(ROOT.parent / "shared" / "scenarios" / game for game in names())


def _results(label: str, folders: tuple[Path, ...]) -> Iterator[CaseResult]:
    for folder in folders:
        for file in sorted(folder.rglob("*.yaml")):
            name = f"{label}/{folder.name}/{file.relative_to(folder)}"
            yield from run_text(name, file.read_text(encoding="utf-8"))


RESULTS: Final = (
    *_results("own", tuple(HERE / game for game in names())),
    *_results("shared", _shared()),
)


@pytest.mark.parametrize("result", [pytest.param(found, id=f"{found.file}::{found.id}") for found in RESULTS])
def test_a_case_holds(result: CaseResult) -> None:
    assert result.ok, result.detail


def test_the_shared_suite_is_there_where_it_is_required() -> None:
    required = os.environ.get("MELDHALL_REQUIRE_SHARED_SCENARIOS") == "1"
    missing = [str(folder) for folder in _shared() if not any(folder.rglob("*.yaml"))]
    assert not (required and missing), f"no cases in {missing}"


def test_the_example_of_the_documentation_holds() -> None:
    page = (ROOT / "deploy" / "docs" / "scenarios.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (result,) = run_text("scenarios.md", example)
    assert result.ok, result.detail


def _rules(game: str) -> list[int]:
    page = (ROOT / "deploy" / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    return [int(number) for number in re.findall(r"^(\d+)\. ", page, re.MULTILINE)]


def _whys(game: str) -> Iterator[tuple[str, str]]:
    for file in sorted((HERE / game).glob("*.yaml")):
        document = load_document(file.read_text(encoding="utf-8"))
        assert isinstance(document, dict)
        for case in document["cases"]:
            yield f"{file.name}::{case['id']}", case["why"]


@pytest.mark.parametrize("game", GAMES_WITH_CASES)
def test_every_case_names_rules_that_there_are(game: str) -> None:
    known = set(_rules(game))
    for case, why in _whys(game):
        numbers, colon, reason = why.partition(": ")
        assert colon, f"{case}: begins with no rule number"
        assert reason, f"{case}: says no reason"
        assert {int(number) for number in numbers.split(", ")} <= known, case


@pytest.mark.parametrize("game", GAMES_WITH_CASES)
def test_every_rule_is_shown_by_a_case_or_by_a_named_test(game: str) -> None:
    rules = _rules(game)
    assert rules == list(range(1, len(rules) + 1))
    assert rules, f"the page of {game} has no numbered rules"
    shown = {int(number) for _, why in _whys(game) for number in why.partition(":")[0].split(", ")}
    otherwise = {rule for name, rule in TESTED_OTHERWISE if name == game}
    assert set(rules) - shown == otherwise


@pytest.mark.parametrize("test", [test for tests in TESTED_OTHERWISE.values() for test in tests])
def test_a_test_that_shows_a_rule_exists(test: str) -> None:
    file, _, name = test.partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
