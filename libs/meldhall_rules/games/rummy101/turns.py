"""Acquiring a tile and ending the turn: the stock, the Joker button, the discard and what follows from it.

Every function expects that the seat is on turn and the round not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/rummy101.md`` 6-10, 37, 38, 45.
"""

from meldhall_rules.commands import Discard, Draw, PressJokerButton
from meldhall_rules.events import Discarded, Event, Finish, JokerIssued, RoundEnded, StockDrawn
from meldhall_rules.games.rummy101.evolve import evolve
from meldhall_rules.games.rummy101.options import ButtonSource
from meldhall_rules.games.rummy101.score import finish_of, round_scores
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.tiles import SET_SIZE, is_joker
from meldhall_rules.view import Phase

Answer = tuple[Event, ...] | Rejection


def wrong_phase(state: State, needed: Phase) -> Rejection | None:
    """Refuse what the turn is not ready for, or past."""
    if state.phase is needed:
        return None
    missing = "a tile has to be acquired first" if needed is Phase.PLAY else "the turn has its tile already"
    return Rejection(Code.WRONG_PHASE, missing)


def draw(state: State, command: Draw) -> Answer:
    """Draw the top of the stock."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    hidden = state.hidden
    if not hidden.stock_size:
        return Rejection(Code.STOCK_EMPTY, "the stock is empty")
    return (StockDrawn(command.seat, hidden.order[hidden.next_draw]),)


def press_joker_button(state: State, command: PressJokerButton) -> Answer:
    """Take a joker of the account in place of the stock tile, once a round a seat (rule 38)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    seat, jokers = command.seat, state.jokers
    if jokers.used[seat]:
        return Rejection(Code.NO_JOKER, f"seat {seat} has used the Joker button in this round")
    if jokers.spare[seat] < 1:
        return Rejection(Code.NO_JOKER, f"seat {seat} has no joker in the account")
    if not state.hidden.stock_size:
        return Rejection(Code.STOCK_EMPTY, "the stock is empty, there is no draw to replace")
    if state.frame.options.joker_button_source is ButtonSource.EXTRA:
        return (JokerIssued(seat, SET_SIZE + jokers.issued),)
    joker = next(filter(is_joker, state.hidden.stock), None)
    if joker is None:
        return Rejection(Code.NO_JOKER, "the stock holds no joker")
    return (JokerIssued(seat, joker),)


def discard(state: State, command: Discard) -> Answer:
    """Discard a tile, and end the round where this was the last one or the stock is empty."""
    refused = wrong_phase(state, Phase.PLAY)
    if refused is not None:
        return refused
    if command.tile not in state.hand:
        return Rejection(Code.TILE_NOT_HELD, f"seat {command.seat} does not hold tile {command.tile}")
    return end_turn(state, command.tile)


def end_turn(state: State, tile: int) -> tuple[Event, ...]:
    """Return the discard of a held tile by the seat on turn and, if it ends the round, the result."""
    seat, hidden = state.turn, state.hidden
    discarded = Discarded(seat, tile)
    out = len(state.hand) == 1
    if not out and hidden.stock_size:
        return (discarded,)
    after = evolve(state, discarded)
    if not out:
        return discarded, exhausted(after)
    finish = finish_of(tile, one_turn=not state.table.opened_before)
    scores = round_scores(finish, seat, after.hidden.hands, state.table.opened, after.fines)
    return discarded, RoundEnded(finish, seat, scores)


def exhausted(state: State) -> RoundEnded:
    """Return the result of a round that ends as it stands: every hand is paid for (rule 45)."""
    scores = round_scores(Finish.EXHAUSTED, None, state.hidden.hands, state.table.opened, state.fines)
    return RoundEnded(Finish.EXHAUSTED, None, scores)
