"""`meldhall bench` where it measures running engines."""

import json

import pytest
from tests.fixtures.command import run_command


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
