"""Drawing, taking, discarding, and what ends the round.

Every function expects that the seat is on turn and the round not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/three_thirteen.md`` 4-6, 13-17.
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
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.games.three_thirteen.score import round_scores
from meldhall_rules.games.three_thirteen.state import State, nothing_to_draw
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import permutation, reshuffle_label
from meldhall_rules.view import Phase

Answer = tuple[Event, ...] | Rejection


def wild_rule(state: State) -> WildRule:
    """Return what is wild in the round."""
    return WildRule(state.frame.wild, state.frame.options.allow_all_wild)


def wrong_phase(state: State, needed: Phase) -> Rejection | None:
    """Refuse what the turn is not ready for, or past."""
    if state.phase is needed:
        return None
    missing = "a card has to be drawn first" if needed is Phase.PLAY else "the turn has its card already"
    return Rejection(Code.WRONG_PHASE, missing)


def draw(state: State, command: Draw) -> Answer:
    """Draw the top of the stock; where it is empty rebuild it, or end a round too long (rule 17)."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    hidden, discards = state.hidden, state.discards
    if hidden.stock_size:
        return (StockDrawn(command.seat, hidden.stock[hidden.next_draw]),)
    if nothing_to_draw(0, len(discards)):
        return Rejection(Code.STOCK_EMPTY, "the stock is empty and there are no discards to rebuild it from")
    if state.out is None and state.reshuffles >= state.frame.options.max_reshuffles:
        return (ended(state, hidden.hands),)
    pile = discards[:-1]
    order = permutation(hidden.shuffle_key, reshuffle_label(state.reshuffles + 1), len(pile))
    stock = tuple(pile[at] for at in order)
    return StockReshuffled(stock), StockDrawn(command.seat, stock[0])


def take(state: State, command: TakeDiscard) -> Answer:
    """Take the top of the discard pile."""
    refused = wrong_phase(state, Phase.DRAW)
    if refused is not None:
        return refused
    if command.use is not None:
        return Rejection(Code.UNKNOWN_MOVE, "in three_thirteen a card is taken into the hand")
    if not state.discards:
        return Rejection(Code.NO_DISCARD, "there is no discard")
    return (DiscardTaken(command.seat, state.discards[-1]),)


def discard(state: State, command: Discard) -> Answer:
    """Discard a card, and end the round where this was its last turn."""
    refused = wrong_phase(state, Phase.PLAY) or no_discard(state, command.tile)
    return end_turn(state, command.tile) if refused is None else refused


def no_discard(state: State, card: int) -> Rejection | None:
    """Refuse to discard a card that is not held, or where it is forbidden the one just taken (rule 6)."""
    if card not in state.hand:
        return Rejection(Code.TILE_NOT_HELD, f"seat {state.turn} does not hold card {card}")
    if card == forbidden_discard(state):
        return Rejection(Code.MUST_NOT_RETURN, f"{card_name(card)} was taken in this turn")
    return None


def forbidden_discard(state: State) -> int | None:
    """Return the card of the hand that may not be discarded in this turn."""
    return state.taken if state.frame.options.forbid_return_discard else None


def end_turn(state: State, card: int) -> tuple[Event, ...]:
    """Return the discard of a held card by the seat on turn and, if it ends the round, the result."""
    rest = tuple(held for held in state.hand if held != card)
    return Discarded(state.turn, card), *after_turn(state, rest)


def after_turn(state: State, rest: Sequence[int]) -> tuple[RoundEnded, ...]:
    """Return the result if the round ends with the turn that leaves this hand (rules 13 and 17)."""
    seats = state.frame.seats
    hands = [rest if seat == state.turn else hand for seat, hand in enumerate(state.hidden.hands)]
    if state.out is not None:
        last = (state.turn + 1) % seats == state.out
        return (ended(state, hands),) if last else ()
    return (ended(state, hands),) if rest and state.dead_turns >= seats else ()


def ended(state: State, hands: Sequence[Sequence[int]]) -> RoundEnded:
    """Return the result for the hands that are left: each pays the least that it costs (rule 14)."""
    finish = Finish.EXHAUSTED if state.out is None else Finish.NORMAL
    return RoundEnded(finish, state.out, round_scores(hands, wild_rule(state)))
