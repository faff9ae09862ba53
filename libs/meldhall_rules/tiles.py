"""The set of rummy tiles: numbers 1 to 13 in four colours, two of each, and jokers.

A tile is an integer with identity: the two red sevens are two tiles. Ids follow the order that the rules
use for "lowest id": R1 … R13, Y1 … Y13, K1 … K13, B1 … B13, then jokers; the two copies of a tile are
neighbours.

    id = (colour * 13 + number - 1) * 2 + copy        0 … 103
    104, 105                                          the two jokers of the set
    106, 107, …                                       jokers issued by the Joker button, in order of issue

What a tile shows, without saying which copy it is, is its *face*: ``colour * 13 + number - 1``, 0 … 51.
Source: ``deploy/docs/rules/rummy101.md`` 2 and 5.
"""

from typing import Final, NewType

TileId = NewType("TileId", int)
Face = NewType("Face", int)

COLOURS: Final = "RYKB"
"""Colour letters in rule order: red, yellow, black, blue."""

HIGHEST_NUMBER: Final = 13
FACES: Final = 52
FIRST_JOKER: Final = 104
SET_SIZE: Final = 106
"""Tiles in the set before any joker is issued."""
NO_FACE: Final = Face(FACES)
"""What a joker shows that stands for a number and for no tile (Canasta)."""


def is_joker(tile: int) -> bool:
    """Tell whether a tile is a joker, one of the set's or an issued one."""
    return tile >= FIRST_JOKER


def face_of(tile: int) -> Face:
    """Return what a natural tile shows.

    Raises:
        ValueError: for a joker, which shows no face of its own.
    """
    if is_joker(tile):
        raise ValueError(f"tile {tile} is a joker and has no face")
    return Face(tile // 2)


def face(colour: int, number: int) -> Face:
    """Return the face of a colour (0 … 3) and a number (1 … 13)."""
    return Face(colour * HIGHEST_NUMBER + number - 1)


def colour_of(shown: int) -> int:
    """Return the colour, 0 … 3, of a face."""
    return shown // HIGHEST_NUMBER


def number_of(shown: int) -> int:
    """Return the number, 1 … 13, of a face."""
    return shown % HIGHEST_NUMBER + 1


def tiles_of(shown: int) -> tuple[TileId, TileId]:
    """Return the two tiles that show a face."""
    return TileId(shown * 2), TileId(shown * 2 + 1)
