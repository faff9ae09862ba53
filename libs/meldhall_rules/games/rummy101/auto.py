"""The turn of a player who is absent, or the rest of it.

Never opens, never takes the discard, never presses the Joker button; what the player laid stays.
Source: ``deploy/docs/rules/rummy101.md`` 39, 51.
"""

from collections.abc import Sequence

from meldhall_rules import time_up
from meldhall_rules.commands import AutoTurn, Draw, EndRound
from meldhall_rules.games.rummy101.evolve import evolve
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.games.rummy101.turns import Answer, draw, end_turn, exhausted
from meldhall_rules.rejections import Rejection
from meldhall_rules.tiles import is_joker, number_of
from meldhall_rules.view import Phase


def auto_turn(state: State, command: AutoTurn) -> Answer:
    """Draw where the turn has no tile yet, then discard what ``chosen_discard`` says."""
    if state.phase is Phase.PLAY:
        return end_turn(state, chosen_discard(state.hand, state.hidden.drawn))
    drawn = draw(state, Draw(command.seat))
    if isinstance(drawn, Rejection):
        return drawn
    after = evolve(state, drawn[0])
    return drawn + end_turn(after, chosen_discard(after.hand, after.hidden.drawn))


def end_round(state: State, command: EndRound) -> Answer:
    """End the round as when the stock has run out, after the rest of a turn that has begun."""
    rest = auto_turn(state, AutoTurn(command.seat)) if state.phase is Phase.PLAY else ()
    return time_up.finish(state, rest, evolve=evolve, result=exhausted)


def chosen_discard(hand: Sequence[int], drawn: int | None) -> int:
    """Choose the discard of an automatic turn.

    The tile drawn in this turn while it is in the hand and no joker; else the highest natural, of equal
    numbers that with the lowest id; of jokers only, the one with the lowest id.
    """
    if drawn is not None and drawn in hand and not is_joker(drawn):
        return drawn
    naturals = [tile for tile in hand if not is_joker(tile)]
    if not naturals:
        return min(hand)
    return min(naturals, key=lambda tile: (-number_of(tile // 2), tile))
