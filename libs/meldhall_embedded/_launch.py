"""Run a command that dies with the process that started it.

Started as a script: ``python -I -S _launch.py PARENT_PID DEATH_SIGNAL USER COMMAND ARG…``. It becomes USER
(``uid:gid``, or ``-`` for whoever it is already), asks the kernel for the signal at the parent's death and
becomes the command. A script of its own, not ``preexec_fn``: code between fork and exec can deadlock in a
process with threads. Where the kernel has no such service (anything but Linux) the command is run without it.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
NOT_RUN = 126
"""Exit status where the command cannot be run, as of a shell."""


def main() -> None:
    """Become the user, tie this process to its parent, then become the command."""
    parent, death_signal, user = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    command = sys.argv[4:]
    if user != "-":
        uid, gid = map(int, user.split(":"))
        os.setgroups([gid])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # After the change of user, which makes the kernel forget the signal.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        # The parent may have died before the call above; then nobody will send the signal.
        if os.getppid() != parent:
            sys.exit(f"the parent {parent} is gone")
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command is the caller's own, no shell is involved
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(NOT_RUN)


if __name__ == "__main__":
    main()
