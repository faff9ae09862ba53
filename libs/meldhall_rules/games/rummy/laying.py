"""Melds and lay-offs.

Every function expects that the seat is on turn and the hand not over; ``decide`` has asked that.
Source: ``deploy/docs/rules/rummy.md`` 6-11.
"""

from collections.abc import Sequence

from meldhall_rules.card_melds import extend, read_meld
from meldhall_rules.cards import card_name
from meldhall_rules.commands import LayMelds, LayOff
from meldhall_rules.events import LaidOff, MeldLaid, MeldsLaid
from meldhall_rules.games.rummy.options import Options
from meldhall_rules.games.rummy.state import State
from meldhall_rules.games.rummy.turns import Answer, out, wrong_phase
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase


def lay_melds(state: State, command: LayMelds) -> Answer:
    """Lay new melds, all of them or none."""
    cards = [placed.tile for spec in command.melds for placed in spec.tiles]
    refused = wrong_phase(state, Phase.PLAY) or _not_held(state, cards)
    if refused is not None:
        return refused
    if not command.melds:
        return Rejection(Code.INVALID_MELD, "no melds")
    melds: list[MeldLaid] = []
    for spec in command.melds:
        meld = read_meld(spec, ace_high=state.frame.options.ace_high_low)
        if isinstance(meld, Rejection):
            return meld
        melds.append(meld)
    limit = state.frame.options.max_melds_per_turn
    if limit is not None and state.laying.new_melds + len(melds) > limit:
        return Rejection(Code.KIND_NOT_ALLOWED, f"more than {limit} new melds in a turn")
    return _result(state, MeldsLaid(command.seat, tuple(melds)), cards)


def lay_off(state: State, command: LayOff) -> Answer:
    """Add cards to a meld on the table, all of them or none."""
    cards = [placed.tile for placed in command.tiles]
    refused = wrong_phase(state, Phase.PLAY) or _not_held(state, cards)
    if refused is not None:
        return refused
    if not 0 <= command.meld < len(state.melds):
        return Rejection(Code.WRONG_TARGET, f"there is no meld {command.meld}")
    ace_high = state.frame.options.ace_high_low
    result = extend(state.melds[command.meld], command.tiles, ace_high=ace_high)
    if isinstance(result, Rejection):
        return result
    added = tuple(laid for laid in result if laid.tile in cards)
    return _result(state, LaidOff(command.seat, command.meld, added, result), cards)


def dead_end(options: Options, rest: Sequence[int], taken: int | None) -> Rejection | None:
    """Refuse an action after which no discard is left that the rules allow or want (rule 11).

    Args:
        options: of the table.
        rest: what the action leaves in the hand.
        taken: the card taken from the discard pile in this turn.
    """
    if not rest:
        if options.must_discard_to_go_out:
            return Rejection(Code.MUST_KEEP_DISCARD, "the last card has to be discarded")
        return None
    if tuple(rest) == (taken,):
        left = card_name(rest[0])
        return Rejection(Code.MUST_KEEP_DISCARD, f"only {left} is left, which was taken in this turn")
    return None


def _not_held(state: State, cards: Sequence[int]) -> Rejection | None:
    if len(set(cards)) < len(cards):
        return Rejection(Code.TILE_NOT_HELD, "a card is named twice")
    for card in cards:
        if card not in state.hand:
            return Rejection(Code.TILE_NOT_HELD, f"seat {state.turn} does not hold card {card}")
    return None


def _result(state: State, event: MeldsLaid | LaidOff, cards: Sequence[int]) -> Answer:
    rest = [card for card in state.hand if card not in cards]
    refused = dead_end(state.frame.options, rest, state.taken)
    if refused is not None:
        return refused
    return (event,) if rest else (event, out(state))
