"""Short commands: run to their end, with everything that they said."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from meldhall_embedded._launch import NOT_RUN
from meldhall_embedded.errors import BinaryNotFound
from meldhall_embedded.processes import LAUNCHER
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
    # By way of the launcher: changing the user here would be a fork, in which libraries with threads of their
    # own (grpc) run code that can crash.
    become = (sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), str(int(signal.SIGKILL)))
    whom = (*become, f"{user.uid}:{user.gid}") if user else ()
    who = f" as {user.name}" if user else ""
    try:
        process = await asyncio.create_subprocess_exec(
            *whom,
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )
    except OSError as error:
        raise BinaryNotFound(f"{command[0]} cannot be run{who}: {error.strerror}") from error
    output, _ = await process.communicate()
    said = output.decode("utf-8", "replace")
    if user and process.returncode == NOT_RUN:
        raise BinaryNotFound(f"{command[0]} cannot be run{who}: {said.strip()}")
    return process.returncode or 0, said
