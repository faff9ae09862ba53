"""What tournaments can be told. ``deploy/docs/configuration.md`` lists all settings."""

from typing import ClassVar

from pydantic import Field

from meldhall_runtime.config import ServiceSettings


class TournamentSettings(ServiceSettings):
    """Settings of the role ``tournament``."""

    section: ClassVar[str] = "tournament"

    poll_seconds: float = Field(
        0.25, ge=0.01, le=5, description="Longest pause between two looks at what is due."
    )
    check_seconds: float = Field(
        60.0, ge=0.1, le=3600, description="How often open tables are asked whether they are over."
    )
    fee_seconds: float = Field(
        5.0, gt=0, le=60, description="How long a registration waits for the ledger's answer about its fee."
    )
    table_address: str = Field(
        "127.0.0.1:7410", min_length=1, description="Engines where tables are opened, with commas between."
    )
    table_public_address: str = Field(
        "", description="Where players are told that their table is; empty: the first of table_address."
    )
    ledger_address: str = Field(
        "127.0.0.1:7412", min_length=1, description="The ledger that holds fees and pays prizes."
    )
    consumer_name: str = Field(
        "tournament", pattern=r"^[a-z][a-z0-9_-]{0,31}$", description="Durable consumer in JetStream."
    )
    ack_wait_seconds: float = Field(
        30.0, gt=0, le=600, description="Time after which an event that was not acknowledged comes again."
    )

    @property
    def told_address(self) -> str:
        """The address of tables as players are told it."""
        return self.table_public_address or self.table_address.split(",")[0]
