"""A strong player of Rummy 101.

He plays like the normal one, but as long as he has not opened and the next player has, he keeps back what
that player could put on the table at once: tiles that fit a meld, and above all those for which a joker
stands. As he would pay the same whatever he holds, keeping them costs him nothing.
Source: ``deploy/docs/rules/rummy101.md`` 9, 13, 35, 40; ``deploy/docs/bots.md``.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.bots import rummy101
from meldhall_rules.bots.worth import before_opening
from meldhall_rules.commands import Command, Discard
from meldhall_rules.solve.arrange import places
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import View

_FITS: Final = 300
"""What it costs, in the points of ``worth``, to hand the next player a tile that fits."""
_FREES_A_JOKER: Final = 2000
"""What it costs to hand him one for which he gets a joker."""


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    move = rummy101.choose(view, salt)
    if isinstance(move, Discard) and view.hand is not None and view.opened[move.seat] is None:
        return Discard(move.seat, _discard(view, view.hand, move.tile))
    return move


def _discard(view: View, hand: Sequence[int], usual: int) -> int:
    """Choose a discard before the opening; ``usual`` is what the normal player would discard."""
    if view.opened[(view.turn + 1) % view.seats] is None:
        return usual
    best = best_opening_value(hand)
    used = {placed.tile for spec in best.melds for placed in spec.tiles} if best else set()
    worth = before_opening(view, hand, used)
    fits = {shown for meld in view.melds for shown in places(meld)}
    bound = {laid.face for meld in view.melds for laid in meld.tiles if is_joker(laid.tile)}
    if not worth:
        return usual

    def cost(tile: int) -> int:
        return worth[tile] + _FITS * (tile // 2 in fits) + _FREES_A_JOKER * (tile // 2 in bound)

    return min(worth, key=lambda tile: (cost(tile), tile != usual, tile))
