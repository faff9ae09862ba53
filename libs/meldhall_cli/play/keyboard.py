"""Lines from the standard input, without a thread: nothing waits for a key when the match is over."""

import asyncio
import os
import sys
from types import TracebackType
from typing import Final, Self

READ_SIZE: Final = 65_536


class Keyboard:
    """Lines that are typed or come through a pipe; ``async with`` listens.

    Args:
        descriptor: the file to read, the standard input by default.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._rest = b""
        self._ended = False
        self._listening = False

    @property
    def is_terminal(self) -> bool:
        """Tell whether a person types, so that lines come when he likes and not all at once."""
        return os.isatty(self._descriptor)

    async def line(self) -> str | None:
        """Return the next line without its end; None after the last, again and again."""
        if self._ended and self._lines.empty():
            return None
        return await self._lines.get()

    async def __aenter__(self) -> Self:
        try:
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
            self._listening = True
        except PermissionError:
            # A file is always ready to be read, and the event loop refuses to wait for it.
            while not self._ended:
                self._read()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._listening:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._listening = False

    def _read(self) -> None:
        try:
            found = os.read(self._descriptor, READ_SIZE)
        except OSError:
            # The terminal is gone.
            found = b""
        *lines, self._rest = (self._rest + found).split(b"\n")
        if not found:
            lines = [self._rest] if self._rest else []
        for line in lines:
            self._lines.put_nowait(line.decode("utf-8", "replace").strip("\r"))
        if not found:
            self._ended = True
            self._stop()
            self._lines.put_nowait(None)
