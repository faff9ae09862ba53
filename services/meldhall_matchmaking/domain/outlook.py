"""What a pool looks like to those who wait in it: how many, how old, how long it took others.

A leader writes outlooks down once a second, so that every process can tell its own followers.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.domain.windows import ANY_LATENCY_MS, BOUND_MS, LATENCY_STEPS, RATING_STEPS

MARKS: Final = 64
"""How many ages of those who wait are written down at most; between them positions are estimates."""

RECENT: Final = 32
"""How many of the last waits an estimate looks at."""

RECENT_MS: Final = 900_000
"""And for how long: older ones say nothing about now."""

ENOUGH: Final = 5
"""With fewer of them there is no estimate."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A pool at one moment.

    Attributes:
        waiting: How many people wait.
        marks: When some of them came, from the oldest to the youngest at even distances.
        typical_ms: How long the last who got a table had waited, the middle one of them; None if unknown.
        failing: Whether such a table could not be opened a moment ago.
    """

    waiting: int
    marks: tuple[int, ...] = ()
    typical_ms: int | None = None
    failing: bool = False

    def position(self, ticket: Ticket) -> int:
        """Return how many came before a ticket, plus one; an estimate where there are fewer marks."""
        before = bisect_left(self.marks, ticket.enqueued_at_ms)
        if len(self.marks) < 2 or self.waiting <= len(self.marks):
            return before + 1
        return min(self.waiting, before * (self.waiting - 1) // (len(self.marks) - 1) + 1)


@dataclass(frozen=True, slots=True)
class Step:
    """How far a ticket reaches now, and when that grows. None stands for no limit, or for no growth."""

    rating: int | None
    latency_ms: int | None
    widens_at_ms: int | None


def estimate_ms(ticket: Ticket, outlook: Outlook, now_ms: int) -> int | None:
    """Return how much longer a ticket is likely to wait; None where that is not known.

    What recent matches took, less what was waited already; where bots come, no longer than until then.
    """
    bots = max(0, ticket.bots_at_ms - now_ms) if ticket.wish.play is Play.QUICK else None
    waited = now_ms - ticket.enqueued_at_ms
    if outlook.typical_ms is None or waited > outlook.typical_ms:
        # Who has waited longer than others did learns nothing from them.
        return bots
    left = outlook.typical_ms - waited
    return left if bots is None else min(left, bots)


def step_of(ticket: Ticket, now_ms: int) -> Step:
    """Return how far a waiting ticket reaches."""
    waited = now_ms - ticket.enqueued_at_ms
    rated, located = ticket.wish.play is Play.RANKED, bool(ticket.latencies)
    rating_steps = (*RATING_STEPS, (BOUND_MS, None)) if rated else ()
    latency_steps = (*LATENCY_STEPS, (ANY_LATENCY_MS, None)) if located else ()
    moments = [at for at, _ in (*rating_steps, *latency_steps) if at > waited]
    return Step(
        rating=_reach(rating_steps, waited),
        latency_ms=_reach(latency_steps, waited),
        widens_at_ms=ticket.enqueued_at_ms + min(moments) if moments else None,
    )


def marks(enqueued_at: Sequence[int]) -> tuple[int, ...]:
    """Choose marks from the times at which people came, sorted."""
    if len(enqueued_at) <= MARKS:
        return tuple(enqueued_at)
    last = len(enqueued_at) - 1
    return tuple(enqueued_at[number * last // (MARKS - 1)] for number in range(MARKS))


class Waits:
    """How long those who got a table had waited, by kind of table."""

    def __init__(self) -> None:
        self._waits: dict[Wish, deque[tuple[int, int]]] = {}

    def add(self, tickets: Iterable[Ticket], now_ms: int) -> None:
        """Note tickets that were matched just now."""
        for ticket in tickets:
            recent = self._waits.setdefault(ticket.wish, deque(maxlen=RECENT))
            recent.append((now_ms, now_ms - ticket.enqueued_at_ms))

    def typical_ms(self, wish: Wish, now_ms: int) -> int | None:
        """Return the median of the recent waits, None where there are too few."""
        recent = self._waits.get(wish)
        while recent and recent[0][0] < now_ms - RECENT_MS:
            recent.popleft()
        if not recent or len(recent) < ENOUGH:
            return None
        waits = sorted(wait for _, wait in recent)
        return max(0, waits[len(waits) // 2])

    def wishes(self) -> tuple[Wish, ...]:
        """Return the kinds of tables of which anything is known."""
        return tuple(self._waits)


def _reach(steps: Sequence[tuple[int, int | None]], waited: int) -> int | None:
    reached = steps[0][1] if steps else None
    for at, window in steps:
        if at <= waited:
            reached = window
    return reached
