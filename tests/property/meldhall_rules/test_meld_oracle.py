"""Reading melds against an oracle that tries every identity of every joker."""

from itertools import pairwise, product

import hypothesis.strategies as st
from hypothesis import given, settings

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import extend, read_meld
from meldhall_rules.rejections import Rejection
from meldhall_rules.tiles import colour_of, face, number_of

NEAR = st.integers(0, 12).flatmap(
    lambda low: st.integers(0, 3).flatmap(
        lambda colour: st.lists(
            st.integers(low, min(12, low + 5)).map(lambda number: (colour * 13 + number) * 2)
            | st.integers(0, 3).map(lambda other: (other * 13 + low) * 2)
            | st.integers(0, 103)
            | st.sampled_from([104, 105, 106]),
            min_size=1,
            max_size=6,
        )
    )
)
"""Lists of tiles that are nearly a run or a set."""
SHAPED = settings(max_examples=400, deadline=None, derandomize=True)


def is_meld(kind: MeldKind, faces: tuple[int, ...]) -> bool:
    numbers = sorted(number_of(shown) for shown in faces)
    colours = [colour_of(shown) for shown in faces]
    if kind is MeldKind.PAIR:
        return len(faces) == 2 and faces[0] == faces[1]
    if kind is MeldKind.SET:
        return len(faces) in {3, 4} and len(set(numbers)) == 1 and len(set(colours)) == len(faces)
    rising = all(higher == lower + 1 for lower, higher in pairwise(numbers))
    return len(faces) >= 3 and len(set(colours)) == 1 and rising


def some_identities_fit(kind: MeldKind, tiles: list[Placed]) -> bool:
    if len({placed.tile for placed in tiles}) < len(tiles) or all(placed.tile >= 104 for placed in tiles):
        return False
    choices = [
        range(52)
        if placed.tile >= 104 and placed.stands_for is None
        else [placed.tile // 2 if placed.tile < 104 else placed.stands_for or 0]
        for placed in tiles
    ]
    return any(is_meld(kind, faces) for faces in product(*choices))


def natural_part_fits(kind: MeldKind, tiles: list[Placed]) -> bool:
    """Spare the oracle the 52 x 52 x 52 identities where the naturals alone rule a meld out."""
    naturals = {placed.tile // 2 for placed in tiles if placed.tile < 104}
    if kind is MeldKind.SET:
        return len({number_of(shown) for shown in naturals}) == 1
    return len({colour_of(shown) for shown in naturals}) == 1


@SHAPED
@given(st.sampled_from(MeldKind), NEAR, st.none() | st.integers(0, 51))
def test_a_meld_is_valid_exactly_when_some_identities_make_it_one(
    kind: MeldKind, chosen: list[int], declared: int | None
) -> None:
    jokers = sum(tile >= 104 for tile in chosen)
    tiles = [
        Placed(tile, declared if tile == 104 else (face(0, 5) if tile == 106 and jokers > 2 else None))
        for tile in chosen
    ]
    answer = read_meld(MeldSpec(kind, tuple(tiles)))
    expected = natural_part_fits(kind, tiles) and some_identities_fit(kind, tiles)
    assert isinstance(answer, MeldLaid) == expected, answer
    if isinstance(answer, MeldLaid):
        assert is_meld(kind, tuple(laid.face for laid in answer.tiles))
        assert {laid.tile for laid in answer.tiles} == set(chosen)
        told = {placed.tile: placed.stands_for for placed in tiles if placed.stands_for is not None}
        shown = {laid.tile: laid.face for laid in answer.tiles}
        assert all(shown[tile] == stands_for for tile, stands_for in told.items())


@SHAPED
@given(st.sampled_from([MeldKind.RUN, MeldKind.SET]), NEAR, NEAR)
def test_a_lay_off_leaves_what_lies_there_and_makes_a_larger_meld(
    kind: MeldKind, chosen: list[int], added: list[int]
) -> None:
    meld = read_meld(MeldSpec(kind, tuple(Placed(tile) for tile in chosen)))
    if isinstance(meld, Rejection) or set(chosen) & set(added):
        return
    answer = extend(meld, [Placed(tile) for tile in added])
    fixed = [Placed(laid.tile, laid.face) for laid in meld.tiles]
    together = [*fixed, *(Placed(tile) for tile in added)]
    expected = natural_part_fits(kind, together) and some_identities_fit(kind, together)
    assert isinstance(answer, tuple) == expected
    if isinstance(answer, tuple):
        assert set(meld.tiles) <= set(answer)
        assert is_meld(kind, tuple(laid.face for laid in answer))


@SHAPED
@given(st.integers(0, 3), st.integers(1, 11), st.integers(3, 13), st.randoms(use_true_random=False))
def test_the_order_of_naturals_means_nothing(colour: int, low: int, length: int, chance: object) -> None:
    numbers = range(low, min(13, low + length - 1) + 1)
    tiles = [face(colour, number) * 2 for number in numbers]
    mixed = tiles.copy()
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    straight, shuffled = (
        read_meld(MeldSpec(MeldKind.RUN, tuple(Placed(tile) for tile in order))) for order in (tiles, mixed)
    )
    assert straight == shuffled == MeldLaid(MeldKind.RUN, tuple(Laid(tile, tile // 2) for tile in tiles))
