"""The bounds of melds: first and last numbers, both copies of a tile, and each reason in its own words."""

import pytest

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import extend, joker_place, open_colours, read_meld
from meldhall_rules.notation import parse_meld, write_meld
from meldhall_rules.rejections import Code, Rejection

JOKER, OTHER_JOKER = 104, 105


def read(text: str) -> MeldLaid:
    meld = read_meld(parse_meld(text, range(112)))
    assert isinstance(meld, MeldLaid), (text, meld)
    return meld


def reason(kind: MeldKind, *tiles: Placed) -> str:
    answer = read_meld(MeldSpec(kind, tiles))
    assert isinstance(answer, Rejection), answer
    return answer.detail


@pytest.mark.parametrize(
    ("text", "lies_as"),
    [
        ("run:*,R11,R12", "run:*=R10,R11,R12"),
        ("run:*,R2,*", "run:*=R1,R2,*=R3"),
        ("run:*,R11,*", "run:*=R10,R11,*=R12"),
        (
            "run:R3,R2,R4,R5,R6,R7,R8,R9,R10,R11,R12,R13,*",
            "run:*=R1,R2,R3,R4,R5,R6,R7,R8,R9,R10,R11,R12,R13",
        ),
    ],
)
def test_a_joker_of_a_run_reaches_the_first_and_the_last_number(text: str, lies_as: str) -> None:
    assert write_meld(read(text)) == lies_as


def test_jokers_at_both_ends_up_to_13_keep_their_places() -> None:
    meld = read_meld(MeldSpec(MeldKind.RUN, (Placed(JOKER), Placed(22), Placed(OTHER_JOKER))))
    assert meld == MeldLaid(MeldKind.RUN, (Laid(JOKER, 10), Laid(22, 11), Laid(OTHER_JOKER, 12)))


def test_a_run_of_second_copies_is_read_by_position_too() -> None:
    meld = read_meld(MeldSpec(MeldKind.RUN, (Placed(JOKER), Placed(19), Placed(21))))
    assert meld == MeldLaid(MeldKind.RUN, (Laid(JOKER, 8), Laid(19, 9), Laid(21, 10)))


def test_a_second_copy_may_be_declared_as_what_it_is() -> None:
    tiles = (Placed(1, 0), Placed(3, 1), Placed(5, 2))
    assert read_meld(MeldSpec(MeldKind.RUN, tiles)) == MeldLaid(
        MeldKind.RUN, (Laid(1, 0), Laid(3, 1), Laid(5, 2))
    )


@pytest.mark.parametrize("text", ["run:R1,R2,*", "set:R7,Y7,*,*", "set:R7,*,*", "pair:R7,*", "set:R7,Y7,K7"])
def test_only_a_set_of_three_with_one_joker_leaves_a_colour_open(text: str) -> None:
    assert len(open_colours(read("set:R7,Y7,*"))) == 2
    assert open_colours(read(text)) == ()


def test_a_joker_stands_for_one_colour_unless_colours_are_left_open() -> None:
    meld = read("set:R7,Y7,*")
    shown, other = sorted(open_colours(meld), key=lambda face: face != meld.tiles[2].face)
    assert joker_place(meld, shown * 2) == 2
    assert joker_place(meld, other * 2) is None
    assert joker_place(meld, other * 2, open_sets=True) == 2


@pytest.mark.parametrize("declared", ["K7", "B7"])
def test_the_joker_of_an_open_set_gives_way_to_either_colour(declared: str) -> None:
    meld = read(f"set:R7,Y7,*={declared}")
    tile = next(laid.face for laid in meld.tiles if laid.tile >= JOKER) * 2
    four = extend(meld, [Placed(tile)], open_sets=True)
    assert isinstance(four, tuple)
    assert len({laid.face for laid in four}) == 4
    assert Laid(tile, tile // 2) in four


def test_a_refusal_says_what_is_wrong() -> None:
    assert reason(MeldKind.RUN) == "no tiles"
    assert reason(MeldKind.RUN, Placed(2), Placed(2), Placed(4)) == "a tile is named twice"
    assert reason(MeldKind.RUN, Placed(-1), Placed(2)) == "there is no tile -1"
    assert reason(MeldKind.RUN, Placed(JOKER, 52), Placed(2)) == "there is no face 52"
    assert reason(MeldKind.RUN, Placed(2, 3), Placed(4)) == "R2 does not stand for R4"
    full = (*(Placed(2 * face) for face in range(13)), Placed(JOKER))
    assert reason(MeldKind.RUN, *full) == "no place for a joker: the run reaches from 1 to 13"
    pair = extend(read("pair:R7,R7"), [Placed(JOKER)])
    assert pair == Rejection(Code.WRONG_TARGET, "a pair takes no further tile")
