"""The turn of a player who is absent, or the rest of it.

Source: ``deploy/docs/rules/three_thirteen.md`` 15, 17, 18.
"""

from meldhall_rules import time_up
from meldhall_rules.commands import AutoTurn, Draw, EndRound, TakeDiscard
from meldhall_rules.events import RoundEnded
from meldhall_rules.games.three_thirteen.evolve import evolve
from meldhall_rules.games.three_thirteen.score import best_discards, dearest_first
from meldhall_rules.games.three_thirteen.state import State, nothing_to_draw
from meldhall_rules.games.three_thirteen.turns import (
    Answer,
    draw,
    end_turn,
    ended,
    forbidden_discard,
    take,
    wild_rule,
)
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase


def auto_turn(state: State, command: AutoTurn) -> Answer:
    """Draw, or take where there is nothing to draw, then discard what ``chosen_discard`` says."""
    if state.phase is Phase.PLAY:
        return end_turn(state, chosen_discard(state))
    dead = nothing_to_draw(state.hidden.stock_size, len(state.discards))
    gained = take(state, TakeDiscard(command.seat)) if dead else draw(state, Draw(command.seat))
    if isinstance(gained, Rejection) or isinstance(gained[-1], RoundEnded):
        return gained
    after = state
    for event in gained:
        after = evolve(after, event)
    return gained + end_turn(after, chosen_discard(after))


def end_round(state: State, command: EndRound) -> Answer:
    """End the round as when the stock has run out, after the rest of a turn that has begun."""
    rest = auto_turn(state, AutoTurn(command.seat)) if state.phase is Phase.PLAY else ()
    return time_up.finish(state, rest, evolve=evolve, result=lambda after: ended(after, after.hidden.hands))


def chosen_discard(state: State) -> int:
    """Choose the discard of an automatic turn.

    In a final turn the one that leaves the least. Otherwise the card drawn or taken in this turn; where it
    may not be discarded, or is not known, the most valuable natural card, and of wilds alone the first of
    their order.
    """
    forbidden = forbidden_discard(state)
    rule = wild_rule(state)
    if state.out is not None:
        return best_discards(state.hand, rule, forbidden)[0][0]
    gained = state.hidden.drawn if state.taken is None else state.taken
    if gained is not None and gained != forbidden:
        return gained
    allowed = sorted((card for card in state.hand if card != forbidden), key=dearest_first)
    naturals = [card for card in allowed if not rule.is_wild(card)]
    return (naturals or allowed)[0]
