"""The log's tables, as SQLAlchemy Core sees them. ``deploy/docs/event-log.md`` explains the columns.

The migrations make them; this module never creates anything. The indices of the global order are in the
migrations only, since each database has its own.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    FetchedValue,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
)
from sqlalchemy.types import UserDefinedType


class TransactionId(UserDefinedType[int]):
    """PostgreSQL's ``xid8``: the number of a transaction, never given twice."""

    cache_ok = True

    def get_col_spec(self, **_options: Any) -> str:
        """Return the name of the type."""
        return "xid8"


metadata = MetaData()

streams = Table(
    "streams",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("category", Text, nullable=False),
    Column("shard", Integer, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("public_seq", BigInteger, nullable=False),
    Column("owner_epoch", BigInteger, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("wake_at_ms", BigInteger),
    Index("streams_by_category", "category", "stream_id"),
)

_wakes = and_(streams.c.wake_at_ms.is_not(None), ~streams.c.closed)
Index(
    "streams_waking",
    streams.c.category,
    streams.c.shard,
    streams.c.stream_id,
    sqlite_where=_wakes,
    postgresql_where=_wakes,
)

events = Table(
    "events",
    metadata,
    # A rowid on SQLite must be an INTEGER; AUTOINCREMENT keeps a position from ever being given twice.
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    # The transaction that wrote the row; 0 on SQLite, where numbers are given out in the order of commits.
    Column(
        "tx",
        TransactionId().with_variant(BigInteger, "sqlite"),
        nullable=False,
        server_default=FetchedValue(),
    ),
    Column("stream_id", Text, ForeignKey("streams.stream_id"), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("public_seq", BigInteger),
    Column("event_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("command_id", Text),
    Column("actor", Text, nullable=False),
    Column("correlation_id", Text, nullable=False),
    Column("causation_id", Text, nullable=False),
    Column("traceparent", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("recorded_at_ms", BigInteger, nullable=False),
    Column("prev_hash", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    UniqueConstraint("stream_id", "version", name="events_stream_version"),
    UniqueConstraint("event_id", name="events_event_id"),
    UniqueConstraint("stream_id", "public_seq", name="events_stream_public_seq"),
    sqlite_autoincrement=True,
)

command_receipts = Table(
    "command_receipts",
    metadata,
    Column("stream_id", Text, ForeignKey("streams.stream_id"), primary_key=True),
    Column("command_id", Text, primary_key=True),
    Column("first_version", BigInteger, nullable=False),
    Column("last_version", BigInteger, nullable=False),
    Column("response", LargeBinary, nullable=False),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("name", Text, primary_key=True),
    Column("tx", BigInteger, nullable=False, server_default="0"),
    Column("position", BigInteger, nullable=False),
)

archived_streams = Table(
    "archived_streams",
    metadata,
    Column("stream_id", Text, ForeignKey("streams.stream_id"), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("last_hash", LargeBinary, nullable=False),
    Column("archive", Text, nullable=False),
    Column("archived_at_ms", BigInteger, nullable=False),
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("stream_id", Text, ForeignKey("streams.stream_id"), primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("format", Text, primary_key=True),
    Column("state", LargeBinary, nullable=False),
)

engine_instances = Table(
    "engine_instances",
    metadata,
    Column("instance_id", Text, primary_key=True),
    Column("address", Text, nullable=False),
    Column("draining", Boolean, nullable=False),
    Column("beat_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
)

shard_leases = Table(
    "shard_leases",
    metadata,
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("instance_id", Text),
    Column("epoch", BigInteger, nullable=False),
    # When the shard was released; null for one that never was.
    Column("released_at_ms", BigInteger),
)

# Made by migrations of its own, because every service's database may have it.
named_leases_metadata = MetaData()

named_leases = Table(
    "named_leases",
    named_leases_metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text),
    Column("epoch", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
)
