"""What a tournament says no to, as values with stable codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """Why a command was refused. Codes are public and never change their meaning."""

    BAD_PLAN = "BAD_PLAN"
    """The tournament could not be played as it was announced."""
    TOURNAMENT_EXISTS = "TOURNAMENT_EXISTS"
    """A tournament with this id was announced before, otherwise."""
    NOT_OPEN = "NOT_OPEN"
    """Registration has not begun, or is over."""
    FULL = "FULL"
    """There are as many entries as there may be."""
    ALREADY_ENTERED = "ALREADY_ENTERED"
    """The player has an entry that still counts."""
    NO_RE_ENTRY = "NO_RE_ENTRY"
    """The player has had as many entries as one may have."""
    BAD_PARTNER = "BAD_PARTNER"
    """A partner was named where there is none, or none where there is one, or the player himself."""
    NOT_ENTERED = "NOT_ENTERED"
    """The player has no entry that counts."""
    NOT_CHECK_IN_TIME = "NOT_CHECK_IN_TIME"
    """Check-in has not begun, or there is none."""
    NOT_RUNNING = "NOT_RUNNING"
    """The tournament has not started, or is over."""
    NOT_DUE = "NOT_DUE"
    """It is not time for that yet."""
    IS_PAUSED = "IS_PAUSED"
    """Somebody has to resume the tournament first."""
    NOT_PAUSED = "NOT_PAUSED"
    """The tournament is not paused."""
    IS_OVER = "IS_OVER"
    """The tournament was closed or cancelled."""
    NO_SUCH_TABLE = "NO_SUCH_TABLE"
    """The round has no such table, or nobody plays there."""
    NO_RESULT = "NO_RESULT"
    """The table has no result."""
    HAS_RESULT = "HAS_RESULT"
    """The table has a result; it has to be voided first."""
    BAD_RESULT = "BAD_RESULT"
    """The result does not fit the table."""
    NO_SUCH_ENTRANT = "NO_SUCH_ENTRANT"
    """Nobody of that number plays."""
    CANNOT_REPLAY = "CANNOT_REPLAY"
    """A later round was paired by the result, so the table cannot be played again."""
    NEEDS_RESULT = "NEEDS_RESULT"
    """A knock-out table goes on with somebody: void it with a replay, or say who won."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that was refused and changed nothing. ``parameters`` are for the client's own text."""

    code: Code
    detail: str
    parameters: Mapping[str, str] = field(default_factory=dict)
