"""What the cards that are left cost, and which discard leaves the least.

Source: ``deploy/docs/rules/three_thirteen.md`` 14, 15, 18.
"""

from collections.abc import Sequence

from meldhall_rules.cards import rank_of, suit_of, value_of
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.solve.penalty import least_value


def round_scores(hands: Sequence[Sequence[int]], rule: WildRule) -> tuple[int, ...]:
    """Return the penalty of each seat: the least that its hand costs; nothing for a hand that is laid."""
    return tuple(least_value(hand, rule.rank, all_wild=rule.all_wild) for hand in hands)


def dearest_first(card: int) -> tuple[int, int, int, int]:
    """Order cards by value, then rank, the highest first; equal ones by the order of the suits."""
    return -value_of(card), -rank_of(card), suit_of(card), card


def best_discards(
    hand: Sequence[int], rule: WildRule, forbidden: int | None = None
) -> tuple[tuple[int, int], ...]:
    """Return every card that may be discarded with the penalty of what stays, the best first.

    Twins are one choice. Equal penalties come by the rank of the card, the highest first, then by suit.

    Args:
        hand: the cards held.
        rule: what is wild.
        forbidden: the card that may not be discarded, None where all may.
    """
    choices = {}
    for card in sorted(hand, reverse=True):
        if card != forbidden:
            choices[rank_of(card), suit_of(card)] = card

    def weighed(card: int) -> tuple[int, int]:
        rest = [held for held in hand if held != card]
        return card, least_value(rest, rule.rank, all_wild=rule.all_wild)

    return tuple(sorted(map(weighed, choices.values()), key=_least_first))


def _least_first(choice: tuple[int, int]) -> tuple[int, int, int]:
    card, penalty = choice
    return penalty, -rank_of(card), suit_of(card)
