"""What a player could be told about his own hand.

A hint knows what the seat's view shows and nothing more. Source: ``deploy/docs/rules/rummy.md`` 6-13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from meldhall_rules.games.rummy.moves import new_melds_left
from meldhall_rules.games.rummy.options import from_canonical
from meldhall_rules.games.rummy.score import card_value
from meldhall_rules.hints import Hints as CommonHints
from meldhall_rules.solve.lay import Plan, best_plan
from meldhall_rules.view import Phase, View


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one hand.

    ``plan`` is what to lay now so that the cards that stay are worth least, ``goes_out`` whether the hand is
    over with it, or with the discard of the one card that it leaves.
    """

    plan: Plan
    goes_out: bool


def hints(view: View) -> Hints | None:
    """Return the hints of a seat; None for a spectator and when the hand is over."""
    if not isinstance(view.viewer, int) or view.hand is None or view.phase is Phase.OVER:
        return None
    plan = plan_of(view, view.hand, view.taken if view.turn == view.viewer else None)
    return Hints(plan, len(plan.left) <= 1)


def common_hints(view: View) -> CommonHints | None:
    """Return the hints of a seat in the form that all games share; None where ``hints`` is."""
    found = hints(view)
    if found is None:
        return None
    plan = found.plan
    return CommonHints(plan.left, plan=plan.moves, points_left=plan.value, goes_out=found.goes_out)


def plan_of(view: View, hand: Sequence[int], taken: int | None) -> Plan:
    """Return the best that the viewing seat can lay from a hand in one turn: to go out, else the most points.

    It always leaves what the rules want for the discard: a card other than the one taken, or nothing at all
    where a hand may end so. Each of its moves is allowed where the ones before it were made.

    Args:
        view: what the seat sees, for the table and the options.
        hand: the cards, after the draw.
        taken: the card of them that was taken from the discard pile.
    """
    options = from_canonical(dict(view.options))
    value = partial(card_value, ace_high=options.ace_high_low)
    seat = view.viewer if isinstance(view.viewer, int) else view.turn

    def plan(cards: Sequence[int]) -> Plan:
        return best_plan(
            seat,
            cards,
            view.melds,
            value,
            ace_high=options.ace_high_low,
            new_melds=new_melds_left(view) if view.turn == seat else options.max_melds_per_turn,
            first=taken,
        )

    everything = plan(hand)
    if not everything.left and not options.must_discard_to_go_out:
        return everything
    kept = [card for card in hand if card != taken]
    return min(
        (_keeping(plan([card for card in hand if card != keep]), keep, value(keep)) for keep in kept),
        key=lambda found: (len(found.left) > 1, found.value),
    )


def _keeping(plan: Plan, card: int, value: int) -> Plan:
    return Plan(plan.moves, tuple(sorted((*plan.left, card))), plan.value + value)
