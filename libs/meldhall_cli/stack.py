"""The whole backend on one machine: nats-server and every service, each a process of its own."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from structlog.typing import FilteringBoundLogger

from meldhall_cli.stack_logs import StackLogs
from meldhall_embedded import (
    DataDir,
    NatsServer,
    ProcessSpec,
    StackState,
    Supervisor,
    check_port,
    free_port,
)
from meldhall_runtime import Clock
from meldhall_runtime.auth import PUBLIC_KEY_NAME, SIGNING_KEY_NAME, KeyFiles, generate_keypair
from meldhall_runtime.config import DEFAULT_PORTS

NATS_PORT: Final = 7430
NATS_MONITOR_PORT: Final = 7431
SERVICES: Final = ("ledger", "table", "matchmaking")
LOOPBACK: Final = "127.0.0.1"

_PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ledger": ("table",),
    "table": ("ledger",),
    "matchmaking": ("table",),
}
"""Which services each one calls."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a stack listens: NATS, its monitor, and a gRPC and an admin port a service."""

    nats: int
    nats_monitor: int
    services: Mapping[str, tuple[int, int]]

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Ports":
        """The documented ports, or those that the environment names.

        Raises:
            ValueError: a variable is not a port; names it.
        """

        def port(name: str, default: int) -> int:
            given = environ.get(name, "")
            if not given:
                return default
            if not given.isdecimal() or not 0 < int(given) < 65536:
                raise ValueError(f"{name} = {given!r} is not a port; give a number from 1 to 65535")
            return int(given)

        return cls(
            nats=port("MELDHALL_NATS_PORT", NATS_PORT),
            nats_monitor=port("MELDHALL_NATS_MONITOR_PORT", NATS_MONITOR_PORT),
            services={
                name: (
                    port(f"MELDHALL_{name.upper()}_PORT", DEFAULT_PORTS[name][0]),
                    port(f"MELDHALL_{name.upper()}_ADMIN_PORT", DEFAULT_PORTS[name][1]),
                )
                for name in SERVICES
            },
        )

    @classmethod
    def free(cls) -> "Ports":
        """Free ports, for a stack that nobody has to find."""
        return cls(
            nats=free_port(),
            nats_monitor=free_port(),
            services={name: (free_port(), free_port()) for name in SERVICES},
        )

    def address(self, service: str) -> str:
        """Return where a service answers gRPC."""
        return f"{LOOPBACK}:{self.services[service][0]}"

    def admin(self, service: str) -> str:
        """Return where a service answers /readyz and /metrics."""
        return f"http://{LOOPBACK}:{self.services[service][1]}"


@dataclass
class Stack:
    """A backend on one data folder; ``async with`` starts and stops it.

    ``env`` is laid over the environment of every service, for settings such as times.

    Raises:
        EmbeddedError: on entering; the folder is in use, a port is taken, a process did not come up.
    """

    data: DataDir
    ports: Ports
    log: FilteringBoundLogger
    clock: Clock
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._logs = StackLogs(self.data.logs)
        self._supervisor = Supervisor(self.log, self._logs.write)

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
            await self._supervisor.start([await nats.prepare(), *(self._spec(name) for name in SERVICES)])
            self.data.write_state(
                StackState(os.getpid(), self.clock.now_ms(), {**self.addresses(), "nats": nats.url})
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
        """Return where each service answers gRPC."""
        return {name: self.ports.address(name) for name in SERVICES}

    async def _close(self) -> None:
        await self._supervisor.stop()
        self._logs.close()
        self.data.release()

    def _check_ports(self) -> None:
        """Refuse a taken port before anything is started, by the name of its setting."""
        for name in SERVICES:
            port, admin_port = self.ports.services[name]
            check_port(port, f"MELDHALL_{name.upper()}_PORT")
            check_port(admin_port, f"MELDHALL_{name.upper()}_ADMIN_PORT")

    def _spec(self, name: str) -> ProcessSpec:
        port, admin_port = self.ports.services[name]
        keys = self.keys
        own = f"MELDHALL_{name.upper()}"
        env = {
            f"{own}_HOST": LOOPBACK,
            f"{own}_PORT": str(port),
            f"{own}_ADMIN_PORT": str(admin_port),
            f"{own}_DATABASE_URL": f"sqlite+aiosqlite:///{self.data.database(name)}",
            f"{own}_NATS_URL": f"nats://{LOOPBACK}:{self.ports.nats}",
            f"{own}_AUTH_PUBLIC_KEY_FILE": str(keys.public_key_file),
            f"{own}_AUTH_SIGNING_KEY_FILE": str(keys.signing_key_file),
            f"{own}_DIE_WITH_PARENT": "true",
            **{f"{own}_{peer.upper()}_ADDRESS": self.ports.address(peer) for peer in _PEERS[name]},
            **self.env,
        }
        command = (sys.executable, "-m", "meldhall_cli", "serve", name)
        return ProcessSpec(
            name, command, env, ready_url=f"{self.ports.admin(name)}/readyz", stop_timeout=25.0
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
