"""`meldhall bench tables`: what tables cost an engine in memory, live ones and idle ones.

One engine process after another starts on the same database, first with a few live tables, then with idle
ones as well, then with all live ones; what a table costs is the difference of two resident sizes. A live
table is one where a turn runs: 4 seats, its first round, 24 moves after the deal (before the last move of a
shorter round). An idle one is open and
nothing is due there: one of two players sits and waits for the other.
"""

import asyncio
import tempfile
import time
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from meldhall_cli.bench.engine import LOOPBACK, engine_spec, running
from meldhall_cli.bench.rooms import fill, playing_table, waiting_table
from meldhall_cli.faults import CommandFault
from meldhall_embedded import free_port
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_runtime.auth import KeyFiles, generate_keypair
from meldhall_table.domain.events import Event

FIRST: Final = 200
"""Live tables of the first engine: with them everything that tables share is loaded and counts for none."""

MOVES: Final = 24
START_SECONDS: Final = 1_200.0
SETTLED_SECONDS: Final = 3.0
LIVE: Final = "meldhall_table_tables_live"
RESIDENT: Final = "process_resident_memory_bytes"
TASKS: Final = "meldhall_runtime_loop_tasks"


@dataclass(frozen=True, slots=True)
class TablesPlan:
    """How many tables of each kind, and the game of the live ones."""

    live: int = 10_000
    idle: int = 100_000
    game: str = "rummy101"


@dataclass(frozen=True, slots=True)
class _Size:
    tables: int
    resident: float
    tasks: float
    seconds: float


async def measure_tables(plan: TablesPlan) -> dict[str, float]:
    """Run the engines and return what was measured.

    Raises:
        CommandFault: the tables did not become live in time.
        EmbeddedError: an engine did not start.
    """
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-") as name:
        folder = Path(name)
        keys = generate_keypair(folder / "keys")
        url = f"sqlite+aiosqlite:///{folder / 'table.sqlite3'}"
        await asyncio.to_thread(upgrade, url)
        now = int(time.time() * 1000)
        playing = playing_table(plan.game, 4, MOVES, now)
        await _write(url, playing, FIRST, "first", now)
        few = await _measure(url, keys, FIRST, plan)
        await _write(url, waiting_table(now), plan.idle, "idle", now)
        idle = await _measure(url, keys, FIRST, plan)
        await _write(url, playing, plan.live, "live", now)
        live = await _measure(url, keys, FIRST + plan.live, plan)
    return {
        "bytes_per_live_table": (live.resident - idle.resident) / plan.live,
        "tasks_per_live_table": (live.tasks - idle.tasks) / plan.live,
        "live_tables": plan.live,
        "bytes_per_idle_table": (idle.resident - few.resident) / plan.idle,
        "tasks_per_idle_table": (idle.tasks - few.tasks) / plan.idle,
        "idle_tables": plan.idle,
        "engine_bytes": few.resident,
        "seconds_to_live": live.seconds,
    }


async def _write(url: str, template: tuple[Event, ...], count: int, prefix: str, now_ms: int) -> None:
    log = await SqlEventLog.open(url)
    try:
        await fill(log, template, count, prefix, now_ms)
    finally:
        await log.close()


async def _measure(url: str, keys: KeyFiles, tables: int, plan: TablesPlan) -> _Size:
    """Start an engine, wait until it has so many live tables, and read its size."""
    admin = free_port()
    settings = {"max_tables": str(FIRST + plan.live + plan.idle)}
    spec = engine_spec(url, keys, port=free_port(), admin=admin, settings=settings)
    started = time.monotonic()
    async with running(replace(spec, ready_timeout=START_SECONDS)):
        while (await _metrics(admin))[LIVE] < tables:
            if time.monotonic() - started > START_SECONDS:
                raise CommandFault(f"{tables} tables were not live after {START_SECONDS:.0f} seconds")
            await asyncio.sleep(0.1)
        seconds = time.monotonic() - started
        await asyncio.sleep(SETTLED_SECONDS)
        found = await _metrics(admin)
        return _Size(int(found[LIVE]), found[RESIDENT], found[TASKS], seconds)


async def _metrics(admin: int) -> dict[str, float]:
    """Return the metrics of an engine that have no labels."""

    def get() -> str:
        url = f"http://{LOOPBACK}:{admin}/metrics"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return str(answer.read().decode())

    families = text_string_to_metric_families(await asyncio.to_thread(get))
    return {
        sample.name: sample.value for family in families for sample in family.samples if not sample.labels
    }
