"""Matchmaking's database: transactions over SQLAlchemy Core."""

from meldhall_matchmaking.store.database import migrate, open_database
from meldhall_matchmaking.store.tickets import (
    Cancelled,
    Enqueued,
    NewTicket,
    OpenProposal,
    Sight,
    TicketStore,
)

__all__ = [
    "Cancelled",
    "Enqueued",
    "NewTicket",
    "OpenProposal",
    "Sight",
    "TicketStore",
    "migrate",
    "open_database",
]
