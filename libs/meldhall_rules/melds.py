"""Reading tile melds: what a list of tiles is, what its jokers stand for, what may be added to it.

A joker takes its identity once, when it is laid, and keeps it until it is swapped out; so a meld on the
table is a list of ``Laid`` and nothing about it is ever read again. A run lies in rising order, a set in the
order of the colours, a pair in the order of its tile ids.
A table may leave the colour of a joker open in a set of three (rule 22); that is the ``open_sets`` of what
asks about lay-offs and swaps. Source: ``deploy/docs/rules/rummy101.md`` 17-23, 34, 35.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.tiles import (
    COLOURS,
    FACES,
    HIGHEST_NUMBER,
    colour_of,
    face,
    is_joker,
    number_of,
)

SMALLEST_MELD: Final = 3
"""Tiles of the smallest run or set."""


class MeldLike(Protocol):
    """Anything that is a meld lying on the table: ``MeldLaid`` and ``TableMeld`` both are."""

    @property
    def kind(self) -> MeldKind:
        """Run, set or pair."""

    @property
    def tiles(self) -> tuple[Laid, ...]:
        """The tiles in table order, each with the face that it shows."""


def read_meld(spec: MeldSpec) -> MeldLaid | Rejection:
    """Read the tiles of a new meld and give every joker its identity.

    A run is read by position first; where that does not fit, its undeclared jokers fill the gaps, then go
    upward to 13, then downward. A set gives its jokers the missing colours in the order red, yellow, black,
    blue. A declared identity is binding. Rules 17-21.

    Args:
        spec: kind and tiles as the player named them. Whether he holds them is not asked here.

    Returns:
        The meld in table order; or ``INVALID_MELD`` with the precise reason, ``TILE_NOT_HELD`` for a tile
        named twice.
    """
    problem = _named_wrongly(spec.tiles)
    if problem is not None:
        return problem
    if all(is_joker(placed.tile) for placed in spec.tiles):
        return _invalid(f"{spec.kind} without a natural tile")
    laid = _READERS[spec.kind](spec.tiles)
    return laid if isinstance(laid, Rejection) else MeldLaid(spec.kind, laid)


def extend(
    meld: MeldLike, tiles: Sequence[Placed], *, open_sets: bool = False
) -> tuple[Laid, ...] | Rejection:
    """Lay tiles off on a meld, all of them or none; jokers on the table keep what they stand for.

    The tiles and the meld form one unordered list: undeclared jokers fill the gaps, then go upward, then
    downward; in a set they take the missing colours in fixed order. Rule 34. With ``open_sets`` a joker that
    may stand for either of two colours gives way to a tile of the one that it shows.

    Returns:
        All tiles of the meld in their new table order; ``WRONG_TARGET`` for a pair, ``INVALID_MELD`` where a
        tile does not fit, ``TILE_NOT_HELD`` for a tile named twice.
    """
    if meld.kind is MeldKind.PAIR:
        return Rejection(Code.WRONG_TARGET, "a pair takes no further tile")
    problem = _named_wrongly(tiles)
    if problem is not None:
        return problem
    known: list[Laid] = []
    free: list[int] = []
    _divide(tiles, known, free)
    if open_sets and open_colours(meld):
        known[:0] = _giving_way(meld, known)
    else:
        known[:0] = meld.tiles
    return _settle_run(known, free) if meld.kind is MeldKind.RUN else _settle_set(known, free)


def meld_value(meld: MeldLike) -> int:
    """Return the points of a meld: the sum of the numbers that it shows (rule 23)."""
    return sum(number_of(laid.face) for laid in meld.tiles)


def open_colours(meld: MeldLike) -> tuple[int, ...]:
    """Return the two faces that the joker of a set of three may stand for where its colour is left open.

    Empty for every other meld, a set of three with two jokers among them (rule 22).
    """
    if meld.kind is not MeldKind.SET or len(meld.tiles) != SMALLEST_MELD:
        return ()
    naturals = [laid.face for laid in meld.tiles if not is_joker(laid.tile)]
    if len(naturals) != SMALLEST_MELD - 1:
        return ()
    number = number_of(naturals[0])
    return tuple(shown for colour in range(len(COLOURS)) if (shown := face(colour, number)) not in naturals)


def joker_place(meld: MeldLike, tile: int, *, open_sets: bool = False) -> int | None:
    """Return where in a meld a joker stands for exactly this tile, None if it does nowhere (rule 35)."""
    if is_joker(tile):
        return None
    shown = tile // 2
    either = open_sets and shown in open_colours(meld)
    for position, laid in enumerate(meld.tiles):
        if is_joker(laid.tile) and (either or laid.face == shown):
            return position
    return None


def swapped(meld: MeldLike, position: int, tile: int) -> tuple[Laid, ...]:
    """Return the tiles of a meld after a natural tile took the place of the joker at a position."""
    after = (*meld.tiles[:position], Laid(tile, tile // 2), *meld.tiles[position + 1 :])
    if meld.kind is MeldKind.PAIR:
        return _in_pair_order(after)
    return tuple(sorted(after, key=lambda laid: laid.face))


def face_name(shown: int) -> str:
    """Write a face as letter and number, ``R7``."""
    return f"{COLOURS[colour_of(shown)]}{number_of(shown)}"


def _giving_way(meld: MeldLike, added: Sequence[Laid]) -> tuple[Laid, ...]:
    """Return a set whose joker stands for its other colour where one of the added tiles is of its own."""
    taken = {laid.face for laid in added}
    one, other = open_colours(meld)
    return tuple(
        Laid(laid.tile, other if laid.face == one else one)
        if is_joker(laid.tile) and laid.face in taken
        else laid
        for laid in meld.tiles
    )


def _invalid(reason: str) -> Rejection:
    return Rejection(Code.INVALID_MELD, reason)


def _named_wrongly(tiles: Sequence[Placed]) -> Rejection | None:
    if not tiles:
        return _invalid("no tiles")
    if len({placed.tile for placed in tiles}) < len(tiles):
        return Rejection(Code.TILE_NOT_HELD, "a tile is named twice")
    for placed in tiles:
        declared = placed.stands_for
        if placed.tile < 0:
            return _invalid(f"there is no tile {placed.tile}")
        if declared is None:
            continue
        if not 0 <= declared < FACES:
            return _invalid(f"there is no face {declared}")
        if not is_joker(placed.tile) and declared != placed.tile // 2:
            return _invalid(f"{face_name(placed.tile // 2)} does not stand for {face_name(declared)}")
    return None


def _divide(tiles: Iterable[Placed], known: list[Laid], free: list[int]) -> None:
    """Sort tiles into those whose face is known and jokers that still need one."""
    for placed in tiles:
        if not is_joker(placed.tile):
            known.append(Laid(placed.tile, placed.tile // 2))
        elif placed.stands_for is not None:
            known.append(Laid(placed.tile, placed.stands_for))
        else:
            free.append(placed.tile)


def _read_run(tiles: tuple[Placed, ...]) -> tuple[Laid, ...] | Rejection:
    if len(tiles) < SMALLEST_MELD:
        return _invalid(f"a run of {len(tiles)} tiles")
    by_position = _run_by_position(tiles)
    if by_position is not None:
        return by_position
    known: list[Laid] = []
    free: list[int] = []
    _divide(tiles, known, free)
    return _settle_run(known, free)


def _run_by_position(tiles: tuple[Placed, ...]) -> tuple[Laid, ...] | None:
    """Read a list as a rising run that starts where its first natural tile says; None if it is not one."""
    position = next(place for place, placed in enumerate(tiles) if not is_joker(placed.tile))
    anchor = tiles[position].tile // 2
    first = number_of(anchor) - position
    if first < 1 or first + len(tiles) - 1 > HIGHEST_NUMBER:
        return None
    laid: list[Laid] = []
    for shown, placed in enumerate(tiles, anchor - position):
        known = placed.stands_for if is_joker(placed.tile) else placed.tile // 2
        if known is not None and known != shown:
            return None
        laid.append(Laid(placed.tile, shown))
    return tuple(laid)


def _settle_run(known: list[Laid], free: list[int]) -> tuple[Laid, ...] | Rejection:
    """Order tiles of known face as a run; free jokers go into gaps, then upward, then downward."""
    colour = colour_of(known[0].face)
    by_number: dict[int, Laid] = {}
    for laid in known:
        if colour_of(laid.face) != colour:
            return _invalid(f"colours differ: {face_name(known[0].face)} and {face_name(laid.face)}")
        if by_number.setdefault(number_of(laid.face), laid) is not laid:
            return _invalid(f"number repeated: {face_name(laid.face)}")
    lowest, highest = min(by_number), max(by_number)
    gaps = [number for number in range(lowest, highest) if number not in by_number]
    if len(gaps) > len(free):
        return _invalid(f"gap at {face_name(face(colour, gaps[len(free)]))}")
    places = [*gaps, *range(highest + 1, HIGHEST_NUMBER + 1), *range(lowest - 1, 0, -1)]
    if len(free) > len(places):
        return _invalid("no place for a joker: the run reaches from 1 to 13")
    for tile, number in zip(free, places, strict=False):
        by_number[number] = Laid(tile, face(colour, number))
    return tuple(by_number[number] for number in sorted(by_number))


def _read_set(tiles: tuple[Placed, ...]) -> tuple[Laid, ...] | Rejection:
    if len(tiles) < SMALLEST_MELD:
        return _invalid(f"a set of {len(tiles)} tiles")
    known: list[Laid] = []
    free: list[int] = []
    _divide(tiles, known, free)
    return _settle_set(known, free)


def _settle_set(known: list[Laid], free: list[int]) -> tuple[Laid, ...] | Rejection:
    """Order tiles of known face as a set and give free jokers the missing colours in fixed order."""
    number = number_of(known[0].face)
    by_colour: dict[int, Laid] = {}
    for laid in known:
        if number_of(laid.face) != number:
            return _invalid(f"numbers differ: {face_name(known[0].face)} and {face_name(laid.face)}")
        if by_colour.setdefault(colour_of(laid.face), laid) is not laid:
            return _invalid(f"colour repeated: {face_name(laid.face)}")
    missing = [colour for colour in range(len(COLOURS)) if colour not in by_colour]
    if len(free) > len(missing):
        return _invalid(f"a set of {len(known) + len(free)} tiles")
    for tile, colour in zip(free, missing, strict=False):
        by_colour[colour] = Laid(tile, face(colour, number))
    return tuple(by_colour[colour] for colour in sorted(by_colour))


def _read_pair(tiles: tuple[Placed, ...]) -> tuple[Laid, ...] | Rejection:
    if len(tiles) != 2:
        return _invalid(f"a pair of {len(tiles)} tiles")
    known: list[Laid] = []
    free: list[int] = []
    _divide(tiles, known, free)
    if free:
        known.append(Laid(free[0], known[0].face))
    if known[0].face != known[1].face:
        return _invalid(f"a pair of {face_name(known[0].face)} and {face_name(known[1].face)}")
    return _in_pair_order(tuple(known))


def _in_pair_order(pair: tuple[Laid, ...]) -> tuple[Laid, ...]:
    return tuple(sorted(pair, key=lambda laid: laid.tile))


_READERS: Final = {MeldKind.RUN: _read_run, MeldKind.SET: _read_set, MeldKind.PAIR: _read_pair}
