"""Why somebody waits: the first thing that stands between a ticket and a table."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from meldhall_matchmaking.domain.queue import Queue
from meldhall_matchmaking.domain.ticket import Ticket, TicketState
from meldhall_matchmaking.domain.windows import Obstacle, obstacle


@unique
class Reason(StrEnum):
    """What a ticket waits for."""

    ENDED = "ended"
    """Nothing: it does not wait."""

    BEING_SEATED = "being_seated"
    """Its table is being opened."""

    NO_LEADER = "no_leader"
    """No process puts people together there."""

    TABLES_FAIL = "tables_fail"
    """That kind of table could not be opened; it is tried again soon."""

    PARTY_INCOMPLETE = "party_incomplete"
    """Somebody of its party does not wait."""

    TOO_FEW = "too_few"
    """There are fewer people than seats."""

    RATING = "rating"
    """Most of the others are out of reach by their ratings."""

    LATENCY = "latency"
    """Most of the others are too far away on the map."""

    BLOCKED = "blocked"
    """Most of the others are blocked, or block."""

    REMATCH = "rematch"
    """Most of the others were met in the last ranked match."""

    MISFIT = "misfit"
    """Enough fit the ticket, but not each other, or their parties do not fill the seats."""

    ABSENT = "absent"
    """A group is there; somebody in it, perhaps this one, was not seen lately or is looked at next."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a ticket waits.

    Attributes:
        ticket: Which.
        reason: The first thing in its way.
        waiting: People who wait for the same kind of table, this one's party included.
        fitting: How many of the others it accepts, and they it.
        obstacles: How many of the others are kept away, by what.
    """

    ticket: Ticket
    reason: Reason
    waiting: int = 0
    fitting: int = 0
    obstacles: Mapping[Obstacle, int] = field(default_factory=dict)


_OF_OBSTACLE = {one: Reason(one.value) for one in Obstacle}


def explain(ticket: Ticket, pool: Iterable[Ticket], now_ms: int, *, led: bool, failing: bool) -> Explanation:
    """Say why a ticket waits.

    Args:
        ticket: Which.
        pool: Those who wait for the same kind of table, this one included.
        now_ms: The time.
        led: Whether somebody leads that part of the pools.
        failing: Whether its leader could not open that kind of table a moment ago.
    """
    if ticket.state is not TicketState.WAITING:
        proposed = ticket.state is TicketState.PROPOSED
        return Explanation(ticket, Reason.BEING_SEATED if proposed else Reason.ENDED)
    queue = Queue()
    for one in sorted(pool, key=lambda one: (one.enqueued_at_ms, one.ticket_id)):
        queue.add(one, now_ms)
    found = queue.place_of(ticket.ticket_id)
    if found is None:
        return Explanation(ticket, _unless(Reason.PARTY_INCOMPLETE, led=led, failing=failing), len(queue))
    entry, here = found
    obstacles: Counter[Obstacle] = Counter()
    fitting = 0
    for other in here:
        if other is entry:
            continue
        between = obstacle(entry, other)
        if between is None:
            fitting += other.size
        else:
            obstacles[between] += other.size
    if here.people < ticket.wish.seats:
        reason = Reason.TOO_FEW
    elif fitting + entry.size < ticket.wish.seats:
        reason = _OF_OBSTACLE[max(obstacles, key=lambda one: (obstacles[one], one.value))]
    else:
        reason = Reason.ABSENT if here.group_of(entry) else Reason.MISFIT
    return Explanation(ticket, _unless(reason, led=led, failing=failing), here.people, fitting, obstacles)


def _unless(reason: Reason, *, led: bool, failing: bool) -> Reason:
    if not led:
        return Reason.NO_LEADER
    return Reason.TABLES_FAIL if failing and reason is Reason.ABSENT else reason
