"""A strong player of Canasta.

He plays like the normal one, but guards the pile. A tile is dangerous as a discard by the chance that an
opponent holds two of its number among the tiles that are nowhere to be seen, and the more so the bigger the
pile. Source: ``deploy/docs/rules/canasta.md`` 18-25; ``deploy/docs/bots.md``.
"""

from collections.abc import Sequence
from math import comb
from typing import Final

from meldhall_rules.bots import canasta
from meldhall_rules.canasta_tiles import is_dark_three, is_wild, number, value
from meldhall_rules.commands import Command, Discard
from meldhall_rules.games.canasta.state import shapes, team_of
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import View

_COPIES: Final = 8
"""Tiles of each number."""
_TWO_MORE: Final = 15
"""What a tile of the pile brings the opponents beyond its own points, melded later."""
_ANY_PILE: Final = 20
"""What it brings them to take a pile of one tile: three tiles on the table and another draw saved."""
_COMPANY: Final = 25
"""What it costs to part from a tile with a second, a third, … of its number."""
_OURS: Final = 20
"""What it costs to part from a tile that the team's meld waits for."""
_WILD: Final = 90
_DARK_THREE: Final = -60
"""A dark three costs 100 in the hand and blocks the pile: it goes before all but the safest."""


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    move = canasta.choose(view, salt)
    if isinstance(move, Discard) and view.hand is not None:
        return Discard(move.seat, _discard(view, move.seat, view.hand, salt))
    return move


def _discard(view: View, seat: int, hand: Sequence[int], salt: int) -> int:
    """Choose the tile that costs the team least: what it is worth here, and what the pile may bring them."""
    numbers = [number(tile) for tile in hand]
    ours = shapes(view.melds, team_of(seat))
    pile = _ANY_PILE + sum(_TWO_MORE + value(tile) for tile in view.discards)

    def cost(tile: int) -> tuple[float, int]:
        tie = (tile * 31 + salt) % SET_SIZE
        if is_dark_three(tile):
            return _DARK_THREE, tie
        if is_wild(tile):
            return _WILD + value(tile), tie
        shown = number(tile)
        kept = _COMPANY * (numbers.count(shown) - 1) + _OURS * (shown in ours)
        return kept + value(tile) + _risk(view, seat, shown, hand) * pile, tie

    return min(hand, key=cost)


def _risk(view: View, seat: int, shown: int, hand: Sequence[int]) -> float:
    """Reckon how likely the next player holds two tiles of a number, of those that are not in sight."""
    sight = [*hand, *view.discards, *(laid.tile for meld in view.melds for laid in meld.tiles)]
    live = max(_COPIES - sum(number(tile) == shown for tile in sight), 0)
    unseen = view.stock_size + sum(size for at, size in enumerate(view.hand_sizes) if at != seat)
    share = view.hand_sizes[(seat + 1) % view.seats] / max(unseen, 1)
    return min(comb(live, 2) * share**2, 1.0)
