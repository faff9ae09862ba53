"""What quick start offers: which games, and matches of how many rounds.

Few lengths, and short ones: who waits together is not spread thin, and a seat is soon free again.
``deploy/docs/matchmaking.md`` has the table.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.match import MatchFormat, MatchRules, Mode, refuse_format

ROUNDS: Final[Mapping[str, tuple[int, ...]]] = {
    "canasta": (1, 3),
    "rummy": (1, 3, 5),
    "rummy101": (1, 3),
    "three_thirteen": (11,),
}
"""Rounds of a match by game; the first is what a request gets that names none.

The table service has to have bots for each game: they end a wait for people.
"""


def lengths(game: str, rules: MatchRules) -> tuple[int, ...]:
    """Return the rounds on offer for a game of ``ROUNDS``, of those that its matches can have."""
    forms = (MatchFormat(mode=Mode.QUICK, rounds=rounds) for rounds in ROUNDS[game])
    return tuple(form.rounds for form in forms if refuse_format(form, rules) is None)
