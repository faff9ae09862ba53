"""`meldhall bench ledger`: transfers and settlements a second, beside pgbench on the same PostgreSQL.

Database, NATS, ledger and clients are processes of their own. `pgbench -N` is its TPC-B-like load without the
contended updates, from as many clients; it is run before and after, so that a machine that others use as well
spoils both alike.
"""

import json
import re
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.bench.engine import LOOPBACK, client, running
from meldhall_cli.bench.ledger_client import LedgerLoad
from meldhall_cli.faults import CommandFault
from meldhall_embedded import NatsServer, PostgresServer, ProcessSpec, free_port
from meldhall_runtime.auth import KeyFiles, generate_keypair

PGBENCH_SCALE: Final = 10
PGBENCH_THREADS: Final = 2


@dataclass(frozen=True, slots=True)
class LedgerPlan:
    """What is measured: so many callers, for so many seconds a part, and so many results of rounds."""

    callers: int = 64
    seconds: float = 5.0
    settlements: int = 2_000


async def measure_ledger(plan: LedgerPlan) -> dict[str, float]:
    """Run everything and return what was measured.

    Raises:
        CommandFault: a process of the bench failed; says which.
        EmbeddedError: a server did not start.
    """
    # PostgreSQL has a folder of its own: run by root, it belongs to another user.
    with (
        tempfile.TemporaryDirectory(prefix="meldhall-bench-") as name,
        tempfile.TemporaryDirectory(prefix="meldhall-bench-postgres-") as database,
    ):
        folder = Path(name)
        server, nats = PostgresServer(Path(database)), NatsServer(folder / "nats")
        await server.start()
        try:
            await nats.start()
            await server.create_database("pgbench")
            await server.run_program("pgbench", "-i", "-q", "-s", str(PGBENCH_SCALE), "pgbench")
            before = await _pgbench(server, plan)
            measured = await _measure(plan, folder, await server.create_database("ledger"), nats.url)
            after = await _pgbench(server, plan)
        finally:
            await nats.stop()
            await server.stop()
    pgbench = statistics.fmean((before, after))
    return {
        "pgbench_tps": pgbench,
        "single_per_second": measured["single_per_second"],
        "single_ratio": measured["single_per_second"] / pgbench,
        "batch_per_second": measured["batch_per_second"],
        "batch_ratio": measured["batch_per_second"] / pgbench,
        "settlements_per_second": measured["settlements_per_second"],
        "single_ms_p50": measured["single_ms_p50"],
        "single_ms_p99": measured["single_ms_p99"],
    }


def print_ledger(result: dict[str, float], console: Console) -> None:
    """Print a result for people."""
    table = Table("", "a second", "to pgbench", title="the ledger on PostgreSQL")
    table.add_row("pgbench -N", f"{result['pgbench_tps']:,.0f}", "1.00")
    for title, key in (("single transfers", "single"), ("transfers in batches", "batch")):
        table.add_row(title, f"{result[f'{key}_per_second']:,.0f}", f"{result[f'{key}_ratio']:.2f}")
    table.add_row("settlements from events", f"{result['settlements_per_second']:,.0f}", "")
    console.print(table)
    times = f"{result['single_ms_p50']:.1f} ms, 99th percentile {result['single_ms_p99']:.1f} ms"
    console.print(f"a single transfer: median {times}")


async def _pgbench(server: PostgresServer, plan: LedgerPlan) -> float:
    """Return the transactions a second of `pgbench -N`."""
    seconds = str(max(1, round(plan.seconds)))
    load = ("-N", "-n", "-c", str(plan.callers), "-j", str(PGBENCH_THREADS), "-T", seconds)
    output = await server.run_program("pgbench", *load, "pgbench")
    found = re.search(r"tps = ([\d.]+)", output)
    if found is None:
        raise CommandFault(f"pgbench says no tps: {output[-300:]}")
    return float(found[1])


async def _measure(plan: LedgerPlan, folder: Path, url: str, nats_url: str) -> dict[str, float]:
    keys = generate_keypair(folder / "keys")
    port = free_port()
    async with running(_spec(url, nats_url, keys, port)):
        load = LedgerLoad(
            address=f"{LOOPBACK}:{port}",
            nats_url=nats_url,
            signing_key=str(keys.signing_key_file),
            callers=plan.callers,
            seconds=plan.seconds,
            settlements=plan.settlements,
        )
        return await client("meldhall_cli.bench.ledger_client", json.dumps(asdict(load)))


def _spec(url: str, nats_url: str, keys: KeyFiles, port: int) -> ProcessSpec:
    admin = free_port()
    settings = {
        "HOST": LOOPBACK,
        "PORT": str(port),
        "ADMIN_PORT": str(admin),
        "DATABASE_URL": url,
        "NATS_URL": nats_url,
        "AUTH_PUBLIC_KEY_FILE": str(keys.public_key_file),
        "AUTH_SIGNING_KEY_FILE": str(keys.signing_key_file),
        "RECONCILE_SECONDS": "3600",
    }
    return ProcessSpec(
        "ledger",
        (sys.executable, "-m", "meldhall_cli", "serve", "ledger"),
        {f"MELDHALL_LEDGER_{name}": value for name, value in settings.items()},
        ready_url=f"http://{LOOPBACK}:{admin}/readyz",
        stop_timeout=25.0,
    )
