"""Time as a port: whoever needs it is given a ``Clock``."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Wall time for what is recorded, monotonic time for what is measured."""

    def now_ms(self) -> int:
        """Unix time in milliseconds. It may jump when the machine's clock is set."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start. It never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; a negative or zero time only lets other tasks run."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Unix time in milliseconds."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait on the event loop."""
        await asyncio.sleep(seconds)
