"""Partitions that poison stopped.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

oldest_code = "0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "consumer_stops",
        sa.Column("consumer", sa.Text, primary_key=True),
        sa.Column("partition", sa.Text, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("stopped_at_ms", sa.BigInteger, nullable=False),
        sa.Column("retry", sa.Boolean, nullable=False),
    )
