"""Tickets, the commands that made them, and proposals.

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
    """Create everything."""
    _create_proposals()
    _create_tickets()
    op.create_table(
        "commands",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("command_id", sa.Text, primary_key=True),
        sa.Column("ticket_id", sa.Text, sa.ForeignKey("tickets.ticket_id"), nullable=False),
    )
    op.create_index("commands_by_ticket", "commands", ["ticket_id"])


def _create_proposals() -> None:
    op.create_table(
        "proposals",
        sa.Column("proposal_id", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("proposed_at_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger),
        sa.Column("table_id", sa.Text),
        sa.CheckConstraint("state IN ('open', 'done', 'dropped')", name="proposals_state"),
        sa.CheckConstraint("(state = 'open') = (ended_at_ms IS NULL)", name="proposals_ended"),
        sa.CheckConstraint("(state = 'done') = (table_id IS NOT NULL)", name="proposals_table"),
    )
    _create_partial_index("proposals_open", "proposals", ["proposal_id"], "state = 'open'")
    _create_partial_index("proposals_ended", "proposals", ["ended_at_ms"], "ended_at_ms IS NOT NULL")


def _create_tickets() -> None:
    op.create_table(
        "tickets",
        sa.Column("ticket_id", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("enqueued_at_ms", sa.BigInteger, nullable=False),
        sa.Column("bots_at_ms", sa.BigInteger, nullable=False),
        sa.Column("last_seen_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger),
        sa.Column("proposal_id", sa.Text, sa.ForeignKey("proposals.proposal_id")),
        sa.Column("table_id", sa.Text),
        sa.Column("table_address", sa.Text),
        sa.CheckConstraint(
            "state IN ('waiting', 'proposed', 'matched', 'cancelled', 'expired')", name="tickets_state"
        ),
        sa.CheckConstraint(
            "(state IN ('matched', 'cancelled', 'expired')) = (ended_at_ms IS NOT NULL)", name="tickets_ended"
        ),
        sa.CheckConstraint(
            "(state IN ('proposed', 'matched')) = (proposal_id IS NOT NULL)", name="tickets_proposal"
        ),
        sa.CheckConstraint(
            "(state = 'matched') = (table_id IS NOT NULL AND table_address IS NOT NULL)",
            name="tickets_table",
        ),
    )
    _create_partial_index(
        "tickets_one_active", "tickets", ["player_id"], "state IN ('waiting', 'proposed')", unique=True
    )
    _create_partial_index("tickets_waiting", "tickets", ["enqueued_at_ms", "ticket_id"], "state = 'waiting'")
    _create_partial_index("tickets_by_proposal", "tickets", ["proposal_id"], "proposal_id IS NOT NULL")
    _create_partial_index("tickets_ended", "tickets", ["ended_at_ms"], "ended_at_ms IS NOT NULL")


def _create_partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    op.create_index(
        name,
        table,
        columns,
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
