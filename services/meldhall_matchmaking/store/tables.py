"""Matchmaking's tables as SQLAlchemy Core sees them; ``deploy/docs/matchmaking.md`` explains them.

Checks and indices are in the migrations.
"""

import json
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, Row, Table, Text, text

from meldhall_matchmaking.domain.ticket import Ticket, TicketState, Wish

metadata = MetaData()

proposals: Final = Table(
    "proposals",
    metadata,
    Column("proposal_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("proposed_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
    Column("table_id", Text),
)

tickets: Final = Table(
    "tickets",
    metadata,
    Column("ticket_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("enqueued_at_ms", BigInteger, nullable=False),
    Column("bots_at_ms", BigInteger, nullable=False),
    Column("last_seen_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
    Column("proposal_id", Text, ForeignKey("proposals.proposal_id")),
    Column("table_id", Text),
    Column("table_address", Text),
)

commands: Final = Table(
    "commands",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("command_id", Text, primary_key=True),
    Column("ticket_id", Text, ForeignKey("tickets.ticket_id"), nullable=False),
)


# Written out and not bound: SQLite uses a partial index only where it can see that the condition holds.
IS_WAITING: Final = text("tickets.state = 'waiting'")
IS_ACTIVE: Final = text("tickets.state IN ('waiting', 'proposed')")
IS_OPEN: Final = text("proposals.state = 'open'")


def wish_columns(wish: Wish) -> dict[str, Any]:
    """Return a wish as columns; equal wishes give equal columns."""
    options = json.dumps(dict(wish.options), sort_keys=True, separators=(",", ":"))
    return {"game": wish.game, "options": options, "seats": wish.seats, "rounds": wish.rounds}


def to_ticket(row: Row[Any]) -> Ticket:
    """Read a row of ``tickets``."""
    return Ticket(
        ticket_id=row.ticket_id,
        player_id=row.player_id,
        wish=_wish(row.game, row.options, row.seats, row.rounds),
        enqueued_at_ms=row.enqueued_at_ms,
        bots_at_ms=row.bots_at_ms,
        last_seen_ms=row.last_seen_ms,
        state=TicketState(row.state),
        revision=row.revision,
        proposal_id=row.proposal_id or "",
        table_id=row.table_id or "",
        table_address=row.table_address or "",
    )


@lru_cache(maxsize=1024)
def _wish(game: str, options: str, seats: int, rounds: int) -> Wish:
    # Remembered: there are few kinds of table and many tickets for each.
    return Wish(game, tuple(sorted(json.loads(options).items())), seats, rounds)
