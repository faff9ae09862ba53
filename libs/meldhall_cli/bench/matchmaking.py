"""`meldhall bench matchmaking`: what a tick costs while many wait, and how many enqueue a second.

The tick is the queue's alone, in this process. The crowd that it finds is one of after an outage, the worst
that there is: all came within half a minute, nobody has been looked at, every tenth came as a pair, a
quarter measured no distances, half of the pools are ranked. It is ticked as the matcher does, with as many
groups and as much work a tick as there, until nobody is left who can be matched; ``tick_ms`` is the slowest
tick of all. ``full_tick_ms`` is one tick without those limits, which finds every group at once.

The enqueues go through the real service on PostgreSQL: server, replicas of the service and clients are
processes of their own, every request is by another player with a token of his own, and durable when it is
answered. The replicas lead no pools, so that nothing but enqueuing is measured.
"""

import gc
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.bench.engine import LOOPBACK, client, running
from meldhall_cli.bench.matchmaking_client import EnqueueLoad
from meldhall_embedded import PostgresServer, ProcessSpec, free_port
from meldhall_matchmaking.domain.queue import WORK, Queue
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.matcher import OPENING
from meldhall_runtime.auth import KeyFiles, generate_keypair

SIZES: Final = (10_000, 30_000, 100_000)
POOLS: Final = 50
SPREAD_MS: Final = 30_000
TICK_MS: Final = 250
REGIONS: Final = ("america", "asia", "europe")


@dataclass(frozen=True, slots=True)
class MatchmakingPlan:
    """How many wait in the ticks, how many call how many replicas at once, and for how many seconds."""

    sizes: Sequence[int] = SIZES
    callers: int = 128
    replicas: int = 2
    seconds: float = 5.0


async def measure_matchmaking(plan: MatchmakingPlan) -> dict[str, Any]:
    """Run both parts and return what was measured; ``tick_ms`` and ``full_tick_ms`` by size.

    Raises:
        CommandFault: a process of the bench failed; says which.
        EmbeddedError: a server did not start.
    """
    ticks = {size: measure_ticks(size) for size in plan.sizes}
    enqueues = await _measure_enqueues(plan)
    return {
        **{
            f"{name}": {str(size): ticks[size][name] for size in plan.sizes}
            for name in ("full_tick_ms", "add_us", "groups")
        },
        **enqueues,
        "tick_ms": {str(size): ticks[size]["tick_ms"] for size in plan.sizes},
    }


def measure_ticks(size: int) -> dict[str, float]:
    """Let a crowd wait and match it, once in bounded ticks and once in one; return times."""
    tickets = crowd(size)
    started = time.perf_counter()
    queue = _filled(tickets)
    filled = time.perf_counter() - started
    slowest, groups = _drain(queue)
    queue = _filled(tickets)
    started = time.perf_counter()
    queue.tick(SPREAD_MS)
    whole = time.perf_counter() - started
    gc.unfreeze()
    return {
        "tick_ms": slowest * 1000,
        "full_tick_ms": whole * 1000,
        "add_us": filled / size * 1e6,
        "groups": groups,
    }


