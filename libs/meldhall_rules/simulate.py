"""Playing rounds between bots in one process, through ``Game`` alone.

Every deal is played as often as there are bots in the list, each time with the bots one side further, so that
neither good tiles nor the start favours one of them. A round is named by the seed of the simulation and its
number and by nothing else: the same arguments give the same rounds on any machine.
Source: ``deploy/docs/bots.md``.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from meldhall_rules import registry
from meldhall_rules.bots.registry import Policy, policy
from meldhall_rules.commands import AutoTurn, Command
from meldhall_rules.events import RoundDealt, RoundEnded
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.match import MatchRules
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario.position import case_key
from meldhall_rules.view import SPECTATOR

MOST_MOVES: Final = 20_000
"""A round with more moves than this leads nowhere; no bot may play one."""

_SEED_BYTES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What to play.

    Attributes:
        game: the name of the game.
        seats: how many play.
        rounds: how many rounds.
        seed: any whole number; it decides every deal.
        bots: levels, handed round the sides of the table.
        options: options of the game; absent ones have their defaults.
        jokers: spare jokers that each account holds for the Joker button.
    """

    game: str
    seats: int
    rounds: int
    seed: int
    bots: tuple[str, ...]
    options: Mapping[str, object] = field(default_factory=dict)
    jokers: int = 0


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round to be played.

    ``deal`` is shared by the rounds that have the same tiles. ``case_seed`` makes its shuffle key as that of
    a scenario. ``bots`` is by side the place in the list of bots.
    """

    index: int
    deal: int
    case_seed: int
    setup: RoundSetup
    bots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round that is over.

    ``moves`` are all commands in order. Where a bot chose a refused move the automatic turn stands in its
    place; ``faults`` counts these. ``state`` is the last state of the round, for views of it.
    """

    plan: RoundPlan
    dealt: RoundDealt
    moves: tuple[Command, ...]
    faults: int
    ended: RoundEnded
    state: Any


class SimulationError(ValueError):
    """A simulation that cannot be played: its seats, options or bots do not go with the game."""


def simulate(simulation: Simulation) -> Iterator[PlayedRound]:
    """Play all rounds, one after the other.

    Raises:
        LookupError: there is no such game or bot.
        SimulationError: before the first round, for what the game does not have.
    """
    game, options = registry.game(simulation.game), options_of(simulation)
    policies = tuple(policy(simulation.game, level) for level in simulation.bots)
    for plan in schedule(simulation, game.match_rules(options)):
        yield _play(game, game.deal(options, plan.setup), plan, policies)


def schedule(simulation: Simulation, rules: MatchRules) -> Iterator[RoundPlan]:
    """Plan all rounds.

    Where a match has a fixed length its rounds are gone through in order, over and over; each such pass is
    repeated with the bots moved on, until every bot has had every side, before there are new deals. In other
    games a pass is one round. The start passes to the next seat with each deal.
    """
    length, shifts = rules.length or 1, len(simulation.bots)
    sides = simulation.seats // rules.team_size
    for index in range(simulation.rounds):
        passed, place = divmod(index, length)
        deal, shift = passed // shifts * length + place, passed % shifts
        case_seed = _case_seed(simulation, deal)
        setup = RoundSetup(
            round=place + 1,
            seats=simulation.seats,
            starter=deal % simulation.seats,
            shuffle_key=case_key(case_seed, place + 1),
            spare_jokers=(simulation.jokers,) * simulation.seats,
            totals=(0,) * sides if rules.team_size > 1 else (),
        )
        bots = tuple((side + shift) % shifts for side in range(sides))
        yield RoundPlan(index, deal, case_seed, setup, bots)


def _case_seed(simulation: Simulation, deal: int) -> int:
    name = f"meldhall/simulate/1/{simulation.seed}/{simulation.game}/{simulation.seats}/{deal}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:_SEED_BYTES], "big")


def options_of(simulation: Simulation) -> Mapping[str, str]:
    """Check a simulation and return the options of its game, all of them, in their text form.

    Raises:
        UnknownGameError: there is no such game.
        UnknownBotError: there is no such level.
        SimulationError: for seats, options or numbers that cannot be.
    """
    game = registry.game(simulation.game)
    for level in simulation.bots:
        policy(game.name, level)
    if not game.min_seats <= simulation.seats <= game.max_seats:
        bounds = f"{game.min_seats} to {game.max_seats}"
        raise SimulationError(f"{game.name} is for {bounds} players, not {simulation.seats}")
    if not simulation.bots or simulation.rounds < 1 or simulation.jokers < 0:
        raise SimulationError("a simulation has a bot, a round, and no fewer spare jokers than none")
    options = game.parse_options(simulation.options)
    if isinstance(options, Rejection):
        raise SimulationError(options.detail)
    return options


def _play(game: Game, dealt: RoundDealt, plan: RoundPlan, policies: Sequence[Policy]) -> PlayedRound:
    state: Any = game.evolve(None, dealt)
    moves: list[Command] = []
    faults, sides = 0, len(plan.bots)
    while len(moves) < MOST_MOVES:
        # Only a view of the seat on turn goes to a bot, and whose turn it is says the view of nobody.
        seat = game.view(state, SPECTATOR).turn
        command = policies[plan.bots[seat % sides]](game.view(state, seat), plan.case_seed)
        answer = game.decide(state, command)
        if isinstance(answer, Rejection):
            faults += 1
            command = AutoTurn(seat)
            answer = game.decide(state, command)
            if isinstance(answer, Rejection):
                # The rules refuse what they must accept: a bug of theirs, not a wrong type.
                raise RuntimeError(f"automatic turn of seat {seat}: {answer.detail}")  # noqa: TRY004 - see above
        moves.append(command)
        for event in answer:
            state = game.evolve(state, event)
            if isinstance(event, RoundEnded):
                return PlayedRound(plan, dealt, tuple(moves), faults, event, state)
    raise RuntimeError(f"round {plan.index} of {game.name} has no end after {MOST_MOVES} moves")
