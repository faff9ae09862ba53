"""Snapshots are deleted again and again while a table plays: nobody misses anything."""

import asyncio
from pathlib import Path

from tests.fixtures.tables import BOT, OPEN, new_table, table_engine

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_eventlog import SqlEventLog
from meldhall_runtime.testing import Keys
from meldhall_table.store.audit import audit_table
from meldhall_table.store.stream import read_steps, replay

TIMES = 8


async def deleted(log: SqlEventLog) -> int:
    """Wait until there are snapshots, and delete them."""
    async with asyncio.timeout(30):
        while not (found := await log.delete_snapshots()):  # noqa: ASYNC110 - rows, not events of this loop
            await asyncio.sleep(0.01)
    return found


async def test_deleting_snapshots_while_tables_play_loses_nothing(tmp_path: Path) -> None:
    keys, seen = Keys(), 0
    # An absent player's turns are played for him, so that the table goes on by itself.
    request = new_table(OPEN, BOT, BOT, rounds=20, turn_ms=100)
    for _ in range(2):
        async with table_engine(tmp_path, keys=keys, snapshot_events=16) as engine:
            table_id = await engine.open(request)
            (anna,) = await engine.seat(table_id, "anna")
            log = await SqlEventLog.open(engine.url)
            for _ in range(TIMES):
                assert await deleted(log)
                # Whoever watches again, from where he was, is told every version.
                call = anna.stub.Watch(pb.WatchRequest(table_id=table_id, after_version=seen))
                for version in range(seen + 1, seen + 6):
                    assert (await call.read()).event.version == version
                seen += 5
                call.cancel()
            await log.close()
    log = await SqlEventLog.open(engine.url)
    steps = [step async for step in read_steps(log, table_id)]
    again = await replay(log, table_id)
    assert again is not None
    assert again.table == steps[-1].table
    assert (await audit_table(log, table_id)).difference is None
    await log.close()
