"""Putting tiles on the table: the opening, further melds, lay-offs and joker swaps.

Every function expects that the seat is on turn and the round not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/rummy101.md`` 8, 22, 24-36.
"""

from collections.abc import Sequence

from meldhall_rules.commands import LayMelds, LayOff, LayOpening, MeldKind, MeldSpec, SwapJoker
from meldhall_rules.events import JokerSwapped, LaidOff, MeldLaid, MeldsLaid, OpeningLaid
from meldhall_rules.games.rummy101.options import SetJoker
from meldhall_rules.games.rummy101.state import MELDS, PAIRS, State
from meldhall_rules.games.rummy101.turns import Answer, wrong_phase
from meldhall_rules.melds import extend, face_name, joker_place, meld_value, read_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import Phase

Use = LayOpening | LayMelds | LayOff | SwapJoker
"""What a player can do with tiles, those of the hand or one just taken."""


def tiles_used(command: Use) -> tuple[int, ...]:
    """Return the tiles that a command puts down, in the order that it names them."""
    match command:
        case LayOpening() | LayMelds():
            return tuple(placed.tile for spec in command.melds for placed in spec.tiles)
        case LayOff():
            return tuple(placed.tile for placed in command.tiles)
    return (command.tile,)


def not_held(seat: int, hand: Sequence[int], tiles: Sequence[int]) -> Rejection | None:
    """Refuse tiles that are not in a hand or are named twice."""
    if len(set(tiles)) < len(tiles):
        return Rejection(Code.TILE_NOT_HELD, "a tile is named twice")
    for tile in tiles:
        if tile not in hand:
            return Rejection(Code.TILE_NOT_HELD, f"seat {seat} does not hold tile {tile}")
    return None


def lay(state: State, command: Use) -> Answer:
    """Answer a command that puts tiles on the table."""
    refused = (
        wrong_phase(state, Phase.PLAY)
        or _first_turn_closed(state)
        or not_held(command.seat, state.hand, tiles_used(command))
    )
    if refused is not None:
        return refused
    match command:
        case LayOpening():
            return _open(state, command)
        case LayMelds():
            return _meld(state, command)
        case LayOff():
            return _lay_off(state, command)
    return _swap(state, command)


def _open(state: State, command: LayOpening) -> Answer:
    if state.table.opened[command.seat] is not None:
        return Rejection(Code.ALREADY_OPENED, f"seat {command.seat} has opened")
    pairs = sum(spec.kind is MeldKind.PAIR for spec in command.melds)
    if 0 < pairs < len(command.melds):
        return Rejection(Code.MIXED_OPENING, "an opening of pairs and other melds")
    melds = _read_all(command.melds)
    if isinstance(melds, Rejection):
        return melds
    by = PAIRS if pairs else MELDS
    value = pairs or sum(meld_value(meld) for meld in melds)
    need = state.table.need[1 if pairs else 0]
    if value < need:
        unit = "pairs" if pairs else "points"
        return Rejection(Code.BELOW_THRESHOLD, f"{value} {unit}, {need} are needed")
    return _no_discard(state, command) or (OpeningLaid(command.seat, by, value, melds),)


def _meld(state: State, command: LayMelds) -> Answer:
    refused = _not_opened(state, command.seat)
    if refused is not None:
        return refused
    if not command.melds:
        return Rejection(Code.INVALID_MELD, "no melds")
    for spec in command.melds:
        refused = _kind_closed(state, command.seat, spec.kind)
        if refused is not None:
            return refused
    melds = _read_all(command.melds)
    if isinstance(melds, Rejection):
        return melds
    return _no_discard(state, command) or (MeldsLaid(command.seat, melds),)


def _lay_off(state: State, command: LayOff) -> Answer:
    refused = _not_opened(state, command.seat) or _no_target(state, command.meld)
    if refused is not None:
        return refused
    result = extend(state.table.melds[command.meld], command.tiles, open_sets=_open_sets(state))
    if isinstance(result, Rejection):
        return result
    named = {placed.tile for placed in command.tiles}
    added = tuple(laid for laid in result if laid.tile in named)
    return _no_discard(state, command) or (LaidOff(command.seat, command.meld, added, result),)


def _swap(state: State, command: SwapJoker) -> Answer:
    refused = _not_opened(state, command.seat) or _no_target(state, command.meld)
    if refused is not None:
        return refused
    meld = state.table.melds[command.meld]
    place = joker_place(meld, command.tile, open_sets=_open_sets(state))
    if place is None:
        named = "a joker" if is_joker(command.tile) else face_name(command.tile // 2)
        return Rejection(Code.NO_SUCH_JOKER, f"no joker of meld {command.meld} stands for {named}")
    return (JokerSwapped(command.seat, command.meld, command.tile, meld.tiles[place].tile),)


def _open_sets(state: State) -> bool:
    return state.frame.options.set_joker_color is SetJoker.OPEN


def _first_turn_closed(state: State) -> Rejection | None:
    """Refuse the starter's first turn anything but its discard where the table says so (rule 8)."""
    if not state.first_turn or state.frame.options.starter_may_meld:
        return None
    return Rejection(Code.WRONG_PHASE, "the starter only discards in the first turn")


def _read_all(specs: tuple[MeldSpec, ...]) -> tuple[MeldLaid, ...] | Rejection:
    melds: list[MeldLaid] = []
    for spec in specs:
        meld = read_meld(spec)
        if isinstance(meld, Rejection):
            return meld
        melds.append(meld)
    return tuple(melds)


def _not_opened(state: State, seat: int) -> Rejection | None:
    if state.table.opened[seat] is not None:
        return None
    return Rejection(Code.NOT_OPENED, f"seat {seat} has not opened")


def _no_target(state: State, meld: int) -> Rejection | None:
    if 0 <= meld < len(state.table.melds):
        return None
    return Rejection(Code.WRONG_TARGET, f"there is no meld {meld}")


def _kind_closed(state: State, seat: int, kind: MeldKind) -> Rejection | None:
    """Refuse runs and sets to who opened by pairs; pairs while nobody opened by them (rules 32, 33)."""
    opened = state.table.opened
    own = opened[seat]
    by_pairs = own is not None and own.by == PAIRS
    if kind is not MeldKind.PAIR:
        if by_pairs:
            return Rejection(Code.KIND_NOT_ALLOWED, f"seat {seat} opened by pairs and lays no {kind}")
        return None
    if by_pairs or any(opening is not None and opening.by == PAIRS for opening in opened):
        return None
    return Rejection(Code.KIND_NOT_ALLOWED, "no player has opened by pairs")


def _no_discard(state: State, command: Use) -> Rejection | None:
    if len(state.hand) > len(tiles_used(command)):
        return None
    return Rejection(Code.NO_DISCARD, f"seat {command.seat} would keep no tile for the discard")
