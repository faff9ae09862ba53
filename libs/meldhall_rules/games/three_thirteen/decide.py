"""Answering a command in Three-Thirteen.

The order of the questions is the same for every command: is the round over, is it this seat's turn, is the
turn at this point, does the seat hold the cards, and only then what the rules say of the move itself.
Source: ``deploy/docs/rules/three_thirteen.md`` 5-13.
"""

from meldhall_rules.commands import AutoTurn, Command, Discard, Draw, EndRound, GoOut, TakeDiscard
from meldhall_rules.games.three_thirteen.auto import auto_turn, end_round
from meldhall_rules.games.three_thirteen.going_out import go_out
from meldhall_rules.games.three_thirteen.state import State
from meldhall_rules.games.three_thirteen.turns import Answer, discard, draw, take
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase


def decide(state: State, command: Command) -> Answer:
    """Return the events that a command causes, or why it is refused."""
    if state.phase is Phase.OVER:
        return Rejection(Code.ROUND_OVER, "the round is over")
    if command.seat != state.turn:
        return Rejection(Code.NOT_YOUR_TURN, f"seat {state.turn} is on turn, not seat {command.seat}")
    match command:
        case Draw():
            return draw(state, command)
        case TakeDiscard():
            return take(state, command)
        case Discard():
            return discard(state, command)
        case GoOut():
            return go_out(state, command)
        case AutoTurn():
            return auto_turn(state, command)
        case EndRound():
            return end_round(state, command)
    return Rejection(Code.UNKNOWN_MOVE, "in three_thirteen melds are laid by going out and by nothing else")
