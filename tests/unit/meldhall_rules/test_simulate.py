"""Simulations that lead nowhere."""

from typing import Any

import pytest

from meldhall_rules import registry, simulate
from meldhall_rules.commands import AutoTurn, Command
from meldhall_rules.game import Game
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.simulate import Simulation

PLAN = Simulation(game="rummy", seats=2, rounds=1, seed=1, bots=("easy",))


class Stubborn:
    """A game that refuses whatever is asked of it."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def decide(self, _: Any, command: Command) -> Rejection:
        return Rejection(Code.WRONG_PHASE, f"no {type(command).__name__}")


def test_a_round_that_does_not_end_is_a_bug_and_names_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "MOST_MOVES", 3)
    with pytest.raises(RuntimeError, match="round 0 of rummy has no end after 3 moves"):
        list(simulate.simulate(PLAN))


def test_an_automatic_turn_that_is_refused_is_a_bug_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = Stubborn(registry.game("rummy"))
    monkeypatch.setattr(registry, "game", lambda _: game)
    with pytest.raises(RuntimeError, match=f"automatic turn of seat [01]: no {AutoTurn.__name__}"):
        list(simulate.simulate(PLAN))
