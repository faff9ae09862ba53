"""The data folder of a local stack: its places, its lock and where the running stack can be reached."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from meldhall_embedded.errors import DataDirInUse

DEFAULT = Path(".meldhall")


@dataclass(frozen=True, slots=True)
class StackState:
    """A running stack as other commands see it: the process that runs it and its addresses by name.

    ``started_at_ms`` is Unix time in milliseconds. ``log_url`` is the URL of the database with the log of the
    tables, password included; empty where it is not told.
    """

    pid: int
    started_at_ms: int
    addresses: Mapping[str, str]
    log_url: str = ""


class DataDir:
    """Everything that a local stack keeps, in one folder that only its owner may read.

    ``lock()`` before writing anything: two stacks on one folder would share databases. The lock is the
    kernel's and goes with the process, however it ends; the pid in the file is for the error message.
    """

    def __init__(self, path: Path = DEFAULT) -> None:
        self.path = path.absolute()
        self._lock_fd: int | None = None

    @property
    def nats(self) -> Path:
        """Folder of the nats-server."""
        return self._folder("nats")

    @property
    def postgres(self) -> Path:
        """Folder of the PostgreSQL.

        Of a root process it belongs to an ordinary user, who must be able to pass through this folder; what
        else lies here he still may not read.
        """
        folder = self._folder("postgres")
        if os.geteuid() == 0:
            self.path.chmod(0o711)
        return folder

    @property
    def keys(self) -> Path:
        """Folder of signing keys."""
        return self._folder("keys")

    @property
    def logs(self) -> Path:
        """Folder of log files."""
        return self._folder("logs")

    def database(self, service: str) -> Path:
        """Return the SQLite file of a service; no two services share one."""
        if not service.replace("_", "").isalnum():
            raise ValueError(f"not a name of a service: {service!r}")
        return self._folder("db") / f"{service}.sqlite3"

    def lock(self) -> None:
        """Take the folder for this process. A second call is a no-op.

        Raises:
            DataDirInUse: another process has it; names its pid.
        """
        if self._lock_fd is not None:
            return
        self._folder(".")
        fd = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(fd, 32).decode("ascii", "replace").strip()
            os.close(fd)
            raise DataDirInUse(self.path, int(holder) if holder.isdigit() else None) from error
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._lock_fd = fd
        # What an earlier stack that was killed left behind would mislead.
        self._state_path.unlink(missing_ok=True)

    def release(self) -> None:
        """Give the folder back and remove the state file. A second call is a no-op."""
        if self._lock_fd is None:
            return
        self._state_path.unlink(missing_ok=True)
        # The file stays: a process that has it open already must find the same one.
        os.ftruncate(self._lock_fd, 0)
        os.close(self._lock_fd)
        self._lock_fd = None

    def write_state(self, state: StackState) -> None:
        """Tell other commands where the running stack is; a reader never sees half of it."""
        draft = self._state_path.with_suffix(".new")
        draft.write_text(json.dumps(asdict(state), indent=2, sort_keys=True) + "\n", encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(self._state_path)

    def running(self) -> StackState | None:
        """Return the state of the stack that runs on this folder, None when there is none."""
        try:
            raw = json.loads(self._state_path.read_text(encoding="utf-8"))
            state = StackState(
                pid=int(raw["pid"]),
                started_at_ms=int(raw["started_at_ms"]),
                addresses={str(name): str(address) for name, address in raw["addresses"].items()},
                log_url=str(raw.get("log_url", "")),
            )
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return state if self._is_locked() else None

    def __enter__(self) -> Self:
        self.lock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def _lock_path(self) -> Path:
        return self.path / "lock"

    @property
    def _state_path(self) -> Path:
        return self.path / "state.json"

    def _is_locked(self) -> bool:
        if self._lock_fd is not None:
            return True
        try:
            fd = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    def _folder(self, name: str) -> Path:
        # mkdir gives its mode to the last folder only, not to the parents that it makes.
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self.path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder
