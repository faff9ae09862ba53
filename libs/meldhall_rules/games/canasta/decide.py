"""Answering a command in Canasta.

The order of the questions is the same for every command: is the round over, is it this seat's turn, is the
turn at this point, does the seat hold the tiles, and only then what the rules say of the move itself.
Source: ``deploy/docs/rules/canasta.md`` 17-23.
"""

from meldhall_rules.commands import (
    AutoTurn,
    Command,
    Discard,
    Draw,
    EndRound,
    LayMelds,
    LayOff,
    LayOpening,
    PressJokerButton,
    TakeDiscard,
)
from meldhall_rules.games.canasta.auto import auto_turn, end_round
from meldhall_rules.games.canasta.laying import lay, take
from meldhall_rules.games.canasta.state import State
from meldhall_rules.games.canasta.turns import Answer, discard, draw, press_joker_button
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
        case Discard():
            return discard(state, command)
        case TakeDiscard():
            return take(state, command)
        case LayOpening() | LayMelds() | LayOff():
            return lay(state, command)
        case PressJokerButton():
            return press_joker_button(state, command)
        case AutoTurn():
            return auto_turn(state, command)
        case EndRound():
            return end_round(state, command)
    return Rejection(Code.UNKNOWN_MOVE, "in canasta melded tiles stay, and a player goes out by a discard")
