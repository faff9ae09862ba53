"""Errors of the local stack. Each says what to change."""

from pathlib import Path


class EmbeddedError(Exception):
    """Root of every error of the local stack."""


class BinaryNotFound(EmbeddedError):
    """A server's program is not where it was looked for, or cannot be run."""


class BinaryTooOld(EmbeddedError):
    """The server that was found lacks features that Meldhall needs."""


class FolderUnusable(EmbeddedError):
    """A server cannot keep its data in the folder, or the data there is another version's."""


class PortTaken(EmbeddedError):
    """Another process listens on a port that was asked for."""

    def __init__(self, host: str, port: int, setting: str) -> None:
        super().__init__(f"port {port} on {host} is taken by another process; set {setting} to a free port")
        self.host = host
        self.port = port
        self.setting = setting


class DataDirInUse(EmbeddedError):
    """Another stack runs on the data folder."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"data folder {path} is in use by {who}; stop it, or choose another folder")
        self.path = path
        self.pid = pid


class StartFailed(EmbeddedError):
    """A child process ended, or did not become ready in time. Carries the end of its output."""

    def __init__(self, name: str, reason: str, output: str = "") -> None:
        super().__init__(f"{name} {reason}" + (f"; its last words:\n{output}" if output else ""))
        self.name = name
        self.reason = reason
        self.output = output
