"""The tiles as Canasta sees them: numbers, wilds, threes, values. Colour matters for threes only.

Source: ``deploy/docs/rules/canasta.md`` 2, 5, 7, 8, 14, 25.
"""

from typing import Final

from meldhall_rules.tiles import HIGHEST_NUMBER, SET_SIZE, colour_of, is_joker, number_of

TWO: Final = 2
THREE: Final = 3
JOKER: Final = 0
"""The number of a joker, which has none."""

JOKER_VALUE: Final = 50
DARK_THREE_IN_HAND: Final = 100
"""What a black or blue three left in a hand costs."""

VALUES: Final = (JOKER_VALUE, 25, 20, 0, *(5,) * 6, *(10,) * 4)
"""Points of a tile by its number, a joker's at 0. Threes have no value here."""

NATURALS: Final = (1, *range(4, HIGHEST_NUMBER + 1))
"""The numbers of ordinary melds."""

_BRIGHT: Final = 2
"""Red and yellow are the first two colours."""


def number(tile: int) -> int:
    """Return the number of a tile, ``JOKER`` for a joker."""
    return JOKER if is_joker(tile) else number_of(tile // 2)


def is_wild(tile: int) -> bool:
    """Tell whether a tile is a two or a joker."""
    return number(tile) in {JOKER, TWO}


def is_three(tile: int) -> bool:
    """Tell whether a tile is a three of any colour."""
    return number(tile) == THREE


def is_bonus(tile: int) -> bool:
    """Tell whether a tile is a red or yellow three."""
    return is_three(tile) and colour_of(tile // 2) < _BRIGHT


def is_dark_three(tile: int) -> bool:
    """Tell whether a tile is a black or blue three."""
    return is_three(tile) and not is_bonus(tile)


def value(tile: int) -> int:
    """Return the points of a tile in a meld."""
    return VALUES[number(tile)]


def hand_value(tile: int) -> int:
    """Return what a tile left in a hand costs."""
    return DARK_THREE_IN_HAND if is_dark_three(tile) else value(tile)


BONUS_TILES: Final = frozenset(tile for tile in range(SET_SIZE) if is_bonus(tile))
"""The four red and yellow threes."""
