import pytest

from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.registry import UnknownGameError, game, names


def test_a_game_is_found_by_name_at_its_latest_or_at_a_version() -> None:
    assert game("rummy101") is RUMMY101
    assert game("rummy101", 1) is RUMMY101
    assert "rummy101" in names()
    assert list(names()) == sorted(names())


def test_what_there_is_not_is_named_with_what_there_is() -> None:
    with pytest.raises(UnknownGameError, match=r"no game 'rummi', only .*rummy101"):
        game("rummi")
    with pytest.raises(UnknownGameError, match="rummy101 has no rules version 99, only 1"):
        game("rummy101", 99)
