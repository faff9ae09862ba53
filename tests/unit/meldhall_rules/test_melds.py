"""Vectors 6-16 of the rules of Rummy 101, and what lies between them."""

import pytest

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import extend, joker_place, meld_value, read_meld, swapped
from meldhall_rules.notation import parse_meld, write_meld
from meldhall_rules.rejections import Code, Rejection


def read(text: str) -> MeldLaid:
    meld = read_meld(parse_meld(text, range(112)))
    assert isinstance(meld, MeldLaid), (text, meld)
    return meld


def refusal(text: str) -> Rejection:
    answer = read_meld(parse_meld(text, range(112)))
    assert isinstance(answer, Rejection), (text, answer)
    return answer


def laid_off(table: str, tiles: str) -> str | Rejection:
    """Lay tiles off on a meld and write what it is then."""
    meld = read(table)
    used = {laid.tile for laid in meld.tiles}
    spec = parse_meld(f"run:{tiles}", [tile for tile in range(112) if tile not in used])
    answer = extend(meld, spec.tiles)
    return answer if isinstance(answer, Rejection) else write_meld(MeldLaid(meld.kind, answer))


def laid_off_refused(table: str, tiles: str) -> Rejection:
    answer = laid_off(table, tiles)
    assert isinstance(answer, Rejection), answer
    return answer


@pytest.mark.parametrize(
    ("text", "lies_as", "value"),
    [
        ("run:R12,R13,*", "run:*=R11,R12,R13", 36),
        ("run:R10,R11,*", "run:R10,R11,*=R12", 33),
        ("run:*,R10,R11", "run:*=R9,R10,R11", 30),
        ("run:R10,*,R12", "run:R10,*=R11,R12", 33),
        ("run:R1,R2,R3", "run:R1,R2,R3", 6),
        ("run:R3,R1,R2", "run:R1,R2,R3", 6),
        ("pair:R7,R7", "pair:R7,R7", 14),
        ("pair:*,R7", "pair:R7,*=R7", 14),
        ("run:R5,*,*", "run:R5,*=R6,*=R7", 18),
        ("run:R12,*,*", "run:*=R11,R12,*=R13", 36),
        ("run:*,R5,*", "run:*=R4,R5,*=R6", 15),
        ("set:*,R5,*", "set:R5,*=Y5,*=K5", 15),
        ("run:R5,R8,*,*", "run:R5,*=R6,*=R7,R8", 26),
        ("run:R5,R7,*", "run:R5,*=R6,R7", 18),
        ("set:B8,Y8,*", "set:*=R8,Y8,B8", 24),
        ("set:B8,Y8,*=K8,*", "set:*=R8,Y8,*=K8,B8", 32),
    ],
)
def test_a_meld_lies_as_the_rules_read_it(text: str, lies_as: str, value: int) -> None:
    meld = read(text)
    assert (write_meld(meld), meld_value(meld)) == (lies_as, value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("run:R12,R13,R1", "gap at R2"),
        ("run:R13,R1,R2", "gap at R3"),
        ("run:R12,R13,*=R1", "gap at R2"),
        ("run:R9,R10,R12", "gap at R11"),
        ("run:R5,*,R8", "gap at R7"),
        ("run:*=R3,*,R5,R7", "gap at R6"),
        ("run:R5,R6,B7", "colours differ: R5 and B7"),
        ("run:R5,R5,R6", "number repeated: R5"),
        ("run:R5,R6", "a run of 2 tiles"),
        ("run:*,*,*", "run without a natural tile"),
        ("run:Y1,Y2,Y3,Y4,Y5,Y6,Y7,Y8,Y9,Y10,Y11,Y12,Y13,*", "no place for a joker"),
        ("set:R7,R7,B7", "colour repeated: R7"),
        ("set:R13,Y13,K13,R13", "colour repeated: R13"),
        ("set:R8,Y8,K9", "numbers differ: R8 and K9"),
        ("set:R8,Y8", "a set of 2 tiles"),
        ("set:R8,Y8,K8,B8,*", "a set of 5 tiles"),
        ("set:R8,Y8,*=K9", "numbers differ: R8 and K9"),
        ("set:*,*,*", "set without a natural tile"),
        ("pair:R7,B7", "a pair of R7 and B7"),
        ("pair:R7,*=B7", "a pair of R7 and B7"),
        ("pair:R7,R7,*", "a pair of 3 tiles"),
        ("pair:*,*", "pair without a natural tile"),
    ],
)
def test_a_refused_meld_says_what_is_wrong_with_it(text: str, reason: str) -> None:
    answer = refusal(text)
    assert answer.code is Code.INVALID_MELD
    assert reason in answer.detail


