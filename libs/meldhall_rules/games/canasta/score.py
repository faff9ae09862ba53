"""What a finished round is worth to each team.

Source: ``deploy/docs/rules/canasta.md`` 12-14, 24-27.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.canasta_tiles import hand_value
from meldhall_rules.games.canasta.melds import meld_value, table_shape
from meldhall_rules.games.canasta.state import TEAMS, Table, team_of

GOING_OUT: Final = 100
BONUS_THREE: Final = 100


def round_scores(table: Table, hands: Sequence[Sequence[int]], winner: int | None) -> tuple[int, ...]:
    """Return the result of each team (rule 27).

    Args:
        table: melds, openings and bonus threes.
        hands: what each seat has left.
        winner: the team that went out, None when the stock was exhausted.
    """
    return tuple(
        _melds(table, team)
        + _threes(table, team)
        + (GOING_OUT if team == winner else 0)
        - sum(hand_value(tile) for seat, hand in enumerate(hands) if team_of(seat) == team for tile in hand)
        for team in range(TEAMS)
    )


def _melds(table: Table, team: int) -> int:
    return sum(meld_value(meld) + table_shape(meld).bonus for meld in table.melds if meld.owner == team)


def _threes(table: Table, team: int) -> int:
    """Return the points of the exposed threes, gained or lost by whether the team has opened (rule 24)."""
    points = BONUS_THREE * len(table.bonus[team])
    return points if table.opened[team] is not None else -points
