"""Going out: all cards but one in melds, the last one discarded, in one command.

Source: ``deploy/docs/rules/three_thirteen.md`` 12, 13.
"""

from meldhall_rules.commands import GoOut
from meldhall_rules.events import MeldLaid, WentOut
from meldhall_rules.games.three_thirteen.melds import read_meld
from meldhall_rules.games.three_thirteen.state import State
from meldhall_rules.games.three_thirteen.turns import Answer, after_turn, no_discard, wild_rule, wrong_phase
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase


def go_out(state: State, command: GoOut) -> Answer:
    """Check that the melds and the discard are the whole hand, each card once, and lay them."""
    refused = wrong_phase(state, Phase.PLAY) or _not_the_hand(state, command)
    if refused is not None:
        return refused
    if command.discard is None:
        return Rejection(Code.NO_DISCARD, "going out needs a discard")
    melds: list[MeldLaid] = []
    for spec in command.melds:
        meld = read_meld(spec, wild_rule(state))
        if isinstance(meld, Rejection):
            return meld
        melds.append(meld)
    event = WentOut(command.seat, tuple(melds), command.discard)
    return event, *after_turn(state, ())


def _not_the_hand(state: State, command: GoOut) -> Rejection | None:
    if not command.melds:
        return Rejection(Code.INVALID_MELD, "going out needs melds")
    named = [placed.tile for spec in command.melds for placed in spec.tiles]
    if command.discard is not None:
        named.append(command.discard)
    if len(set(named)) < len(named):
        return Rejection(Code.TILE_NOT_HELD, "a card is named twice")
    for card in named:
        if card not in state.hand:
            return Rejection(Code.TILE_NOT_HELD, f"seat {command.seat} does not hold card {card}")
    if len(named) < len(state.hand):
        return Rejection(Code.INVALID_MELD, f"{len(state.hand) - len(named)} cards are left over")
    return None if command.discard is None else no_discard(state, command.discard)
