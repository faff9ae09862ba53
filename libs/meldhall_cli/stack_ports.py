"""Where the processes of a stack listen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meldhall_embedded import free_port
from meldhall_runtime.config import DEFAULT_PORTS

LOOPBACK: Final = "127.0.0.1"
NATS_PORT: Final = 7430
NATS_MONITOR_PORT: Final = 7431
POSTGRES_PORT: Final = 7432
ENGINE_PORT: Final = 7440
"""gRPC port of table engine n, from the second on, is n higher; its admin port ten higher than that."""

SERVICES: Final = ("ledger", "table", "matchmaking", "tournament")
MOST_ENGINES: Final = 9


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports of a stack: NATS, its monitor, PostgreSQL, and a gRPC and an admin port a process of ours.

    The processes go by the names of their services; several table engines by "table-1", "table-2"…
    """

    nats: int
    nats_monitor: int
    postgres: int
    processes: Mapping[str, tuple[int, int]]

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], engines: int = 1) -> "Ports":
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

        def pair(process: str) -> tuple[int, int]:
            setting, (own, admin) = setting_of(process), _defaults(process)
            return port(f"{setting}_PORT", own), port(f"{setting}_ADMIN_PORT", admin)

        return cls(
            nats=port("MELDHALL_NATS_PORT", NATS_PORT),
            nats_monitor=port("MELDHALL_NATS_MONITOR_PORT", NATS_MONITOR_PORT),
            postgres=port("MELDHALL_POSTGRES_PORT", POSTGRES_PORT),
            processes={name: pair(name) for name in (*_names(engines), "tournament")},
        )

    @classmethod
    def free(cls, engines: int = 1, *, tournaments: bool = False) -> "Ports":
        """Free ports, for a stack that nobody has to find; one without tournaments starts sooner."""
        names = (*_names(engines), "tournament") if tournaments else _names(engines)
        return cls(
            nats=free_port(),
            nats_monitor=free_port(),
            postgres=free_port(),
            processes={name: (free_port(), free_port()) for name in names},
        )

    @property
    def engines(self) -> tuple[str, ...]:
        """Names of the table engines."""
        return tuple(name for name in self.processes if service_of(name) == "table")

    def address(self, service: str) -> str:
        """Return where a service answers gRPC; several engines with commas between."""
        found = [pair[0] for name, pair in self.processes.items() if service_of(name) == service]
        return ",".join(f"{LOOPBACK}:{port}" for port in found)

    def admin(self, process: str) -> str:
        """Return where a process answers /readyz and /metrics."""
        return f"http://{LOOPBACK}:{self.processes[process][1]}"


def service_of(process: str) -> str:
    """Return the service that a process of a stack is."""
    return process.partition("-")[0]


def setting_of(process: str) -> str:
    """Return what the names of the settings of a process's ports begin with."""
    service, _, number = process.partition("-")
    return f"MELDHALL_ENGINE_{number}" if number not in {"", "1"} else f"MELDHALL_{service.upper()}"


def _names(engines: int) -> tuple[str, ...]:
    """Return the names of the processes that every stack has, in the order in which they are started."""
    tables = ("table",) if engines == 1 else tuple(f"table-{number}" for number in range(1, engines + 1))
    return ("ledger", *tables, "matchmaking")


def _defaults(process: str) -> tuple[int, int]:
    service, _, number = process.partition("-")
    if number in {"", "1"}:
        return DEFAULT_PORTS[service]
    return ENGINE_PORT + int(number), ENGINE_PORT + 10 + int(number)
