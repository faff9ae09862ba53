"""Free and taken TCP ports of this machine."""

import errno
import socket

from meldhall_embedded.errors import PortTaken

LOOPBACK = "127.0.0.1"


def free_port(host: str = LOOPBACK) -> int:
    """Return a TCP port that nobody listens on at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


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
