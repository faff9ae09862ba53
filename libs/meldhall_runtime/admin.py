"""The admin port: ``/metrics``, ``/livez`` and ``/readyz`` over plain HTTP, GET only.

It is for probes and Prometheus inside an installation, never for the internet. No library that is at hand
serves three fixed pages on the service's own loop, and answering on that loop is the point of ``/livez``: a
blocked loop does not answer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from prometheus_client.exposition import choose_encoder

from meldhall_runtime.health import CheckResult, Readiness
from meldhall_runtime.metrics import RuntimeMetrics

MAX_HEAD_BYTES: Final = 8192
HEAD_SECONDS: Final = 5.0
MAX_CONNECTIONS: Final = 64
_TEXT: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer."""

    status: HTTPStatus
    body: bytes
    content_type: str = _TEXT


PageMaker = Callable[[Mapping[str, str]], Awaitable[Page]]
"""Makes a page from the request's headers, names in lower case."""


def admin_pages(readiness: Readiness, metrics: RuntimeMetrics, *, show_metrics: bool) -> dict[str, PageMaker]:
    """The pages of a service by path."""

    async def livez(_headers: Mapping[str, str]) -> Page:
        return Page(HTTPStatus.OK, b"ok\n")

    async def readyz(_headers: Mapping[str, str]) -> Page:
        report = await readiness.report()
        lines = [_line(one) for one in report]
        failed = any(one.blocks for one in report)
        status = HTTPStatus.SERVICE_UNAVAILABLE if failed else HTTPStatus.OK
        return Page(status, "".join(f"{line}\n" for line in lines).encode())

    async def metric_page(headers: Mapping[str, str]) -> Page:
        metrics.loop_tasks.set(len(asyncio.all_tasks()))
        encode, content_type = choose_encoder(headers.get("accept", ""))
        return Page(HTTPStatus.OK, encode(metrics.registry), content_type)

    pages: dict[str, PageMaker] = {"/livez": livez, "/readyz": readyz}
    return pages | {"/metrics": metric_page} if show_metrics else pages


class AdminServer:
    """Serves fixed pages. One request a connection; a slow, large or strange one is refused."""

    def __init__(self, pages: Mapping[str, PageMaker], *, head_seconds: float = HEAD_SECONDS) -> None:
        self._pages = pages
        self._head_seconds = head_seconds
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the real port.

        Raises:
            OSError: The port cannot be bound.
        """
        self._server = await asyncio.start_server(self._accept, host, port, limit=MAX_HEAD_BYTES)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stop listening and drop open connections."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._answer(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(self._head_seconds):
                page, with_body = await self._page(reader)
                writer.write(_encode(page, with_body=with_body))
                await writer.drain()
            writer.close()
            await writer.wait_closed()
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            writer.close()

    async def _page(self, reader: asyncio.StreamReader) -> tuple[Page, bool]:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.LimitOverrunError:
            return _refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE), True
        first, *rest = head.removesuffix("\r\n\r\n").split("\r\n")
        match first.split(" "):
            case ["GET" | "HEAD" as method, target, version] if version.startswith("HTTP/1."):
                maker = self._pages.get(target.partition("?")[0])
                headers = {
                    name.strip().lower(): value.strip() for name, _, value in (h.partition(":") for h in rest)
                }
                page = await maker(headers) if maker else _refusal(HTTPStatus.NOT_FOUND)
                return page, method == "GET"
            case [_, _, version] if version.startswith("HTTP/1."):
                return _refusal(HTTPStatus.METHOD_NOT_ALLOWED), True
            case _:
                return _refusal(HTTPStatus.BAD_REQUEST), True


def _refusal(status: HTTPStatus) -> Page:
    return Page(status, f"{status.phrase.lower()}\n".encode())


def _encode(page: Page, *, with_body: bool) -> bytes:
    head = (
        f"HTTP/1.1 {page.status.value} {page.status.phrase}\r\n"
        f"Content-Type: {page.content_type}\r\nContent-Length: {len(page.body)}\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    return head.encode("latin-1") + (page.body if with_body else b"")


def _line(result: CheckResult) -> str:
    if not result.fault:
        return f"[+] {result.name}"
    return f"[{'-' if result.required else '~'}] {result.name}: {result.fault}"
