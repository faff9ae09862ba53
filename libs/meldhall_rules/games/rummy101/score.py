"""What a finished round is worth to each seat.

Source: ``deploy/docs/rules/rummy101.md`` 10, 40-46.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.commands import Placed
from meldhall_rules.events import Finish
from meldhall_rules.games.rummy101.options import SetJoker
from meldhall_rules.games.rummy101.state import PAIRS, State
from meldhall_rules.melds import extend
from meldhall_rules.rejections import Rejection
from meldhall_rules.tiles import is_joker, number_of
from meldhall_rules.view import Opening

WIN: Final = 101
NOT_OPENED: Final = 202
JOKER_IN_HAND: Final = 101

_FACTOR: Final = {
    Finish.NORMAL: (1, 1),
    Finish.JOKER: (2, 2),
    Finish.ONE_TURN: (2, 1),
    Finish.ONE_TURN_JOKER: (4, 2),
    Finish.EXHAUSTED: (1, 1),
}
"""By ending: what multiplies the winner's gain and the penalty of who has not opened, and the penalty of
who has.

A one-turn finish requires that nobody had opened, so it never meets a loser who has; his row is that of
the same ending without it.
"""


def finish_of(last_discard: int, *, one_turn: bool) -> Finish:
    """Name the ending of a winner by his last discard and whether he did it all in one turn (rule 41)."""
    if is_joker(last_discard):
        return Finish.ONE_TURN_JOKER if one_turn else Finish.JOKER
    return Finish.ONE_TURN if one_turn else Finish.NORMAL


def hand_value(hand: Sequence[int]) -> int:
    """Return the points of the tiles left in a hand, a joker 101 (rule 23)."""
    return sum(JOKER_IN_HAND if is_joker(tile) else number_of(tile // 2) for tile in hand)


def fine_of(state: State, tile: int) -> int:
    """Return what a discard costs the seat on turn, asked before the tile leaves its hand (rule 10).

    A joker has a fine of its own and is not fined as a tile that fits. The discard that goes out is free.
    """
    options = state.frame.options
    if len(state.hand) == 1:
        return 0
    if is_joker(tile):
        return options.joker_discard_penalty
    if not options.playable_discard_penalty:
        return 0
    placed, open_sets = (Placed(tile),), options.set_joker_color is SetJoker.OPEN
    fits = any(
        not isinstance(extend(meld, placed, open_sets=open_sets), Rejection) for meld in state.table.melds
    )
    return options.playable_discard_penalty if fits else 0


def round_scores(
    finish: Finish,
    winner: int | None,
    hands: Sequence[Sequence[int]],
    opened: Sequence[Opening | None],
    fines: Sequence[int],
) -> tuple[int, ...]:
    """Return the result of each seat: the winner's gain, the others' penalties as negative numbers (rule 42).

    Args:
        finish: how the round ended.
        winner: the seat that went out, None when the stock was exhausted; then every seat pays its own row.
        hands: what each seat has left.
        opened: how each seat opened.
        fines: what each seat pays for its discards on top of that, whatever the ending (rule 10).
    """
    unopened_factor, opened_factor = _FACTOR[finish]
    return tuple(
        WIN * unopened_factor - fine
        if seat == winner
        else -_penalty(hand, opening) * (opened_factor if opening else unopened_factor) - fine
        for seat, (hand, opening, fine) in enumerate(zip(hands, opened, fines, strict=True))
    )


def _penalty(hand: Sequence[int], opening: Opening | None) -> int:
    if opening is None:
        return NOT_OPENED
    value = hand_value(hand)
    return 2 * value if opening.by == PAIRS else value
