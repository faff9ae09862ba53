"""Matchmaking's database: transactions over SQLAlchemy Core."""

from meldhall_matchmaking.store.database import migrate, open_database
from meldhall_matchmaking.store.enqueuing import Enqueued, NewTicket
from meldhall_matchmaking.store.tables import PARTS, part_of
from meldhall_matchmaking.store.tickets import Cancelled, OpenProposal, TicketStore

__all__ = [
    "PARTS",
    "Cancelled",
    "Enqueued",
    "NewTicket",
    "OpenProposal",
    "TicketStore",
    "migrate",
    "open_database",
    "part_of",
]
