"""Leases by name.

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
    """Create the table; a lease's row is made by whoever first asks for it."""
    op.create_table(
        "named_leases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
