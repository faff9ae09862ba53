"""Shards and who serves them, what wakes a stream, snapshots.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# Engines of before claim no shards and write no wake times: tables would have two owners, or none.
oldest_code = "0003"

SHARDS = 256


def upgrade() -> None:
    """Create everything. Every stream that is open wakes once, since nobody wrote down what is due there."""
    op.add_column("streams", sa.Column("wake_at_ms", sa.BigInteger))
    op.execute("UPDATE streams SET wake_at_ms = 0 WHERE NOT closed")
    wakes = sa.text("wake_at_ms IS NOT NULL AND NOT closed")
    op.create_index(
        "streams_waking",
        "streams",
        ["category", "shard", "stream_id"],
        sqlite_where=wakes,
        postgresql_where=wakes,
    )
    op.create_table(
        "snapshots",
        sa.Column("stream_id", sa.Text, sa.ForeignKey("streams.stream_id"), primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True),
        sa.Column("format", sa.Text, primary_key=True),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "engine_instances",
        sa.Column("instance_id", sa.Text, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("draining", sa.Boolean, nullable=False),
        sa.Column("beat_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
    shard_leases = op.create_table(
        "shard_leases",
        sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("instance_id", sa.Text),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("released_at_ms", sa.BigInteger),
    )
    op.bulk_insert(shard_leases, [{"shard": shard, "epoch": 0} for shard in range(SHARDS)])
