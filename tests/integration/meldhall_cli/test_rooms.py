"""The tables of `meldhall bench tables` are such as an engine writes."""

from pathlib import Path

import pytest

from meldhall_cli.bench.rooms import DAY_MS, fill, playing_table, waiting_table
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_rules import registry
from meldhall_table.domain.state import Status
from meldhall_table.store.audit import audit_table
from meldhall_table.store.stream import fold

NOW = 1_790_000_000_000


async def test_tables_that_were_filled_in_hold_what_every_table_must(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'table.sqlite'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    await fill(log, waiting_table(NOW), 3, "idle", NOW)
    await fill(log, playing_table("rummy101", 4, 24, NOW), 2, "live", NOW)
    streams = await log.streams("table")
    assert [stream.stream_id for stream in streams] == [
        "idle-000000",
        "idle-000001",
        "idle-000002",
        "live-000000",
        "live-000001",
    ]
    assert [stream.wake_at_ms for stream in streams] == [None] * 3 + [NOW + DAY_MS] * 2
    for stream in streams:
        found = await audit_table(log, stream.stream_id)
        assert found.difference is None
        assert found.table is not None
        assert found.table.table_id == stream.stream_id
        assert found.moves == (24 if "live" in stream.stream_id else 0)
        assert found.table.status is (Status.PLAYING if found.moves else Status.WAITING)
    await log.close()


@pytest.mark.parametrize("game", registry.names())
def test_every_game_is_filled_in_up_to_the_last_move_of_a_round(game: str) -> None:
    history = playing_table(game, 4, 5_000, NOW)
    table = fold(None, history, NOW)[-1].table
    assert table.status is Status.PLAYING
    assert len(history) > 12
    begun = playing_table(game, 4, 3, NOW)
    assert history[: len(begun)] == begun
