"""What a finished round is worth to each seat.

Source: ``deploy/docs/rules/rummy101.md`` 40-46.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.events import Finish
from meldhall_rules.games.rummy101.state import PAIRS
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


def round_scores(
    finish: Finish,
    winner: int | None,
    hands: Sequence[Sequence[int]],
    opened: Sequence[Opening | None],
) -> tuple[int, ...]:
    """Return the result of each seat: the winner's gain, the others' penalties as negative numbers (rule 42).

    Args:
        finish: how the round ended.
        winner: the seat that went out, None when the stock was exhausted; then every seat pays its own row.
        hands: what each seat has left.
        opened: how each seat opened.
    """
    unopened_factor, opened_factor = _FACTOR[finish]
    return tuple(
        WIN * unopened_factor
        if seat == winner
        else -_penalty(hand, opening) * (opened_factor if opening else unopened_factor)
        for seat, (hand, opening) in enumerate(zip(hands, opened, strict=True))
    )


def _penalty(hand: Sequence[int], opening: Opening | None) -> int:
    if opening is None:
        return NOT_OPENED
    value = hand_value(hand)
    return 2 * value if opening.by == PAIRS else value
