"""`meldhall bench` where it measures running engines."""

import json

import pytest
from tests.fixtures.command import run_command

from meldhall_cli.bench.ledger import LedgerPlan, measure_ledger
from meldhall_cli.bench.matchmaking import MatchmakingPlan, measure_matchmaking


@pytest.mark.timeout(300)
async def test_the_bench_of_tables_measures_live_and_idle_ones() -> None:
    code, out, err = await run_command(
        "bench", "tables", "--live", "300", "--idle", "300", "--json", seconds=240
    )
    assert code == 0, err
    found = json.loads(out.splitlines()[-1])
    assert (found["live_tables"], found["idle_tables"]) == (300, 300)
    # Less than a page of memory, or a whole megabyte, would be a bench that measures something else.
    assert 1_000 < found["bytes_per_live_table"] < 1_000_000
    # A task of the engine itself may run at one moment of looking and not at the other.
    assert abs(found["tasks_per_idle_table"]) < 0.1


@pytest.mark.timeout(120)
async def test_the_bench_of_matchmaking_measures_ticks_and_enqueues_on_postgresql() -> None:
    plan = MatchmakingPlan(sizes=(500,), callers=8, replicas=2, seconds=0.3)
    found = await measure_matchmaking(plan)
    assert found["tick_ms"].keys() == found["full_tick_ms"].keys() == {"500"}
    assert list(found)[-1] == "tick_ms"
    assert found["enqueues_per_second"] > 0
    assert 0 < found["enqueue_ms_p50"] <= found["enqueue_ms_p99"]


@pytest.mark.timeout(120)
async def test_the_bench_of_boards_looks_places_up_and_explains_how() -> None:
    code, out, err = await run_command("bench", "boards", "--board-players", "2000", "--json", seconds=100)
    assert code == 0, err
    found = json.loads(out.splitlines()[-1])
    assert found["players"] == 2000
    assert 0 < found["rank_ms_p50"] <= found["rank_ms_p99"]
    assert "board_entries_by_place" in out + err


@pytest.mark.timeout(180)
async def test_the_bench_of_the_ledger_measures_transfers_and_settlements_beside_pgbench() -> None:
    found = await measure_ledger(LedgerPlan(callers=4, seconds=0.5, settlements=20))
    assert {"pgbench_tps", "single_ratio", "batch_ratio", "settlements_per_second"} <= found.keys()
    assert all(value > 0 for value in found.values())
