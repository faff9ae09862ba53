"""The whole backend on one machine: nats-server and every service, each a process of its own.

With several table engines there is a PostgreSQL too, which they share.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from structlog.typing import FilteringBoundLogger

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack_logs import StackLogs
from meldhall_cli.stack_ports import LOOPBACK, SERVICES, Ports, service_of, setting_of
from meldhall_embedded import (
    DataDir,
    NatsServer,
    PostgresServer,
    ProcessSpec,
    StackState,
    Supervisor,
    check_port,
)
from meldhall_runtime import Clock
from meldhall_runtime.auth import PUBLIC_KEY_NAME, SIGNING_KEY_NAME, KeyFiles, generate_keypair

_PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ledger": ("table",),
    "table": ("ledger",),
    "matchmaking": ("table", "ledger"),
    "tournament": ("table", "ledger"),
}
"""Which services each one calls."""


@dataclass
class Stack:
    """A backend on one data folder; ``async with`` starts and stops it.

    There are as many table engines as ``ports`` has ports for. ``env`` is laid over the environment of every
    service, for settings such as times. ``database_url`` names the PostgreSQL of several engines; where it is
    empty, the stack runs one of its own.

    Raises:
        CommandFault: on entering; the database cannot be shared by engines.
        EmbeddedError: on entering; the folder is in use, a port is taken, a process did not come up.
    """

    data: DataDir
    ports: Ports
    log: FilteringBoundLogger
    clock: Clock
    env: Mapping[str, str] = field(default_factory=dict)
    database_url: str = ""

    def __post_init__(self) -> None:
        self._logs = StackLogs(self.data.logs)
        self._supervisor = Supervisor(self.log, self._logs.write)
        self._log_url = ""

    @property
    def supervisor(self) -> Supervisor:
        """The processes."""
        return self._supervisor

    @property
    def keys(self) -> KeyFiles:
        """The keys that tokens are signed and checked with, made at the first start."""
        return stack_keys(self.data)

    async def __aenter__(self) -> Self:
        self.data.lock()
        try:
            self._check_ports()
            nats = NatsServer(self.data.nats, port=self.ports.nats, monitor_port=self.ports.nats_monitor)
            await self._supervisor.start([await nats.prepare()])
            self._log_url = await self._log_database()
            await self._supervisor.start([self._spec(name) for name in self.ports.processes])
            self.data.write_state(
                StackState(
                    os.getpid(), self.clock.now_ms(), {**self.addresses(), "nats": nats.url}, self._log_url
                )
            )
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.shield(self._close())

    def addresses(self) -> dict[str, str]:
        """Return where each service answers gRPC; several engines with commas between."""
        found = {name: self.ports.address(name) for name in SERVICES}
        return {name: address for name, address in found.items() if address}

    async def _close(self) -> None:
        await self._supervisor.stop()
        self._logs.close()
        self.data.release()

    def _check_ports(self) -> None:
        """Refuse a taken port before anything is started, by the name of its setting."""
        for name, (port, admin_port) in self.ports.processes.items():
            check_port(port, f"{setting_of(name)}_PORT")
            check_port(admin_port, f"{setting_of(name)}_ADMIN_PORT")

    async def _log_database(self) -> str:
        """Return the URL of the tables' log; start a PostgreSQL where engines need one."""
        if len(self.ports.engines) == 1:
            return f"sqlite+aiosqlite:///{self.data.database('table')}"
        if self.database_url:
            if not self.database_url.startswith("postgresql"):
                raise CommandFault("several engines share a PostgreSQL; MELDHALL_DATABASE_URL names none")
            return self.database_url
        server = PostgresServer(self.data.postgres, port=self.ports.postgres)
        await self._supervisor.start([await server.prepare()])
        return server.url()

    def _spec(self, process: str) -> ProcessSpec:
        name = service_of(process)
        port, admin_port = self.ports.processes[process]
        keys = self.keys
        own = f"MELDHALL_{name.upper()}"
        database = self._log_url if name == "table" else f"sqlite+aiosqlite:///{self.data.database(name)}"
        env = {
            f"{own}_HOST": LOOPBACK,
            f"{own}_PORT": str(port),
            f"{own}_ADMIN_PORT": str(admin_port),
            f"{own}_DATABASE_URL": database,
            f"{own}_NATS_URL": f"nats://{LOOPBACK}:{self.ports.nats}",
            f"{own}_AUTH_PUBLIC_KEY_FILE": str(keys.public_key_file),
            f"{own}_AUTH_SIGNING_KEY_FILE": str(keys.signing_key_file),
            f"{own}_DIE_WITH_PARENT": "true",
            **{f"{own}_{peer.upper()}_ADDRESS": self.ports.address(peer) for peer in _PEERS[name]},
            **self.env,
        }
        command = (sys.executable, "-m", "meldhall_cli", "serve", name)
        return ProcessSpec(
            process, command, env, ready_url=f"{self.ports.admin(process)}/readyz", stop_timeout=25.0
        )


def stack_keys(data: DataDir) -> KeyFiles:
    """Return the keys of a data folder, made where there are none."""
    files = KeyFiles(data.keys / PUBLIC_KEY_NAME, data.keys / SIGNING_KEY_NAME)
    if files.signing_key_file.exists() and files.public_key_file.exists():
        return files
    return generate_keypair(data.keys)


def data_dir(folder: Path | None) -> DataDir:
    """Return the data folder that was named, by MELDHALL_DATA or else the usual one."""
    named = folder or (Path(os.environ["MELDHALL_DATA"]) if os.environ.get("MELDHALL_DATA") else None)
    return DataDir(named) if named else DataDir()
