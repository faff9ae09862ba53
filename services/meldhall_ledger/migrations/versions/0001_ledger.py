"""Accounts, transfers, holds, settlements and the inbox, with triggers that keep what was posted.

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

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create everything."""
    _create_accounts()
    _create_transfers()
    _create_holds()
    _create_settlements()
    op.create_table(
        "inbox",
        sa.Column("stream_id", sa.Text, primary_key=True),
        sa.Column("last_sequence", sa.BigInteger, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
    )
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("posted", sa.BigInteger, nullable=False),
        sa.Column("held", sa.BigInteger, nullable=False),
        sa.Column("lowest", sa.BigInteger),
        sa.CheckConstraint("held >= 0", name="accounts_held"),
        sa.CheckConstraint("lowest IS NULL OR posted - held >= lowest", name="accounts_lowest"),
    )


def _create_transfers() -> None:
    op.create_table(
        "transfers",
        sa.Column("transfer_id", sa.Text, primary_key=True),
        sa.Column("debit", sa.Text, sa.ForeignKey("accounts.account_id"), nullable=False),
        sa.Column("credit", sa.Text, sa.ForeignKey("accounts.account_id"), nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("table_id", sa.Text),
        sa.Column("round", sa.BigInteger),
        sa.Column("seat", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("posted_at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount > 0", name="transfers_amount"),
        sa.CheckConstraint("debit <> credit", name="transfers_two_accounts"),
    )
    op.create_table(
        "postings",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("transfer_id", sa.Text, sa.ForeignKey("transfers.transfer_id"), nullable=False),
        sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.account_id"), nullable=False),
        sa.Column("change", sa.BigInteger, nullable=False),
        sa.Column("balance", sa.BigInteger, nullable=False),
        sa.Column("held", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("transfer_id", "account_id", name="postings_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("postings_by_account", "postings", ["account_id", "number"])


def _create_holds() -> None:
    op.create_table(
        "reservations",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("round", sa.BigInteger, primary_key=True),
        sa.Column("claims", sa.Text, nullable=False),
        sa.Column("reserved_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "holds",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("round", sa.BigInteger, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("held_at_ms", sa.BigInteger, nullable=False),
        sa.Column("resolved_at_ms", sa.BigInteger),
        sa.CheckConstraint("state IN ('pending', 'posted', 'released')", name="holds_state"),
        sa.CheckConstraint("(state = 'pending') = (resolved_at_ms IS NULL)", name="holds_resolved"),
    )


def _create_settlements() -> None:
    op.create_table(
        "settlements",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("round", sa.BigInteger, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("settled_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "settled_seats",
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("round", sa.BigInteger, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("points", sa.BigInteger, nullable=False),
        sa.Column("transfer_id", sa.Text, sa.ForeignKey("transfers.transfer_id")),
        sa.CheckConstraint("(points = 0) = (transfer_id IS NULL)", name="settled_seats_posted"),
    )


def _refuse(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _no_delete(table: str) -> str:
    return _refuse(
        f"{table}_no_delete", f"BEFORE DELETE ON {table}", f"{table} are never deleted: DELETE refused"
    )


def _no_update(table: str) -> str:
    return _refuse(f"{table}_no_update", f"BEFORE UPDATE ON {table}", f"{table} never change: UPDATE refused")


def _no_replace(table: str, *keys: str) -> str:
    # INSERT OR REPLACE deletes the row in its way without firing a DELETE trigger.
    same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
    return _refuse(
        f"{table}_no_replace_{keys[0]}",
        f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})",  # noqa: S608 - names of this module
        f"{table} are never replaced: the row is there already",
    )


_ROUND: Final = ("table_id", "round")
_SEAT: Final = (*_ROUND, "seat")
_FINAL: Final = ("transfers", "postings", "reservations", "settlements", "settled_seats")

_RESOLVE_ONCE: Final = (
    "OLD.state <> 'pending' OR NEW.state = 'pending' "
    "OR NEW.table_id <> OLD.table_id OR NEW.round <> OLD.round "
    "OR NEW.seat <> OLD.seat OR NEW.player_id <> OLD.player_id"
)

_REFUSE_ON_POSTGRES: Final = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$
"""


def _on_postgres(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION refuse('{message}')"


def _never_on_postgres(table: str, *operations: str) -> tuple[str, ...]:
    return tuple(
        _on_postgres(
            f"{table}_no_{operation.lower()}",
            f"BEFORE {operation} ON {table}",
            f"{table} never change: UPDATE refused"
            if operation == "UPDATE"
            else f"{table} are never deleted: {operation} refused",
        )
        for operation in operations
    )


_TRIGGERS: Final = {
    "postgresql": (
        _REFUSE_ON_POSTGRES,
        *(one for table in _FINAL for one in _never_on_postgres(table, "UPDATE", "DELETE", "TRUNCATE")),
        *(
            one
            for table in ("accounts", "holds", "inbox")
            for one in _never_on_postgres(table, "DELETE", "TRUNCATE")
        ),
        _on_postgres(
            "holds_resolve_once",
            f"BEFORE UPDATE ON holds FOR EACH ROW WHEN ({_RESOLVE_ONCE})",
            "a hold is resolved once: UPDATE refused",
        ),
        _on_postgres(
            "inbox_only_forward",
            "BEFORE UPDATE ON inbox FOR EACH ROW WHEN (NEW.stream_id <> OLD.stream_id "
            "OR NEW.last_sequence <= OLD.last_sequence OR (OLD.over AND NOT NEW.over))",
            "an inbox only moves forward: UPDATE refused",
        ),
    ),
    "sqlite": (
        *(_no_update(table) for table in _FINAL),
        *(_no_delete(table) for table in (*_FINAL, "accounts", "holds", "inbox")),
        _no_replace("transfers", "transfer_id"),
        _no_replace("postings", "number"),
        _no_replace("postings", "transfer_id", "account_id"),
        _no_replace("reservations", *_ROUND),
        _no_replace("settlements", *_ROUND),
        _no_replace("settled_seats", *_SEAT),
        _no_replace("holds", *_SEAT),
        _no_replace("accounts", "account_id"),
        _no_replace("inbox", "stream_id"),
        _refuse(
            "holds_resolve_once",
            f"BEFORE UPDATE ON holds WHEN {_RESOLVE_ONCE}",
            "a hold is resolved once: UPDATE refused",
        ),
        _refuse(
            "inbox_only_forward",
            "BEFORE UPDATE ON inbox WHEN NEW.stream_id <> OLD.stream_id "
            "OR NEW.last_sequence <= OLD.last_sequence OR NEW.over < OLD.over",
            "an inbox only moves forward: UPDATE refused",
        ),
    ),
}
