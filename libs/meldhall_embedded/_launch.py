"""Run a command that dies with the process that started it.

Started as a script: ``python -I -S _launch.py PARENT_PID COMMAND ARG…``. It asks the kernel for a SIGKILL at
the parent's death and becomes the command. A script of its own, not ``preexec_fn``: code between fork and
exec can deadlock in a process with threads. Where the kernel has no such service (anything but Linux) the
command is run without it.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent, then become the command."""
    parent = int(sys.argv[1])
    command = sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The parent may have died before the call above; then nobody will send the signal.
        if os.getppid() != parent:
            sys.exit(f"the parent {parent} is gone")
    os.execvp(command[0], command)  # noqa: S606 - the command is the caller's own, no shell is involved


if __name__ == "__main__":
    main()
