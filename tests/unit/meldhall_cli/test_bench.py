"""`meldhall bench`: what it prints, and what it says without OR-tools."""

import json
import sys

import pytest
from rich.console import Console

from meldhall_cli import bench as package
from meldhall_cli.bench import bench
from meldhall_cli.bench.evening import EveningPlan, measure_evening
from meldhall_cli.bench.matchmaking import POOLS, SPREAD_MS, crowd, measure_ticks
from meldhall_cli.bench.tournament import TournamentPlan
from meldhall_cli.faults import CommandFault
from meldhall_matchmaking.domain.queue import propose
from meldhall_rules import registry


def measured(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    bench(name, seconds=0.1, as_json=True, console=Console(stderr=True))
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def test_the_rules_of_every_game_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured("rules", capsys)
    assert set(found) == {*registry.names(), "mean_moves_per_second"}
    assert found["mean_moves_per_second"] == pytest.approx(
        sum(found[name] for name in registry.names()) / len(registry.names())
    )


def test_the_solvers_are_measured_and_agree_with_cp_sat(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured("solver", capsys)
    assert set(found) == {
        "penalty_ms_median",
        "penalty_ms_max",
        "opening_ms_median",
        "opening_ms_max",
        "cpsat_ratio",
    }
    assert 0 < found["penalty_ms_median"] <= found["penalty_ms_max"]
    assert 0 < found["opening_ms_median"] <= found["opening_ms_max"]
    assert found["cpsat_ratio"] > 1


def test_without_or_tools_the_bench_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    monkeypatch.delitem(sys.modules, "meldhall_cli.bench.cpsat", raising=False)
    monkeypatch.delattr(package, "cpsat", raising=False)
    with pytest.raises(CommandFault, match="OR-tools, a development dependency"):
        bench("solver", seconds=0.1, as_json=True, console=Console(stderr=True))


def test_the_crowd_of_the_matchmaking_bench_is_matched_alike_in_small_ticks_and_in_one() -> None:
    tickets = crowd(1_500)
    assert len({one.wish for one in tickets}) == POOLS
    assert {one.party_size for one in tickets} == {1, 2}
    whole = propose(tickets, SPREAD_MS)
    found = measure_ticks(1_500)
    assert found["tick_ms"] > 0
    # The small ticks go on until windows have grown and bots have come.
    assert 0.9 * found["groups"] < len(whole) <= found["groups"]


def test_an_evening_is_the_same_at_every_run_and_every_ticket_ends_once() -> None:
    plan = EveningPlan(peak=1.0, minutes=20)
    found = measure_evening(plan)
    assert found == measure_evening(plan)
    kinds = found["kinds"].values()
    assert (
        sum(one[end] for one in kinds for end in ("people", "bots", "cancelled", "left")) == found["tickets"]
    )
    assert all(one["p50"] <= one["p90"] <= one["p99"] <= one["longest"] for one in kinds)
    quick = [one for name, one in found["kinds"].items() if name.startswith("quick")]
    assert max(one["longest"] for one in quick) <= 10
    assert all(not one["bots"] for name, one in found["kinds"].items() if not name.startswith("quick"))


def test_a_bench_that_there_is_not_is_named() -> None:
    with pytest.raises(CommandFault, match="no bench 'speed', only rules, solver, log, moves"):
        bench("speed", seconds=0.1, as_json=True, console=Console(stderr=True))


def test_a_tournament_is_measured_and_nobody_meets_again(capsys: pytest.CaptureFixture[str]) -> None:
    size = TournamentPlan(players=101, rounds=3)
    bench("tournament", seconds=0.1, as_json=True, console=Console(stderr=True), tournament=size)
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["players"], found["rounds"], found["met_again"]) == (101, 3, 0)
    # An entry and a held fee each, a result for each of 50 tables a round.
    assert found["events"] == 1 + 2 * 101 + 1 + 3 * (1 + 50)
    assert found["standings_ms_median"] > 0
