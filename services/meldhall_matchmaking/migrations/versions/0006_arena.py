"""Stakes of arena tickets, the tables that stakes may be held for, and why tickets were taken back.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Code of before would open arena tables without holding anybody's stake.
oldest_code = "0006"


def upgrade() -> None:
    """Add columns; there was no arena before."""
    op.add_column("tickets", sa.Column("stake", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("tickets", sa.Column("end_reason", sa.Text))
    op.add_column("proposals", sa.Column("stakes_of", sa.Text))
    where = sa.text("stakes_of IS NOT NULL")
    op.create_index(
        "proposals_stakes", "proposals", ["proposal_id"], sqlite_where=where, postgresql_where=where
    )
