"""What a player could be told about his own hand.

A hint knows what the seat's view shows and nothing more. Source: ``deploy/docs/rules/three_thirteen.md`` 12,
14.
"""

from dataclasses import dataclass

from meldhall_rules.commands import GoOut, MeldSpec
from meldhall_rules.games.three_thirteen.moves import forbidden_of, rule_of, ways_out
from meldhall_rules.games.three_thirteen.score import best_discards
from meldhall_rules.hints import Hints as CommonHints
from meldhall_rules.solve.penalty import least_penalty
from meldhall_rules.view import Phase, View


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one hand.

    ``penalty`` is the least that the hand costs as it stands, ``melds`` and ``loose`` how. ``discards`` are
    the cards whose discard leaves the least, the first choice first, and ``way_out`` a way to go out; both
    are empty or None when it is not the seat's time to discard.
    """

    penalty: int
    melds: tuple[MeldSpec, ...]
    loose: tuple[int, ...]
    discards: tuple[int, ...]
    way_out: GoOut | None


def hints(view: View) -> Hints | None:
    """Return the hints of a seat; None for a spectator and when the round is over."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.phase is Phase.OVER:
        return None
    rule = rule_of(view)
    best = least_penalty(hand, rule.rank, all_wild=rule.all_wild)
    discards: tuple[int, ...] = ()
    way_out = None
    if view.turn == seat and view.phase is Phase.PLAY:
        choices = best_discards(hand, rule, forbidden_of(view))
        discards = tuple(card for card, penalty in choices if penalty == choices[0][1])
        way_out = next(ways_out(view), None)
    return Hints(best.value, best.melds, best.left, discards, way_out)


def common_hints(view: View) -> CommonHints | None:
    """Return the hints of a seat in the form that all games share; None where ``hints`` is."""
    found = hints(view)
    if found is None:
        return None
    return CommonHints(
        loose=found.loose,
        melds=found.melds,
        points_left=found.penalty,
        goes_out=found.way_out is not None,
        way_out=found.way_out,
        discards=found.discards,
    )
