"""Who accepts whom, and how that widens while they wait.

A window is a number that grows in steps with the time waited; two accept each other while their distance is
at most the mean of both windows. Who waited ``BOUND_MS`` accepts everybody and is accepted by everybody who
is not blocked. Windows only grow, so that what fits once fits until somebody leaves.
``deploy/docs/matchmaking.md`` has the schedule as a table.
"""

from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum, unique
from functools import lru_cache
from typing import Final

from meldhall_matchmaking.domain.entry import Entry

BOUND_MS: Final = 60_000
"""After this long a wait nothing but seats, parties and blocks keeps people from a table."""

RATING_STEPS: Final = (
    (0, 100),
    (5_000, 150),
    (10_000, 200),
    (15_000, 300),
    (20_000, 400),
    (30_000, 600),
    (45_000, 1_000),
)
"""Milliseconds waited, and the distance in rating from then on."""

LATENCY_STEPS: Final = ((0, 80), (2_000, 120), (4_000, 200))
"""Milliseconds waited, and the round trip in milliseconds from then on."""

ANY_LATENCY_MS: Final = 6_000
"""After this long a wait distance on the map keeps nobody from a table."""

REMATCH_MS: Final = 20_000
"""Strangers who just played a ranked match wait so long for somebody else."""

UNMEASURED_MS: Final = 300
"""The round trip that is assumed to a region that a player did not name."""


@unique
class Obstacle(StrEnum):
    """Why two entries do not sit at one table."""

    BLOCKED = "blocked"
    """One of them never wants to meet the other."""

    RATING = "rating"
    """Their ratings are further apart than their windows reach."""

    LATENCY = "latency"
    """They are further apart on the map than their windows reach."""

    REMATCH = "rematch"
    """They have just played a ranked match with each other."""


def obstacle(one: Entry, other: Entry) -> Obstacle | None:
    """Return what keeps two entries apart at the time that both were brought to; None where nothing does.

    It is the same whichever of them is named first.
    """
    if not (one.blocked.isdisjoint(other.players) and other.blocked.isdisjoint(one.players)):
        return Obstacle.BLOCKED
    if one.overdue or other.overdue:
        return None
    if one.rated and abs(one.rating - other.rating) * 2 > one.rating_window + other.rating_window:
        return Obstacle.RATING
    if not (one.anywhere or other.anywhere) and (
        round_trip(one, other) * 2 > one.latency_window + other.latency_window
    ):
        return Obstacle.LATENCY
    if not (one.rematches or other.rematches) and not (
        one.met.isdisjoint(other.players) and other.met.isdisjoint(one.players)
    ):
        return Obstacle.REMATCH
    return None


def round_trip(one: Entry, other: Entry) -> int:
    """Return the longer of the round trips, in milliseconds, of two to each other's region; 0 if unknown."""
    if not one.latencies or not other.latencies:
        return 0
    return max(
        one.latencies.get(other.home, UNMEASURED_MS),
        other.latencies.get(one.home, UNMEASURED_MS),
    )


def widen(entry: Entry, now_ms: int) -> int | None:
    """Bring an entry's windows to a time; return when they widen next, None where they never do."""
    waited = now_ms - entry.since_ms
    entry.overdue = waited >= BOUND_MS
    entry.rematches = waited >= REMATCH_MS
    entry.anywhere = not entry.latencies or waited >= ANY_LATENCY_MS
    entry.rating_window = _at(RATING_STEPS, waited)
    entry.latency_window = _at(LATENCY_STEPS, waited)
    moments = _moments(rated=entry.rated, located=bool(entry.latencies), met=bool(entry.met))
    following = bisect_right(moments, waited)
    return entry.since_ms + moments[following] if following < len(moments) else None


@lru_cache(maxsize=8)
def _moments(*, rated: bool, located: bool, met: bool) -> tuple[int, ...]:
    """Return the waits, in milliseconds, at which something widens for an entry of that kind."""
    found = {BOUND_MS} if rated or located or met else set()
    if rated:
        found |= {wait for wait, _ in RATING_STEPS}
    if located:
        found |= {wait for wait, _ in LATENCY_STEPS} | {ANY_LATENCY_MS}
    if met:
        found.add(REMATCH_MS)
    return tuple(sorted(found - {0}))


def _at(steps: Sequence[tuple[int, int]], waited: int) -> int:
    reached = steps[0][1]
    for wait, window in steps:
        if waited < wait:
            break
        reached = window
    return reached
