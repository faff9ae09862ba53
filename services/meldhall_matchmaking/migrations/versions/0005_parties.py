"""Parties: players who enter together.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Code of before knows tickets of parties and makes none.
oldest_code = "0002"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "parties",
        sa.Column("party_id", sa.Text, primary_key=True),
        sa.Column("leader_id", sa.Text, nullable=False),
        sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("parties_changed", "parties", ["changed_at_ms"])
    op.create_table(
        "party_members",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("party_id", sa.Text, sa.ForeignKey("parties.party_id"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.UniqueConstraint("party_id", "place", name="party_members_place"),
    )
