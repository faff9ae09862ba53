"""Answering a command in Rummy 101.

The order of the questions is the same for every command: is the round over, is it this seat's turn, is the
turn at this point, does the seat hold the tiles, and only then what the rules say of the move itself.
Source: ``deploy/docs/rules/rummy101.md`` 6-16.
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
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import DiscardTaken
from meldhall_rules.games.rummy101.auto import auto_turn, end_round
from meldhall_rules.games.rummy101.evolve import evolve
from meldhall_rules.games.rummy101.laying import Use, lay, not_held, tiles_used
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.games.rummy101.turns import Answer, discard, draw, press_joker_button, wrong_phase
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
            return _take(state, command)
        case LayOpening() | LayMelds() | LayOff() | SwapJoker():
            return lay(state, command)
        case PressJokerButton():
            return press_joker_button(state, command)
        case AutoTurn():
            return auto_turn(state, command)
        case EndRound():
            return end_round(state, command)
    return Rejection(Code.UNKNOWN_MOVE, "in rummy101 a player goes out by a discard")


def _take(state: State, command: TakeDiscard) -> Answer:
    """Take the top discard and use it, all or nothing (rules 11-16)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    if not state.discards:
        return Rejection(Code.NOTHING_TO_TAKE, "there is no discard")
    seat, taken, use = command.seat, state.discards[-1], command.use
    if not isinstance(use, Use):
        return Rejection(Code.MUST_USE_TAKEN, "the taken tile cannot be kept")
    if use.seat != seat:
        return Rejection(Code.NOT_YOUR_TURN, f"seat {seat} takes, seat {use.seat} cannot use the tile")
    used = tiles_used(use)
    refused = not_held(seat, (*state.hand, taken), used)
    if refused is not None:
        return refused
    if taken not in used:
        return Rejection(Code.MUST_USE_TAKEN, "the taken tile is not among the tiles put down")
    event = DiscardTaken(seat, taken)
    answer = lay(evolve(state, event), use)
    return answer if isinstance(answer, Rejection) else (event, *answer)
