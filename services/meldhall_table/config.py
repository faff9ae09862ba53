"""What the table engine can be told. ``deploy/docs/configuration.md`` lists all settings."""

from typing import ClassVar

from pydantic import Field

from meldhall_runtime.config import ServiceSettings


class TableSettings(ServiceSettings):
    """Settings of the role ``table``. Times are defaults for tables that name none."""

    section: ClassVar[str] = "table"

    turn_ms: int = Field(60_000, ge=100, le=86_400_000, description="Time for a turn, in milliseconds.")
    break_ms: int = Field(5_000, ge=1, le=3_600_000, description="Pause between two rounds.")
    join_ms: int = Field(60_000, ge=100, le=86_400_000, description="How long seats are kept for players.")
    bot_move_ms: int = Field(700, ge=1, le=60_000, description="How long a bot waits before each move.")
    max_tables: int = Field(10_000, ge=1, le=1_000_000, description="Open tables at the same time.")
    ledger_address: str = Field(
        "", description="host:port of the ledger, for the Joker button; empty: no Joker button."
    )
    relay: bool = Field(True, description="Whether public events go to NATS.")  # noqa: FBT003 - a default, not a flag argument
