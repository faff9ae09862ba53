"""Who is put together with whom: first come, first served, among equal wishes."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from meldhall_matchmaking.domain.ticket import Ticket, Wish


@dataclass(frozen=True, slots=True)
class Proposal:
    """People for one table, the oldest ticket first. Seats beyond theirs are for bots."""

    wish: Wish
    tickets: tuple[Ticket, ...]


def propose(waiting: Sequence[Ticket], now_ms: int) -> tuple[Proposal, ...]:
    """Group waiting tickets: every full table at once, and one with bots for whoever waited long enough.

    The answer depends on what is in ``waiting`` and not on its order. The oldest tickets of a wish come
    first, so nobody is overtaken by a later one, and nobody waits beyond their ``bots_at_ms``. O(n log n).

    Args:
        waiting: Tickets that may be matched now. Of a player with several only the oldest counts.
        now_ms: Unix time in milliseconds.

    Returns:
        Proposals without a ticket in common, the one with the oldest ticket first.
    """
    pools: dict[Wish, list[Ticket]] = {}
    for ticket in _one_a_player(sorted(waiting, key=_age)):
        pools.setdefault(ticket.wish, []).append(ticket)
    groups = (group for pool in pools.values() for group in _groups(pool, now_ms))
    return tuple(Proposal(group[0].wish, group) for group in sorted(groups, key=lambda group: _age(group[0])))


def abandoned(waiting: Iterable[Ticket], *, seen: Container[str], before_ms: int) -> tuple[Ticket, ...]:
    """Return tickets last seen before a time, but for those whose ids are known to be seen since."""
    return tuple(
        ticket for ticket in waiting if ticket.ticket_id not in seen and ticket.last_seen_ms < before_ms
    )


def _age(ticket: Ticket) -> tuple[int, str]:
    return ticket.enqueued_at_ms, ticket.ticket_id


def _one_a_player(tickets: Iterable[Ticket]) -> Iterator[Ticket]:
    seen: set[str] = set()
    for ticket in tickets:
        if ticket.player_id not in seen:
            seen.add(ticket.player_id)
            yield ticket


def _groups(pool: Sequence[Ticket], now_ms: int) -> Iterator[tuple[Ticket, ...]]:
    seats = pool[0].wish.seats
    full = len(pool) - len(pool) % seats
    for start in range(0, full, seats):
        yield tuple(pool[start : start + seats])
    rest = tuple(pool[full:])
    if any(ticket.bots_at_ms <= now_ms for ticket in rest):
        yield rest
