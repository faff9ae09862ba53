"""What the queue puts together: one ticket, or all tickets of a party."""

from collections.abc import Sequence
from typing import Final

from meldhall_matchmaking.domain.ticket import Play, Ticket

Age = tuple[int, str]
"""When somebody came, and the id of the ticket to tell two of the same millisecond apart."""

BUCKET: Final = 50
"""Ratings of so many points are looked for together."""


class Entry:
    """People who enter together, as the search needs them. ``windows.widen`` sets what depends on the time.

    Attributes:
        tickets: One a person, in order of their ids.
        age: Of the oldest ticket. The smaller, the earlier they are served.
        size: How many people.
        players: Their ids.
        since_ms: When the wait began.
        rated: Whether ratings matter.
        rating: Of the strongest of them: a party is taken for what its best can do.
        bucket: Where ``rating`` is looked for; 0 where ratings do not matter.
        latencies: For each region named by all who named any: the longest round trip, in milliseconds.
        home: The region that is nearest to them; empty where none was named.
        blocked: Whom one of them is not to meet.
        met: Whom one of them just played with.
        bots_at_ms: From when on bots may take empty seats, None where they never may.
        alive: Whether it still waits; an entry that was taken or removed never waits again.
        fresh: Whether it may complete a group that was none at the last look.
    """

    __slots__ = (
        "age",
        "alive",
        "anywhere",
        "blocked",
        "bots_at_ms",
        "bucket",
        "fresh",
        "home",
        "latencies",
        "latency_window",
        "met",
        "overdue",
        "players",
        "rated",
        "rating",
        "rating_window",
        "rematches",
        "since_ms",
        "size",
        "tickets",
    )

    def __init__(self, tickets: Sequence[Ticket]) -> None:
        self.tickets = tuple(tickets)
        first = self.tickets[0]
        self.size = len(self.tickets)
        self.rated = first.wish.play is Play.RANKED
        if self.size == 1:
            self.age: Age = (first.enqueued_at_ms, first.ticket_id)
            self.players = frozenset((first.player_id,))
            self.rating = first.rating
            self.latencies = dict(first.latencies)
            self.blocked, self.met = first.blocked, first.met
            bots_at = first.bots_at_ms
        else:
            self.age = min((one.enqueued_at_ms, one.ticket_id) for one in self.tickets)
            self.players = frozenset(one.player_id for one in self.tickets)
            self.rating = max(one.rating for one in self.tickets)
            self.latencies = _together(self.tickets)
            # Friends who come together have decided that they want to meet.
            self.blocked = frozenset().union(*(one.blocked for one in self.tickets)) - self.players
            self.met = frozenset().union(*(one.met for one in self.tickets)) - self.players
            bots_at = min(one.bots_at_ms for one in self.tickets)
        self.since_ms = self.age[0]
        self.bucket = self.rating // BUCKET if self.rated else 0
        self.home = min(self.latencies, key=lambda name: (self.latencies[name], name), default="")
        self.bots_at_ms = bots_at if first.wish.play is Play.QUICK else None
        self.alive = True
        self.fresh = False
        self.overdue = False
        self.rematches = False
        self.anywhere = False
        self.rating_window = 0
        self.latency_window = 0

    @property
    def is_plain(self) -> bool:
        """Whether anybody at all who wants the same table will do."""
        return self.size == 1 and not (self.rated or self.latencies or self.blocked or self.met)


def _together(tickets: Sequence[Ticket]) -> dict[str, int]:
    measured = [dict(one.latencies) for one in tickets if one.latencies]
    if not measured:
        return {}
    shared = set(measured[0]).intersection(*measured)
    return {name: max(one[name] for one in measured) for name in sorted(shared)}
