"""What matchmaking refuses, as values with stable codes."""

from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """Reasons that clients decide by."""

    TICKET_ACTIVE = "TICKET_ACTIVE"
    """The player waits with another wish already."""

    COMMAND_ID_REUSED = "COMMAND_ID_REUSED"
    """The command id belongs to another request."""

    TICKET_NOT_FOUND = "TICKET_NOT_FOUND"
    """The player has no such ticket."""

    ALREADY_MATCHED = "ALREADY_MATCHED"
    """A table was found first."""

    NOT_ENOUGH_COINS = "NOT_ENOUGH_COINS"
    """The player does not have the stake to spare."""

    PARTY_NOT_FOUND = "PARTY_NOT_FOUND"
    """There is no such party."""

    IN_ANOTHER_PARTY = "IN_ANOTHER_PARTY"
    """The player is in a party already."""

    PARTY_FULL = "PARTY_FULL"
    """A party has no more places."""

    NOT_PARTY_LEADER = "NOT_PARTY_LEADER"
    """The player leads no party."""

    PARTY_TOO_LARGE = "PARTY_TOO_LARGE"
    """The table has fewer seats than the party players."""

    PARTY_BUSY = "PARTY_BUSY"
    """Somebody of the party waits already."""

    TOO_MANY_BLOCKS = "TOO_MANY_BLOCKS"
    """The player blocks as many others as anybody may."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was understood and not carried out. Nothing changed."""

    code: Code
    detail: str
    facts: dict[str, str] = field(default_factory=dict)
