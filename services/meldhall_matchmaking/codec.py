"""Tickets as messages."""

from typing import Final

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_contracts.options import to_message
from meldhall_matchmaking.domain.ticket import Ticket, TicketState

_STATES: Final = {
    TicketState.WAITING: pb.TICKET_STATE_WAITING,
    TicketState.PROPOSED: pb.TICKET_STATE_PROPOSED,
    TicketState.MATCHED: pb.TICKET_STATE_MATCHED,
    TicketState.CANCELLED: pb.TICKET_STATE_CANCELLED,
    TicketState.EXPIRED: pb.TICKET_STATE_EXPIRED,
}


def write_ticket(ticket: Ticket) -> pb.Ticket:
    """Write a ticket for its player."""
    return pb.Ticket(
        ticket_id=ticket.ticket_id,
        player_id=ticket.player_id,
        state=_STATES[ticket.state],
        options=to_message(ticket.wish.game, dict(ticket.wish.options)),
        seats=ticket.wish.seats,
        rounds=ticket.wish.rounds,
        enqueued_at_unix_ms=ticket.enqueued_at_ms,
        bots_at_unix_ms=ticket.bots_at_ms,
        table_id=ticket.table_id,
        table_address=ticket.table_address,
    )
