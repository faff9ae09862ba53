"""Acquiring from the stock and ending the turn: draw, Joker button, discard, and how a round ends.

Every function expects that the seat is on turn and the round not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/canasta.md`` 5, 17, 23, 26, 28, 30.
"""

from meldhall_rules.canasta_tiles import is_bonus
from meldhall_rules.commands import Discard, Draw, PressJokerButton
from meldhall_rules.events import (
    BonusExposed,
    Discarded,
    Event,
    Finish,
    JokerIssued,
    RoundEnded,
    StockDrawn,
)
from meldhall_rules.games.canasta.evolve import evolve
from meldhall_rules.games.canasta.options import ButtonSource
from meldhall_rules.games.canasta.score import round_scores
from meldhall_rules.games.canasta.state import State, shapes, team_of
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
    """Draw from the stock: bonus threes are exposed and replaced, a last one ends the round (rules 5, 28)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    if not state.hidden.stock_size:
        return Rejection(Code.STOCK_EMPTY, "the stock is empty")
    events: list[Event] = []
    for tile in state.hidden.stock:
        if not is_bonus(tile):
            return (*events, StockDrawn(command.seat, tile))
        events.append(BonusExposed(command.seat, tile))
    after = state
    for event in events:
        after = evolve(after, event)
    return (*events, ended(after, None))


def press_joker_button(state: State, command: PressJokerButton) -> Answer:
    """Take a joker of the account in place of the draw, once a round a seat (rule 30)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    seat, jokers, hidden = command.seat, state.jokers, state.hidden
    if jokers.used[seat]:
        return Rejection(Code.NO_JOKER, f"seat {seat} has used the Joker button in this round")
    if jokers.spare[seat] < 1:
        return Rejection(Code.NO_JOKER, f"seat {seat} has no joker in the account")
    if not hidden.stock_size:
        return Rejection(Code.STOCK_EMPTY, "the stock is empty, there is no draw to replace")
    if state.frame.options.joker_button_source is ButtonSource.EXTRA:
        return (JokerIssued(seat, SET_SIZE + jokers.issued),)
    joker = next(filter(is_joker, hidden.stock), None)
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


def end_turn(state: State, tile: int) -> Answer:
    """Return the discard of a held tile by the seat on turn and, if it ends the round, the result.

    The last tile of a hand is refused to a team without a canasta (rule 26).
    """
    seat, hidden = state.turn, state.hidden
    out = len(state.hand) == 1
    if out and not has_canasta(state, state.team):
        return Rejection(Code.MUST_KEEP_DISCARD, f"team {state.team} has no canasta and cannot go out")
    discarded = Discarded(seat, tile)
    if not out and hidden.stock_size:
        return (discarded,)
    return discarded, ended(evolve(state, discarded), team_of(seat) if out else None)


def ended(state: State, winner: int | None) -> RoundEnded:
    """Return the result of a round that ends as it stands; ``winner`` is the team that went out."""
    finish = Finish.EXHAUSTED if winner is None else Finish.NORMAL
    return RoundEnded(finish, winner, round_scores(state.table, state.hidden.hands, winner))


def has_canasta(state: State, team: int) -> bool:
    """Tell whether a team has a canasta on the table."""
    return any(shape.is_canasta for shape in shapes(state.table.melds, team).values())
