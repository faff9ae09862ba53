"""`meldhall bench moves`: durable moves a second, all seats told, beside a bare echo of grpc.aio.

Engine, players, echo and its client are processes of their own, and so is the database where it is a server.
Echoes are measured before and after the moves, so that a machine that others use as well spoils both alike.
"""

import json
import statistics
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.bench.echo import EchoLoad
from meldhall_cli.bench.engine import LOOPBACK, client, engine_spec, running
from meldhall_cli.bench.moves_client import MovesLoad
from meldhall_embedded import PostgresServer, ProcessSpec, check_port, free_port
from meldhall_runtime.auth import generate_keypair

WARM_UP_SECONDS: Final = 2.0
CONNECTIONS: Final = 4
ECHO_BYTES: Final = 15
"""About the mean of what a move sends and is sent, which the result has as ``message_bytes``."""


@dataclass(frozen=True, slots=True)
class MovesPlan:
    """What is measured: so many tables of so many seats, for so many seconds, on a database.

    ``database`` is ``sqlite`` (a file of its own), ``postgres`` (a server of its own) or the URL of an empty
    database.
    """

    tables: int = 200
    seats: int = 2
    seconds: float = 10.0
    database: str = "sqlite"


async def measure_moves(plan: MovesPlan) -> dict[str, float]:
    """Run everything and return what was measured.

    Raises:
        CommandFault: a process of the bench failed; says which, and what it wrote last.
        EmbeddedError: a server did not start.
    """
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-") as name:
        folder = Path(name)
        before = await _measure_echo(plan)
        moves = await _measure_engine(plan, folder)
        after = await _measure_echo(plan)
    echo = {key: statistics.fmean((before[key], after[key])) for key in before}
    return moves | echo | {"ratio": moves["moves_per_second"] / echo["echo_per_second"]}


def print_moves(result: dict[str, float], console: Console) -> None:
    """Print a result for people."""
    table = Table("", "full", "half", title="moves, durable and told to every seat")
    for title, key in (
        ("moves a second", "moves_per_second"),
        ("acknowledged, median, ms", "ack_ms_p50"),
        ("acknowledged, 99th percentile, ms", "ack_ms_p99"),
        ("all seats told, median, ms", "seen_ms_p50"),
        ("all seats told, 99th percentile, ms", "seen_ms_p99"),
        ("CPU time of the engine a move, µs", "engine_cpu_us"),
        ("CPU time of the players a move, µs", "client_cpu_us"),
    ):
        table.add_row(title, f"{result[key]:,.1f}", f"{result['half_' + key]:,.1f}")
    console.print(table)
    console.print(
        f"bare echo: {result['echo_per_second']:,.0f} a second, {result['echo_cpu_us']:,.0f} µs of CPU each "
        f"at the server, {result['echo_client_cpu_us']:,.0f} µs at the client; "
        f"moves to echoes: [bold]{result['ratio']:.2f}[/bold]"
    )


async def _measure_echo(plan: MovesPlan) -> dict[str, float]:
    port = free_port()
    check_port(port, "")
    command = (sys.executable, "-m", "meldhall_cli.bench.echo", "serve", str(port))
    async with running(ProcessSpec("echo", command)) as server:
        load = EchoLoad(
            address=f"{LOOPBACK}:{port}",
            server=server.pid or 0,
            groups=plan.tables,
            streams=plan.seats,
            size=ECHO_BYTES,
            warm_up=WARM_UP_SECONDS,
            seconds=plan.seconds / 2,
            connections=CONNECTIONS,
        )
        return await client("meldhall_cli.bench.echo", "load", json.dumps(asdict(load)))


async def _measure_engine(plan: MovesPlan, folder: Path) -> dict[str, float]:
    keys = generate_keypair(folder / "keys")
    async with AsyncExitStack() as stack:
        url = await _database(plan.database, folder, stack)
        port = free_port()
        engine = await stack.enter_async_context(running(engine_spec(url, keys, port=port)))
        load = MovesLoad(
            address=f"{LOOPBACK}:{port}",
            server=engine.pid or 0,
            signing_key=str(keys.signing_key_file),
            tables=plan.tables,
            seats=plan.seats,
            warm_up=WARM_UP_SECONDS,
            seconds=plan.seconds,
            connections=CONNECTIONS,
        )
        return await client("meldhall_cli.bench.moves_client", json.dumps(asdict(load)))


async def _database(wanted: str, folder: Path, stack: AsyncExitStack) -> str:
    if wanted == "sqlite":
        return f"sqlite+aiosqlite:///{folder / 'table.sqlite3'}"
    if wanted != "postgres":
        return wanted
    server = PostgresServer(_passable(stack.enter_context(tempfile.TemporaryDirectory())) / "postgres")
    await server.start()
    stack.push_async_callback(server.stop)
    return await server.create_database("meldhall_bench")


def _passable(folder: str) -> Path:
    """Let other users into a folder: PostgreSQL runs as one of them where we are root."""
    path = Path(folder)
    path.chmod(0o711)
    return path
