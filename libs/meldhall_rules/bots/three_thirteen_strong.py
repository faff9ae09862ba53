"""A strong player of Three-Thirteen.

He counts the cards that he has not seen. He takes the top discard if that leaves less than a draw would on
average; and he discards what leaves little now and promises much: each two loose cards are worth the live
copies of the cards that would make a meld of them. In his final turn only the cost counts.
Source: ``deploy/docs/rules/three_thirteen.md`` 5-14; ``deploy/docs/bots.md``.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.cards import FACES, HIGHEST_RANK, face, face_of, rank_of, suit_of, value_of
from meldhall_rules.commands import Command, Discard, Draw, TakeDiscard
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.games.three_thirteen.moves import forbidden_of, rule_of, ways_out
from meldhall_rules.games.three_thirteen.score import best_discards
from meldhall_rules.games.three_thirteen.state import nothing_to_draw
from meldhall_rules.solve.penalty import least_penalty, least_value
from meldhall_rules.view import Phase, View

_TURNS: Final = 3.0
"""How many turns a promise is reckoned to have time for."""
_SAMPLES: Final = 80
"""Draws that are tried are so many, divided by the size of the hand."""


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
        return TakeDiscard(seat) if _takes(view, hand, rule_of(view)) else Draw(seat)
    return next(ways_out(view), None) or Discard(seat, _discard(view, hand, salt))


def _takes(view: View, hand: Sequence[int], rule: WildRule) -> bool:
    """Tell whether the top discard is better than an unknown card."""
    if nothing_to_draw(view.stock_size, len(view.discards)):
        return True
    if not view.discards:
        return False
    top = view.discards[-1]
    now = least_value(hand, rule.rank, all_wild=rule.all_wild)
    after = best_discards((*hand, top), rule, top)[0][1]
    if after >= now:
        return rule.is_wild(top) and now > 0
    if after == 0 or rule.is_wild(top):
        return True
    drawn = [_least_with(hand, card, rule) for card in _draws(view, hand)]
    return after * len(drawn) <= sum(drawn)


def _least_with(hand: Sequence[int], card: int, rule: WildRule) -> int:
    """Return about the least that stays after a draw: the dearest loose card of the best melds goes."""
    found = least_penalty((*hand, card), rule.rank, all_wild=rule.all_wild)
    return found.value - max(map(value_of, found.left), default=0)


def _draws(view: View, hand: Sequence[int]) -> Sequence[int]:
    """Return unseen cards in equal distances, more of them for a small hand, which is soon reckoned."""
    live = _live(view, hand)
    # By suit inside a rank, so that equal steps meet all ranks.
    order = sorted(range(FACES), key=lambda shown: (rank_of(shown), suit_of(shown)))
    unseen = [shown for shown in order for _ in range(live[shown])]
    return unseen[:: max(1, len(unseen) * len(hand) // _SAMPLES)] or order


def _live(view: View, hand: Sequence[int]) -> list[int]:
    """Count by face the copies that are in no place that the seat sees."""
    live = [1 if view.seats == 2 else 2] * FACES
    for card in (*hand, *view.discards, *(laid.tile for meld in view.melds for laid in meld.tiles)):
        live[face_of(card)] -= 1
    # After a reshuffle a card can have come back; less than none is none.
    return [max(count, 0) for count in live]


def _discard(view: View, hand: Sequence[int], salt: int) -> int:
    """Choose the card to discard; before the final turn a wild only if there is nothing else."""
    rule = rule_of(view)
    choices = best_discards(hand, rule, forbidden_of(view))
    if view.out is not None:
        return choices[0][0]
    naturals = [choice for choice in choices if not rule.is_wild(choice[0])]
    live = _live(view, hand)
    unseen = max(sum(live), 1)

    def worth(choice: tuple[int, int]) -> tuple[float, int]:
        card, penalty = choice
        rest = [held for held in hand if held != card]
        loose = least_penalty(rest, rule.rank, all_wild=rule.all_wild).left
        promised = sum(_promise(one, other, live) for one, other in combinations(loose, 2))
        return penalty - _TURNS * promised / unseen, (card * 31 + salt) % (2 * FACES)

    return min(naturals or choices, key=worth)[0]


def _promise(one: int, other: int, live: Sequence[int]) -> int:
    """Return the live cards that make a meld of two, times what the two would cost."""
    return (value_of(one) + value_of(other)) * sum(live[shown] for shown in completing(one, other))


def completing(one: int, other: int) -> Sequence[int]:
    """Return the faces that make a meld of two natural cards, in a set or in a run."""
    ranks = sorted((rank_of(one), rank_of(other)))
    low, high = ranks
    if low == high:
        return [face(suit, low) for suit in range(4)]
    suit = suit_of(one)
    if suit != suit_of(other) or high - low > 2:
        return ()
    if high - low == 2:
        return [face(suit, low + 1)]
    return [face(suit, rank) for rank in (low - 1, high + 1) if 1 <= rank <= HIGHEST_RANK]
