"""Streams, events, receipts and checkpoints, with the triggers that keep history as it was written.

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
    _create_streams()
    _create_events()
    op.create_table(
        "command_receipts",
        sa.Column("stream_id", sa.Text, sa.ForeignKey("streams.stream_id"), primary_key=True),
        sa.Column("command_id", sa.Text, primary_key=True),
        sa.Column("first_version", sa.BigInteger, nullable=False),
        sa.Column("last_version", sa.BigInteger, nullable=False),
        sa.Column("response", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "checkpoints",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
    )
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_streams() -> None:
    op.create_table(
        "streams",
        sa.Column("stream_id", sa.Text, primary_key=True),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("shard", sa.Integer, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("public_seq", sa.BigInteger, nullable=False),
        sa.Column("owner_epoch", sa.BigInteger, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
    )
    op.create_index("streams_by_category", "streams", ["category", "stream_id"])


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        sa.Column("stream_id", sa.Text, sa.ForeignKey("streams.stream_id"), nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("public_seq", sa.BigInteger),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("schema_version", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("command_id", sa.Text),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("correlation_id", sa.Text, nullable=False),
        sa.Column("causation_id", sa.Text, nullable=False),
        sa.Column("traceparent", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("recorded_at_ms", sa.BigInteger, nullable=False),
        sa.Column("prev_hash", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("stream_id", "version", name="events_stream_version"),
        sa.UniqueConstraint("event_id", name="events_event_id"),
        sa.UniqueConstraint("stream_id", "public_seq", name="events_stream_public_seq"),
        sqlite_autoincrement=True,
    )
    public = sa.text("public_seq IS NOT NULL")
    op.create_index(
        "events_public_by_position", "events", ["position"], sqlite_where=public, postgresql_where=public
    )


def _refuse(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _refuse_on_postgres(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION refuse('{message}')"


def _refuse_for_all(table: str, *operations: str) -> tuple[str, ...]:
    return tuple(
        _refuse_on_postgres(
            f"{table}_no_{operation.lower()}",
            f"BEFORE {operation} ON {table}",
            f"{table} is append-only: {operation} refused",
        )
        for operation in operations
    )


_REFUSE_ON_POSTGRES: Final = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$
"""

_TRIGGERS: Final = {
    "sqlite": (
        _refuse("events_no_update", "BEFORE UPDATE ON events", "events is append-only: UPDATE refused"),
        _refuse("events_no_delete", "BEFORE DELETE ON events", "events is append-only: DELETE refused"),
        # INSERT OR REPLACE deletes the row in its way without firing a DELETE trigger.
        _refuse(
            "events_no_replace",
            "BEFORE INSERT ON events WHEN "
            "EXISTS (SELECT 1 FROM events WHERE stream_id = NEW.stream_id AND version = NEW.version) "
            "OR EXISTS (SELECT 1 FROM events WHERE stream_id = NEW.stream_id "
            "AND public_seq = NEW.public_seq) "
            "OR EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id) "
            "OR EXISTS (SELECT 1 FROM events WHERE position = NEW.position)",
            "events is append-only: the event is there already",
        ),
        _refuse(
            "command_receipts_no_update",
            "BEFORE UPDATE ON command_receipts",
            "command_receipts is append-only: UPDATE refused",
        ),
        _refuse(
            "command_receipts_no_delete",
            "BEFORE DELETE ON command_receipts",
            "command_receipts is append-only: DELETE refused",
        ),
        _refuse(
            "command_receipts_no_replace",
            "BEFORE INSERT ON command_receipts WHEN EXISTS (SELECT 1 FROM command_receipts "
            "WHERE stream_id = NEW.stream_id AND command_id = NEW.command_id)",
            "command_receipts is append-only: the receipt is there already",
        ),
        _refuse("streams_no_delete", "BEFORE DELETE ON streams", "streams are never deleted: DELETE refused"),
        _refuse(
            "streams_no_replace",
            "BEFORE INSERT ON streams WHEN EXISTS (SELECT 1 FROM streams WHERE stream_id = NEW.stream_id)",
            "streams are never replaced: the stream is there already",
        ),
        _refuse(
            "streams_only_forward",
            "BEFORE UPDATE ON streams WHEN NEW.stream_id <> OLD.stream_id OR NEW.version < OLD.version "
            "OR NEW.public_seq < OLD.public_seq OR NEW.owner_epoch < OLD.owner_epoch "
            "OR NEW.closed < OLD.closed",
            "a stream only moves forward: UPDATE refused",
        ),
    ),
    "postgresql": (
        _REFUSE_ON_POSTGRES,
        *_refuse_for_all("events", "UPDATE", "DELETE", "TRUNCATE"),
        *_refuse_for_all("command_receipts", "UPDATE", "DELETE", "TRUNCATE"),
        _refuse_on_postgres(
            "streams_no_delete", "BEFORE DELETE ON streams", "streams are never deleted: DELETE refused"
        ),
        _refuse_on_postgres(
            "streams_no_truncate", "BEFORE TRUNCATE ON streams", "streams are never deleted: TRUNCATE refused"
        ),
        _refuse_on_postgres(
            "streams_only_forward",
            "BEFORE UPDATE ON streams FOR EACH ROW WHEN (NEW.stream_id <> OLD.stream_id "
            "OR NEW.version < OLD.version OR NEW.public_seq < OLD.public_seq "
            "OR NEW.owner_epoch < OLD.owner_epoch OR (OLD.closed AND NOT NEW.closed))",
            "a stream only moves forward: UPDATE refused",
        ),
    ),
}
