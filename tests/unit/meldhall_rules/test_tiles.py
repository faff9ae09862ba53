import pytest

from meldhall_rules.tiles import SET_SIZE, colour_of, face, face_of, is_joker, number_of, tiles_of


def test_every_face_has_two_tiles_that_show_it() -> None:
    seen: set[int] = set()
    for colour in range(4):
        for number in range(1, 14):
            shown = face(colour, number)
            assert (colour_of(shown), number_of(shown)) == (colour, number)
            assert [face_of(tile) for tile in tiles_of(shown)] == [shown, shown]
            seen.update(tiles_of(shown))
    assert seen == set(range(104))


def test_a_joker_shows_no_face_of_its_own() -> None:
    assert [is_joker(tile) for tile in (103, 104, SET_SIZE)] == [False, True, True]
    with pytest.raises(ValueError, match="tile 104 is a joker"):
        face_of(104)
