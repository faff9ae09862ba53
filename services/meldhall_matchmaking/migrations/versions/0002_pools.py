"""Kinds of play, parties, ratings and regions of tickets; partitions; blocks, meetings, what pools look like.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Code of before would seat bots at ranked tables, and people with those whom they blocked.
oldest_code = "0002"


def upgrade() -> None:
    """Add columns with defaults that say what tickets of before were, and the new tables."""
    for column in (
        sa.Column("play", sa.Text, nullable=False, server_default="quick"),
        sa.Column("party_id", sa.Text),
        sa.Column("party_size", sa.Integer, nullable=False, server_default="1"),
        sa.Column("rating", sa.Integer, nullable=False, server_default="0"),
        sa.Column("latencies", sa.Text, nullable=False, server_default="{}"),
        sa.Column("part", sa.Integer, nullable=False, server_default="0"),
    ):
        op.add_column("tickets", column)
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("blocked_id", sa.Text, primary_key=True),
        sa.Column("blocked_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("blocks_by_blocked", "blocks", ["blocked_id"])
    op.create_table(
        "meetings",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("others", sa.Text, nullable=False),
        sa.Column("met_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "pools",
        sa.Column("pool_id", sa.Text, primary_key=True),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("outlook", sa.Text, nullable=False),
        sa.Column("told_at_ms", sa.BigInteger, nullable=False),
    )
