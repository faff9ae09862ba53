"""Short commands: run to their end, with everything that they said."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from meldhall_embedded.errors import BinaryNotFound
from meldhall_embedded.users import User


async def run_command(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    user: User | None = None,
    cwd: Path | None = None,
) -> tuple[int, str]:
    """Run a command and return its status and its output, errors included.

    Args:
        command: A file and its arguments.
        env: Laid over this process's environment.
        user: Whom to run it as; None: whoever this process is.
        cwd: The folder to run it in; None: this process's.

    Raises:
        BinaryNotFound: the file cannot be run.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
        )
    except OSError as error:
        who = f" as {user.name}" if user else ""
        raise BinaryNotFound(f"{command[0]} cannot be run{who}: {error.strerror}") from error
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode("utf-8", "replace")
