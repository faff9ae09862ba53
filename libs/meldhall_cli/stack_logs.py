"""What the processes of a stack write, a file each, kept to a bounded size."""

import logging.handlers
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 10_000_000
KEPT_FILES: Final = 3


class StackLogs:
    """One rotated log file for each process, in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, logging.handlers.RotatingFileHandler] = {}

    def write(self, name: str, line: str) -> None:
        """Append a line to a process's file."""
        handler = self._files.get(name)
        if handler is None:
            path = self._folder / f"{name}.log"
            handler = logging.handlers.RotatingFileHandler(
                path, maxBytes=MOST_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
            )
            self._files[name] = handler
        handler.emit(logging.makeLogRecord({"msg": line}))

    def close(self) -> None:
        """Close every file."""
        for handler in self._files.values():
            handler.close()
        self._files.clear()
