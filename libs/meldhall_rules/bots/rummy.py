"""A player of Basic Rummy: sensible, quick, and blind to what his seat cannot see.

He lays at once what leaves him the cheapest hand and goes out as soon as he can. He takes the top discard
where it can be laid now, and discards the dearest card that has no company in his hand.
The choice is a function of the view and of ``salt``, which only breaks ties.
Source: ``deploy/docs/rules/rummy.md`` 4-13; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.cards import HIGHEST_RANK, rank_of, suit_of
from meldhall_rules.commands import Command, Discard, Draw, TakeDiscard
from meldhall_rules.games.rummy.hints import plan_of
from meldhall_rules.games.rummy.moves import may_draw
from meldhall_rules.games.rummy.options import from_canonical
from meldhall_rules.games.rummy.score import card_value
from meldhall_rules.view import Phase, View

_COMPANY: Final = 3
"""How many points a neighbour that could make a meld is worth."""


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    if not isinstance(view.viewer, int) or view.hand is None:
        raise ValueError("a spectator makes no move")
    if view.turn != view.viewer or view.phase is Phase.OVER:
        raise ValueError(f"seat {view.viewer} is not on turn")
    seat, hand = view.viewer, view.hand
    if view.phase is Phase.DRAW:
        return TakeDiscard(seat) if _takes(view, hand) else Draw(seat)
    plan = plan_of(view, hand, view.taken)
    if plan.moves:
        return plan.moves[0]
    return Discard(seat, _discard(view, hand, salt))


def _takes(view: View, hand: Sequence[int]) -> bool:
    """Tell whether the top discard would be laid at once, with what is held."""
    if not may_draw(view):
        return True
    if not view.discards:
        return False
    top = view.discards[-1]
    return top not in plan_of(view, (*hand, top), top).left


def _discard(view: View, hand: Sequence[int], salt: int) -> int:
    """Choose the card that costs most and helps least, never the one just taken."""
    ace_high = from_canonical(dict(view.options)).ace_high_low

    def worth(card: int) -> tuple[int, int]:
        company = sum(_fit(card, other, ace_high=ace_high) for other in hand if other != card)
        tie = (card * 31 + salt) % 52 if salt else card
        return _COMPANY * company - card_value(card, ace_high=ace_high), tie

    return min((card for card in hand if card != view.taken), key=worth)


def _fit(card: int, other: int, *, ace_high: bool) -> bool:
    """Tell whether two cards need only one more to be a meld."""
    if rank_of(card) == rank_of(other):
        return True
    if suit_of(card) != suit_of(other):
        return False
    apart = abs(rank_of(card) - rank_of(other))
    return apart <= 2 or (ace_high and apart >= HIGHEST_RANK - 2)
