"""One child process: started, watched, stopped, and never outliving its parent."""

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from meldhall_embedded._http import get_status
from meldhall_embedded.errors import StartFailed
from meldhall_embedded.users import User

LAUNCHER: Final = str(Path(__file__).with_name("_launch.py"))
KEPT_LINES: Final = 20

OutputSink = Callable[[str, str], None]
"""Takes a process's name and one line of its output, without the line's end."""


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """What to run and how to know that it is ready.

    ``env`` is laid over the parent's environment. ``ready_url`` is polled for a 200 answer, ``ready`` is
    asked with the process's id; neither: ready as soon as it runs. ``user``: whom to run it as; None: whoever
    the parent is. ``stop_signal`` asks for an orderly end; ``death_signal`` is what the kernel sends when the
    parent dies. Times are in seconds.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    ready_url: str | None = None
    ready_timeout: float = 30.0
    stop_timeout: float = 10.0
    cwd: Path | None = None
    ready: Callable[[int], bool] | None = None
    user: User | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL


class ChildProcess:
    """A running or ended child in a session of its own: the terminal's Ctrl-C reaches only the parent.

    The child dies with the parent (Linux): the kernel kills it when the thread that started it ends, so start
    it from a thread that lives as long as the stack, usually the main one.
    """

    def __init__(self, spec: ProcessSpec, sink: OutputSink | None = None) -> None:
        self.spec = spec
        self._sink = sink
        self._process: asyncio.subprocess.Process | None = None
        self._pump: asyncio.Task[None] | None = None
        self._tail: deque[str] = deque(maxlen=KEPT_LINES)

    @property
    def pid(self) -> int | None:
        """The process id, None before the start."""
        return self._process.pid if self._process else None

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal, None while it runs or before the start."""
        return self._process.returncode if self._process else None

    @property
    def running(self) -> bool:
        """Whether the process was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    @property
    def last_output(self) -> str:
        """The last lines that the process wrote."""
        return "\n".join(self._tail)

    async def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            StartFailed: it ended, or was not ready in time; nothing is left running.
        """
        await self.spawn()
        try:
            await self.wait_ready()
        except BaseException:
            await self.kill()
            raise

    async def spawn(self) -> None:
        """Start the process without waiting for it to become ready."""
        self._tail.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            LAUNCHER,
            str(os.getpid()),
            str(int(self.spec.death_signal)),
            f"{user.uid}:{user.gid}" if (user := self.spec.user) else "-",
            *self.spec.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **self.spec.env},
            cwd=self.spec.cwd,
            start_new_session=True,
        )
        self._pump = asyncio.create_task(self._forward_output(self._process))

    async def wait_ready(self) -> None:
        """Poll until the process is ready as its spec says.

        Raises:
            StartFailed: the process ended, or was not ready in time.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.spec.ready_timeout
        pause = 0.01
        while loop.time() < deadline:
            if not self.running:
                await self.wait()
                raise StartFailed(self.spec.name, f"ended with status {self.returncode}", self.last_output)
            if await self._is_ready():
                return
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 0.25)
        reason = f"was not ready after {self.spec.ready_timeout:g} s"
        raise StartFailed(self.spec.name, reason, self.last_output)

    async def _is_ready(self) -> bool:
        if self.spec.ready is not None:
            return self.pid is not None and self.spec.ready(self.pid)
        return self.spec.ready_url is None or await get_status(self.spec.ready_url, seconds=1.0) == 200

    async def wait(self) -> int:
        """Wait for the end of the process and of its output, and return its exit status."""
        if self._process is None:
            return 0
        status = await self._process.wait()
        # Taken at once: several may wait, and the process may be started again meanwhile.
        pump, self._pump = self._pump, None
        if pump is not None:
            # A grandchild may keep the pipe open after the process has ended.
            await asyncio.wait({pump}, timeout=1.0)
            pump.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await pump
        return status

    async def stop(self) -> None:
        """End the process with its stop signal, then with SIGKILL, and kill what it left in its session."""
        if self._process is None:
            return
        if self.running:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(self.spec.stop_signal)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._process.wait()), self.spec.stop_timeout)
        await self.kill()

    async def kill(self) -> None:
        """Kill the process and everything left in its session, at once."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self.wait()

    async def _forward_output(self, process: asyncio.subprocess.Process) -> None:
        stream = process.stdout
        if stream is None:
            return
        rest = b""
        # Chunks, not readline(): a line longer than the reader's limit would be an error there.
        while chunk := await stream.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._emit(line)
        if rest:
            self._emit(rest)

    def _emit(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._tail.append(text)
        if self._sink is not None:
            self._sink(self.spec.name, text)
