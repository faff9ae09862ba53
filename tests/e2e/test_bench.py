"""`meldhall bench` where it measures running engines."""

import json

import pytest
from tests.fixtures.command import run_command

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
    assert found["tasks_per_idle_table"] == 0


@pytest.mark.timeout(120)
async def test_the_bench_of_matchmaking_measures_ticks_and_enqueues_on_postgresql() -> None:
    plan = MatchmakingPlan(sizes=(500,), callers=8, replicas=2, seconds=0.3)
    found = await measure_matchmaking(plan)
    assert found["tick_ms"].keys() == found["full_tick_ms"].keys() == {"500"}
    assert list(found)[-1] == "tick_ms"
    assert found["enqueues_per_second"] > 0
    assert 0 < found["enqueue_ms_p50"] <= found["enqueue_ms_p99"]
