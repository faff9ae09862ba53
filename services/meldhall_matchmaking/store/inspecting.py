"""What operators ask: which pools there are and who leads them, and why a ticket waits."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from meldhall_eventlog.clock import now_ms as database_now_ms
from meldhall_eventlog.tables import named_leases
from meldhall_matchmaking.domain.reasons import Explanation, explain
from meldhall_matchmaking.domain.ticket import Ticket, Wish
from meldhall_matchmaking.store.bulletin import PoolNote, pool_id, read_outlooks
from meldhall_matchmaking.store.tables import (
    IS_ACTIVE,
    IS_WAITING,
    PARTS,
    part_of,
    tickets,
    to_ticket,
    to_wish,
    wish_columns,
)
from meldhall_matchmaking.store.waiting import load

MOST: Final = 5_000
"""Tickets of a pool that are looked at to explain one of them."""


@dataclass(frozen=True, slots=True)
class PoolView:
    """A kind of table that somebody waits for, or a table of which is being opened.

    Attributes:
        wish: The kind of table.
        part: The part of the pools that it belongs to.
        leader: The address of who leads the part; empty where nobody does.
        waiting: People who wait.
        proposed: People whose table is being opened.
        oldest_ms: When the one who has waited longest came; None where nobody waits.
        typical_ms: How long the last who got a table had waited; None if unknown.
        failing: Whether the leader could not open such a table a moment ago.
    """

    wish: Wish
    part: int
    leader: str
    waiting: int
    proposed: int
    oldest_ms: int | None
    typical_ms: int | None
    failing: bool


def lease_name(part: int) -> str:
    """Return the name of a part's lease."""
    return f"matchmaking/{part}"


def leaders(connection: Connection) -> dict[int, str]:
    """Return the addresses of those who lead, by part."""
    now = database_now_ms(connection)
    query = select(named_leases).where(named_leases.c.name.in_([lease_name(part) for part in range(PARTS)]))
    return {
        int(row.name.rpartition("/")[2]): row.holder.partition("#")[0]
        for row in connection.execute(query)
        if row.holder is not None and row.expires_at_ms > now
    }


def pool_views(connection: Connection, since_ms: int) -> tuple[PoolView, ...]:
    """Return every pool with somebody in it, the most people first; leaders' notes of since a time count."""
    kind = (
        tickets.c.game,
        tickets.c.options,
        tickets.c.seats,
        tickets.c.rounds,
        tickets.c.play,
        tickets.c.stake,
    )
    waiting = func.count().filter(tickets.c.state == "waiting")
    oldest = func.min(tickets.c.enqueued_at_ms).filter(tickets.c.state == "waiting")
    query = select(*kind, waiting.label("waiting"), func.count().label("active"), oldest.label("oldest"))
    led, notes = leaders(connection), read_outlooks(connection, since_ms)
    found = []
    for row in connection.execute(query.where(IS_ACTIVE).group_by(*kind)):
        wish = to_wish(row.game, row.options, row.seats, row.rounds, row.play, row.stake)
        note = notes.get(wish)
        found.append(
            PoolView(
                wish=wish,
                part=part_of(wish),
                leader=led.get(part_of(wish), ""),
                waiting=row.waiting,
                proposed=row.active - row.waiting,
                oldest_ms=row.oldest,
                typical_ms=note.outlook.typical_ms if note else None,
                failing=_fails(note),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.waiting, pool_id(one.wish))))


def explain_ticket(
    connection: Connection, ticket_id: str, player_id: str | None, now_ms: int, since_ms: int
) -> Explanation | None:
    """Say why a ticket waits; None where there is none, or it is another player's than the one named."""
    row = connection.execute(select(tickets).where(tickets.c.ticket_id == ticket_id)).one_or_none()
    if row is None or player_id not in {None, row.player_id}:
        return None
    ticket = to_ticket(row)
    led = part_of(ticket.wish) in leaders(connection)
    failing = _fails(read_outlooks(connection, since_ms).get(ticket.wish))
    return explain(ticket, _same(connection, ticket, now_ms), now_ms, led=led, failing=failing)


def _same(connection: Connection, ticket: Ticket, now_ms: int) -> tuple[Ticket, ...]:
    """Read who waits for the same kind of table; of very many those who came first, and the ticket itself."""
    same = [tickets.c[name] == value for name, value in wish_columns(ticket.wish).items()]
    query = select(tickets.c.ticket_id).where(IS_WAITING, *same)
    oldest = query.order_by(tickets.c.enqueued_at_ms, tickets.c.ticket_id).limit(MOST)
    return load(connection, {*connection.execute(oldest).scalars(), ticket.ticket_id}, now_ms)


def _fails(note: PoolNote | None) -> bool:
    return note is not None and note.outlook.failing
