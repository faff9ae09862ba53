"""`meldhall bench log`: appends to an event log in SQLite, and reads from it."""

import asyncio
import tempfile
import uuid
from pathlib import Path

from meldhall_eventlog import FIRST, Append, NewEvent, SqlEventLog
from meldhall_eventlog.migrate import upgrade

PAYLOAD_BYTES = 256


async def measure_log(seconds: float) -> dict[str, float]:
    """Appends a second, one after another and 64 at a time, each durable; events read a second."""
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-") as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'log.sqlite3'}"
        await asyncio.to_thread(upgrade, url)
        log = await SqlEventLog.open(url)
        try:
            lone, latencies = await _append_for(log, 1, seconds)
            together, _ = await _append_for(log, 64, seconds)
            started = asyncio.get_running_loop().time()
            read, position = 0, FIRST
            while page := await log.read_all(after=position, limit=500):
                read += len(page)
                position = page[-1].position
            reading = asyncio.get_running_loop().time() - started
        finally:
            await log.close()
    latencies.sort()
    return {
        "appends_per_second": lone,
        "append_ms_p50": latencies[len(latencies) // 2] * 1000,
        "append_ms_p99": latencies[len(latencies) * 99 // 100] * 1000,
        "appends_per_second_64_writers": together,
        "events_read_per_second": read / reading,
    }


async def _append_for(log: SqlEventLog, writers: int, seconds: float) -> tuple[float, list[float]]:
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    started = loop.time()

    async def write(stream_id: str) -> None:
        version = 0
        while loop.time() - started < seconds:
            event = NewEvent(uuid.uuid4(), "meldhall.bench.v1.Event", 1, bytes(PAYLOAD_BYTES), public=False)
            before = loop.time()
            await log.append(
                Append(
                    stream_id=stream_id,
                    category="bench",
                    shard=0,
                    expected_version=version,
                    epoch=0,
                    events=(event,),
                    recorded_at_ms=0,
                    command_id=f"command-{version}",
                )
            )
            latencies.append(loop.time() - before)
            version += 1

    async with asyncio.TaskGroup() as group:
        for number in range(writers):
            group.create_task(write(f"bench-{writers}-{number}"))
    return len(latencies) / (loop.time() - started), latencies
