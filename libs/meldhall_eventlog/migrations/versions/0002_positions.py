"""Checkpoints hold pairs. Those that are there keep their number, in transaction 0.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the transaction."""
    op.add_column("checkpoints", sa.Column("tx", sa.BigInteger, nullable=False, server_default="0"))
