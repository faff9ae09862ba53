"""Putting the advice for a seat together: the hints of its game, the choice of a bot, the legal moves."""

from dataclasses import replace
from typing import Final

from meldhall_rules.bots.registry import policy
from meldhall_rules.commands import Command, Discard
from meldhall_rules.game import Game
from meldhall_rules.hints import Advice
from meldhall_rules.view import View

LEVEL: Final = "normal"
"""The bot that suggests: quick enough to be asked at every move."""


def advise(game: Game, view: View) -> Advice | None:
    """Return what a seat can be told; None for a spectator and when the round is over.

    It takes up to some tenths of a second, so a caller who serves others asks in a thread.

    Args:
        game: the game at the version of the round.
        view: what the seat sees; nothing else is known to the advice.
    """
    hints = game.hints(view)
    if hints is None:
        return None
    legal = game.legal_moves(view)
    if not legal:
        return Advice(hints, None, ())
    suggested = policy(game.name, LEVEL)(view, 0)
    if not hints.discards and isinstance(suggested, Discard):
        hints = replace(hints, discards=(suggested.tile,))
    return Advice(hints, suggested, _with(legal, suggested))


def _with(legal: tuple[Command, ...], suggested: Command) -> tuple[Command, ...]:
    # Of melds a list holds the single ones; a bot may lay several at once, or name the twin of a tile.
    return legal if suggested in legal else (suggested, *legal)
