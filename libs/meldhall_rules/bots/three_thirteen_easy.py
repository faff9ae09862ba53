"""A beginner at Three-Thirteen.

He always draws from the stock, discards the dearest natural card that is in no meld of his, and goes out when
nothing is left over. Source: ``deploy/docs/rules/three_thirteen.md`` 5-14.
"""

from collections.abc import Sequence

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.cards import suit_of, value_of
from meldhall_rules.commands import Command, Discard, Draw, TakeDiscard
from meldhall_rules.games.three_thirteen.moves import forbidden_of, rule_of, ways_out
from meldhall_rules.games.three_thirteen.state import nothing_to_draw
from meldhall_rules.solve.penalty import least_penalty
from meldhall_rules.view import Phase, View


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    seat, hand = on_turn(view)
    if view.phase is Phase.DRAW:
        return TakeDiscard(seat) if nothing_to_draw(view.stock_size, len(view.discards)) else Draw(seat)
    return next(ways_out(view), None) or Discard(seat, _discard(view, hand, salt))


def _discard(view: View, hand: Sequence[int], salt: int) -> int:
    """Choose the dearest card that is in no meld, a wild only if there is nothing else."""
    rule, forbidden = rule_of(view), forbidden_of(view)
    loose = least_penalty(hand, rule.rank, all_wild=rule.all_wild).left
    choices = [card for card in loose if card != forbidden] or [card for card in hand if card != forbidden]

    def worth(card: int) -> tuple[bool, int, int]:
        return rule.is_wild(card), -value_of(card), (suit_of(card) + salt) % 4

    return min(choices, key=worth)
