"""Melds of Canasta: tiles of one number with some wilds, and the twos meld.

What a meld is follows from how many naturals, twos and jokers it has; where a wild lies in it says nothing.
Source: ``deploy/docs/rules/canasta.md`` 7-13.
"""

from collections.abc import Iterable, Sequence

from meldhall_rules.canasta_shapes import Shape, fault_of
from meldhall_rules.canasta_tiles import JOKER, TWO, number, value
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import MeldLike
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.tiles import NO_FACE, is_joker


def shape_of(tiles: Iterable[int]) -> Shape | Rejection:
    """Count tiles as one meld, legal or not; refuse tiles of different numbers.

    Twos and jokers alone are the twos meld; beside any other number they are wilds.
    """
    numbers = [number(tile) for tile in tiles]
    naturals = [one for one in numbers if one not in {JOKER, TWO}]
    jokers, twos = numbers.count(JOKER), numbers.count(TWO)
    if not naturals:
        return Shape(TWO, twos, 0, jokers)
    other = next((one for one in naturals if one != naturals[0]), None)
    if other is not None:
        return Rejection(Code.INVALID_MELD, f"numbers differ: {naturals[0]} and {other}")
    return Shape(naturals[0], len(naturals), twos, jokers)


def table_shape(meld: MeldLike) -> Shape:
    """Return the shape of a meld on the table.

    Raises:
        ValueError: for tiles that are no meld.
    """
    shape = shape_of(laid.tile for laid in meld.tiles)
    if isinstance(shape, Shape):
        return shape
    raise ValueError(shape.detail)


def read_meld(spec: MeldSpec) -> MeldLaid | Rejection:
    """Read a new meld. Whether the player holds its tiles is not asked here.

    Returns:
        The meld, its tiles in the order named; ``INVALID_MELD`` with the reason, ``TILE_NOT_HELD`` for a tile
        named twice.
    """
    if spec.kind is not MeldKind.SET:
        return Rejection(Code.INVALID_MELD, f"canasta has no {spec.kind}")
    shape = _read(spec.tiles, ())
    if isinstance(shape, Rejection):
        return shape
    return MeldLaid(MeldKind.SET, tuple(map(_laid, spec.tiles)))


def extend(meld: MeldLike, tiles: Sequence[Placed]) -> tuple[Laid, ...] | Rejection:
    """Add tiles to a meld, all or none; what they make together is judged (rules 8-10).

    Returns:
        All tiles of the meld, the new ones last.
    """
    if not tiles:
        return Rejection(Code.INVALID_MELD, "no tiles")
    before = table_shape(meld)
    after = _read(tiles, meld.tiles)
    if isinstance(after, Rejection):
        return after
    if after.number != before.number:
        return Rejection(Code.INVALID_MELD, f"numbers differ: {before.number} and {after.number}")
    return (*meld.tiles, *map(_laid, tiles))


def meld_value(meld: MeldLike) -> int:
    """Return the points of the tiles of a meld, without a bonus (rule 14)."""
    return sum(value(laid.tile) for laid in meld.tiles)


def _read(tiles: Sequence[Placed], table: Sequence[Laid]) -> Shape | Rejection:
    if len({placed.tile for placed in tiles}) < len(tiles):
        return Rejection(Code.TILE_NOT_HELD, "a tile is named twice")
    for placed in tiles:
        if placed.tile < 0:
            return Rejection(Code.INVALID_MELD, f"there is no tile {placed.tile}")
        if placed.stands_for is not None:
            return Rejection(Code.INVALID_MELD, "a wild stands for the number of its meld, for no tile")
    shape = shape_of([*(laid.tile for laid in table), *(placed.tile for placed in tiles)])
    fault = None if isinstance(shape, Rejection) else fault_of(shape)
    return shape if fault is None else Rejection(Code.INVALID_MELD, fault)


def _laid(placed: Placed) -> Laid:
    return Laid(placed.tile, NO_FACE if is_joker(placed.tile) else placed.tile // 2)
