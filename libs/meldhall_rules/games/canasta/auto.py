"""The turn of a player who is absent, or the rest of it.

Never melds, never takes the pile, never presses the Joker button; what the player laid or took stays.
Source: ``deploy/docs/rules/canasta.md`` 34.
"""

from collections.abc import Sequence

from meldhall_rules import time_up
from meldhall_rules.canasta_tiles import is_dark_three, is_wild, value
from meldhall_rules.commands import AutoTurn, Draw, EndRound
from meldhall_rules.games.canasta.evolve import evolve
from meldhall_rules.games.canasta.state import State
from meldhall_rules.games.canasta.turns import Answer, draw, end_turn, ended
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase


def auto_turn(state: State, command: AutoTurn) -> Answer:
    """Draw where the turn has no tile yet, then discard what ``chosen_discard`` says."""
    if state.phase is Phase.PLAY:
        return end_turn(state, chosen_discard(state.hand, state.hidden.drawn))
    drawn = draw(state, Draw(command.seat))
    if isinstance(drawn, Rejection):
        return drawn
    after = state
    for event in drawn:
        after = evolve(after, event)
    if after.phase is Phase.OVER:
        return drawn
    answer = end_turn(after, chosen_discard(after.hand, after.hidden.drawn))
    return answer if isinstance(answer, Rejection) else drawn + answer


def end_round(state: State, command: EndRound) -> Answer:
    """End the round as when the stock has run out, after the rest of a turn that has begun."""
    rest = auto_turn(state, AutoTurn(command.seat)) if state.phase is Phase.PLAY else ()
    return time_up.finish(state, rest, evolve=evolve, result=lambda after: ended(after, None))


def chosen_discard(hand: Sequence[int], drawn: int | None) -> int:
    """Choose the discard of an automatic turn.

    The tile drawn in this turn while it is in the hand and no wild; else a black or blue three; else the
    natural of the lowest value; else a two; else a joker. Of equal ones that with the lowest id.
    """
    if drawn is not None and drawn in hand and not is_wild(drawn):
        return drawn
    return min(hand, key=_order)


def _order(tile: int) -> tuple[int, int, int]:
    if is_dark_three(tile):
        return 0, 0, tile
    if not is_wild(tile):
        return 1, value(tile), tile
    # The ids of jokers are above those of twos.
    return 2, 0, tile
