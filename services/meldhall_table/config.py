"""What the table engine can be told. ``deploy/docs/configuration.md`` lists all settings."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from meldhall_runtime.config import ServiceSettings


class TableSettings(ServiceSettings):
    """Settings of the role ``table``. Times are defaults for tables that name none."""

    section: ClassVar[str] = "table"

    turn_ms: int = Field(60_000, ge=100, le=86_400_000, description="Time for a turn, in milliseconds.")
    break_ms: int = Field(5_000, ge=1, le=3_600_000, description="Pause between two rounds.")
    join_ms: int = Field(60_000, ge=100, le=86_400_000, description="How long seats are kept for players.")
    bot_move_ms: int = Field(700, ge=1, le=60_000, description="How long a bot waits before each move.")
    fill_ms: int = Field(
        1_800_000, ge=100, le=604_800_000, description="How long a table waits for its seats to be taken."
    )
    round_ms: int = Field(
        0, ge=0, le=2_592_000_000, description="Time for a round; 0: by the game and the time for a turn."
    )
    match_ms: int = Field(
        0, ge=0, le=2_592_000_000, description="Time for a match; 0: by the game and the time for a round."
    )
    rematch_ms: int = Field(
        30_000, ge=0, le=3_600_000, description="How long a rematch may be asked for; 0: not at all."
    )
    spectators: Literal["none", "delayed"] = Field(
        "none", description="Who may watch without a seat where a table does not say so."
    )
    spectator_delay_ms: int = Field(
        30_000, ge=1_000, le=3_600_000, description="How far behind the table spectators are."
    )
    max_tables: int = Field(10_000, ge=1, le=1_000_000, description="Open tables in memory at the same time.")
    idle_seconds: float = Field(
        30.0, ge=0.1, le=86_400, description="When a table that nobody needs leaves the memory."
    )
    snapshot_events: int = Field(
        200, ge=0, le=1_000_000, description="Events after which a table's state is kept; 0: when it leaves."
    )
    lease_ttl_ms: int = Field(
        8_000, ge=1_000, le=120_000, description="An engine without heartbeat for so long is dead."
    )
    lease_beat_ms: int = Field(2_000, ge=100, le=30_000, description="Time between two heartbeats.")
    lag_limit_ms: int = Field(
        2_000, ge=50, le=60_000, description="Lag of the event loop at which an engine gives its tables away."
    )
    ledger_address: str = Field(
        "", description="host:port of the ledger, for the Joker button; empty: no Joker button."
    )
    relay: bool = Field(True, description="Whether public events go to NATS.")  # noqa: FBT003 - a default, not a flag argument

    @model_validator(mode="after")
    def _beats_fit_into_a_lease(self) -> Self:
        if self.lease_beat_ms * 2 > self.lease_ttl_ms:
            raise ValueError("lease_beat_ms may be half of lease_ttl_ms at most")
        return self
