"""Match points: what a place at a table is worth.

A side can have twelve points of a table, shared equally among its opponents: all of a share for one that it
beat, half for one that it tied with. So a win is 12 at every table, a draw of two 6, and tables of two, three
and four can be compared. A bye is a win. Who did not come gets nothing.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from meldhall_tournament.domain.events import SideResult

WIN: Final = 12


def against(sides: Sequence[SideResult], one: int, other: int) -> int:
    """Return the points that a side has from one of its opponents."""
    share = WIN // (len(sides) - 1)
    mine, theirs = sides[one], sides[other]
    if not mine.came or mine.place > theirs.place:
        return 0
    return share if mine.place < theirs.place or not theirs.came else share // 2


def points(sides: Sequence[SideResult], one: int) -> int:
    """Return the points of a side."""
    return sum(against(sides, one, other) for other in range(len(sides)) if other != one)


def with_last(sides: Sequence[SideResult], out: AbstractSet[int]) -> tuple[SideResult, ...]:
    """Return a result as it counts when those at these places are disqualified: as if not come."""
    if not out:
        return tuple(sides)
    last = len(sides) + 1
    return tuple(
        SideResult(last, side.own, side.rounds_won, came=False) if at in out else side
        for at, side in enumerate(sides)
    )
