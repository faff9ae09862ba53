"""The bots that there are, by game and level.

A bot is given the view of its seat and nothing else. Source: ``deploy/docs/bots.md``.
"""

from collections.abc import Callable
from typing import Final

from meldhall_rules.bots import (
    canasta,
    canasta_easy,
    canasta_strong,
    rummy,
    rummy101,
    rummy101_easy,
    rummy101_strong,
    rummy_easy,
    rummy_strong,
    three_thirteen,
    three_thirteen_easy,
    three_thirteen_strong,
)
from meldhall_rules.commands import Command
from meldhall_rules.view import View

Policy = Callable[[View, int], Command]
"""Chooses a move from a seat's view; the number breaks ties. The same arguments always give the same move."""

LEVELS: Final = ("easy", "normal", "strong")
"""The levels of every game, the weakest first."""

_POLICIES: Final[dict[str, dict[str, Policy]]] = {
    "canasta": {
        "easy": canasta_easy.choose,
        "normal": canasta.choose,
        "strong": canasta_strong.choose,
    },
    "rummy": {
        "easy": rummy_easy.choose,
        "normal": rummy.choose,
        "strong": rummy_strong.choose,
    },
    "rummy101": {
        "easy": rummy101_easy.choose,
        "normal": rummy101.choose,
        "strong": rummy101_strong.choose,
    },
    "three_thirteen": {
        "easy": three_thirteen_easy.choose,
        "normal": three_thirteen.choose,
        "strong": three_thirteen_strong.choose,
    },
}


class UnknownBotError(LookupError):
    """A game that has no bots, or a level that there is not."""


def policy(game: str, level: str) -> Policy:
    """Return the policy of a level.

    Raises:
        UnknownBotError: naming what was asked for and what there is.
    """
    levels = _POLICIES.get(game)
    if levels is None:
        raise UnknownBotError(f"there are no bots for {game!r}, only for {', '.join(sorted(_POLICIES))}")
    found = levels.get(level)
    if found is None:
        raise UnknownBotError(f"there is no bot {level!r}, only {', '.join(LEVELS)}")
    return found
