"""Servers and clients as processes of their own, for benches."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from meldhall_cli.faults import CommandFault
from meldhall_embedded import ChildProcess, ProcessSpec, free_port
from meldhall_runtime.auth import KeyFiles

LOOPBACK: Final = "127.0.0.1"


def engine_spec(
    url: str, keys: KeyFiles, *, port: int, admin: int = 0, settings: Mapping[str, str] | None = None
) -> ProcessSpec:
    """Return what starts an engine without a relay.

    Args:
        url: of its database.
        keys: whose tokens it takes.
        port: where it serves.
        admin: its port for metrics and probes, a free one when 0.
        settings: further settings of the role ``table`` by name.
    """
    admin = admin or free_port()
    chosen = {
        "HOST": LOOPBACK,
        "PORT": str(port),
        "ADMIN_PORT": str(admin),
        "DATABASE_URL": url,
        "RELAY": "false",
        "AUTH_PUBLIC_KEY_FILE": str(keys.public_key_file),
    } | {name.upper(): value for name, value in (settings or {}).items()}
    env = {f"MELDHALL_TABLE_{name}": value for name, value in chosen.items()}
    command = (sys.executable, "-m", "meldhall_cli", "serve", "table")
    return ProcessSpec(
        "engine", command, env, ready_url=f"http://{LOOPBACK}:{admin}/readyz", stop_timeout=25.0
    )


@asynccontextmanager
async def running(spec: ProcessSpec) -> AsyncIterator[ChildProcess]:
    """Run a process for the time of a block."""
    child = ChildProcess(spec)
    await child.start()
    try:
        yield child
    finally:
        await child.stop()


async def client(module: str, *arguments: str) -> dict[str, float]:
    """Run a client to its end and return what it measured.

    Raises:
        CommandFault: it failed; what it wrote is above.
    """
    command = (sys.executable, "-m", module, *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise CommandFault(f"{module} ended with status {process.returncode}; what it wrote is above")
    measured: dict[str, Any] = json.loads(output.splitlines()[-1])
    return {key: float(value) for key, value in measured.items()}
