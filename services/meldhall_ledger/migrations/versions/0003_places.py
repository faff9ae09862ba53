"""An index in the order of the places on a leaderboard.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# An index changes no answer.
oldest_code = "0002"


def upgrade() -> None:
    """Replace the index whose order no page has."""
    op.create_index("board_entries_by_place", "board_entries", ["board", sa.text("score DESC"), "player_id"])
    op.drop_index("board_entries_by_score", "board_entries")
