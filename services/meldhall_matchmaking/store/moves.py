"""Changes of state, by compare and set: whoever finds the ticket in another state changes nothing."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, insert, select, update

from meldhall_matchmaking.domain.ticket import Ticket, TicketState
from meldhall_matchmaking.store.tables import proposals, tickets, to_ticket

OPEN: Final = "open"
DONE: Final = "done"
DROPPED: Final = "dropped"


class LostRace(Exception):
    """A ticket of a group was not in the state any more that it was found in; the transaction rolls back."""


def move(
    connection: Connection,
    before: TicketState,
    after: TicketState,
    *which: ColumnElement[bool],
    now_ms: int,
    **values: Any,
) -> tuple[Ticket, ...]:
    """Take tickets from one state to the next, and return those that were in it, the oldest first.

    Raises:
        ValueError: there is no way between the two states.
    """
    if not before.leads_to(after):
        raise ValueError(f"a ticket cannot go from {before} to {after}")
    statement = (
        update(tickets)
        .where(tickets.c.state == before, *which)
        .values(
            state=after,
            revision=tickets.c.revision + 1,
            ended_at_ms=now_ms if after.is_final else None,
            **values,
        )
        .returning(tickets)
    )
    moved = [to_ticket(row) for row in connection.execute(statement)]
    return tuple(sorted(moved, key=lambda ticket: (ticket.enqueued_at_ms, ticket.ticket_id)))


def claim(
    connection: Connection, proposal_id: str, wanted: set[str], now_ms: int, *, stakes_of: str | None = None
) -> tuple[Ticket, ...]:
    """Claim all tickets of a group for a new proposal.

    ``stakes_of`` is the table that stakes may be held for from now on.

    Raises:
        LostRace: one of them does not wait any more.
    """
    row = {"proposal_id": proposal_id, "state": OPEN, "proposed_at_ms": now_ms, "stakes_of": stakes_of}
    connection.execute(insert(proposals).values(**row))
    claimed = move(
        connection,
        TicketState.WAITING,
        TicketState.PROPOSED,
        tickets.c.ticket_id.in_(wanted),
        now_ms=now_ms,
        proposal_id=proposal_id,
    )
    if len(claimed) != len(wanted):
        raise LostRace(proposal_id)
    return claimed


def end_proposal(
    connection: Connection, proposal_id: str, state: str, now_ms: int, table_id: str | None = None
) -> bool:
    """End a proposal that is open; False, and no change, where it has ended."""
    values: dict[str, Any] = {"state": state, "ended_at_ms": now_ms, "table_id": table_id}
    if state == DONE:
        # The match pays them out.
        values["stakes_of"] = None
    statement = (
        update(proposals)
        .where(proposals.c.proposal_id == proposal_id, proposals.c.state == OPEN)
        .values(**values)
    )
    return connection.execute(statement).rowcount == 1


def read_ticket(connection: Connection, ticket_id: str, player_id: str) -> Ticket | None:
    """Read a player's own ticket."""
    query = select(tickets).where(tickets.c.ticket_id == ticket_id, tickets.c.player_id == player_id)
    row = connection.execute(query).first()
    return None if row is None else to_ticket(row)
