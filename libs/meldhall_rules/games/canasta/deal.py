"""Dealing a round: hands from the shuffled order, then the bonus threes out of them.

Source: ``deploy/docs/rules/canasta.md`` 3-5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meldhall_rules.canasta_tiles import is_bonus
from meldhall_rules.games.canasta.state import HAND_SIZE, SEATS, TEAMS, team_of


@dataclass(frozen=True, slots=True)
class Dealt:
    """Hands by seat, sorted by id, exposed threes by team, and where in the order the stock begins."""

    hands: tuple[tuple[int, ...], ...]
    bonus: tuple[tuple[int, ...], ...]
    next_draw: int


def deal_out(order: Sequence[int], starter: int) -> Dealt:
    """Deal 15 tiles to the starter and 14 to each next seat, and replace the bonus threes."""
    hands: list[tuple[int, ...]] = [()] * SEATS
    start = 0
    for place in range(SEATS):
        size = HAND_SIZE + 1 if place == 0 else HAND_SIZE
        hands[(starter + place) % SEATS] = tuple(order[start : start + size])
        start += size
    return expose(hands, order, start, starter)


def expose(hands: Sequence[Sequence[int]], order: Sequence[int], next_draw: int, starter: int) -> Dealt:
    """Expose the bonus threes of dealt hands and replace them from the stock.

    The starter first, then in turn order; each player until his hand is clean (rule 5).

    Raises:
        ValueError: when the stock is too short for it.
    """
    clean = [list(hand) for hand in hands]
    bonus: list[tuple[int, ...]] = [()] * TEAMS
    for place in range(SEATS):
        seat = (starter + place) % SEATS
        hand = clean[seat]
        while found := next((tile for tile in hand if is_bonus(tile)), None):
            if next_draw == len(order):
                raise ValueError(f"no tile left to replace the bonus three {found} of seat {seat}")
            hand.remove(found)
            hand.append(order[next_draw])
            bonus[team_of(seat)] += (found,)
            next_draw += 1
    return Dealt(tuple(tuple(sorted(hand)) for hand in clean), tuple(bonus), next_draw)