def crowd(size: int) -> list[Ticket]:
    """Return that many tickets over ``POOLS`` kinds of tables, the same at every call."""
    wishes = [
        Wish(
            "rummy101",
            (("kind", f"{number:02}"),),
            2 + number % 3,
            1,
            Play.RANKED if number % 2 else Play.QUICK,
        )
        for number in range(POOLS)
    ]
    return [_ticket(number, wishes[number % POOLS], number * SPREAD_MS // size) for number in range(size)]


def print_matchmaking(result: dict[str, Any], console: Console) -> None:
    """Print a result for people."""
    table = Table(
        "waiting", "slowest tick", "one tick for all", "to add one", title="the queue, in one process"
    )
    for size, tick in result["tick_ms"].items():
        whole, add = result["full_tick_ms"][size], result["add_us"][size]
        table.add_row(f"{int(size):,}", f"{tick:,.1f} ms", f"{whole:,.0f} ms", f"{add:.1f} µs")
    console.print(table)
    middle, late = result["enqueue_ms_p50"], result["enqueue_ms_p99"]
    times = f"median {middle:.1f} ms, 99th percentile {late:.1f} ms"
    console.print(f"enqueues on PostgreSQL: {result['enqueues_per_second']:,.0f} a second; {times}")


def _ticket(number: int, wish: Wish, at_ms: int) -> Ticket:
    chance = _mixed(number)
    rating = 900 + sum(chance >> shift & 0x1FF for shift in (3, 9, 15))
    home = REGIONS[chance % 3]
    latencies = tuple((name, 20 if name == home else 90 + (chance >> 5) % 100) for name in REGIONS)
    # Who comes as a pair follows each other in one pool: every tenth ticket and the next of its pool.
    row = number // POOLS
    paired = row % 20 in {0, 1}
    return Ticket(
        ticket_id=f"t{number:08}",
        player_id=f"p{number:08}",
        wish=wish,
        enqueued_at_ms=at_ms,
        bots_at_ms=at_ms + 10_000,
        last_seen_ms=at_ms,
        rating=rating,
        latencies=latencies if chance % 4 else (),
        party_id=f"{number % POOLS}/{row // 20}" if paired else "",
        party_size=2 if paired else 1,
    )


def _mixed(number: int) -> int:
    """Return 32 bits that depend on all bits of a number: chance that is the same in every run."""
    for _ in range(2):
        number = (number ^ number >> 16) * 0x45D9F3B & 0xFFFFFFFF
    return number ^ number >> 16


def _filled(tickets: Sequence[Ticket]) -> Queue:
    # As the services have it: what is there stays, and is not walked over in the middle of a tick.
    gc.collect()
    gc.freeze()
    queue = Queue()
    for ticket in tickets:
        queue.add(ticket, SPREAD_MS)
    return queue


def _drain(queue: Queue) -> tuple[float, int]:
    """Tick until nothing is found any more; return the time of the slowest tick, and how many groups."""
    slowest, groups = 0.0, 0
    for tick in count():
        started = time.perf_counter()
        found = queue.tick(SPREAD_MS + tick * TICK_MS, most=OPENING, work=WORK)
        slowest = max(slowest, time.perf_counter() - started)
        groups += len(found)
        if not found:
            break
    return slowest, groups


async def _measure_enqueues(plan: MatchmakingPlan) -> dict[str, float]:
    # PostgreSQL has a folder of its own: run by root, it belongs to another user.
    with (
        tempfile.TemporaryDirectory(prefix="meldhall-bench-") as name,
        tempfile.TemporaryDirectory(prefix="meldhall-bench-postgres-") as database,
    ):
        server = PostgresServer(Path(database))
        await server.start()
        try:
            keys = generate_keypair(Path(name) / "keys")
            url = await server.create_database("matchmaking")
            async with AsyncExitStack() as stack:
                ports = [free_port() for _ in range(plan.replicas)]
                for port in ports:
                    await stack.enter_async_context(running(_spec(url, keys, port)))
                load = EnqueueLoad(
                    addresses=[f"{LOOPBACK}:{port}" for port in ports],
                    signing_key=str(keys.signing_key_file),
                    callers=plan.callers,
                    seconds=plan.seconds,
                )
                return await client("meldhall_cli.bench.matchmaking_client", json.dumps(asdict(load)))
        finally:
            await server.stop()


def _spec(url: str, keys: KeyFiles, port: int) -> ProcessSpec:
    admin = free_port()
    settings = {
        "HOST": LOOPBACK,
        "PORT": str(port),
        "ADMIN_PORT": str(admin),
        "DATABASE_URL": url,
        "LEAD": "false",
        "RATE": "false",
        "AUTH_PUBLIC_KEY_FILE": str(keys.public_key_file),
        "AUTH_SIGNING_KEY_FILE": str(keys.signing_key_file),
    }
    return ProcessSpec(
        "matchmaking",
        (sys.executable, "-m", "meldhall_cli", "serve", "matchmaking"),
        {f"MELDHALL_MATCHMAKING_{name}": value for name, value in settings.items()},
        ready_url=f"http://{LOOPBACK}:{admin}/readyz",
        stop_timeout=25.0,
    )
