"""`meldhall bench tournament`: how long a large Swiss takes to pair a round, and to rank after a result."""

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

from meldhall_cli.faults import CommandFault
from meldhall_rules.shuffle import Stream
from meldhall_runtime.lifecycle import set_collection
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.course import due
from meldhall_tournament.domain.decide import announce, decide
from meldhall_tournament.domain.plan import Format, Plan
from meldhall_tournament.domain.refusals import Refusal
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Tournament, fold

SEED: Final = hashlib.sha256(b"bench tournament").digest()
STARTS_MS: Final = 1_000_000
STANDINGS: Final = 5
"""Results of each round after which standings are made and timed."""

DRAWS: Final = 12
"""One table of so many ends without a winner."""


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """How large a Swiss is."""

    players: int = 10_000
    rounds: int = 9


class _Bench:
    def __init__(self, size: TournamentPlan) -> None:
        self.size = size
        plan = Plan(
            title="bench",
            format=Format.SWISS,
            game="rummy101",
            rounds=size.rounds,
            starts_at_ms=STARTS_MS,
            maximum=size.players,
        )
        self.events = [*_decided(announce(c.Announce("bench", plan, SEED, "bench"), 1))]
        state = fold(self.events)
        if state is None:
            raise CommandFault("a tournament was announced and is not there")
        self.state: Tournament = state
        self.chance = Stream(SEED, "results")

    def do(self, command: c.Command, now_ms: int) -> None:
        for event in _decided(decide(self.state, command, now_ms)):
            self.state.apply(event)
            self.events.append(event)

    def results(self) -> Iterator[c.Record]:
        for round_no, table, _ in list(self.state.undecided()):
            winner, own = self.chance.uniform(2), self.chance.uniform(300)
            places = (1, 1) if self.chance.uniform(DRAWS) == 0 else (1 + winner, 2 - winner)
            sides = (e.SideResult(places[0], own), e.SideResult(places[1], -own))
            yield c.Record(round_no, table, sides, e.Source.MATCH)


def measure_tournament(size: TournamentPlan) -> dict[str, float]:
    """Play a Swiss in memory on one core and return times of pairing, of standings and of a rebuild.

    ``standings_ms`` is a result decided and folded, and all standings made anew after it.
    """
    set_collection()
    bench = _Bench(size)
    for number in range(size.players):
        bench.do(c.Register(f"player-{number}"), 2)
    command = due(bench.state, STARTS_MS, SEED)
    if command is not None:
        bench.do(command, STARTS_MS)
    pairing, ranking = [], []
    for round_no in range(1, size.rounds + 1):
        pairing.append(_seconds(partial(bench.do, c.PairRound(round_no), STARTS_MS)))
        for at, record in enumerate(bench.results()):
            if at % max(1, size.players // 2 // STANDINGS) == 0:
                ranking.append(_seconds(partial(_ranked, bench, record)))
            else:
                bench.do(record, STARTS_MS)
    folding = _seconds(lambda: fold(bench.events))
    return {
        "players": size.players,
        "rounds": size.rounds,
        "pairing_seconds_median": median(pairing),
        "pairing_seconds_max": max(pairing),
        "standings_ms_median": median(ranking) * 1000,
        "standings_ms_max": max(ranking) * 1000,
        "met_again": _met_again(bench.state),
        "events": len(bench.events),
        "rebuild_seconds": folding,
    }


def _ranked(bench: _Bench, record: c.Record) -> None:
    bench.do(record, STARTS_MS)
    standings(bench.state)


def _met_again(state: Tournament) -> int:
    seen: set[frozenset[int]] = set()
    tables = [frozenset(one.entrants) for tables in state.rounds for one in tables if not one.is_bye]
    seen.update(tables)
    return len(tables) - len(seen)


def _decided(decision: tuple[e.Event, ...] | Refusal) -> tuple[e.Event, ...]:
    if isinstance(decision, Refusal):
        raise CommandFault(f"the bench was refused: {decision.detail}")
    return decision


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
