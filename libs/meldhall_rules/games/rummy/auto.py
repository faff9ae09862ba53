"""The turn of a player who is absent, or the rest of it. It never lays anything.

Source: ``deploy/docs/rules/rummy.md`` 15, 17.
"""

from meldhall_rules import time_up
from meldhall_rules.commands import AutoTurn, Draw, EndRound, TakeDiscard
from meldhall_rules.events import RoundEnded
from meldhall_rules.games.rummy.evolve import evolve
from meldhall_rules.games.rummy.score import dearest
from meldhall_rules.games.rummy.state import State
from meldhall_rules.games.rummy.turns import Answer, dead, draw, end_turn, take, void
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase


def auto_turn(state: State, command: AutoTurn) -> Answer:
    """Draw, or take where there is nothing to draw, then discard what ``chosen_discard`` says."""
    if state.phase is Phase.PLAY:
        return end_turn(state, chosen_discard(state))
    gained = take(state, TakeDiscard(command.seat)) if dead(state) else draw(state, Draw(command.seat))
    if isinstance(gained, Rejection) or isinstance(gained[-1], RoundEnded):
        return gained
    after = state
    for event in gained:
        after = evolve(after, event)
    return gained + end_turn(after, chosen_discard(after))


def end_round(state: State, command: EndRound) -> Answer:
    """End the hand as void, after the rest of a turn that has begun."""
    rest = auto_turn(state, AutoTurn(command.seat)) if state.phase is Phase.PLAY else ()
    return time_up.finish(state, rest, evolve=evolve, result=void)


def chosen_discard(state: State) -> int:
    """Choose the card drawn from the stock if it is held, else the dearest that may be discarded."""
    drawn = state.hidden.drawn
    if drawn is not None and drawn in state.hand:
        return drawn
    allowed = [card for card in state.hand if card != state.taken]
    return dearest(allowed, ace_high=state.frame.options.ace_high_low)
