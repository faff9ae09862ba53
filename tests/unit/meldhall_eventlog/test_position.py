"""Positions: how they compare and how they are written down."""

import pytest

from meldhall_eventlog import FIRST, Position


def test_the_transaction_decides_before_the_number() -> None:
    assert FIRST < Position(0, 5) < Position(3, 4) < Position(4, 1)


@pytest.mark.parametrize("position", [FIRST, Position(0, 9), Position(733, 2)])
def test_what_was_written_down_is_read_back(position: Position) -> None:
    assert Position.parse(str(position)) == position


def test_a_number_alone_is_a_position_of_before_they_were_pairs() -> None:
    assert Position.parse("17") == Position(0, 17)


@pytest.mark.parametrize("text", ["", "/", "1/", "/1", "-1", "1/-1", "a", "1/2/3", "१", "1.5"])
def test_anything_else_is_no_position(text: str) -> None:
    with pytest.raises(ValueError, match="not a position"):
        Position.parse(text)
