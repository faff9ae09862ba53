"""What an entrant's tables add up to."""

from collections.abc import Iterable
from dataclasses import dataclass

from meldhall_tournament.domain.events import SideResult
from meldhall_tournament.domain.points import WIN, against, points, with_last


@dataclass(frozen=True, slots=True)
class Seen:
    """A decided table: who sat there, what each got, which places are disqualified. One alone: a bye."""

    entrants: tuple[int, ...]
    sides: tuple[SideResult, ...]
    out: frozenset[int]


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's sums.

    Attributes:
        points: match points, byes included.
        wins: tables won alone against somebody.
        own: the game's own results, higher is better.
        rounds_won: rounds of matches.
        byes: tables alone.
        met: opponents of decided tables, one for each meeting.
        gained: the points from each meeting.
        void: meetings with somebody who is disqualified.
    """

    points: int = 0
    wins: int = 0
    own: int = 0
    rounds_won: int = 0
    byes: int = 0
    met: tuple[int, ...] = ()
    gained: tuple[int, ...] = ()
    void: int = 0


def line_of(number: int, seen: Iterable[Seen]) -> Line:
    """Add up an entrant's tables."""
    total = wins = own = rounds_won = byes = void = 0
    met: list[int] = []
    from_each: list[int] = []
    for table in seen:
        if len(table.entrants) == 1:
            byes += 1
            total += WIN
            continue
        at = table.entrants.index(number)
        sides = with_last(table.sides, table.out)
        gained = points(sides, at)
        total += gained
        wins += gained == WIN
        own += sides[at].own
        rounds_won += sides[at].rounds_won
        for other, opponent in enumerate(table.entrants):
            if other == at:
                continue
            met.append(opponent)
            from_each.append(against(sides, at, other))
            void += other in table.out
    return Line(total, wins, own, rounds_won, byes, tuple(met), tuple(from_each), void)
