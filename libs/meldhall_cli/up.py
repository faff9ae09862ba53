"""`meldhall up`: the whole backend on this machine, until Ctrl-C."""

import asyncio
import os
import signal
from pathlib import Path

import structlog
from rich.console import Console
from rich.table import Table

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import Stack, data_dir
from meldhall_cli.stack_ports import LOOPBACK, MOST_ENGINES, Ports
from meldhall_runtime import SystemClock, configure_logging


def up(data: Path | None, engines: int, *, console: Console) -> None:
    """Run the stack until SIGINT or SIGTERM.

    Raises:
        CommandFault: there cannot be so many engines, or not on the database that is named.
        EmbeddedError: it did not start.
        ValueError: a port in the environment is not one.
    """
    if not 1 <= engines <= MOST_ENGINES:
        raise CommandFault(f"there are 1 to {MOST_ENGINES} table engines, not {engines}")
    configure_logging("console", "warning")
    stack = Stack(
        data=data_dir(data),
        ports=Ports.from_environment(os.environ, engines),
        log=structlog.get_logger("meldhall.up"),
        clock=SystemClock(),
        database_url=os.environ.get("MELDHALL_DATABASE_URL", "") if engines > 1 else "",
    )
    asyncio.run(_run(stack, console))


async def _run(stack: Stack, console: Console) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    console.print(f"Starting nats-server, {', '.join(stack.ports.processes)} …")
    starting = asyncio.create_task(stack.__aenter__())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        console.print("Stopped before it was up.")
        return
    starting.result()
    try:
        _welcome(stack, console)
        await stopping
        console.print("Stopping: open tables are kept and go on at the next start …")
    finally:
        stopping.cancel()
        await stack.__aexit__(None, None, None)
    console.print("Stopped.")


def _welcome(stack: Stack, console: Console) -> None:
    table = Table(title="Meldhall is up", title_justify="left", title_style="bold")
    for heading in ("service", "gRPC", "health and metrics"):
        table.add_column(heading)
    for name, (port, _admin_port) in stack.ports.processes.items():
        table.add_row(name, f"{LOOPBACK}:{port}", f"{stack.ports.admin(name)}/readyz  /metrics")
    nats = f"nats://{LOOPBACK}:{stack.ports.nats}"
    table.add_row("nats", nats, f"http://{LOOPBACK}:{stack.ports.nats_monitor}")
    if "postgres" in stack.supervisor.children:
        table.add_row("postgres", f"{LOOPBACK}:{stack.ports.postgres}", "")
    console.print(table)
    console.print(f"Data, keys and logs: {stack.data.path}", soft_wrap=True)
    console.print("Try next, in another terminal:")
    console.print("  [bold].venv/bin/meldhall demo --running --rounds 1[/]   bots play a round on this stack")
    console.print("  [bold].venv/bin/meldhall replay TABLE[/]                the round again, step by step")
    console.print("  [bold].venv/bin/meldhall token --player alice[/]        a token to call the API with")
    if len(stack.ports.engines) > 1:
        pids = ", ".join(f"{name} {stack.supervisor.children[name].pid}" for name in stack.ports.engines)
        console.print(f"Engines by process id: {pids}. One that ends is started again.", soft_wrap=True)
    console.print("Ctrl-C stops everything.")
