"""The one HTTP request that waiting for a child needs: GET, and what the status was."""

import asyncio
import contextlib
from urllib.parse import urlsplit


async def get_status(url: str, *, seconds: float) -> int | None:
    """Return the status of a GET, None when nobody answered HTTP in time.

    Args:
        url: An ``http://host:port/path`` address.
        seconds: The most that everything together may take.
    """
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(seconds):
            return await _ask(parts.hostname or "127.0.0.1", parts.port or 80, parts.path or "/")
    except (OSError, TimeoutError, ValueError, IndexError):
        return None


async def _ask(host: str, port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        status_line = await reader.readline()
        return int(status_line.split()[1])
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
