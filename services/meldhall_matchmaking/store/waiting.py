"""What a leader reads of those who wait: who came, who is still there, whom they are not to meet."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, or_, select

from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.store.tables import IS_WAITING, blocks, meetings, tickets, to_ticket

MEETING_MS: Final = 3_600_000
"""For how long it counts that two have met in a ranked match."""


def waiting_ids(connection: Connection, parts: Collection[int], since_ms: int) -> frozenset[str]:
    """Return the ids of those who wait in parts and came at a time or later."""
    query = select(tickets.c.ticket_id).where(
        IS_WAITING, tickets.c.enqueued_at_ms >= since_ms, tickets.c.part.in_(parts)
    )
    return frozenset(connection.execute(query).scalars())


def unseen_ids(connection: Connection, parts: Collection[int], before_ms: int) -> tuple[str, ...]:
    """Return the ids of those who wait in parts and were last seen before a time."""
    query = select(tickets.c.ticket_id).where(
        IS_WAITING, tickets.c.last_seen_ms < before_ms, tickets.c.part.in_(parts)
    )
    return tuple(connection.execute(query).scalars())


def seen_ids(connection: Connection, parts: Collection[int], since_ms: int) -> frozenset[str]:
    """Return the ids of those who wait in parts and were seen at a time or later."""
    query = select(tickets.c.ticket_id).where(
        IS_WAITING, tickets.c.last_seen_ms >= since_ms, tickets.c.part.in_(parts)
    )
    return frozenset(connection.execute(query).scalars())


def load(connection: Connection, ids: Collection[str], now_ms: int) -> tuple[Ticket, ...]:
    """Read those of some tickets that wait, with whom their players are not to meet, the oldest first."""
    query = select(tickets).where(IS_WAITING, tickets.c.ticket_id.in_(ids))
    ordered = query.order_by(tickets.c.enqueued_at_ms, tickets.c.ticket_id)
    found = [to_ticket(row) for row in connection.execute(ordered)]
    players = {ticket.player_id for ticket in found}
    blocked = _blocked(connection, players)
    met = _met(connection, players, now_ms - MEETING_MS)
    nobody: frozenset[str] = frozenset()
    return tuple(
        replace(one, blocked=blocked.get(one.player_id, nobody), met=met.get(one.player_id, nobody))
        if one.player_id in blocked or one.player_id in met
        else one
        for one in found
    )


def are_blocked(connection: Connection, group: Collection[Ticket]) -> bool:
    """Whether one of a group blocks another of it whom he did not come with."""
    parties = {ticket.player_id: ticket.party_id or ticket.ticket_id for ticket in group}
    query = select(blocks.c.player_id, blocks.c.blocked_id).where(
        blocks.c.player_id.in_(parties), blocks.c.blocked_id.in_(parties)
    )
    return any(parties[one] != parties[other] for one, other in connection.execute(query))


def _blocked(connection: Connection, players: Collection[str]) -> dict[str, frozenset[str]]:
    query = select(blocks.c.player_id, blocks.c.blocked_id).where(
        or_(blocks.c.player_id.in_(players), blocks.c.blocked_id.in_(players))
    )
    found: dict[str, set[str]] = {}
    for one, other in connection.execute(query):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {player: frozenset(others) for player, others in found.items()}


def _met(connection: Connection, players: Collection[str], since_ms: int) -> dict[str, frozenset[str]]:
    query = select(meetings.c.player_id, meetings.c.others).where(
        meetings.c.player_id.in_(players), meetings.c.met_at_ms >= since_ms
    )
    return {player: frozenset(json.loads(others)) for player, others in connection.execute(query)}
