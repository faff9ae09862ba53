"""Places where a test can kill the process as a power cut would.

They do nothing unless ``MELDHALL_FAILPOINT`` names one, and then once in the life of the process, since that
ends there. Never set it in an installation. A service names its places where it has them.
"""

import os
from collections.abc import Callable
from typing import Final

VARIABLE: Final = "MELDHALL_FAILPOINT"

KILLED: Final = 137
"""What a shell reports for a process that SIGKILL ended."""


def _pass() -> None:
    return None


def _die() -> None:
    os._exit(KILLED)


def failpoint(name: str) -> Callable[[], None]:
    """Return what happens at a place: nothing, or the end of the process where the variable names it."""
    return _die if os.environ.get(VARIABLE) == name else _pass
