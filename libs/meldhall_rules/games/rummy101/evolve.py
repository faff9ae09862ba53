"""Folding events into the state. Never refuses and never decides; the log is right by definition.

Source: ``deploy/docs/rules/rummy101.md`` 1-6, 10, 30, 34-38.
"""

from bisect import insort
from collections.abc import Iterable
from dataclasses import replace

from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    JokerIssued,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    MeldsLaid,
    OpeningLaid,
    RoundDealt,
    RoundEnded,
    StockDrawn,
)
from meldhall_rules.games.rummy101.options import OpeningMode, SetJoker, from_canonical
from meldhall_rules.games.rummy101.score import fine_of
from meldhall_rules.games.rummy101.state import (
    HAND_SIZE,
    STARTING_NEED,
    Frame,
    Hidden,
    Jokers,
    State,
    Table,
    need_after,
)
from meldhall_rules.melds import joker_place, swapped
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import Opening, Phase, TableMeld


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
            return _melds_laid(state, event.seat, event.melds, state.table)
        case OpeningLaid():
            return _opened(state, event)
        case JokerSwapped():
            return _swapped(state, event)
        case JokerIssued():
            return _issued(state, event)
        case RoundEnded():
            return replace(state, phase=Phase.OVER, ending=event)
    raise ValueError(f"rummy101 has no {type(event).__name__}")


def _dealt(event: RoundDealt) -> State:
    seats, starter = event.seats, event.starter
    hands: list[tuple[int, ...]] = [()] * seats
    start = 0
    for place in range(seats):
        size = HAND_SIZE + 1 if place == 0 else HAND_SIZE
        hands[(starter + place) % seats] = tuple(sorted(event.order[start : start + size]))
        start += size
    return State(
        frame=Frame(from_canonical(dict(event.options)), event.round, seats, starter),
        turn=starter,
        phase=Phase.PLAY,
        first_turn=True,
        discards=(),
        table=Table((), (None,) * seats, STARTING_NEED, opened_before=False),
        jokers=Jokers(event.spare_jokers, (False,) * seats, 0),
        hidden=Hidden(event.order, start, tuple(hands), None, event.shuffle_key),
        fines=(0,) * seats,
        ending=None,
    )


def _with_hand(
    hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _gaining(hidden: Hidden, seat: int, tile: int) -> tuple[tuple[int, ...], ...]:
    hand = list(hidden.hands[seat])
    insort(hand, tile)
    return _with_hand(hidden.hands, seat, tuple(hand))


def _losing(hidden: Hidden, seat: int, tiles: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    hand = list(hidden.hands[seat])
    for tile in tiles:
        hand.remove(tile)
    return _with_hand(hidden.hands, seat, tuple(hand))


def _drawn(state: State, event: StockDrawn) -> State:
    old = state.hidden
    hands = _gaining(old, event.seat, event.tile)
    hidden = Hidden(old.order, old.next_draw + 1, hands, event.tile, old.shuffle_key)
    return replace(state, phase=Phase.PLAY, hidden=hidden)


def _taken(state: State, event: DiscardTaken) -> State:
    hidden = replace(state.hidden, hands=_gaining(state.hidden, event.seat, event.tile))
    return replace(state, phase=Phase.PLAY, discards=state.discards[:-1], hidden=hidden)


def _issued(state: State, event: JokerIssued) -> State:
    """Give a joker of the button: one of the set leaves its place in the stock, any other is a tile more."""
    old, seat = state.jokers, event.seat
    spare = (*old.spare[:seat], old.spare[seat] - 1, *old.spare[seat + 1 :])
    used = (*old.used[:seat], True, *old.used[seat + 1 :])
    extra = event.tile >= SET_SIZE
    hidden = state.hidden
    if not extra:
        rest = tuple(tile for tile in hidden.stock if tile != event.tile)
        hidden = replace(hidden, order=rest, next_draw=0)
    hidden = replace(hidden, hands=_gaining(hidden, seat, event.tile))
    return replace(state, phase=Phase.PLAY, jokers=Jokers(spare, used, old.issued + extra), hidden=hidden)


def _discarded(state: State, event: Discarded) -> State:
    old, table = state.hidden, state.table
    hands = _losing(old, event.seat, (event.tile,))
    fines, fine = state.fines, fine_of(state, event.tile)
    if fine:
        fines = (*fines[: event.seat], fines[event.seat] + fine, *fines[event.seat + 1 :])
    if not table.opened_before and any(table.opened):
        table = replace(table, opened_before=True)
    return State(
        frame=state.frame,
        turn=(event.seat + 1) % state.frame.seats,
        phase=Phase.DRAW,
        first_turn=False,
        discards=(*state.discards, event.tile),
        table=table,
        jokers=state.jokers,
        hidden=Hidden(old.order, old.next_draw, hands, None, old.shuffle_key),
        fines=fines,
        ending=None,
    )


def _melds_laid(state: State, seat: int, melds: tuple[MeldLaid, ...], table: Table) -> State:
    tiles = (laid.tile for meld in melds for laid in meld.tiles)
    hidden = replace(state.hidden, hands=_losing(state.hidden, seat, tiles))
    new = (TableMeld(seat, meld.kind, meld.tiles) for meld in melds)
    return replace(state, table=replace(table, melds=(*table.melds, *new)), hidden=hidden)


def _opened(state: State, event: OpeningLaid) -> State:
    opening = Opening(event.by, event.value)
    old, seat = state.table, event.seat
    opened = (*old.opened[:seat], opening, *old.opened[seat + 1 :])
    rising = state.frame.options.opening is OpeningMode.RISING
    need = need_after(old.need, opening) if rising else old.need
    return _melds_laid(state, seat, event.melds, replace(old, opened=opened, need=need))


def _with_meld(table: Table, number: int, meld: TableMeld) -> Table:
    return replace(table, melds=(*table.melds[:number], meld, *table.melds[number + 1 :]))


def _laid_off(state: State, event: LaidOff) -> State:
    meld = replace(state.table.melds[event.meld], tiles=event.result)
    tiles = (laid.tile for laid in event.tiles)
    hidden = replace(state.hidden, hands=_losing(state.hidden, event.seat, tiles))
    return replace(state, table=_with_meld(state.table, event.meld, meld), hidden=hidden)


def _swapped(state: State, event: JokerSwapped) -> State:
    meld = state.table.melds[event.meld]
    open_sets = state.frame.options.set_joker_color is SetJoker.OPEN
    place = joker_place(meld, event.tile, open_sets=open_sets)
    if place is None:
        raise ValueError(f"meld {event.meld} has no joker that stands for tile {event.tile}")
    after = replace(meld, tiles=swapped(meld, place, event.tile))
    hands = _losing(state.hidden, event.seat, (event.tile,))
    hidden = replace(state.hidden, hands=hands)
    hidden = replace(hidden, hands=_gaining(hidden, event.seat, event.joker))
    return replace(state, table=_with_meld(state.table, event.meld, after), hidden=hidden)
