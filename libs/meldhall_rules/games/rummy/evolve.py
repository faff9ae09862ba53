"""Folding events into the state. Never refuses and never decides; the log is right by definition.

Source: ``deploy/docs/rules/rummy.md`` 2-5, 8, 13, 15.
"""

from bisect import insort
from collections.abc import Collection
from dataclasses import replace

from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    LaidOff,
    MeldsLaid,
    RoundDealt,
    RoundEnded,
    StockDrawn,
    StockReshuffled,
)
from meldhall_rules.games.rummy.options import from_canonical
from meldhall_rules.games.rummy.state import HAND_SIZE, Frame, Hidden, Laying, State, nothing_to_draw
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
        case LaidOff():
            return _laid_off(state, event)
        case MeldsLaid():
            return _melds_laid(state, event)
        case StockReshuffled():
            return _reshuffled(state, event)
        case RoundEnded():
            return replace(state, phase=Phase.OVER, ending=event)
    raise ValueError(f"rummy has no {type(event).__name__}")


def _dealt(event: RoundDealt) -> State:
    seats, starter, size = event.seats, event.starter, HAND_SIZE[event.seats]
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
        laying=Laying((False,) * seats, now=False, new_melds=0),
        reshuffles=0,
        idle_reshuffles=0,
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


def _losing(hidden: Hidden, seat: int, cards: Collection[int]) -> tuple[tuple[int, ...], ...]:
    hand = tuple(card for card in hidden.hands[seat] if card not in cards)
    return _with_hand(hidden.hands, seat, hand)


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
    return replace(
        state,
        discards=state.discards[-1:],
        reshuffles=state.reshuffles + 1,
        idle_reshuffles=state.idle_reshuffles + 1,
        hidden=replace(state.hidden, stock=event.order, next_draw=0),
    )


def _melds_laid(state: State, event: MeldsLaid) -> State:
    new = tuple(TableMeld(event.seat, meld.kind, meld.tiles) for meld in event.melds)
    cards = {laid.tile for meld in event.melds for laid in meld.tiles}
    return _laid(state, event.seat, cards, (*state.melds, *new), len(new))


def _laid_off(state: State, event: LaidOff) -> State:
    meld = replace(state.melds[event.meld], tiles=event.result)
    melds = (*state.melds[: event.meld], meld, *state.melds[event.meld + 1 :])
    return _laid(state, event.seat, {laid.tile for laid in event.tiles}, melds, 0)


def _laid(state: State, seat: int, cards: Collection[int], melds: tuple[TableMeld, ...], new: int) -> State:
    """Move cards from a hand to the table; what counts idle turns and rebuilds starts anew."""
    return replace(
        state,
        melds=melds,
        laying=replace(state.laying, now=True, new_melds=state.laying.new_melds + new),
        idle_reshuffles=0,
        dead_turns=0,
        hidden=replace(state.hidden, hands=_losing(state.hidden, seat, cards)),
    )


def _discarded(state: State, event: Discarded) -> State:
    seat, old = event.seat, state.laying
    before = (*old.before[:seat], old.before[seat] or old.now, *old.before[seat + 1 :])
    hands = _losing(state.hidden, seat, (event.tile,))
    hidden = replace(state.hidden, hands=hands, drawn=None)
    discards = (*state.discards, event.tile)
    dead = nothing_to_draw(state.frame.options, hidden.stock_size, len(discards), state.reshuffles)
    return replace(
        state,
        turn=(seat + 1) % state.frame.seats,
        phase=Phase.DRAW,
        taken=None,
        discards=discards,
        laying=Laying(before, now=False, new_melds=0),
        dead_turns=state.dead_turns + 1 if dead else 0,
        hidden=hidden,
    )
