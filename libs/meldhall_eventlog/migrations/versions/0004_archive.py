"""Streams that were archived: a tombstone each, and the one way past the triggers that keep history.

Revision ID: 0004
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

oldest_code = "0003"

KEPT: Final = ("events", "command_receipts")


def upgrade() -> None:
    """Create the tombstones, and let the rows of a stream go that has one."""
    op.create_table(
        "archived_streams",
        sa.Column("stream_id", sa.Text, sa.ForeignKey("streams.stream_id"), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("last_hash", sa.LargeBinary, nullable=False),
        sa.Column("archive", sa.Text, nullable=False),
        sa.Column("archived_at_ms", sa.BigInteger, nullable=False),
    )
    for statement in _on_sqlite() if op.get_bind().dialect.name == "sqlite" else _on_postgres():
        op.execute(statement)


_NOT_AT_ITS_END: Final = (
    "NOT EXISTS (SELECT 1 FROM streams AS s "
    "JOIN events AS e ON e.stream_id = s.stream_id AND e.version = s.version "
    "WHERE s.stream_id = NEW.stream_id AND s.closed AND s.version = NEW.version AND e.hash = NEW.last_hash)"
)
_REFUSAL: Final = "only a closed stream is archived, at its version and with its last hash"
_FOR_GOOD: Final = "archived_streams is append-only: {} refused"


def _on_sqlite() -> list[str]:
    def trigger(name: str, when: str, message: str) -> str:
        return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"

    statements = []
    for table in KEPT:
        archived = "EXISTS (SELECT 1 FROM archived_streams WHERE stream_id = OLD.stream_id)"
        statements += [
            f"DROP TRIGGER {table}_no_delete",
            trigger(
                f"{table}_no_delete",
                f"BEFORE DELETE ON {table} WHEN NOT {archived}",
                f"{table} is append-only: DELETE refused",
            ),
        ]
    there = "EXISTS (SELECT 1 FROM archived_streams WHERE stream_id = NEW.stream_id)"
    return [
        *statements,
        trigger(
            "archived_streams_no_update", "BEFORE UPDATE ON archived_streams", _FOR_GOOD.format("UPDATE")
        ),
        trigger(
            "archived_streams_no_delete", "BEFORE DELETE ON archived_streams", _FOR_GOOD.format("DELETE")
        ),
        trigger(
            "archived_streams_no_replace",
            f"BEFORE INSERT ON archived_streams WHEN {there}",
            "the stream was archived before",
        ),
        trigger(
            "archived_streams_finished", f"BEFORE INSERT ON archived_streams WHEN {_NOT_AT_ITS_END}", _REFUSAL
        ),
    ]


def _on_postgres() -> list[str]:
    statements = [
        """
        CREATE FUNCTION refuse_unless_archived() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (SELECT 1 FROM archived_streams WHERE stream_id = OLD.stream_id) THEN
                RETURN OLD;
            END IF;
            RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
        END $$
        """,
        f"""
        CREATE FUNCTION refuse_unless_finished() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF {_NOT_AT_ITS_END} THEN
                RAISE EXCEPTION '{_REFUSAL}' USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$
        """,
        _trigger_on_postgres(
            "archived_streams_finished",
            "BEFORE INSERT ON archived_streams FOR EACH ROW",
            "refuse_unless_finished()",
        ),
    ]
    for table in KEPT:
        statements += [
            f"DROP TRIGGER {table}_no_delete ON {table}",
            _trigger_on_postgres(
                f"{table}_no_delete",
                f"BEFORE DELETE ON {table} FOR EACH ROW",
                f"refuse_unless_archived('{table} is append-only: DELETE refused')",
            ),
        ]
    return [
        *statements,
        *(
            _trigger_on_postgres(
                f"archived_streams_no_{operation.lower()}",
                f"BEFORE {operation} ON archived_streams",
                f"refuse('{_FOR_GOOD.format(operation)}')",
            )
            for operation in ("UPDATE", "DELETE", "TRUNCATE")
        ),
    ]


def _trigger_on_postgres(name: str, when: str, function: str) -> str:
    return f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION {function}"
