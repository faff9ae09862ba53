"""Readiness and the admin port."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.integration.meldhall_runtime.demo import ACCESS, SERVICE, Demo, add_demo

from meldhall_runtime.config import ServiceSettings
from meldhall_runtime.health import NotReady, Readiness
from meldhall_runtime.service import Runtime
from meldhall_runtime.testing import running_service

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def nothing(_runtime: Runtime) -> None:
    """A service that serves nothing of its own."""


async def get(port: int, request: str | bytes) -> tuple[int, str, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request if isinstance(request, bytes) else f"{request}\r\nHost: x\r\n\r\n".encode())
    raw = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    head, _, body = raw.decode().partition("\r\n\r\n")
    return int(head.split(" ")[1]) if head else 0, head, body


async def until(condition: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    async with asyncio.timeout(5):
        while not await condition():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.02)


async def test_readiness_follows_the_checks_on_both_ports() -> None:
    healthy = True

    async def bind(runtime: Runtime) -> None:
        async def database() -> None:
            if not healthy:
                raise NotReady("nats://u:p4ss@nats is gone")

        runtime.add_servicer(add_demo, Demo(), ACCESS)
        runtime.add_ready_check("bus", database)

    async with running_service(bind) as running:
        health = health_pb2_grpc.HealthStub(await running.channel())

        async def statuses() -> list[int]:
            names = ("", "readiness", SERVICE)
            return [
                (await health.Check(health_pb2.HealthCheckRequest(service=name))).status for name in names
            ]

        await until(lambda: _equal(statuses(), [SERVING, SERVING, SERVING]))
        status, _, body = await get(running.runtime.admin_port, "GET /readyz HTTP/1.1")
        assert (status, body) == (200, "[+] service\n[+] bus\n")
        healthy = False
        status, _, body = await get(running.runtime.admin_port, "GET /readyz HTTP/1.1")
        assert (status, body) == (503, "[+] service\n[-] bus: NotReady: nats://u:<hidden>@nats is gone\n")
        await until(lambda: _equal(statuses(), [SERVING, NOT_SERVING, NOT_SERVING]))


async def _equal(found: Coroutine[Any, Any, list[int]], expected: list[int]) -> bool:
    return await found == expected


async def test_a_fault_that_is_not_required_is_told_and_leaves_the_service_ready() -> None:
    async def bind(runtime: Runtime) -> None:
        async def bus() -> None:
            raise NotReady("the bus is gone")

        runtime.add_ready_check("bus", bus, required=False)

    async with running_service(bind) as running:
        status, _, body = await get(running.runtime.admin_port, "GET /readyz HTTP/1.1")
        assert (status, body) == (200, "[+] service\n[~] bus: NotReady: the bus is gone\n")


async def test_a_check_that_hangs_is_not_ready_and_a_draining_service_neither() -> None:
    reports: list[tuple[int, str]] = []

    async def bind(runtime: Runtime) -> None:
        runtime.readiness._timeout = 0.05
        runtime.add_ready_check("bus", asyncio.Event().wait)  # type: ignore[arg-type]

        async def drain() -> None:
            status, _, body = await get(runtime.admin_port, "GET /readyz HTTP/1.1")
            reports.append((status, body))

        runtime.on_drain(drain)

    async with running_service(bind) as running:
        status, _, body = await get(running.runtime.admin_port, "GET /readyz HTTP/1.1")
        assert (status, body) == (503, "[+] service\n[-] bus: no answer within 0.05 s\n")
    assert reports == [(503, "[-] service: the service is draining\n")]


async def test_two_checks_of_one_name_are_refused() -> None:
    async def fine() -> None:
        """Nothing is wrong."""

    readiness = Readiness()
    readiness.add("bus", fine)
    with pytest.raises(ValueError, match="bus already"):
        readiness.add("bus", fine)


async def test_the_admin_port_shows_metrics() -> None:
    async with running_service(nothing, name="demo") as running:
        status, head, body = await get(running.runtime.admin_port, "GET /metrics?x=1 HTTP/1.1")
    assert status == 200
    assert "text/plain" in head
    assert 'meldhall_build_info{service="demo"' in body
    assert "meldhall_runtime_loop_lag_seconds" in body


async def test_metrics_can_be_turned_off() -> None:
    async with running_service(nothing, ServiceSettings(metrics=False)) as running:
        assert (await get(running.runtime.admin_port, "GET /metrics HTTP/1.1"))[0] == 404


@pytest.mark.parametrize(
    ("request_line", "expected"),
    [
        ("GET /livez HTTP/1.1", 200), ("GET / HTTP/1.1", 404), ("POST /livez HTTP/1.1", 405),
        ("GET /livez", 400), ("\x16\x03\x01", 400), ("GET /livez HTTP/1.1\r\nX: " + "y" * 9000, 431),
    ],
)  # fmt: skip
async def test_the_admin_port_answers_get_and_refuses_the_rest(request_line: str, expected: int) -> None:
    async with running_service(nothing) as running:
        assert (await get(running.runtime.admin_port, request_line))[0] == expected


async def test_head_gets_no_body() -> None:
    async with running_service(nothing) as running:
        status, head, body = await get(running.runtime.admin_port, "HEAD /livez HTTP/1.1")
    assert (status, body) == (200, "")
    assert "Content-Length: 3" in head


async def test_a_client_of_the_admin_port_that_says_nothing_is_dropped() -> None:
    async with running_service(nothing) as running:
        running.runtime._admin._head_seconds = 0.05
        assert await get(running.runtime.admin_port, b"GET /livez HTTP/1.1\r\n") == (0, "", "")


async def test_an_open_connection_to_the_admin_port_does_not_hold_up_the_end() -> None:
    async with running_service(nothing) as running:
        _, writer = await asyncio.open_connection("127.0.0.1", running.runtime.admin_port)
        await asyncio.sleep(0.02)
        async with asyncio.timeout(2):
            await running.runtime.stop()
        writer.close()
