"""Leaderboards: which boards a result counts for, and which season a moment lies in.

A board is of a game, a mode and a season. Seasons are windows of whole months in UTC, with their first moment
and without their last, named by their first month; ``all`` is the one without an end.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from meldhall_rules.match import Mode

ALL: Final = "all"
MONTHS: Final = 12

BUCKET: Final = 16
"""Scores that are counted together: a rank is the sum of a few counts and not a walk over everybody."""

_RANKED: Final = frozenset({Mode.QUICK, Mode.ARENA})
"""Modes with a leaderboard: friends among themselves have none, tournaments have standings."""


@dataclass(frozen=True, slots=True, order=True)
class Board:
    """A leaderboard."""

    game: str
    mode: Mode
    season: str

    def __str__(self) -> str:
        return f"{self.game}/{self.mode}/{self.season}"


@dataclass(frozen=True, slots=True)
class Window:
    """A season: from its first moment to before its last, Unix milliseconds."""

    season: str
    starts_at_ms: int
    ends_at_ms: int


@dataclass(frozen=True, slots=True)
class Gain:
    """What a result adds to a player's place on a board."""

    player_id: str
    score: int
    rounds: int
    wins: int


def season_at(moment_ms: int, months: int) -> Window:
    """Return the season that a moment lies in.

    Args:
        moment_ms: Unix time in milliseconds.
        months: length of a season; a divisor of 12, so that years begin with a season.
    """
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC)
    first = (moment.month - 1) // months * months + 1
    return _window(moment.year, first, months)


def season_named(name: str, months: int) -> Window | None:
    """Return the season of a name such as ``2026-10``; None where no season begins then."""
    year, dash, month = name.partition("-")
    if not (dash and len(year) == 4 and len(month) == 2 and (year + month).isdecimal() and year.isascii()):
        return None
    if not (int(year) >= 1970 and 1 <= int(month) <= MONTHS and (int(month) - 1) % months == 0):
        return None
    return _window(int(year), int(month), months)


def _window(year: int, month: int, months: int) -> Window:
    after = month - 1 + months
    return Window(
        f"{year:04}-{month:02}", _start(year, month), _start(year + after // MONTHS, after % MONTHS + 1)
    )


def _start(year: int, month: int) -> int:
    return round(datetime(year, month, 1, tzinfo=UTC).timestamp() * 1000)


def boards_of(game: str, mode: Mode, at_ms: int, months: int) -> tuple[Board, ...]:
    """Return the boards that a result of a moment counts for."""
    if mode not in _RANKED:
        return ()
    return (Board(game, mode, ALL), Board(game, mode, season_at(at_ms, months).season))


def bucket_of(score: int) -> int:
    """Return the bucket that a score is counted in."""
    return score // BUCKET
