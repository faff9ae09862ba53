"""What a hand is worth to the one who went out.

Source: ``deploy/docs/rules/rummy.md`` 12-14.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules import cards
from meldhall_rules.cards import rank_of, suit_of

_HIGH_ACE_VALUE: Final = 15
_RUMMY: Final = 2


def card_value(card: int, *, ace_high: bool) -> int:
    """Return the points of a card left in a hand: an ace 1, or 15 where it may be high."""
    return _HIGH_ACE_VALUE if ace_high and rank_of(card) == 1 else cards.value_of(card)


def hand_value(hand: Sequence[int], *, ace_high: bool) -> int:
    """Return the points of the cards left in a hand."""
    return sum(card_value(card, ace_high=ace_high) for card in hand)


def round_scores(
    winner: int, hands: Sequence[Sequence[int]], *, ace_high: bool, rummy: bool
) -> tuple[int, ...]:
    """Return the result of each seat: the value of all hands for the winner, doubled for a rummy."""
    credit = sum(hand_value(hand, ace_high=ace_high) for hand in hands) * (_RUMMY if rummy else 1)
    return tuple(credit if seat == winner else 0 for seat in range(len(hands)))


def dearest(hand: Sequence[int], *, ace_high: bool) -> int:
    """Return the card of the highest value; of equal ones by suit: spades, hearts, diamonds, clubs (rule 17).

    Of equal cards of one suit the higher rank.
    """
    return min(hand, key=lambda card: (-card_value(card, ace_high=ace_high), suit_of(card), -rank_of(card)))
