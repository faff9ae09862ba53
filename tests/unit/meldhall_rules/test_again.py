"""The command behind events: found for every move of whole rounds, and for no move that was not made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from meldhall_rules import events as rules
from meldhall_rules import registry
from meldhall_rules.again import is_caused
from meldhall_rules.bots.registry import LEVELS
from meldhall_rules.commands import AutoTurn, Command
from meldhall_rules.events import Event
from meldhall_rules.game import Game
from meldhall_rules.rejections import Rejection
from meldhall_rules.simulate import Simulation, simulate

NOWHERE = 999
"""No tile has this number."""


@dataclass(frozen=True)
class Step:
    """A command of a round, the state before it and what it caused."""

    state: Any
    command: Command
    caused: tuple[Event, ...]


def decided(game: Game, state: Any, command: Command) -> tuple[Event, ...]:
    answer = game.decide(state, command)
    assert not isinstance(answer, Rejection), (command, answer)
    return answer


@cache
def steps(name: str) -> tuple[Step, ...]:
    """Play rounds of a game between bots of every level, with jokers to spare."""
    return tuple(_steps(name))


def _steps(name: str) -> Iterator[Step]:
    game = registry.game(name)
    plan = Simulation(game=name, seats=game.max_seats, rounds=6, seed=5, bots=LEVELS, jokers=1)
    for played in simulate(plan):
        state = game.evolve(None, played.dealt)
        for command in played.moves:
            caused = decided(game, state, command)
            yield Step(state, command, caused)
            for event in caused:
                state = game.evolve(state, event)


def forged(event: Event) -> Event:
    """Change what no command could have brought about, whatever the seat holds."""
    match event:
        case rules.RoundEnded(_, _, scores):
            return replace(event, scores=(scores[0] + 1, *scores[1:]))
        case rules.StockReshuffled(order):
            return replace(event, order=order[:-1])
        case rules.PileTaken(_, tiles):
            return replace(event, tiles=tiles[:-1])
        case rules.OpeningLaid(_, _, value, _):
            return replace(event, value=value + 1)
        case rules.MeldsLaid(_, melds):
            return replace(event, melds=(*melds, melds[0]))
        case rules.LaidOff(_, _, _, result):
            return replace(event, result=result[:-1])
        case rules.JokerSwapped():
            return replace(event, joker=NOWHERE)
        case rules.WentOut():
            return replace(event, discard=NOWHERE)
        case rules.RoundDealt():
            raise AssertionError("no command deals")
        case _:
            return replace(event, tile=NOWHERE)


@pytest.mark.parametrize("name", registry.names())
def test_a_command_is_found_behind_every_move_of_whole_rounds(name: str) -> None:
    game = registry.game(name)
    for step in steps(name):
        assert is_caused(game, step.state, step.command.seat, step.caused), step.command


@pytest.mark.parametrize("name", registry.names())
def test_no_other_seat_can_have_made_a_move(name: str) -> None:
    game = registry.game(name)
    for step in steps(name):
        for other in set(range(game.max_seats)) - {step.command.seat}:
            assert not is_caused(game, step.state, other, step.caused), step.command


@pytest.mark.parametrize("name", registry.names())
def test_no_command_is_found_behind_an_event_that_was_changed(name: str) -> None:
    game = registry.game(name)
    for step in steps(name):
        for place, event in enumerate(step.caused):
            changed = (*step.caused[:place], forged(event), *step.caused[place + 1 :])
            assert not is_caused(game, step.state, step.command.seat, changed), (step.command, place)


@pytest.mark.parametrize("name", registry.names())
def test_no_command_is_found_where_an_event_was_added_or_the_result_left_out(name: str) -> None:
    game = registry.game(name)
    for step in steps(name):
        seat = step.command.seat
        assert not is_caused(game, step.state, seat, (*step.caused, step.caused[-1])), step.command
        if isinstance(step.caused[-1], rules.RoundEnded) and len(step.caused) > 1:
            assert not is_caused(game, step.state, seat, step.caused[:-1]), step.command


@pytest.mark.parametrize("name", registry.names())
def test_an_automatic_turn_is_recognised_at_every_move(name: str) -> None:
    game = registry.game(name)
    for step in steps(name):
        turn = AutoTurn(step.command.seat)
        assert is_caused(game, step.state, turn.seat, decided(game, step.state, turn)), step.command


def test_the_rounds_have_every_kind_of_event_that_a_bot_can_cause() -> None:
    kinds = {type(event) for name in registry.names() for step in steps(name) for event in step.caused}
    assert kinds == {
        rules.StockDrawn,
        rules.DiscardTaken,
        rules.PileTaken,
        rules.BonusExposed,
        rules.JokerIssued,
        rules.OpeningLaid,
        rules.MeldsLaid,
        rules.LaidOff,
        rules.JokerSwapped,
        rules.Discarded,
        rules.WentOut,
        rules.StockReshuffled,
        rules.RoundEnded,
    }