@pytest.mark.parametrize(
    ("table", "tiles", "after"),
    [
        ("run:R3,R4,R5", "R2", "run:R2,R3,R4,R5"),
        ("run:R3,R4,R5", "R7,R6,R2", "run:R2,R3,R4,R5,R6,R7"),
        ("run:R3,R4,R5", "R7,*", "run:R3,R4,R5,*=R6,R7"),
        ("run:R3,R4,R5", "*", "run:R3,R4,R5,*=R6"),
        ("run:R3,R4,R5", "*=R2", "run:*=R2,R3,R4,R5"),
        ("run:R11,R12,R13", "*,*", "run:*=R9,*=R10,R11,R12,R13"),
        ("run:Y10,Y11,*", "Y9", "run:Y9,Y10,Y11,*=Y12"),
        ("run:Y10,Y11,*", "Y13", "run:Y10,Y11,*=Y12,Y13"),
        ("set:R8,Y8,*", "B8", "set:R8,Y8,*=K8,B8"),
        ("set:R9,K9,B9", "*", "set:R9,*=Y9,K9,B9"),
    ],
)
def test_a_lay_off_finds_its_place(table: str, tiles: str, after: str) -> None:
    assert laid_off(table, tiles) == after


@pytest.mark.parametrize(
    ("table", "tiles", "reason"),
    [
        ("run:Y10,Y11,*", "Y8", "gap at Y9"),
        ("run:Y10,Y11,*", "Y12", "number repeated: Y12"),
        ("set:R8,Y8,*", "K8", "colour repeated: K8"),
        ("set:R8,Y8,K8,B8", "*", "a set of 5 tiles"),
        ("run:R1,R2,R3,R4,R5,R6,R7,R8,R9,R10,R11,R12,R13", "*", "no place"),
        ("run:R11,R12,R13", "R1", "gap at R2"),
        ("run:R3,R4,R5", "R6,B7", "colours differ"),
    ],
)
def test_a_tile_that_does_not_fit_is_refused_with_all_the_others(table: str, tiles: str, reason: str) -> None:
    answer = laid_off_refused(table, tiles)
    assert answer.code is Code.INVALID_MELD
    assert reason in answer.detail


def test_a_pair_takes_no_third_tile() -> None:
    assert laid_off_refused("pair:R7,*", "R7").code is Code.WRONG_TARGET


def test_nothing_is_no_lay_off_and_no_meld() -> None:
    answer = extend(read("run:R3,R4,R5"), ())
    assert isinstance(answer, Rejection)
    assert answer.detail == "no tiles"
    assert isinstance(read_meld(MeldSpec(MeldKind.RUN, ())), Rejection)


def test_a_tile_named_twice_is_not_held_twice() -> None:
    joker = Placed(104)
    answer = read_meld(MeldSpec(MeldKind.RUN, (Placed(8), joker, joker)))
    assert isinstance(answer, Rejection)
    assert answer.code is Code.TILE_NOT_HELD


@pytest.mark.parametrize("placed", [Placed(104, 52), Placed(104, -1), Placed(-1), Placed(0, 5)])
def test_a_tile_or_a_face_that_does_not_exist_is_refused(placed: Placed) -> None:
    answer = read_meld(MeldSpec(MeldKind.RUN, (Placed(2), Placed(4), placed)))
    assert isinstance(answer, Rejection)
    assert answer.code is Code.INVALID_MELD


def test_a_natural_may_be_declared_as_itself() -> None:
    answer = read_meld(MeldSpec(MeldKind.RUN, (Placed(2, 1), Placed(4), Placed(0))))
    assert answer == MeldLaid(MeldKind.RUN, (Laid(0, 0), Laid(2, 1), Laid(4, 2)))


def test_only_the_exact_tile_takes_the_place_of_a_joker() -> None:
    meld = read("run:R9,R10,*")
    assert joker_place(meld, 20) == 2
    assert joker_place(meld, 21) == 2
    assert joker_place(meld, 14) is None, "R8"
    assert joker_place(meld, 16) is None, "R9 is there, but no joker shows it"
    assert joker_place(meld, 105) is None, "a joker stands for no joker"
    assert swapped(meld, 2, 20) == (Laid(16, 8), Laid(18, 9), Laid(20, 10))


def test_a_pair_stays_in_the_order_of_ids_after_a_swap() -> None:
    meld = MeldLaid(MeldKind.PAIR, (Laid(13, 6), Laid(104, 6)))
    assert swapped(meld, 1, 12) == (Laid(12, 6), Laid(13, 6))
