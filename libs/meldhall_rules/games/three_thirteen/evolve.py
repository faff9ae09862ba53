"""Folding events into the state. Never refuses and never decides; the log is right by definition.

Source: ``deploy/docs/rules/three_thirteen.md`` 1-5, 12, 13, 17.
"""

from bisect import insort
from dataclasses import replace

from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    RoundDealt,
    RoundEnded,
    StockDrawn,
    StockReshuffled,
    WentOut,
)
from meldhall_rules.games.three_thirteen.options import from_canonical
from meldhall_rules.games.three_thirteen.state import Frame, Hidden, State, hand_size, nothing_to_draw
from meldhall_rules.view import Phase, TableMeld


def evolve(state: State | None, event: Event) -> State:
    """Fold one event; ``state`` is None before ``RoundDealt``."""
    if isinstance(event, RoundDealt):
        return _dealt(event)
    if state is None:
        raise ValueError(f"{type(event).__name__} before the deal")
    match event:
        case StockDrawn():
            return _drawn(state, event)
        case Discarded():
            return _discarded(state, event)
        case DiscardTaken():
            return _taken(state, event)
        case StockReshuffled():
            return _reshuffled(state, event)
        case WentOut():
            return _went_out(state, event)
        case RoundEnded():
            return replace(state, phase=Phase.OVER, ending=event)
    raise ValueError(f"three_thirteen has no {type(event).__name__}")


def _dealt(event: RoundDealt) -> State:
    seats, starter, size = event.seats, event.starter, hand_size(event.round)
    hands: list[tuple[int, ...]] = [()] * seats
    for place in range(seats):
        dealt = event.order[place * size : (place + 1) * size]
        hands[(starter + place) % seats] = tuple(sorted(dealt))
    turned = seats * size
    return State(
        frame=Frame(from_canonical(dict(event.options)), event.round, seats, starter),
        turn=starter,
        phase=Phase.DRAW,
        taken=None,
        discards=event.order[turned : turned + 1],
        melds=(),
        out=None,
        reshuffles=0,
        dead_turns=0,
        hidden=Hidden(event.order, turned + 1, tuple(hands), None, event.shuffle_key),
        ending=None,
    )


def _with_hand(
    hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _gaining(hidden: Hidden, seat: int, card: int) -> tuple[tuple[int, ...], ...]:
    hand = list(hidden.hands[seat])
    insort(hand, card)
    return _with_hand(hidden.hands, seat, tuple(hand))


def _drawn(state: State, event: StockDrawn) -> State:
    old = state.hidden
    hands = _gaining(old, event.seat, event.tile)
    hidden = Hidden(old.stock, old.next_draw + 1, hands, event.tile, old.shuffle_key)
    return replace(state, phase=Phase.PLAY, hidden=hidden)


def _taken(state: State, event: DiscardTaken) -> State:
    hidden = replace(state.hidden, hands=_gaining(state.hidden, event.seat, event.tile))
    discards = state.discards[:-1]
    return replace(state, phase=Phase.PLAY, taken=event.tile, discards=discards, hidden=hidden)


def _reshuffled(state: State, event: StockReshuffled) -> State:
    hidden = replace(state.hidden, stock=event.order, next_draw=0)
    return replace(state, discards=state.discards[-1:], reshuffles=state.reshuffles + 1, hidden=hidden)


def _discarded(state: State, event: Discarded) -> State:
    hand = tuple(card for card in state.hidden.hands[event.seat] if card != event.tile)
    return _next_turn(state, event.seat, hand, event.tile)


def _went_out(state: State, event: WentOut) -> State:
    after = _next_turn(state, event.seat, (), event.discard)
    laid = (TableMeld(event.seat, meld.kind, meld.tiles) for meld in event.melds)
    out = event.seat if state.out is None else state.out
    return replace(after, melds=(*state.melds, *laid), out=out)


def _next_turn(state: State, seat: int, hand: tuple[int, ...], discard: int) -> State:
    hidden = replace(state.hidden, hands=_with_hand(state.hidden.hands, seat, hand), drawn=None)
    discards = (*state.discards, discard)
    dead = nothing_to_draw(hidden.stock_size, len(discards))
    return replace(
        state,
        turn=(seat + 1) % state.frame.seats,
        phase=Phase.DRAW,
        taken=None,
        discards=discards,
        dead_turns=state.dead_turns + 1 if dead else 0,
        hidden=hidden,
    )
