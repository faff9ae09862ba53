"""Limits of time that keep a table from going on for ever. Source: ``deploy/docs/tables.md``, limits.

A round is given more turns than the longest that the game can have while nobody lays anything, so that only
play at less than the time for a turn ever meets its end by the rules first. A match is given so many rounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from meldhall_rules.match import MatchFormat
from meldhall_table.domain.events import Limits

LONGEST_MS: Final = 30 * 86_400_000
"""No default is longer than this: thirty days."""


@dataclass(frozen=True, slots=True)
class GameLimits:
    """How many turns a round of a game may have, and how many rounds a match."""

    round_turns: int
    match_rounds: int


GAME_LIMITS: Final[Mapping[str, GameLimits]] = MappingProxyType({
    # 63 tiles are left in the stock between two players; each turn but those that take a discard draws one.
    "rummy101": GameLimits(round_turns=150, match_rounds=12),
    # 49 tiles in the stock, and whole piles that are taken.
    "canasta": GameLimits(round_turns=150, match_rounds=24),
    # At most 31 cards in the stock, rebuilt six times while nobody lays anything (rule 15).
    "rummy": GameLimits(round_turns=300, match_rounds=24),
    # At most 45 cards in the stock, rebuilt six times in a round in which nobody goes out (rule 17).
    "three_thirteen": GameLimits(round_turns=400, match_rounds=11),
})  # fmt: skip
"""The limits of every game, in turns and rounds, so that they fit tables of any time for a turn."""


def with_defaults(game: str, form: MatchFormat, limits: Limits) -> Limits:
    """Fill in what a table does not say about rounds and matches.

    A round lasts as long as its turns at most, a match as its rounds and the breaks after them, and as many
    rounds as its format has in any case.
    """
    known = GAME_LIMITS[game]
    round_ms = limits.round_ms or min(known.round_turns * limits.turn_ms, LONGEST_MS)
    rounds = max(known.match_rounds, form.rounds)
    match_ms = limits.match_ms or min(rounds * (round_ms + limits.break_ms), LONGEST_MS)
    return replace(limits, round_ms=round_ms, match_ms=match_ms)
