"""Folding events into the state. Never refuses and never decides; the log is right by definition.

Source: ``deploy/docs/rules/canasta.md`` 3-5, 10, 20, 28, 30.
"""

from bisect import insort
from collections.abc import Iterable
from dataclasses import replace

from meldhall_rules.events import (
    BonusExposed,
    Discarded,
    Event,
    JokerIssued,
    LaidOff,
    MeldLaid,
    MeldsLaid,
    OpeningLaid,
    PileTaken,
    RoundDealt,
    RoundEnded,
    StockDrawn,
)
from meldhall_rules.games.canasta.deal import deal_out
from meldhall_rules.games.canasta.options import from_canonical
from meldhall_rules.games.canasta.state import SEATS, TEAMS, Frame, Hidden, Jokers, State, Table, team_of
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
        case PileTaken():
            return _taken(state, event)
        case BonusExposed():
            return _exposed(state, event)
        case LaidOff():
            return _laid_off(state, event)
        case MeldsLaid():
            return _melds_laid(state, event.seat, event.melds)
        case OpeningLaid():
            return _opened(state, event)
        case JokerIssued():
            return _issued(state, event)
        case RoundEnded():
            return replace(state, phase=Phase.OVER, ending=event)
    raise ValueError(f"canasta has no {type(event).__name__}")


def _dealt(event: RoundDealt) -> State:
    dealt = deal_out(event.order, event.starter)
    options = from_canonical(dict(event.options))
    return State(
        frame=Frame(options, event.round, event.starter, event.totals or (0,) * TEAMS),
        turn=event.starter,
        phase=Phase.PLAY,
        first_turn=True,
        discards=(),
        table=Table((), (None,) * TEAMS, dealt.bonus),
        jokers=Jokers(event.spare_jokers, (False,) * SEATS, 0),
        hidden=Hidden(event.order, dealt.next_draw, dealt.hands, None, event.shuffle_key),
        ending=None,
    )


def _with_hand(
    hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def _gaining(hidden: Hidden, seat: int, tiles: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    hand = list(hidden.hands[seat])
    for tile in tiles:
        insort(hand, tile)
    return _with_hand(hidden.hands, seat, tuple(hand))


def _losing(hidden: Hidden, seat: int, tiles: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    hand = list(hidden.hands[seat])
    for tile in tiles:
        hand.remove(tile)
    return _with_hand(hidden.hands, seat, tuple(hand))


def _drawn(state: State, event: StockDrawn) -> State:
    old = state.hidden
    hands = _gaining(old, event.seat, (event.tile,))
    hidden = Hidden(old.order, old.next_draw + 1, hands, event.tile, old.shuffle_key)
    return replace(state, phase=Phase.PLAY, hidden=hidden)


def _exposed(state: State, event: BonusExposed) -> State:
    team, old = team_of(event.seat), state.table.bonus
    bonus = (*old[:team], (*old[team], event.tile), *old[team + 1 :])
    hidden = replace(state.hidden, next_draw=state.hidden.next_draw + 1)
    return replace(state, table=replace(state.table, bonus=bonus), hidden=hidden)


def _taken(state: State, event: PileTaken) -> State:
    hidden = replace(state.hidden, hands=_gaining(state.hidden, event.seat, event.tiles))
    return replace(state, phase=Phase.PLAY, discards=(), hidden=hidden)


def _issued(state: State, event: JokerIssued) -> State:
    """Give a joker of the button: one of the set leaves its place in the stock, any other is a tile more."""
    old, seat = state.jokers, event.seat
    spare = (*old.spare[:seat], old.spare[seat] - 1, *old.spare[seat + 1 :])
    used = (*old.used[:seat], True, *old.used[seat + 1 :])
    extra = event.tile >= SET_SIZE
    hidden = state.hidden
    if not extra:
        hidden = replace(
            hidden, order=tuple(tile for tile in hidden.stock if tile != event.tile), next_draw=0
        )
    hidden = replace(hidden, hands=_gaining(hidden, seat, (event.tile,)))
    return replace(state, phase=Phase.PLAY, jokers=Jokers(spare, used, old.issued + extra), hidden=hidden)


def _discarded(state: State, event: Discarded) -> State:
    old = state.hidden
    hands = _losing(old, event.seat, (event.tile,))
    return State(
        frame=state.frame,
        turn=(event.seat + 1) % SEATS,
        phase=Phase.DRAW,
        first_turn=False,
        discards=(*state.discards, event.tile),
        table=state.table,
        jokers=state.jokers,
        hidden=Hidden(old.order, old.next_draw, hands, None, old.shuffle_key),
        ending=None,
    )


def _melds_laid(state: State, seat: int, melds: tuple[MeldLaid, ...]) -> State:
    tiles = (laid.tile for meld in melds for laid in meld.tiles)
    hidden = replace(state.hidden, hands=_losing(state.hidden, seat, tiles))
    new = (TableMeld(team_of(seat), meld.kind, meld.tiles) for meld in melds)
    return replace(state, table=replace(state.table, melds=(*state.table.melds, *new)), hidden=hidden)


def _opened(state: State, event: OpeningLaid) -> State:
    team, old = team_of(event.seat), state.table.opened
    opened = (*old[:team], Opening(event.by, event.value), *old[team + 1 :])
    laid = _melds_laid(state, event.seat, event.melds)
    return replace(laid, table=replace(laid.table, opened=opened))


def _laid_off(state: State, event: LaidOff) -> State:
    melds = state.table.melds
    meld = replace(melds[event.meld], tiles=event.result)
    hands = _losing(state.hidden, event.seat, (laid.tile for laid in event.tiles))
    table = replace(state.table, melds=(*melds[: event.meld], meld, *melds[event.meld + 1 :]))
    return replace(state, table=table, hidden=replace(state.hidden, hands=hands))
