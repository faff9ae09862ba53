"""The games that there are, by name and version of their rules.

Old versions stay as long as logs do: a round is folded by the version that its deal names.
"""

from typing import Final

from meldhall_rules.game import Game
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN

_GAMES: Final[dict[str, dict[int, Game]]] = {
    CANASTA.name: {CANASTA.rules_version: CANASTA},
    RUMMY.name: {RUMMY.rules_version: RUMMY},
    RUMMY101.name: {RUMMY101.rules_version: RUMMY101},
    THREE_THIRTEEN.name: {THREE_THIRTEEN.rules_version: THREE_THIRTEEN},
}


class UnknownGameError(LookupError):
    """A game, or a version of its rules, that this installation does not have."""


def names() -> tuple[str, ...]:
    """Return the names of all games, sorted."""
    return tuple(sorted(_GAMES))


def every() -> tuple[Game, ...]:
    """Return all games at all versions of their rules, by name and version."""
    return tuple(_GAMES[name][version] for name in names() for version in sorted(_GAMES[name]))


def game(name: str, rules_version: int | None = None) -> Game:
    """Return a game at a version of its rules, the latest by default.

    Raises:
        UnknownGameError: naming what was asked for and what there is.
    """
    versions = _GAMES.get(name)
    if versions is None:
        raise UnknownGameError(f"there is no game {name!r}, only {', '.join(names())}")
    wanted = max(versions) if rules_version is None else rules_version
    found = versions.get(wanted)
    if found is None:
        known = ", ".join(map(str, sorted(versions)))
        raise UnknownGameError(f"{name} has no rules version {wanted}, only {known}")
    return found
