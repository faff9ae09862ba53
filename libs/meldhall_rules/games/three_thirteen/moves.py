"""The moves that a seat could make.

Twins are the same move, so of two equal cards the one with the lowest id is named. The list is complete but
for going out: each discard with which a seat can go out is listed with one way to meld the rest.
Source: ``deploy/docs/rules/three_thirteen.md`` 5, 6, 12, 17.
"""

from collections.abc import Iterator

from meldhall_rules.commands import Command, Discard, Draw, GoOut, TakeDiscard
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.games.three_thirteen.options import from_canonical
from meldhall_rules.games.three_thirteen.score import best_discards
from meldhall_rules.games.three_thirteen.state import nothing_to_draw, wild_rank
from meldhall_rules.solve.penalty import least_penalty
from meldhall_rules.view import Phase, View


def legal_moves(view: View) -> tuple[Command, ...]:
    """List the moves of the viewing seat, empty when it is not on turn; the module says which."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.turn != seat or view.phase is Phase.OVER:
        return ()
    if view.phase is Phase.DRAW:
        return tuple(_acquisitions(view, seat))
    choices = best_discards(hand, rule_of(view), forbidden_of(view))
    discards = sorted(card for card, _ in choices)
    return (*ways_out(view), *(Discard(seat, card) for card in discards))


def ways_out(view: View) -> Iterator[GoOut]:
    """Yield for each discard with which the viewing seat can go out one way to do it."""
    seat, hand, rule = view.viewer, view.hand, rule_of(view)
    if not isinstance(seat, int) or hand is None:
        return
    for card, penalty in best_discards(hand, rule, forbidden_of(view)):
        if penalty:
            return
        rest = [held for held in hand if held != card]
        yield GoOut(seat, least_penalty(rest, rule.rank, all_wild=rule.all_wild).melds, card)


def rule_of(view: View) -> WildRule:
    """Return what is wild in the round of a view."""
    return WildRule(wild_rank(view.round), from_canonical(dict(view.options)).allow_all_wild)


def forbidden_of(view: View) -> int | None:
    """Return the card that the seat on turn may not discard."""
    return view.taken if from_canonical(dict(view.options)).forbid_return_discard else None


def _acquisitions(view: View, seat: int) -> Iterator[Command]:
    if not nothing_to_draw(view.stock_size, len(view.discards)):
        yield Draw(seat)
    if view.discards:
        yield TakeDiscard(seat)
