"""Stakes that may still be held for tables that were not opened, and tickets of players without coins."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select, update

from meldhall_matchmaking.domain.ticket import EndReason, Ticket, TicketState
from meldhall_matchmaking.store import moves
from meldhall_matchmaking.store.tables import proposals, tickets

LATE_MS: Final = 60_000
"""For so long a call that was given up might still hold stakes: they are given back until then."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A dropped proposal and the table that stakes may be held for."""

    proposal_id: str
    table_id: str
    dropped_at_ms: int


def owed(connection: Connection) -> tuple[Owed, ...]:
    """Return the dropped proposals whose stakes are to be given back, the oldest first."""
    query = (
        select(proposals)
        .where(proposals.c.stakes_of.is_not(None), proposals.c.state == moves.DROPPED)
        .order_by(proposals.c.ended_at_ms, proposals.c.proposal_id)
        .limit(100)
    )
    rows = connection.execute(query)
    return tuple(Owed(row.proposal_id, row.stakes_of, row.ended_at_ms) for row in rows)


def given_back(connection: Connection, proposal_id: str) -> None:
    """Note that nothing is held for a proposal, and nothing will be."""
    named = update(proposals).where(proposals.c.proposal_id == proposal_id)
    connection.execute(named.values(stakes_of=None))


def take_back_poor(connection: Connection, ids: Collection[str], now_ms: int) -> tuple[Ticket, ...]:
    """Cancel waiting tickets whose players cannot pay, and those who came with them."""
    parties = select(tickets.c.party_id).where(tickets.c.ticket_id.in_(ids), tickets.c.party_id.is_not(None))
    return moves.move(
        connection,
        TicketState.WAITING,
        TicketState.CANCELLED,
        tickets.c.ticket_id.in_(ids) | tickets.c.party_id.in_(parties),
        now_ms=now_ms,
        end_reason=EndReason.NO_COINS.value,
    )
