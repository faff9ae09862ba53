"""Where tournaments are kept: one SQLite file, or one schema of a PostgreSQL."""

from meldhall_tournament.store.database import migrate, open_database
from meldhall_tournament.store.tournaments import (
    CommandIdReusedError,
    Head,
    Receipt,
    TournamentStore,
    WrongVersionError,
)

__all__ = [
    "CommandIdReusedError",
    "Head",
    "Receipt",
    "TournamentStore",
    "WrongVersionError",
    "migrate",
    "open_database",
]
