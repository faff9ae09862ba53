"""Standings: who is where, and every value that decided it.

In order: still in before withdrawn before disqualified; match points; wins; the game's own results; points
from the tables among those who are equal so far; the points of all opponents; rounds won; the lot. The values
are those of ``Line``, so a player can add them up from the results.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from meldhall_tournament.domain.lines import Line
from meldhall_tournament.domain.state import Contestant, Out, Tournament

_ORDER = {Out.IN: 0, Out.WITHDRAWN: 1, Out.DISQUALIFIED: 2}


class Row(NamedTuple):
    """An entrant's place. Equal places are shared, and the next place counts them all."""

    place: int
    number: int
    players: tuple[str, ...]
    out: Out
    points: int
    wins: int
    own: int
    head_to_head: int
    opponents: int
    rounds_won: int
    lot: int


_Key = tuple[int, int, int, int]
"""Negated where higher is better."""


def standings(state: Tournament) -> tuple[Row, ...]:
    """Return all entrants, the best first. The order is total, by lot at last."""
    lines, worth = state.lines, _worth(state)
    keyed = [(_key(one, lines[one.number]), one) for one in state.contestants.values()]
    keyed.sort(key=itemgetter(0))
    rows: list[Row] = []
    for _, group in groupby(keyed, key=itemgetter(0)):
        rows += _rows(state, [one for _, one in group], worth, len(rows))
    return tuple(rows)


def _worth(state: Tournament) -> dict[int, int]:
    """Return what each is worth as an opponent.

    A bye, and a meeting with somebody who is disqualified, count as an opponent with as many points as the
    entrant himself; ``_last_key`` adds them.
    """
    lines = state.lines
    return {
        number: 0 if one.out is Out.DISQUALIFIED else lines[number].points
        for number, one in state.contestants.items()
    }


def _key(one: Contestant, line: Line) -> _Key:
    return _ORDER[one.out], -line.points, -line.wins, -line.own


def _rows(state: Tournament, group: Sequence[Contestant], worth: Mapping[int, int], above: int) -> list[Row]:
    equals = {one.number for one in group} if len(group) > 1 else frozenset[int]()
    ranked = sorted((_last_key(state.lines[one.number], one, equals, worth), one.number) for one in group)
    rows: list[Row] = []
    place, before = 0, None
    for at, (key, number) in enumerate(ranked):
        decides = key if state.plan.lots_decide else key[:3]
        if decides != before:
            place, before = above + at + 1, decides
        line, one = state.lines[number], state.contestants[number]
        mutual, opponents, rounds_won, _ = key
        values = (line.points, line.wins, line.own, -mutual, -opponents, -rounds_won, one.lot)
        rows.append(Row(place, number, one.entrant.players, one.out, *values))
    return rows


def _last_key(line: Line, one: Contestant, equals: AbstractSet[int], worth: Mapping[int, int]) -> _Key:
    mutual = 0
    if equals:
        mutual = sum(gained for other, gained in zip(line.met, line.gained, strict=True) if other in equals)
    opponents = sum(map(worth.__getitem__, line.met)) + (line.byes + line.void) * line.points
    return -mutual, -opponents, -line.rounds_won, -one.lot
