"""The ledger's database: transactions over SQLAlchemy Core."""

from meldhall_ledger.store.database import migrate, open_database
from meldhall_ledger.store.ledger import Applied, Duplicate, Gap, Grant, Ledger
from meldhall_ledger.store.orders import Found
from meldhall_ledger.store.reconcile import CHECKS, Finding
from meldhall_ledger.store.settlements import Terms

__all__ = [
    "CHECKS",
    "Applied",
    "Duplicate",
    "Finding",
    "Found",
    "Gap",
    "Grant",
    "Ledger",
    "Terms",
    "migrate",
    "open_database",
]
