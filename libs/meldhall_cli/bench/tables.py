"""`meldhall bench tables`: what tables cost an engine in memory, live ones and idle ones.

One engine process after another starts on the same database, first with a few live tables, then with idle
ones as well, then with all live ones; what a table costs is the difference of two resident sizes. A live
table is one that a player just came back to: 4 seats, its first round, 24 moves after the deal (before the
last move of a shorter round). An idle one is open and nothing is due there: one of two players sits and
waits for the other.
"""

import asyncio
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc
from prometheus_client.parser import text_string_to_metric_families

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_cli.bench.engine import LOOPBACK, engine_spec, running
from meldhall_cli.bench.rooms import DAY_MS, fill, names, playing_table, waiting_table
from meldhall_cli.faults import CommandFault
from meldhall_embedded import free_port
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_runtime import Role, TokenIssuer
from meldhall_runtime.auth import KeyFiles, generate_keypair
from meldhall_table.domain.events import Event

if TYPE_CHECKING:
    from meldhall.table.v1.table_service_pb2_grpc import TableServiceAsyncStub

FIRST: Final = 200
"""Live tables of the first engine: with them everything that tables share is loaded and counts for none."""

MOVES: Final = 24
PLAYER: Final = "player-0"
"""Who sits at every table (``rooms``)."""

JOINING_AT_ONCE: Final = 32
START_SECONDS: Final = 600.0
PATIENCE_SECONDS: Final = 30.0
TOKEN_SECONDS: Final = 7_200
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
        first = names("first", FIRST)
        await _write(url, playing, FIRST, "first", now)
        few = await _measure(url, keys, first, plan)
        await _write(url, waiting_table(now), plan.idle, "idle", now)
        idle = await _measure(url, keys, first, plan)
        await _write(url, playing, plan.live, "live", now)
        live = await _measure(url, keys, (*first, *names("live", plan.live)), plan)
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


async def _measure(url: str, keys: KeyFiles, tables: Sequence[str], plan: TablesPlan) -> _Size:
    """Start an engine, have a player come back to each of these tables, and read the engine's size."""
    admin, port = free_port(), free_port()
    settings = {"max_tables": str(FIRST + plan.live + plan.idle), "idle_seconds": str(DAY_MS // 1000)}
    spec = engine_spec(url, keys, port=port, admin=admin, settings=settings)
    started = time.monotonic()
    async with running(replace(spec, ready_timeout=START_SECONDS)):
        await _join(port, keys, tables)
        seconds = time.monotonic() - started
        while (await _metrics(admin))[LIVE] < len(tables):
            if time.monotonic() - started > seconds + PATIENCE_SECONDS:
                raise CommandFault(
                    f"{len(tables)} tables are not live {PATIENCE_SECONDS:.0f} s after their use"
                )
            await asyncio.sleep(0.1)
        await asyncio.sleep(SETTLED_SECONDS)
        found = await _metrics(admin)
        return _Size(int(found[LIVE]), found[RESIDENT], found[TASKS], seconds)


async def _join(port: int, keys: KeyFiles, tables: Sequence[str]) -> None:
    """Join tables where the player sits already, which changes nothing and brings them into memory."""
    issuer = TokenIssuer.from_file(keys.signing_key_file)
    token = issuer.issue(PLAYER, Role.PLAYER, ttl_seconds=TOKEN_SECONDS)
    gate = asyncio.Semaphore(JOINING_AT_ONCE)
    async with grpc.aio.insecure_channel(f"{LOOPBACK}:{port}") as channel:
        stub: TableServiceAsyncStub = TableServiceStub(channel)

        async def join(table_id: str) -> None:
            async with gate:
                request = pb.JoinRequest(table_id=table_id, command_id="bench")
                await stub.Join(request, metadata=(("authorization", f"Bearer {token}"),), timeout=60)

        await asyncio.gather(*map(join, tables))


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
