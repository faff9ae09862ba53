"""What a load client writes down: counts and times within a window."""

import asyncio
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from google.protobuf.message import Message

SIZES: Final = 2_000
"""Messages that are measured for their mean size."""


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used; NaN where the system does not tell (not Linux)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return math.nan
    # User and system time: fields 14 and 15 of proc_pid_stat(5), counted from 1 with the name as the second.
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantile(times: Sequence[float], share: float) -> float:
    """Return the time below which a share of all lies, in milliseconds; NaN for no times."""
    if not times:
        return math.nan
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


@dataclass(slots=True)
class Window:
    """One measured stretch of a load. Times are in seconds.

    ``done`` counts what was acknowledged; ``acknowledged`` and ``seen`` are times from the sending of a
    command to its answer, and to the moment when every seat had been told.
    """

    done: int = 0
    acknowledged: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    seconds: float = 0.0
    server_cpu: float = 0.0
    client_cpu: float = 0.0

    @property
    def per_second(self) -> float:
        """Return how many were acknowledged a second."""
        return self.done / self.seconds

    def each(self, seconds: float) -> float:
        """Return a share of a time, for one of what was acknowledged, in microseconds."""
        return seconds / max(self.done, 1) * 1e6


class Meter:
    """The window that is open now, if any. What happens outside of one is not counted."""

    def __init__(self) -> None:
        self.window: Window | None = None
        self._sizes: list[int] = []

    @property
    def mean_bytes(self) -> float:
        """Return the mean size of the messages that were looked at."""
        return sum(self._sizes) / len(self._sizes) if self._sizes else math.nan

    def saw(self, message: Message) -> None:
        """Look at a message that was sent or read; at the first of a window only, since it takes time."""
        if self.window is not None and len(self._sizes) < SIZES:
            self._sizes.append(message.ByteSize())

    async def measure(self, seconds: float, server: int) -> Window:
        """Open a window for a time and return it, with the CPU time of the process ``server``."""
        loop = asyncio.get_running_loop()
        window, started = Window(), loop.time()
        cpu, own_cpu = cpu_seconds(server), time.process_time()
        self.window = window
        await asyncio.sleep(seconds)
        self.window = None
        window.seconds = loop.time() - started
        window.server_cpu = cpu_seconds(server) - cpu
        window.client_cpu = time.process_time() - own_cpu
        return window
