"""Transfers that are pending first and what becomes of them, the stakes of arena tables, leaderboards.

Revision ID: 0002
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Code of before takes every transfer for one that moved its amount, pending ones too.
oldest_code = "0002"


def upgrade() -> None:
    """Add columns that older versions leave at their default, and the table of pending transfers."""
    op.add_column("transfers", sa.Column("phase", sa.Text, nullable=False, server_default="single"))
    # SQLite adds a column that refers to another row only without a name for the constraint.
    op.execute("ALTER TABLE transfers ADD COLUMN refers_to TEXT REFERENCES transfers (transfer_id)")
    op.add_column("transfers", sa.Column("expires_at_ms", sa.BigInteger))
    op.create_table(
        "pendings",
        sa.Column("transfer_id", sa.Text, sa.ForeignKey("transfers.transfer_id"), primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("posted", sa.BigInteger, nullable=False),
        sa.Column("resolved_by", sa.Text, sa.ForeignKey("transfers.transfer_id")),
        sa.Column("resolved_at_ms", sa.BigInteger),
        sa.Column("expires_at_ms", sa.BigInteger),
        sa.CheckConstraint("state IN ('pending', 'posted', 'voided', 'expired')", name="pendings_state"),
        sa.CheckConstraint("(state = 'pending') = (resolved_at_ms IS NULL)", name="pendings_resolved"),
        sa.CheckConstraint("(state IN ('posted', 'voided')) = (resolved_by IS NOT NULL)", name="pendings_by"),
        sa.CheckConstraint("(state = 'posted') = (posted > 0)", name="pendings_posted"),
        sa.UniqueConstraint("resolved_by", name="pendings_resolved_by"),
    )
    waiting = sa.text("state = 'pending' AND expires_at_ms IS NOT NULL")
    op.create_index(
        "pendings_by_expiry", "pendings", ["expires_at_ms"], sqlite_where=waiting, postgresql_where=waiting
    )
    op.create_index("transfers_by_table", "transfers", ["table_id"])
    op.create_table(
        "arena_tables",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("stake", sa.BigInteger, nullable=False),
        sa.Column("rake_bps", sa.Integer, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
    )
    _create_boards()
    op.add_column("settled_seats", sa.Column("won", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("settlements", sa.Column("ended_at_ms", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("settled_seats", sa.Column("coins", sa.BigInteger, nullable=False, server_default="0"))
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_boards() -> None:
    op.create_table(
        "board_entries",
        sa.Column("board", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("score", sa.BigInteger, nullable=False),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("wins", sa.BigInteger, nullable=False),
    )
    op.create_index("board_entries_by_score", "board_entries", ["board", "score", "player_id"])
    op.create_table(
        "board_buckets",
        sa.Column("board", sa.Text, primary_key=True),
        sa.Column("bucket", sa.BigInteger, primary_key=True),
        sa.Column("players", sa.BigInteger, nullable=False),
    )


_ONCE: Final = "a pending transfer is resolved once: UPDATE refused"
_KEPT: Final = "pendings are never deleted: DELETE refused"
_CHANGED: Final = (
    "OLD.state <> 'pending' OR NEW.state = 'pending' OR NEW.transfer_id <> OLD.transfer_id "
    "OR NEW.expires_at_ms IS DISTINCT FROM OLD.expires_at_ms"
)

_TRIGGERS: Final = {
    "sqlite": (
        (
            "CREATE TRIGGER pendings_resolve_once BEFORE UPDATE ON pendings "
            f"WHEN {_CHANGED.replace('IS DISTINCT FROM', 'IS NOT')} BEGIN SELECT RAISE(ABORT, '{_ONCE}'); END"
        ),
        (
            "CREATE TRIGGER pendings_no_delete BEFORE DELETE ON pendings "
            f"BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END"
        ),
        (
            "CREATE TRIGGER pendings_no_replace BEFORE INSERT ON pendings "
            "WHEN EXISTS (SELECT 1 FROM pendings WHERE transfer_id = NEW.transfer_id) "
            "BEGIN SELECT RAISE(ABORT, 'pendings are never replaced: the row is there already'); END"
        ),
    ),
    "postgresql": (
        (
            "CREATE FUNCTION pendings_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$"
        ),
        (
            "CREATE TRIGGER pendings_resolve_once BEFORE UPDATE ON pendings FOR EACH ROW "
            f"WHEN ({_CHANGED}) EXECUTE FUNCTION pendings_refuse('{_ONCE}')"
        ),
        (
            "CREATE TRIGGER pendings_no_delete BEFORE DELETE ON pendings FOR EACH ROW "
            f"EXECUTE FUNCTION pendings_refuse('{_KEPT}')"
        ),
        (
            "CREATE TRIGGER pendings_no_truncate BEFORE TRUNCATE ON pendings "
            f"EXECUTE FUNCTION pendings_refuse('{_KEPT}')"
        ),
    ),
}
