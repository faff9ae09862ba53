"""Matchmaking's tables as SQLAlchemy Core sees them; ``deploy/docs/matchmaking.md`` explains them.

Checks and indices are in the migrations.
"""

import hashlib
import json
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, Row, Table, Text, text

from meldhall_matchmaking.domain.ticket import EndReason, Play, Ticket, TicketState, Wish

metadata = MetaData()

proposals: Final = Table(
    "proposals",
    metadata,
    Column("proposal_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("proposed_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
    Column("table_id", Text),
    Column("stakes_of", Text),
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
    Column("play", Text, nullable=False),
    Column("party_id", Text),
    Column("party_size", Integer, nullable=False),
    Column("rating", Integer, nullable=False),
    Column("latencies", Text, nullable=False),
    Column("part", Integer, nullable=False),
    Column("stake", BigInteger, nullable=False),
    Column("end_reason", Text),
)

commands: Final = Table(
    "commands",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("command_id", Text, primary_key=True),
    Column("ticket_id", Text, ForeignKey("tickets.ticket_id"), nullable=False),
)

blocks: Final = Table(
    "blocks",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("blocked_id", Text, primary_key=True),
    Column("blocked_at_ms", BigInteger, nullable=False),
)

meetings: Final = Table(
    "meetings",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("others", Text, nullable=False),
    Column("met_at_ms", BigInteger, nullable=False),
)

pools: Final = Table(
    "pools",
    metadata,
    Column("pool_id", Text, primary_key=True),
    Column("part", Integer, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("outlook", Text, nullable=False),
    Column("told_at_ms", BigInteger, nullable=False),
)

PARTS: Final = 4
"""Parts that the kinds of tables are divided into, each with its leader. The number never changes."""

# Written out and not bound: SQLite uses a partial index only where it can see that the condition holds.
IS_WAITING: Final = text("tickets.state = 'waiting'")
IS_ACTIVE: Final = text("tickets.state IN ('waiting', 'proposed')")
IS_OPEN: Final = text("proposals.state = 'open'")


def wish_columns(wish: Wish) -> dict[str, Any]:
    """Return a wish as columns; equal wishes give equal columns."""
    options, part = _written(wish)
    return {
        "game": wish.game,
        "options": options,
        "seats": wish.seats,
        "rounds": wish.rounds,
        "play": wish.play.value,
        "part": part,
        "stake": wish.stake,
    }


def part_of(wish: Wish) -> int:
    """Return which part a kind of table belongs to: the same in every process and version."""
    return _written(wish)[1]


@lru_cache(maxsize=1024)
def _written(wish: Wish) -> tuple[str, int]:
    options = json.dumps(dict(wish.options), sort_keys=True, separators=(",", ":"))
    name = f"{wish.game}/{options}/{wish.seats}/{wish.rounds}/{wish.play}"
    if wish.stake:
        name += f"/{wish.stake}"
    return options, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % PARTS


def ticket_row(ticket: Ticket) -> dict[str, Any]:
    """Return a new ticket as a row of ``tickets``."""
    return {
        "ticket_id": ticket.ticket_id,
        "player_id": ticket.player_id,
        **wish_columns(ticket.wish),
        "state": ticket.state.value,
        "revision": ticket.revision,
        "enqueued_at_ms": ticket.enqueued_at_ms,
        "bots_at_ms": ticket.bots_at_ms,
        "last_seen_ms": ticket.last_seen_ms,
        "party_id": ticket.party_id or None,
        "party_size": ticket.party_size,
        "rating": ticket.rating,
        "latencies": json.dumps(dict(ticket.latencies), separators=(",", ":")),
    }


def to_ticket(row: Row[Any]) -> Ticket:
    """Read a row of ``tickets``; whom the player is not to meet is read apart."""
    return Ticket(
        ticket_id=row.ticket_id,
        player_id=row.player_id,
        wish=to_wish(row.game, row.options, row.seats, row.rounds, row.play, row.stake),
        enqueued_at_ms=row.enqueued_at_ms,
        bots_at_ms=row.bots_at_ms,
        last_seen_ms=row.last_seen_ms,
        state=TicketState(row.state),
        revision=row.revision,
        proposal_id=row.proposal_id or "",
        table_id=row.table_id or "",
        table_address=row.table_address or "",
        end_reason=EndReason(row.end_reason) if row.end_reason else None,
        party_id=row.party_id or "",
        party_size=row.party_size,
        rating=row.rating,
        latencies=() if row.latencies == "{}" else tuple(sorted(json.loads(row.latencies).items())),
    )


@lru_cache(maxsize=1024)
def to_wish(game: str, options: str, seats: int, rounds: int, play: str, stake: int) -> Wish:  # noqa: PLR0917 - columns in order
    """Return the wish that columns say."""
    # Remembered: there are few kinds of table and many tickets for each.
    return Wish(game, tuple(sorted(json.loads(options).items())), seats, rounds, Play(play), stake)
