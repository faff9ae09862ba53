"""The ledger's tables as SQLAlchemy Core sees them; ``deploy/docs/ledger.md`` explains them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData()

# A rowid on SQLite must be an INTEGER; AUTOINCREMENT keeps a number from ever being given twice.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

accounts = Table(
    "accounts",
    metadata,
    Column("account_id", Text, primary_key=True),
    Column("unit", Text, nullable=False),
    Column("posted", BigInteger, nullable=False),
    Column("held", BigInteger, nullable=False),
    Column("lowest", BigInteger),
    CheckConstraint("held >= 0", name="accounts_held"),
    CheckConstraint("lowest IS NULL OR posted - held >= lowest", name="accounts_lowest"),
)

transfers = Table(
    "transfers",
    metadata,
    Column("transfer_id", Text, primary_key=True),
    Column("debit", Text, ForeignKey("accounts.account_id"), nullable=False),
    Column("credit", Text, ForeignKey("accounts.account_id"), nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("unit", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("table_id", Text),
    Column("round", BigInteger),
    Column("seat", Integer),
    Column("reason", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("posted_at_ms", BigInteger, nullable=False),
    Column("phase", Text, nullable=False, server_default="single"),
    Column("refers_to", Text, ForeignKey("transfers.transfer_id")),
    Column("expires_at_ms", BigInteger),
    CheckConstraint("amount > 0", name="transfers_amount"),
    CheckConstraint("debit <> credit", name="transfers_two_accounts"),
)

pendings = Table(
    "pendings",
    metadata,
    Column("transfer_id", Text, ForeignKey("transfers.transfer_id"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("posted", BigInteger, nullable=False),
    Column("resolved_by", Text, ForeignKey("transfers.transfer_id")),
    Column("resolved_at_ms", BigInteger),
    Column("expires_at_ms", BigInteger),
    CheckConstraint("state IN ('pending', 'posted', 'voided', 'expired')", name="pendings_state"),
    CheckConstraint("(state = 'pending') = (resolved_at_ms IS NULL)", name="pendings_resolved"),
    CheckConstraint("(state IN ('posted', 'voided')) = (resolved_by IS NOT NULL)", name="pendings_by"),
    CheckConstraint("(state = 'posted') = (posted > 0)", name="pendings_posted"),
    UniqueConstraint("resolved_by", name="pendings_resolved_by"),
)

postings = Table(
    "postings",
    metadata,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    Column("transfer_id", Text, ForeignKey("transfers.transfer_id"), nullable=False),
    Column("account_id", Text, ForeignKey("accounts.account_id"), nullable=False),
    Column("change", BigInteger, nullable=False),
    Column("balance", BigInteger, nullable=False),
    Column("held", BigInteger, nullable=False),
    UniqueConstraint("transfer_id", "account_id", name="postings_once"),
    Index("postings_by_account", "account_id", "number"),
    sqlite_autoincrement=True,
)

reservations = Table(
    "reservations",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("round", BigInteger, primary_key=True),
    Column("claims", Text, nullable=False),
    Column("reserved_at_ms", BigInteger, nullable=False),
)

holds = Table(
    "holds",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("round", BigInteger, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("held_at_ms", BigInteger, nullable=False),
    Column("resolved_at_ms", BigInteger),
    CheckConstraint("state IN ('pending', 'posted', 'released')", name="holds_state"),
    CheckConstraint("(state = 'pending') = (resolved_at_ms IS NULL)", name="holds_resolved"),
)

settlements = Table(
    "settlements",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("round", BigInteger, primary_key=True),
    Column("game", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("settled_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger, nullable=False, server_default="0"),
)

settled_seats = Table(
    "settled_seats",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("round", BigInteger, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("transfer_id", Text, ForeignKey("transfers.transfer_id")),
    Column("coins", BigInteger, nullable=False, server_default="0"),
    Column("won", Boolean, nullable=False, server_default=false()),
    CheckConstraint("(points = 0) = (transfer_id IS NULL)", name="settled_seats_posted"),
)

board_entries = Table(
    "board_entries",
    metadata,
    Column("board", Text, primary_key=True),
    Column("player_id", Text, primary_key=True),
    Column("score", BigInteger, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),
    Index("board_entries_by_place", "board", text("score DESC"), "player_id"),
)

board_buckets = Table(
    "board_buckets",
    metadata,
    Column("board", Text, primary_key=True),
    Column("bucket", BigInteger, primary_key=True),
    Column("players", BigInteger, nullable=False),
)

arena_tables = Table(
    "arena_tables",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("stake", BigInteger, nullable=False),
    Column("rake_bps", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("last_sequence", BigInteger, nullable=False),
    Column("over", Boolean, nullable=False),
)
