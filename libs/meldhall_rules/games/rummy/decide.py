"""Answering a command in Basic Rummy.

The order of the questions is the same for every command: is the hand over, is it this seat's turn, is the
turn at this point, does the seat hold the cards, and only then what the rules say of the move itself.
Source: ``deploy/docs/rules/rummy.md`` 4-11.
"""

from meldhall_rules.commands import AutoTurn, Command, Discard, Draw, EndRound, LayMelds, LayOff, TakeDiscard
from meldhall_rules.games.rummy.auto import auto_turn, end_round
from meldhall_rules.games.rummy.laying import lay_melds, lay_off
from meldhall_rules.games.rummy.state import State
from meldhall_rules.games.rummy.turns import Answer, discard, draw, take
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase


def decide(state: State, command: Command) -> Answer:
    """Return the events that a command causes, or why it is refused."""
    if state.phase is Phase.OVER:
        return Rejection(Code.ROUND_OVER, "the hand is over")
    if command.seat != state.turn:
        return Rejection(Code.NOT_YOUR_TURN, f"seat {state.turn} is on turn, not seat {command.seat}")
    match command:
        case Draw():
            return draw(state, command)
        case TakeDiscard():
            return take(state, command)
        case LayMelds():
            return lay_melds(state, command)
        case LayOff():
            return lay_off(state, command)
        case Discard():
            return discard(state, command)
        case AutoTurn():
            return auto_turn(state, command)
        case EndRound():
            return end_round(state, command)
    return Rejection(Code.UNKNOWN_MOVE, "in rummy cards are melded, laid off and discarded")
