import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, UUID, uuid5

import pytest

from meldhall_ledger.domain.accounts import Unit, issue, of_player
from meldhall_ledger.domain.transfers import (
    MAX_AMOUNT,
    NAMESPACE,
    Cause,
    Kind,
    Transfer,
    derived_id,
    differences,
    movement,
)

VECTORS = json.loads((Path(__file__).parent / "vectors" / "derived_ids.json").read_text())
ANN = of_player(Unit.POINTS, "ann")
GRANT = Transfer(UUID(int=1), issue(Unit.POINTS), ANN, 5, Kind.GRANT, actor="op", reason="welcome")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["id"]))
def test_derived_ids_never_change(vector: dict[str, Any]) -> None:
    found = derived_id(vector["table_id"], vector["round"], Kind(vector["kind"]), vector["seat"])

    assert str(found) == vector["id"]


def test_a_derived_id_can_be_made_by_hand() -> None:
    namespace = uuid5(NAMESPACE_DNS, "ledger.meldhall.invalid")

    assert namespace == NAMESPACE
    assert derived_id("t", 12, Kind.JOKER_SPENT, 1) == uuid5(namespace, "t/12/joker_spent/1")


def test_no_two_causes_share_an_id() -> None:
    ids = [
        derived_id(table, round_no, kind, seat)
        for table in ("t", "t/1", "t/1/round_result")
        for round_no in (0, 1, 2, 11)
        for kind in (Kind.ROUND_RESULT, Kind.MATCH_RESULT, Kind.JOKER_SPENT)
        for seat in (0, 1, 11)
    ]

    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("amount", [0, -1, MAX_AMOUNT + 1])
def test_an_amount_is_positive_and_bounded(amount: int) -> None:
    with pytest.raises(ValueError, match="amount"):
        replace(GRANT, amount=amount)


def test_a_transfer_has_one_unit_and_two_accounts() -> None:
    with pytest.raises(ValueError, match="one unit"):
        replace(GRANT, debit=issue(Unit.COINS))
    with pytest.raises(ValueError, match="two accounts"):
        replace(GRANT, debit=ANN)


def test_a_gain_comes_from_issue_and_a_loss_returns_there() -> None:
    assert movement(ANN, 7) == (issue(Unit.POINTS), ANN, 7)
    assert movement(ANN, -7) == (ANN, issue(Unit.POINTS), 7)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({}, ()),
        ({"actor": "somebody else"}, ()),
        ({"amount": 6}, ("amount",)),
        ({"reason": "other"}, ("reason",)),
        ({"credit": of_player(Unit.POINTS, "ben")}, ("credit",)),
        ({"kind": Kind.ROUND_RESULT, "cause": Cause("t", 1, 0)}, ("kind", "cause")),
    ],
)
def test_differences_are_named_and_the_actor_is_none(change: dict[str, Any], names: tuple[str, ...]) -> None:
    assert differences(GRANT, replace(GRANT, **change)) == names
