"""A player of Three-Thirteen: sensible, quick, and blind to what his seat cannot see.

He goes out as soon as he can, takes the top discard where it makes his hand cheaper or is wild, and discards
what leaves the cheapest hand, sparing wilds and cards that have company. In his final turn only the cost
counts. The choice is a function of the view and of ``salt``, which only breaks ties.
Source: ``deploy/docs/rules/three_thirteen.md`` 5-14; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from meldhall_rules.cards import rank_of, suit_of
from meldhall_rules.commands import Command, Discard, Draw, TakeDiscard
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.games.three_thirteen.moves import forbidden_of, rule_of, ways_out
from meldhall_rules.games.three_thirteen.score import best_discards
from meldhall_rules.games.three_thirteen.state import nothing_to_draw
from meldhall_rules.solve.penalty import least_penalty, least_value
from meldhall_rules.view import Phase, View

_COMPANY: Final = 2
"""How many points a pair of loose cards that could become a meld is worth while others may come."""

_FARTHEST: Final = 2
"""Two cards of a suit are company up to this distance."""


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
    seat, hand, rule = view.viewer, view.hand, rule_of(view)
    if view.phase is Phase.DRAW:
        return TakeDiscard(seat) if _takes(view, hand, rule) else Draw(seat)
    return next(ways_out(view), None) or Discard(seat, _discard(view, hand, rule, salt))


def _takes(view: View, hand: Sequence[int], rule: WildRule) -> bool:
    """Tell whether the top discard is better than an unknown card."""
    if nothing_to_draw(view.stock_size, len(view.discards)):
        return True
    if not view.discards:
        return False
    top = view.discards[-1]
    after = best_discards((*hand, top), rule, top)[0][1]
    now = least_value(hand, rule.rank, all_wild=rule.all_wild)
    return after < now or (rule.is_wild(top) and now > 0)


def _discard(view: View, hand: Sequence[int], rule: WildRule, salt: int) -> int:
    """Choose the card to discard; before the final turn a wild only if there is nothing else."""
    choices = best_discards(hand, rule, forbidden_of(view))
    # He who takes a card wants it. Giving it back could go round the table for ever.
    choices = tuple(choice for choice in choices if choice[0] != view.taken) or choices
    if view.out is not None:
        return choices[0][0]
    naturals = [choice for choice in choices if not rule.is_wild(choice[0])]

    def worth(choice: tuple[int, int]) -> tuple[int, int]:
        card, penalty = choice
        rest = [held for held in hand if held != card]
        loose = least_penalty(rest, rule.rank, all_wild=rule.all_wild).left
        tie = (card * 31 + salt) % 104 if salt else 0
        return penalty - _COMPANY * _company(loose), tie

    return min(naturals or choices, key=worth)[0]


def _company(cards: Sequence[int]) -> int:
    """Count the pairs of cards that one more card could make a meld, twins apart."""
    return sum(_fit(one, other) for one, other in combinations(cards, 2))


def _fit(one: int, other: int) -> bool:
    if rank_of(one) == rank_of(other):
        return suit_of(one) != suit_of(other)
    return suit_of(one) == suit_of(other) and abs(rank_of(one) - rank_of(other)) <= _FARTHEST
