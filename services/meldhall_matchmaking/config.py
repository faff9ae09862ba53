"""What matchmaking can be told. ``deploy/docs/configuration.md`` lists all settings."""

from typing import ClassVar

from pydantic import Field

from meldhall_runtime.config import ServiceSettings


class MatchmakingSettings(ServiceSettings):
    """Settings of the role ``matchmaking``."""

    section: ClassVar[str] = "matchmaking"

    bots_after_seconds: float = Field(
        10.0, ge=0, le=3600, description="Wait after which bots take the seats for which nobody came."
    )
    abandon_seconds: float = Field(
        60.0, ge=1, le=3600, description="Time after which a ticket that nobody follows expires."
    )
    poll_seconds: float = Field(
        0.25, ge=0.01, le=5, description="Longest pause between two looks at who waits."
    )
    keep_seconds: float = Field(
        3600.0, ge=60, le=2_592_000, description="How long a ticket can be asked for after its end."
    )
    lead: bool = Field(
        default=True,
        description="Whether this process may put people together; else it only serves players.",
    )
    lease_seconds: float = Field(
        6.0, ge=1, le=60, description="How long after its last sign a leader is replaced."
    )
    invite_seconds: float = Field(
        3600.0, ge=60, le=604_800, description="How long the code of a friends' table leads to it."
    )
    invite_link_prefix: str = Field(
        "", max_length=200, description="What a code is put behind to make a link; empty: no links."
    )
    rate: bool = Field(
        default=True, description="Whether this process takes results of ranked matches from NATS."
    )
    consumer_name: str = Field(
        "matchmaking", min_length=1, max_length=64, description="Durable consumer in JetStream."
    )
    ack_wait_seconds: float = Field(
        30.0, ge=1, le=600, description="When an event that was not acknowledged comes again."
    )
    arena_stakes: str = Field(
        "10,50,250,1000",
        pattern=r"^([1-9]\d{0,8}(,[1-9]\d{0,8})*)?$",
        description="Stakes of the arena in coins, with commas between; empty: no arena.",
    )
    arena_rake_bps: int = Field(
        500, ge=0, le=10_000, description="The house's part of what is won in the arena, in basis points."
    )
    ledger_address: str = Field(
        "127.0.0.1:7412", min_length=1, description="host:port of the ledger, for the stakes of the arena."
    )
    table_address: str = Field(
        "127.0.0.1:7410", min_length=1, description="Engines that are asked for tables, with commas between."
    )
    table_public_address: str = Field(
        "", description="Where players are told that their table is; empty: the first of table_address."
    )

    @property
    def stakes(self) -> tuple[int, ...]:
        """The stakes of the arena, in coins."""
        return tuple(int(one) for one in self.arena_stakes.split(",") if one)

    @property
    def told_address(self) -> str:
        """The address of tables as players are told it."""
        return self.table_public_address or self.table_address.split(",")[0]
