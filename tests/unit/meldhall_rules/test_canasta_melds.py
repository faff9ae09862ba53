"""Reading and extending melds of Canasta, apart from any turn."""

import pytest

from meldhall_rules.canasta_shapes import Shape, fault_of
from meldhall_rules.canasta_tiles import hand_value, is_bonus, is_dark_three, is_wild, value
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.games.canasta.melds import extend, read_meld, shape_of, table_shape
from meldhall_rules.notation import parse_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.tiles import NO_FACE


def read(text: str) -> MeldLaid:
    meld = read_meld(parse_meld(text))
    assert isinstance(meld, MeldLaid)
    return meld


def test_a_joker_shows_no_face_and_everything_else_its_own() -> None:
    assert read("set:R9,Y9,*").tiles == (Laid(16, 8), Laid(42, 21), Laid(104, NO_FACE))
    assert read("set:R9,Y9,R2").tiles[-1] == Laid(2, 1)


def test_what_does_not_fit_is_named() -> None:
    for text, reason in (
        ("set:R9,Y9", "a meld of 2 tiles"),
        ("set:R9,Y9,K8", "numbers differ: 9 and 8"),
        ("set:R9,R2,*", "1 naturals and 2 wilds"),
        ("set:K3,B3,K3", "threes are not melded"),
        ("run:R9,R10,R11", "canasta has no run"),
        ("set:R9,R9,Y9,Y9,K9,R2,Y2,*,*", "4 wilds, 3 at most"),
    ):
        answer = read_meld(parse_meld(text))
        assert isinstance(answer, Rejection)
        assert answer.code is Code.INVALID_MELD
        assert reason in answer.detail


def test_tiles_are_named_once_and_exist() -> None:
    twice = read_meld(MeldSpec(MeldKind.SET, (Placed(16), Placed(16), Placed(42))))
    assert isinstance(twice, Rejection)
    assert twice.code is Code.TILE_NOT_HELD
    nowhere = read_meld(MeldSpec(MeldKind.SET, (Placed(-1), Placed(16), Placed(42))))
    assert nowhere == Rejection(Code.INVALID_MELD, "there is no tile -1")


def test_an_extension_is_judged_by_what_it_makes() -> None:
    meld = read("set:R9,Y9,K9,R2,Y2")
    assert isinstance(extend(meld, (Placed(104),)), Rejection)
    both = extend(meld, (Placed(104), Placed(94)))
    assert isinstance(both, tuple)
    assert both[:5] == meld.tiles
    assert isinstance(
        extend(read("set:R2,Y2,K2"), (Placed(16), Placed(17), Placed(42), Placed(43))), Rejection
    )


def test_tiles_that_are_no_meld_have_no_shape() -> None:
    with pytest.raises(ValueError, match="numbers differ"):
        table_shape(MeldLaid(MeldKind.SET, (Laid(16, 8), Laid(0, 0))))
    assert shape_of((2, 104)) == Shape(2, 1, 0, 1)
    assert fault_of(Shape(9, 2, 1, 0)) is None


def test_tiles_have_values_and_threes_only_in_a_hand() -> None:
    ones, twos, fours, tens, thirteens = 0, 2, 6, 18, 24
    assert [value(tile) for tile in (ones, twos, fours, tens, thirteens, 104)] == [25, 20, 5, 10, 10, 50]
    threes = [tile for tile in range(104) if tile // 2 % 13 == 2]
    assert [tile for tile in threes if is_bonus(tile)] == threes[:4]
    assert [tile for tile in threes if is_dark_three(tile)] == threes[4:]
    assert {hand_value(tile) for tile in threes[4:]} == {100}
    assert not any(map(is_wild, threes))
