"""Drawing, taking, discarding, and what ends the hand.

Every function expects that the seat is on turn and the hand not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/rummy.md`` 4, 5, 10-15.
"""

from collections.abc import Sequence

from meldhall_rules.cards import card_name
from meldhall_rules.commands import Discard, Draw, TakeDiscard
from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    Finish,
    RoundEnded,
    StockDrawn,
    StockReshuffled,
)
from meldhall_rules.games.rummy.score import round_scores
from meldhall_rules.games.rummy.state import State, nothing_to_draw
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import permutation, reshuffle_label
from meldhall_rules.view import Phase

Answer = tuple[Event, ...] | Rejection


def wrong_phase(state: State, needed: Phase) -> Rejection | None:
    """Refuse what the turn is not ready for, or past."""
    if state.phase is needed:
        return None
    missing = "a card has to be drawn first" if needed is Phase.PLAY else "the turn has its card already"
    return Rejection(Code.WRONG_PHASE, missing)


def dead(state: State) -> bool:
    """Tell whether there is nothing to draw and the top discard has to be taken (rule 15)."""
    return nothing_to_draw(
        state.frame.options, state.hidden.stock_size, len(state.discards), state.reshuffles
    )


def draw(state: State, command: Draw) -> Answer:
    """Draw the top of the stock; where it is empty rebuild it, or end a hand that leads nowhere (rule 15)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    hidden = state.hidden
    if hidden.stock_size:
        return (StockDrawn(command.seat, hidden.stock[hidden.next_draw]),)
    if dead(state):
        return Rejection(Code.STOCK_EMPTY, "the stock is empty and cannot be rebuilt")
    if state.idle_reshuffles >= state.frame.options.max_idle_reshuffles:
        return (void(state),)
    pile = state.discards[:-1]
    order = permutation(hidden.shuffle_key, reshuffle_label(state.reshuffles + 1), len(pile))
    stock = tuple(pile[at] for at in order)
    return StockReshuffled(stock), StockDrawn(command.seat, stock[0])


def take(state: State, command: TakeDiscard) -> Answer:
    """Take the top of the discard pile."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    if command.use is not None:
        return Rejection(Code.UNKNOWN_MOVE, "in rummy a card is taken into the hand")
    if not state.discards:
        return Rejection(Code.NO_DISCARD, "there is no discard")
    return (DiscardTaken(command.seat, state.discards[-1]),)


def discard(state: State, command: Discard) -> Answer:
    """Discard a card, and end the hand where it was the last one."""
    refused = wrong_phase(state, Phase.PLAY)
    if refused is not None:
        return refused
    if command.tile not in state.hand:
        return Rejection(Code.TILE_NOT_HELD, f"seat {command.seat} does not hold card {command.tile}")
    if command.tile == state.taken:
        return Rejection(Code.MUST_NOT_RETURN, f"{card_name(command.tile)} was taken in this turn")
    return end_turn(state, command.tile)


def end_turn(state: State, card: int) -> tuple[Event, ...]:
    """Return the discard of a held card by the seat on turn and, if it ends the hand, the result."""
    rest = tuple(held for held in state.hand if held != card)
    discarded = Discarded(state.turn, card)
    if not rest:
        return discarded, out(state)
    # A turn in which a card was laid has started the count anew and cannot be the last of a dead circuit.
    return (discarded, void(state)) if state.dead_turns >= state.frame.seats else (discarded,)


def out(state: State) -> RoundEnded:
    """Return the result for the seat on turn that has no card left (rules 12 and 13)."""
    winner, rummy = state.turn, not state.laying.before[state.turn]
    hands: list[Sequence[int]] = list(state.hidden.hands)
    hands[winner] = ()
    ace_high = state.frame.options.ace_high_low
    scores = round_scores(winner, hands, ace_high=ace_high, rummy=rummy)
    return RoundEnded(Finish.RUMMY if rummy else Finish.NORMAL, winner, scores)


def void(state: State) -> RoundEnded:
    """Return the result of a hand that nobody wins and that is dealt again."""
    return RoundEnded(Finish.VOID, None, (0,) * state.frame.seats)
