"""`meldhall bench rules`: decide and evolve of recorded rounds of every game, on one core."""

import time
from collections.abc import Iterator, Mapping
from statistics import mean

from meldhall_cli.faults import CommandFault
from meldhall_rules import registry
from meldhall_rules.bots import canasta, rummy, rummy101, three_thirteen
from meldhall_rules.commands import Command
from meldhall_rules.events import RoundDealt
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase

RECORDED_ROUNDS = 12
ROUNDS_OF_A_MATCH = 11
BOTS = {
    "canasta": canasta.choose,
    "rummy": rummy.choose,
    "rummy101": rummy101.choose,
    "three_thirteen": three_thirteen.choose,
}

Recorded = list[tuple[RoundDealt, list[Command]]]


def measure_rules(seconds: float) -> dict[str, float]:
    """Return moves a second by game and their mean; the rounds are played before the clock runs."""
    recorded = {name: list(_recorded(registry.game(name))) for name in registry.names()}
    found = {name: _moves_per_second(name, recorded, seconds / len(recorded)) for name in recorded}
    return {**found, "mean_moves_per_second": mean(found.values())}


def _moves_per_second(name: str, recorded: Mapping[str, Recorded], seconds: float) -> float:
    game, moves = registry.game(name), 0
    started = time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds or not moves:
        for dealt, commands in recorded[name]:
            state = game.evolve(None, dealt)
            for command in commands:
                answer = game.decide(state, command)
                if isinstance(answer, Rejection):
                    raise CommandFault(f"a recorded move was refused: {answer.detail}")
                for event in answer:
                    state = game.evolve(state, event)
            moves += len(commands)
    return moves / spent


def _recorded(game: Game) -> Iterator[tuple[RoundDealt, list[Command]]]:
    options = game.parse_options({})
    if isinstance(options, Rejection):
        raise CommandFault(options.detail)
    choose = BOTS[game.name]
    for number in range(RECORDED_ROUNDS):
        seats = game.min_seats + number % (game.max_seats - game.min_seats + 1)
        setup = RoundSetup(number % ROUNDS_OF_A_MATCH + 1, seats, 0, number.to_bytes(32, "big"), (1,) * seats)
        dealt = game.deal(options, setup)
        state = game.evolve(None, dealt)
        commands: list[Command] = []
        while (view := game.view(state, 0)).phase is not Phase.OVER:
            command = choose(game.view(state, view.turn))
            answer = game.decide(state, command)
            if isinstance(answer, Rejection):
                raise CommandFault(f"the bot's move was refused: {answer.detail}")
            for event in answer:
                state = game.evolve(state, event)
            commands.append(command)
        yield dealt, commands
