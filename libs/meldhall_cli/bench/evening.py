"""`meldhall bench evening`: how long people wait in an evening, by the queue alone and a clock of its own.

People come faster and faster until the middle of the evening and then fewer and fewer. They want what people
want: more of them quick start than ranked tables, some the arena. Some come with a friend, most are near one
of three regions, a quarter of those who come lose patience at some time. Every table that is found opens.
Every run of the same numbers is the same evening.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from meldhall_matchmaking.domain.queue import WORK, Queue
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.matcher import OPENING

TICK_MS: Final = 250
MINUTE_MS: Final = 60_000
BOTS_MS: Final = 10_000
LATE_MS: Final = 5 * MINUTE_MS
"""For so long after the last one came whoever waits is watched."""

IMPATIENT: Final = 0.25
PATIENCE_MS: Final = 45_000
WITH_A_FRIEND: Final = 0.08

WISHES: Final = (
    (5.0, Wish("rummy101", (), 4, 1)),
    (3.0, Wish("rummy101", (), 2, 1)),
    (2.0, Wish("canasta", (), 4, 1)),
    (4.0, Wish("rummy101", (), 2, 1, Play.RANKED)),
    (2.0, Wish("rummy101", (), 4, 1, Play.RANKED)),
    (1.0, Wish("canasta", (), 4, 1, Play.RANKED)),
    (1.0, Wish("rummy", (), 3, 1, Play.ARENA, 50)),
    (0.15, Wish("three_thirteen", (), 4, 11, Play.RANKED)),
)
"""What people want, with how often."""

REGIONS: Final = ((6.0, "europe"), (3.0, "america"), (1.0, "asia"))


@dataclass(frozen=True, slots=True)
class EveningPlan:
    """How many come a second when most do, and how long the evening is."""

    peak: float = 4.0
    minutes: int = 240


@dataclass
class _Kind:
    """What became of those who wanted one kind of table; waits are in seconds."""

    waits: list[float] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)


def measure_evening(plan: EveningPlan) -> dict[str, Any]:
    """Let an evening pass; return by kind of table how tickets ended, and the waits of those matched."""
    evening = _Evening(plan)
    for now in range(0, plan.minutes * MINUTE_MS + LATE_MS, TICK_MS):
        evening.pass_by(now)
    return {
        "tickets": evening.made,
        "kinds": {_name(wish): _told(kind) for wish, kind in evening.kinds.items()},
    }


def print_evening(result: dict[str, Any], console: Console) -> None:
    """Print a result for people."""
    table = Table("table", title=f"an evening of {result['tickets']:,} tickets; waits in seconds")
    for heading in ("people only", "with bots", "cancelled", "left", "median", "90 %", "99 %", "longest"):
        table.add_column(heading, justify="right")
    for name, one in result["kinds"].items():
        ends = [f"{one[end]:,}" for end in ("people", "bots", "cancelled", "left")]
        waits = [f"{one[wait]:,.1f}" for wait in ("p50", "p90", "p99", "longest")]
        table.add_row(name, *ends, *waits)
    console.print(table)


class _Evening:
    def __init__(self, plan: EveningPlan) -> None:
        self.kinds = {wish: _Kind() for _, wish in WISHES}
        self.made = 0
        self._plan = plan
        self._end = plan.minutes * MINUTE_MS
        self._queue = Queue()
        self._leaving: dict[int, list[Ticket]] = {}
        self._owed = 0.0
        self._state = 0

    def pass_by(self, now_ms: int) -> None:
        """Let people come and go, and put them together."""
        self._owed += self._rate(now_ms) * TICK_MS / 1000 * -math.log(1 - self._chance())
        while self._owed >= 1:
            self._owed -= 1
            self._come(now_ms)
        for ticket in self._leaving.pop(now_ms, ()):
            self._leave(ticket)
        for found in self._queue.tick(now_ms, most=OPENING, work=WORK):
            kind = self.kinds[found.wish]
            end = "people" if len(found.tickets) == found.wish.seats else "bots"
            kind.ends[end] += len(found.tickets)
            kind.ends["left"] -= len(found.tickets)
            kind.waits += [(now_ms - one.enqueued_at_ms) / 1000 for one in found.tickets]

    def _rate(self, now_ms: int) -> float:
        """Return how many come a second: a half wave over the evening, never quite nobody."""
        if now_ms >= self._end:
            return 0.0
        return self._plan.peak * max(0.05, math.sin(math.pi * now_ms / self._end))

    def _come(self, now_ms: int) -> None:
        wish = self._one_of(WISHES)
        together = 2 if wish.seats > 2 and self._chance() < WITH_A_FRIEND else 1
        party = f"party-{self.made}" if together > 1 else ""
        for _ in range(together):
            self.made += 1
            ticket = Ticket(
                ticket_id=f"t{self.made:08}",
                player_id=f"p{self.made:08}",
                wish=wish,
                enqueued_at_ms=now_ms,
                bots_at_ms=now_ms + BOTS_MS,
                last_seen_ms=now_ms,
                rating=round(1_500 + 300 * (sum(self._chance() for _ in range(12)) - 6)),
                latencies=self._latencies(),
                party_id=party,
                party_size=together,
            )
            self._queue.add(ticket, now_ms)
            self.kinds[wish].ends["left"] += 1
            if self._chance() < IMPATIENT:
                patience = -math.log(1 - self._chance()) * PATIENCE_MS
                leaves = now_ms + math.ceil(patience / TICK_MS) * TICK_MS
                self._leaving.setdefault(leaves, []).append(ticket)

    def _leave(self, ticket: Ticket) -> None:
        """Take a ticket back, if it still waits, and those who came with it."""
        if ticket.ticket_id not in self._queue:
            return
        together = [ticket]
        if ticket.party_id:
            together = [one for one in self._queue if one.party_id == ticket.party_id]
        for one in together:
            self._queue.remove(one.ticket_id)
        self.kinds[ticket.wish].ends["cancelled"] += len(together)
        self.kinds[ticket.wish].ends["left"] -= len(together)

    def _latencies(self) -> tuple[tuple[str, int], ...]:
        if self._chance() < 0.2:
            return ()
        home = self._one_of(REGIONS)
        near, far = 10 + round(50 * self._chance()), 90 + round(170 * self._chance())
        return tuple(sorted((name, near if name == home else far) for _, name in REGIONS))

    def _one_of(self, choices: Sequence[tuple[float, Any]]) -> Any:
        left = self._chance() * sum(weight for weight, _ in choices)
        for weight, one in choices:
            left -= weight
            if left < 0:
                return one
        return choices[-1][1]

    def _chance(self) -> float:
        """Return the next number from [0, 1), the same in every run (SplitMix64, Steele et al., 2014)."""
        mask = (1 << 64) - 1
        self._state = self._state + 0x9E3779B97F4A7C15 & mask
        mixed = (self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
        return ((mixed ^ mixed >> 31) >> 11) / (1 << 53)


def _name(wish: Wish) -> str:
    return f"{wish.play}, {wish.game}, {wish.seats} seats"


def _told(kind: _Kind) -> dict[str, float]:
    waits = sorted(kind.waits) or [0.0]
    quantiles = {
        name: waits[min(len(waits) - 1, int(len(waits) * share))]
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
    }
    ends = {end: kind.ends[end] for end in ("people", "bots", "cancelled", "left")}
    return {**ends, **quantiles, "longest": waits[-1]}
