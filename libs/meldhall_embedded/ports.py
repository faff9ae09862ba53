"""Free and taken TCP ports of this machine."""

import errno
import secrets
import socket
from typing import Final

from meldhall_embedded.errors import PortTaken

LOOPBACK = "127.0.0.1"

FIRST_FREE: Final = 15_000
LAST_FREE: Final = 32_000
TRIES: Final = 1_000

_given: set[int] = set()


def free_port(host: str = LOOPBACK) -> int:
    """Return a TCP port that nobody listens on at this moment, and that this process did not return before.

    It lies below the ports that the kernel gives to outgoing connections, one of which could take it before
    the server that it is meant for has started.
    """
    for _ in range(TRIES):
        port = FIRST_FREE + secrets.randbelow(LAST_FREE - FIRST_FREE)
        if port not in _given and _can_bind(host, port):
            _given.add(port)
            return port
    raise OSError(f"no free port on {host} from {FIRST_FREE} to {LAST_FREE}")


def _can_bind(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def check_port(port: int, setting: str, host: str = LOOPBACK) -> None:
    """Refuse a port that somebody listens on.

    Args:
        port: The port that a server is about to bind.
        setting: What a person has to change to choose another one, named in the error.
        host: The address that the server is about to bind.

    Raises:
        PortTaken: the port cannot be bound now.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # Servers set it too: a port whose last connections linger in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                raise PortTaken(host, port, setting) from error
            raise
