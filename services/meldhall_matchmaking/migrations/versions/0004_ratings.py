"""Ratings by game, and the ranked tables whose results are waited for.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# Code of before would not note ranked tables, and their results would count for nothing; but it makes none.
oldest_code = "0002"


def upgrade() -> None:
    """Create both."""
    op.create_table(
        "ratings",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.Column("rated_at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("sigma > 0 AND matches > 0", name="ratings_known"),
    )
    op.create_table(
        "ranked_tables",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("opened_at_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger),
    )
    op.create_index("ranked_tables_ended", "ranked_tables", ["ended_at_ms"])
