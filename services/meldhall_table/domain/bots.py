"""The bots that can take a seat, by game and level. A bot is given the view of its seat and nothing else."""

from meldhall_rules.bots import registry
from meldhall_rules.bots.registry import Policy


def policy(game: str, name: str) -> Policy | None:
    """Return a policy, None where the game has none of this name."""
    try:
        return registry.policy(game, name)
    except registry.UnknownBotError:
        return None
