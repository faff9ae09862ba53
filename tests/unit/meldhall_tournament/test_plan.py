"""Which tournaments can be announced."""

from typing import Any

import pytest
from tests.fixtures.tournament import PLAN, SEED, plan

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain.decide import announce
from meldhall_tournament.domain.plan import Format, Prizes, refuse_plan
from meldhall_tournament.domain.refusals import Refusal

KNOCK_OUT: dict[str, Any] = {"format": Format.SINGLE_ELIMINATION, "rounds": 0}
CANASTA: dict[str, Any] = {"game": "canasta", "team_size": 2, "minimum": 4, "match_rounds": 3}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        KNOCK_OUT,
        CANASTA,
        {"format": Format.FIXED_ROUNDS, "sides": 4},
        {"game": "three_thirteen", "match_rounds": 11},
        {"sit_and_go": True, "starts_at_ms": 0, "maximum": 8},
        {"entry_fee": 100, "prizes": Prizes(shares=(6000, 4000))},
        {"prizes": Prizes(amounts=(100, 50), guaranteed=200)},
    ],
)
def test_a_tournament_can_be_announced(changes: dict[str, Any]) -> None:
    assert refuse_plan(plan(**changes)) is None


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("title", {"title": ""}),
        ("options", {"game": "bridge"}),
        ("options", {"options": (("no_such", "1"),)}),
        ("team_size", {"team_size": 2}),
        ("team_size", {**CANASTA, "team_size": 1}),
        ("drawn_partners", {"drawn_partners": True}),
        ("seats", {"sides": 5}),
        ("seats", {"sides": 3}),
        ("seats", {**CANASTA, "format": Format.FIXED_ROUNDS, "sides": 3}),
        ("match_rounds", {"match_rounds": 0}),
        ("match_rounds", {"match_rounds": 101}),
        ("target", {"target": 1_000_001}),
        ("join_ms", {"join_ms": 86_400_001, "table_ms": 7 * 86_400_000}),
        ("match_rounds", {"game": "three_thirteen", "match_rounds": 3}),
        ("rounds", {"rounds": 0}),
        ("rounds", {**KNOCK_OUT, "rounds": 3}),
        ("late_until_round", {**KNOCK_OUT, "late_until_round": 1}),
        ("late_until_round", {"late_until_round": 4}),
        ("late_until_round", {**CANASTA, "late_until_round": 1}),
        ("table_ms", {"table_ms": 1}),
        ("join_ms", {"join_ms": 1}),
        ("minimum", {"minimum": 1}),
        ("minimum", {"minimum": 9, "maximum": 8}),
        ("maximum", {**CANASTA, "sit_and_go": True, "starts_at_ms": 0, "maximum": 5}),
        ("starts_at_ms", {"starts_at_ms": 0}),
        ("starts_at_ms", {"sit_and_go": True}),
        ("starts_at_ms", {"opens_at_ms": PLAN.starts_at_ms + 1}),
        ("check_in_ms", {"check_in_ms": -1}),
        ("entries_each", {"entries_each": 0}),
        ("entry_fee", {"entry_fee": -1}),
        ("prizes", {"prizes": Prizes(shares=(1,), amounts=(1,))}),
        ("prizes", {"prizes": Prizes(shares=(6000, 4001))}),
        ("prizes", {"prizes": Prizes(shares=(0,))}),
        ("prizes", {"prizes": Prizes(guaranteed=-1)}),
    ],
)
def test_what_could_not_be_played_is_refused_with_the_field(field: str, changes: dict[str, Any]) -> None:
    refused = refuse_plan(plan(**changes))
    assert refused is not None
    assert refused.parameters["field"] == field


def test_a_seed_has_32_bytes() -> None:
    assert isinstance(announce(c.Announce("t", PLAN, SEED[:31], "op"), 1), Refusal)
    assert not isinstance(announce(c.Announce("t", PLAN, SEED, "op"), 1), Refusal)
