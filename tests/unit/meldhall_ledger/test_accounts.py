from collections.abc import Callable

import pytest

from meldhall_ledger.domain.accounts import (
    AccountId,
    Balance,
    Unit,
    escrow,
    house,
    is_player_id,
    issue,
    of_player,
    prize,
)


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("player_id", ["ann", "github:123|x", "játékos", "player:a:points", "issue"])
def test_an_account_reads_back_from_its_text(unit: Unit, player_id: str) -> None:
    account = of_player(unit, player_id)

    assert AccountId.parse(str(account)) == account


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("make", [house, escrow, prize])
@pytest.mark.parametrize("name", ["rake", "a:b:coins", "issue"])
def test_so_does_one_of_another_holder(unit: Unit, make: Callable[[Unit, str], AccountId], name: str) -> None:
    assert AccountId.parse(str(make(unit, name))) == make(unit, name)
    assert make(unit, name).lowest == 0


def test_accounts_are_written_as_documented() -> None:
    assert str(house(Unit.COINS, "rake")) == "house:rake:coins"
    assert str(escrow(Unit.COINS, "t")) == "escrow:t:coins"
    assert str(prize(Unit.COINS, "t")) == "prize:t:coins"
    assert str(of_player(Unit.POINTS, "ann")) == "player:ann:points"
    assert str(issue(Unit.JOKERS)) == "issue:jokers"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "points",
        "player:points",
        "player::points",
        "issue:gold",
        "house:points",
        "issue:x:points",
        "issue::points",
    ],
)
def test_a_text_that_names_no_account_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AccountId.parse(text)


def test_only_issue_accounts_and_points_may_go_below_zero() -> None:
    lowest = {str(a): a.lowest for unit in Unit for a in (of_player(unit, "ann"), issue(unit))}

    assert lowest == {
        "player:ann:points": None,
        "player:ann:jokers": 0,
        "player:ann:coins": 0,
        "issue:points": None,
        "issue:jokers": None,
        "issue:coins": None,
    }


@pytest.mark.parametrize(
    ("text", "accepted"),
    [("a", True), ("x" * 128, True), ("", False), ("x" * 129, False), ("a\nb", False), ("a\x00", False)],
)
def test_player_ids_are_short_and_printable(text: str, accepted: bool) -> None:
    assert is_player_id(text) is accepted


def test_what_is_held_is_not_available() -> None:
    assert Balance(Unit.JOKERS, posted=5, held=2).available == 3
