"""What the ledger can be told. ``deploy/docs/configuration.md`` lists all settings."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from meldhall_runtime.config import ServiceSettings


def _number(given: object) -> object:
    """Read a number as the environment has it; a choice of numbers does not do that by itself."""
    return int(given) if isinstance(given, str) and given.isdecimal() else given


class LedgerSettings(ServiceSettings):
    """Settings of the role ``ledger``."""

    section: ClassVar[str] = "ledger"

    account_floor: int | None = Field(
        None, ge=-1_000_000_000_000, le=0, description="No loss takes points below it; unset: no floor."
    )
    table_address: str = Field(
        "127.0.0.1:7410", min_length=1, description="Engines where missing events of tables are read."
    )
    consumer_name: str = Field(
        "ledger", pattern=r"^[a-z][a-z0-9_-]{0,31}$", description="Durable consumer in JetStream."
    )
    ack_wait_seconds: float = Field(
        30.0, gt=0, le=600, description="Time after which an event that was not acknowledged comes again."
    )
    expiry_seconds: float = Field(
        1.0, gt=0, le=3600, description="How often overdue pending transfers are released."
    )
    reconcile_seconds: float = Field(
        60.0, gt=0, le=86_400, description="How often all books are checked from the journal up."
    )
    season_months: Annotated[Literal[1, 2, 3, 4, 6, 12], BeforeValidator(_number)] = Field(
        1,
        description="Length of a season of leaderboards, in months.",
    )
