"""Tournaments, what happened in them, the commands that were answered, and whose tables are whose.

Revision ID: 0001
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

oldest_code = "0001"


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "tournaments",
        sa.Column("tournament_id", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        sa.Column("settled", sa.Boolean, nullable=False),
        sa.UniqueConstraint("number", name="tournaments_number"),
        sa.CheckConstraint("version > 0", name="tournaments_version"),
    )
    unsettled = sa.text("NOT settled")
    op.create_index(
        "tournaments_unsettled",
        "tournaments",
        ["number"],
        sqlite_where=unsettled,
        postgresql_where=unsettled,
    )
    op.create_table(
        "events",
        sa.Column("tournament_id", sa.Text, sa.ForeignKey("tournaments.tournament_id"), primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
    )
    op.create_table(
        "receipts",
        sa.Column("tournament_id", sa.Text, sa.ForeignKey("tournaments.tournament_id"), primary_key=True),
        sa.Column("actor", sa.Text, primary_key=True),
        sa.Column("command_id", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
    )
    op.create_table(
        "seated_tables",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("tournament_id", sa.Text, sa.ForeignKey("tournaments.tournament_id"), nullable=False),
    )
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)


_CHANGED: Final = "events never change: UPDATE refused"
_KEPT: Final = "events are never deleted: DELETE refused"
_REFUSE: Final = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$"
)


def _sqlite(operation: str, message: str) -> str:
    name = f"events_no_{operation.lower()}"
    return f"CREATE TRIGGER {name} BEFORE {operation} ON events BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _postgres(name: str, operations: str, message: str) -> str:
    return f"CREATE TRIGGER {name} BEFORE {operations} ON events EXECUTE FUNCTION refuse('{message}')"


_TRIGGERS: Final = {
    "sqlite": (_sqlite("UPDATE", _CHANGED), _sqlite("DELETE", _KEPT)),
    "postgresql": (
        _REFUSE,
        _postgres("events_no_update", "UPDATE", _CHANGED),
        _postgres("events_no_delete", "DELETE OR TRUNCATE", _KEPT),
    ),
}
