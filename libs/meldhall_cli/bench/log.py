"""`meldhall bench log`: appends to an event log on SQLite and on PostgreSQL, and reads from it."""

import asyncio
import os
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

from meldhall_embedded import PostgresServer
from meldhall_eventlog import FIRST, Append, NewEvent, SqlEventLog, appending
from meldhall_eventlog.migrate import upgrade

PAYLOAD_BYTES = 256

Write = Callable[[Append], Awaitable[object]]


async def measure_log(seconds: float) -> dict[str, float]:
    """Appends and reads of both databases, each with every commit on the disk.

    Appends one after another and 64 at a time; how long a lone append takes, and how long its statements take
    without the log around them, which shows what sharing commits costs the one that has nobody to share with.
    """
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-") as name:
        folder = Path(name)
        # PostgreSQL's user is another one where this is root.
        await asyncio.to_thread(folder.chmod, 0o711 if os.geteuid() == 0 else 0o700)
        found = _named("sqlite", await _measure(f"sqlite+aiosqlite:///{folder / 'log.sqlite3'}", seconds))
        server = PostgresServer(folder / "postgres")
        await server.start()
        try:
            url = await server.create_database("bench")
            return found | _named("postgres", await _measure(url, seconds))
        finally:
            await server.stop()


def _named(database: str, found: dict[str, float]) -> dict[str, float]:
    return {f"{database}_{name}": value for name, value in found.items()}


async def _measure(url: str, seconds: float) -> dict[str, float]:
    await asyncio.to_thread(upgrade, url)
    log = await SqlEventLog.open(url)

    async def alone(request: Append) -> object:
        return await log.database.write(lambda connection: appending.append(connection, request))

    try:
        await _append_for(log.append, "warm-up", 1, min(seconds, 0.5))
        bare = await _append_for(alone, "bare", 1, seconds)
        lone = await _append_for(log.append, "lone", 1, seconds)
        together = await _append_for(log.append, "together", 64, seconds)
        started = asyncio.get_running_loop().time()
        read, position = 0, FIRST
        while page := await log.read_all(after=position, limit=500):
            read += len(page)
            position = page[-1].position
        reading = asyncio.get_running_loop().time() - started
    finally:
        await log.close()
    return {
        "appends_per_second": len(lone) / seconds,
        "append_ms_p50": _quantile(lone, 0.5),
        "append_ms_p99": _quantile(lone, 0.99),
        "append_bare_ms_p50": _quantile(bare, 0.5),
        "appends_per_second_64_writers": len(together) / seconds,
        "append_64_writers_ms_p50": _quantile(together, 0.5),
        "events_read_per_second": read / reading,
    }


def _quantile(latencies: list[float], share: float) -> float:
    return sorted(latencies)[int(len(latencies) * share)] * 1000


async def _append_for(write: Write, name: str, writers: int, seconds: float) -> list[float]:
    """Append for so long and return how long each append took, in seconds."""
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    started = loop.time()

    async def go_on(stream_id: str) -> None:
        version = 0
        while loop.time() - started < seconds:
            request = _request(stream_id, version)
            before = loop.time()
            await write(request)
            latencies.append(loop.time() - before)
            version += 1

    async with asyncio.TaskGroup() as group:
        for number in range(writers):
            group.create_task(go_on(f"{name}-{number}"))
    return latencies


def _request(stream_id: str, version: int) -> Append:
    event = NewEvent(uuid.uuid4(), "meldhall.bench.v1.Event", 1, bytes(PAYLOAD_BYTES), public=False)
    return Append(
        stream_id=stream_id,
        category="bench",
        shard=0,
        expected_version=version,
        epoch=0,
        events=(event,),
        recorded_at_ms=0,
        command_id=f"command-{version}",
    )
