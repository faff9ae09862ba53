"""Positions are pairs of transaction and number; checkpoints keep their number, in transaction 0.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

from meldhall_eventlog.tables import TransactionId

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

oldest_code = "0001"


def upgrade() -> None:
    """Add the transaction to events and to checkpoints, and on PostgreSQL the indices of the global order."""
    op.add_column("checkpoints", sa.Column("tx", sa.BigInteger, nullable=False, server_default="0"))
    if op.get_bind().dialect.name == "sqlite":
        op.add_column("events", sa.Column("tx", sa.BigInteger, nullable=False, server_default="0"))
        return
    written_by = sa.text("pg_current_xact_id()")
    op.add_column("events", sa.Column("tx", TransactionId, nullable=False, server_default=written_by))
    op.drop_index("events_public_by_position", "events")
    op.create_index("events_in_order", "events", ["tx", "position"])
    op.create_index(
        "events_public_in_order",
        "events",
        ["tx", "position"],
        postgresql_where=sa.text("public_seq IS NOT NULL"),
    )
