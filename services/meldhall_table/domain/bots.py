"""The bots that can take a seat, by game and policy. A bot is given the view of its seat and nothing else."""

from collections.abc import Callable
from typing import Final

from meldhall_rules.bots import canasta, rummy, rummy101, three_thirteen
from meldhall_rules.commands import Command
from meldhall_rules.view import View

Policy = Callable[[View, int], Command]
"""Chooses a move from a seat's view; the number breaks ties. The same arguments always give the same move."""

_POLICIES: Final[dict[tuple[str, str], Policy]] = {
    ("canasta", "normal"): canasta.choose,
    ("rummy", "normal"): rummy.choose,
    ("rummy101", "normal"): rummy101.choose,
    ("three_thirteen", "normal"): three_thirteen.choose,
}


def policy(game: str, name: str) -> Policy | None:
    """Return a policy, None where the game has none of this name."""
    return _POLICIES.get((game, name))
