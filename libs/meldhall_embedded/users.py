"""Users of this machine: whom to be for a server that refuses to run as root, and where he may go."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ORDINARY: Final = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class User:
    """A user of the machine."""

    name: str
    uid: int
    gid: int


def ordinary_user() -> User | None:
    """Return the user that a root process becomes for a server; None where it is an ordinary one itself.

    That is ``postgres`` where the machine has him, and ``nobody`` otherwise.

    Raises:
        LookupError: this is root and the machine has neither.
    """
    if os.geteuid() != 0:
        return None
    for name in ORDINARY:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return User(name, entry.pw_uid, entry.pw_gid)
    raise LookupError(f"this machine has none of the users {', '.join(ORDINARY)}")


def barrier(path: Path, user: User) -> Path | None:
    """Return the first folder above a path that the user may not enter; None where he may enter them all."""
    for folder in reversed(path.absolute().parents):
        found = folder.stat()
        if found.st_uid == user.uid:
            needed = stat.S_IXUSR
        elif found.st_gid == user.gid:
            needed = stat.S_IXGRP
        else:
            needed = stat.S_IXOTH
        if not found.st_mode & needed:
            return folder
    return None
