"""Putting tiles on the table: the opening, further melds, additions; from the hand or with the pile.

Every function expects that the seat is on turn and the round not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/canasta.md`` 6-10, 15-22, 29.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.canasta_tiles import is_three, is_wild, number
from meldhall_rules.commands import LayMelds, LayOff, LayOpening, MeldSpec, Placed, TakeDiscard
from meldhall_rules.events import LaidOff, MeldLaid, MeldsLaid, OpeningLaid, PileTaken
from meldhall_rules.games.canasta.evolve import evolve
from meldhall_rules.games.canasta.melds import extend, meld_value, read_meld, table_shape
from meldhall_rules.games.canasta.state import MELDS, State, meld_number
from meldhall_rules.games.canasta.turns import Answer, has_canasta, wrong_phase
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase

Use = LayOpening | LayMelds | LayOff
"""What a player can do with tiles, those of the hand or with the top of the pile."""

PAIR: Final = 2
"""Natural tiles of the hand that the top of the pile needs beside it."""


def lay(state: State, command: Use) -> Answer:
    """Answer a command that puts tiles of the hand on the table."""
    refused = (
        wrong_phase(state, Phase.PLAY)
        or _starting(state)
        or _not_held(command.seat, state.hand, tiles_used(command))
    )
    return refused or _keeping_a_discard(state, _laid(state, command))


def take(state: State, command: TakeDiscard) -> Answer:
    """Take the whole pile and use its top tile, all or nothing (rules 17-22).

    The use is of the hand and the top tile alone; the rest comes to the hand behind it.
    """
    refused = wrong_phase(state, Phase.DRAW) or _blocked(state)
    if refused is not None:
        return refused
    seat, top, use = command.seat, state.discards[-1], command.use
    if not isinstance(use, Use):
        return Rejection(Code.MUST_USE_TAKEN, "the pile is taken with a pair for its top tile")
    if use.seat != seat:
        return Rejection(Code.NOT_YOUR_TURN, f"seat {seat} takes, seat {use.seat} cannot use the tile")
    refused = _not_held(seat, (*state.hand, top), tiles_used(use)) or _no_pair(use, top)
    if refused is not None:
        return refused
    taken = PileTaken(seat, state.discards)
    after = evolve(state, taken)
    answer = _keeping_a_discard(after, _laid(after, use))
    return answer if isinstance(answer, Rejection) else (taken, *answer)


def tiles_used(command: Use) -> tuple[int, ...]:
    """Return the tiles that a command puts down, in the order that it names them."""
    return tuple(placed.tile for part in _parts(command) for placed in part)


def _parts(command: Use) -> tuple[tuple[Placed, ...], ...]:
    if isinstance(command, LayOff):
        return (command.tiles,)
    return tuple(spec.tiles for spec in command.melds)


def _starting(state: State) -> Rejection | None:
    if not state.first_turn:
        return None
    return Rejection(Code.WRONG_PHASE, "the first turn of a round is a discard and nothing else")


def _not_held(seat: int, hand: Sequence[int], tiles: Sequence[int]) -> Rejection | None:
    if len(set(tiles)) < len(tiles):
        return Rejection(Code.TILE_NOT_HELD, "a tile is named twice")
    for tile in tiles:
        if tile not in hand:
            return Rejection(Code.TILE_NOT_HELD, f"seat {seat} does not hold tile {tile}")
    return None


def _blocked(state: State) -> Rejection | None:
    if not state.discards:
        return Rejection(Code.NOTHING_TO_TAKE, "the discard pile is empty")
    if not state.hidden.stock_size:
        return Rejection(Code.STOCK_EMPTY, "the stock is used up, the pile stays where it is")
    top = state.discards[-1]
    if is_wild(top) or is_three(top):
        return Rejection(Code.PILE_BLOCKED, "a two, a three or a joker on top blocks the pile")
    return None


def _no_pair(use: Use, top: int) -> Rejection | None:
    """Refuse a take whose top tile does not lie with two naturals of its number from the hand (rule 18)."""
    part = next((part for part in _parts(use) if any(placed.tile == top for placed in part)), None)
    if part is None:
        return Rejection(Code.MUST_USE_TAKEN, "the top of the pile is not among the tiles put down")
    pair = sum(number(placed.tile) == number(top) for placed in part) - 1
    if pair < PAIR:
        return Rejection(
            Code.INVALID_MELD, f"{pair} naturals of the hand with the top of the pile, not {PAIR}"
        )
    return None


def _laid(state: State, command: Use) -> Answer:
    match command:
        case LayOpening():
            return _open(state, command)
        case LayMelds():
            return _meld(state, command)
    return _add(state, command)


def _open(state: State, command: LayOpening) -> Answer:
    if state.table.opened[state.team] is not None:
        return Rejection(Code.ALREADY_OPENED, f"team {state.team} has opened")
    melds = _read_all(state, command.melds)
    if isinstance(melds, Rejection):
        return melds
    worth, needed = sum(map(meld_value, melds)), state.frame.thresholds[state.team]
    if worth < needed:
        return Rejection(Code.BELOW_THRESHOLD, f"{worth} points, {needed} are needed")
    return (OpeningLaid(command.seat, MELDS, worth, melds),)


def _meld(state: State, command: LayMelds) -> Answer:
    refused = _not_opened(state)
    if refused is not None:
        return refused
    melds = _read_all(state, command.melds)
    return melds if isinstance(melds, Rejection) else (MeldsLaid(command.seat, melds),)


def _add(state: State, command: LayOff) -> Answer:
    refused = _not_opened(state) or _no_target(state, command.meld)
    if refused is not None:
        return refused
    meld = state.table.melds[command.meld]
    result = extend(meld, command.tiles)
    if isinstance(result, Rejection):
        return result
    return (LaidOff(command.seat, command.meld, result[len(meld.tiles) :], result),)


def _read_all(state: State, specs: tuple[MeldSpec, ...]) -> tuple[MeldLaid, ...] | Rejection:
    """Read new melds; one meld a number, on the table and in the command (rule 10)."""
    if not specs:
        return Rejection(Code.INVALID_MELD, "no melds")
    melds: list[MeldLaid] = []
    numbers: set[int] = set()
    for spec in specs:
        meld = read_meld(spec)
        if isinstance(meld, Rejection):
            return meld
        found = table_shape(meld).number
        if found in numbers or meld_number(state.table.melds, state.team, found) is not None:
            return Rejection(Code.INVALID_MELD, f"a second meld of {found}s: one meld a number")
        numbers.add(found)
        melds.append(meld)
    return tuple(melds)


def _not_opened(state: State) -> Rejection | None:
    if state.table.opened[state.team] is not None:
        return None
    return Rejection(Code.NOT_OPENED, f"team {state.team} has not opened")


def _no_target(state: State, meld: int) -> Rejection | None:
    melds = state.table.melds
    if not 0 <= meld < len(melds):
        return Rejection(Code.WRONG_TARGET, f"there is no meld {meld}")
    if melds[meld].owner != state.team:
        return Rejection(Code.WRONG_TARGET, f"meld {meld} is the opponents'")
    return None


def _keeping_a_discard(state: State, answer: Answer) -> Answer:
    """Refuse what would leave no discard: no tile, or without a canasta only one (rule 21)."""
    if isinstance(answer, Rejection):
        return answer
    after = state
    for event in answer:
        after = evolve(after, event)
    left = len(after.hidden.hands[state.turn])
    needed = 1 if has_canasta(after, state.team) else 2
    if left < needed:
        why = "a tile for the discard" if needed == 1 else "two tiles while the team has no canasta"
        return Rejection(Code.MUST_KEEP_DISCARD, f"{left} would be left: a hand keeps {why}")
    return answer
