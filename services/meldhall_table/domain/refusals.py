"""Why a table refuses a command, beside what the rules refuse.

Codes are public and never change their meaning.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from meldhall_rules.rejections import Rejection


@unique
class TableCode(StrEnum):
    """Codes of the table itself; those of the rules are ``meldhall_rules.rejections.Code``."""

    STALE = "STALE"
    """The table is at another version than the one that the player acted on."""
    TABLE_CLOSED = "TABLE_CLOSED"
    """The table takes no more commands."""
    TABLE_FULL = "TABLE_FULL"
    """No seat is left for this player."""
    SEAT_TAKEN = "SEAT_TAKEN"
    """Somebody sits there."""
    SEAT_RESERVED = "SEAT_RESERVED"
    """The seat is kept for somebody else, or another one is kept for this player."""
    ALREADY_SEATED = "ALREADY_SEATED"
    """The player has another seat at this table."""
    ROUND_NOT_STARTED = "ROUND_NOT_STARTED"
    """No round has been dealt yet."""
    NOT_AT_TABLE = "NOT_AT_TABLE"
    """The player has no seat here."""
    NOT_IN_BREAK = "NOT_IN_BREAK"
    """No round is waited for: one is being played, or none follows."""
    MATCH_NOT_OVER = "MATCH_NOT_OVER"
    """A rematch was asked for before the match has ended."""
    NO_REMATCH = "NO_REMATCH"
    """The table has no rematches."""
    REMATCH_NEEDS_STAKE = "REMATCH_NEEDS_STAKE"
    """A match for stakes begins with stakes that are held for it, by matchmaking and not at the table."""
    NOT_HOST = "NOT_HOST"
    """Somebody else runs the table, or nobody does."""
    MATCH_BEGUN = "MATCH_BEGUN"
    """This can be done before the match only."""
    TABLE_LOCKED = "TABLE_LOCKED"
    """The host lets nobody in."""
    NOT_INVITED = "NOT_INVITED"
    """The table is for players who were invited."""
    SENT_AWAY = "SENT_AWAY"
    """The host sent this player away."""
    SEAT_FREE = "SEAT_FREE"
    """Nobody sits there."""
    OWN_SEAT = "OWN_SEAT"
    """A host does not send himself away; he leaves."""
    SEATS_FREE = "SEATS_FREE"
    """A match begins when all seats are taken."""
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    """The table has fewer seats."""
    UNKNOWN_BOT = "UNKNOWN_BOT"
    """The game has no bot of this name."""
    UNKNOWN_TILE = "UNKNOWN_TILE"
    """The game has no tile with this id."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal: a code of the table or the rules, a sentence for developers, parameters for clients."""

    code: str
    detail: str
    facts: tuple[tuple[str, str], ...] = ()


def by_rules(rejection: Rejection) -> Refusal:
    """Hand on what the rules refused."""
    return Refusal(rejection.code.value, rejection.detail)
