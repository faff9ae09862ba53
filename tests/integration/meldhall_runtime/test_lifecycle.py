"""A service from start to end, in this process: ports, readiness, draining, background tasks."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2
from tests.fixtures.waiting import until
from tests.integration.meldhall_runtime.demo import (
    ACCESS,
    SERVICE,
    Demo,
    DemoStub,
    Request,
    add_demo,
    text_of,
)

from meldhall_runtime.config import ConfigError, ServiceSettings
from meldhall_runtime.grpc_server import AccessTableWrong, AddressUnusable, PortTaken
from meldhall_runtime.lifecycle import serve
from meldhall_runtime.service import Runtime
from meldhall_runtime.testing import Keys, ServiceFailed, player, running_service

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def nothing(_runtime: Runtime) -> None:
    """A service that serves nothing of its own."""


def runtime_of(**settings: Any) -> Runtime:
    keys = Keys()
    chosen = ServiceSettings(**({"drain_seconds": 1.0} | settings))
    return Runtime("demo", chosen, verifier=keys.verifier, issuer=keys.issuer)


async def test_things_close_in_reverse_order_after_draining_and_after_the_last_call() -> None:
    order: list[str] = []
    demo = Demo()

    async def background() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("background")

    async def bind(runtime: Runtime) -> None:
        async def note(what: str) -> None:
            order.append(what)

        async def drain() -> None:
            order.append("drain")
            assert runtime.draining
            assert await DemoStub(runtime.channel(runtime.address)).ask("still there?")
            demo.going.set()

        runtime.on_close(lambda: note("database"))
        runtime.spawn("background", background())
        runtime.on_close(lambda: note("bus"))
        runtime.on_started(lambda: note("started"))
        runtime.on_drain(drain)
        runtime.add_servicer(add_demo, demo, ACCESS)

    async with running_service(bind) as running:
        call = DemoStub(await running.channel(player())).Watch(Request(service="w"))
        assert text_of(await call.read()) == "player-1 watches w"
        stopping = asyncio.create_task(running.runtime.stop())
        assert text_of(await call.read()) == "go away"
        assert await stopping
        assert await call.code() is grpc.StatusCode.OK
    assert order == ["started", "drain", "bus", "background", "database"]
    assert demo.ended == ["w"]


async def test_a_stream_that_does_not_end_is_cancelled_when_the_time_for_draining_is_over() -> None:
    demo = Demo()

    async def bind(runtime: Runtime) -> None:
        runtime.add_servicer(add_demo, demo, ACCESS)

    async with running_service(bind) as running:
        running.runtime.settings = running.runtime.settings.model_copy(update={"drain_seconds": 0.2})
        call = DemoStub(await running.channel(player())).Watch(Request(service="w"))
        await call.read()
        async with asyncio.timeout(2):
            await running.runtime.stop()
        with pytest.raises(grpc.aio.AioRpcError):
            await call.read()
    assert demo.ended == ["w"]


async def test_a_drain_that_hangs_or_fails_does_not_keep_the_service_from_ending() -> None:
    closed: list[str] = []

    async def bind(runtime: Runtime) -> None:
        async def hang() -> None:
            await asyncio.Event().wait()

        async def fail() -> None:
            raise RuntimeError("no")

        async def close() -> None:
            closed.append("closed")

        runtime.on_drain(hang)
        runtime.on_drain(fail)
        runtime.on_close(close)
        runtime.on_close(fail)

    runtime = runtime_of(drain_seconds=0.1)
    await runtime.start(bind)
    with structlog.testing.capture_logs() as events:
        assert not await runtime.stop()
    assert closed == ["closed"]
    assert [one["event"] for one in events if one["log_level"] == "error"] == [
        "drain_failed", "drain_failed", "close_failed",
    ]  # fmt: skip


@pytest.mark.parametrize("setting", ["port", "admin_port"])
async def test_a_taken_port_is_named_with_its_setting_and_nothing_stays_open(setting: str) -> None:
    closed: list[str] = []

    async def bind(runtime: Runtime) -> None:
        closed.append("bound")

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken) as caught:
            await runtime_of(**{setting: port}).start(bind)
    assert (caught.value.port, caught.value.setting) == (port, f"MELDHALL_{setting.upper()}")
    assert str(caught.value) == (
        f"port {port} on 127.0.0.1 is taken by another process; free it or set MELDHALL_{setting.upper()}"
    )
    assert closed == []


async def test_two_services_cannot_share_a_port() -> None:
    async with running_service(nothing) as running:
        with pytest.raises(PortTaken):
            await runtime_of(port=running.runtime.port).start(nothing)


async def test_a_host_that_is_not_ours_is_told_to_people() -> None:
    with pytest.raises(AddressUnusable, match=r"no\.such\.host\.invalid is not known"):
        await runtime_of(host="no.such.host.invalid").start(nothing)
    with pytest.raises(AddressUnusable, match=r"cannot listen on 192\.0\.2\.1"):
        await runtime_of(host="192.0.2.1").start(nothing)


async def test_a_served_method_without_an_entry_in_the_access_table_stops_the_start() -> None:
    closed: list[str] = []

    async def bind(runtime: Runtime) -> None:
        async def close() -> None:
            closed.append("closed")

        runtime.on_close(close)
        access = {name: roles for name, roles in ACCESS.items() if not name.endswith("Watch")}
        runtime.add_servicer(add_demo, Demo(), access | {f"/{SERVICE}/Wacht": frozenset()})

    with pytest.raises(AccessTableWrong) as caught:
        await runtime_of().start(bind)
    assert str(caught.value).splitlines() == [
        f"/{SERVICE}/Watch is served but not in the access table",
        f"/{SERVICE}/Wacht is in the access table but not served",
    ]
    assert closed == ["closed"]


async def test_a_handler_that_would_block_the_loop_stops_the_start() -> None:
    class Blocking(Demo):
        def Ask(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802 - a method of gRPC
            return None

    async def bind(runtime: Runtime) -> None:
        runtime.add_servicer(add_demo, Blocking(), ACCESS)

    with pytest.raises(TypeError, match="Ask is not asynchronous"):
        await runtime_of().start(bind)


def test_a_service_without_a_key_for_tokens_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MELDHALL_AUTH_PUBLIC_KEY_FILE", raising=False)
    with pytest.raises(ConfigError, match="MELDHALL_AUTH_PUBLIC_KEY_FILE"):
        Runtime("demo", ServiceSettings())


async def test_the_real_port_is_known_while_binding() -> None:
    seen: list[str] = []

    async def bind(runtime: Runtime) -> None:
        seen.append(runtime.address)

    async with running_service(bind) as running:
        assert seen == [running.address]


@pytest.mark.parametrize(
    ("advertise", "expected"),
    [
        ("table-0.table", "table-0.table:7"),
        ("10.0.0.7:99", "10.0.0.7:99"),
        ("::1", "[::1]:7"),
        ("[::1]:9", "[::1]:9"),
    ],
)
async def test_the_advertised_address_gets_the_real_port_unless_it_has_one(
    advertise: str, expected: str
) -> None:
    runtime = runtime_of(advertise=advertise)
    runtime._port = 7
    assert runtime.address == expected


async def _boom() -> None:
    raise RuntimeError("the relay broke")


async def _returns() -> None:
    await asyncio.sleep(0)


async def _cancels_itself() -> None:
    task = asyncio.create_task(asyncio.sleep(5))
    task.cancel()
    await task


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (_boom, "relay failed"),
        (_returns, "relay ended"),
        (_cancels_itself, "relay was cancelled from inside"),
    ],
)
async def test_a_background_task_that_ends_brings_the_service_down(
    work: Callable[[], Coroutine[Any, Any, None]], reason: str
) -> None:
    runtime = runtime_of()

    async def bind(runtime: Runtime) -> None:
        runtime.on_started(start)

    async def start() -> None:
        runtime.spawn("relay", work())

    with structlog.testing.capture_logs() as events:
        code = await asyncio.wait_for(serve(runtime, bind), 5)
    assert (code, runtime.failure) == (1, f"background task {reason}")
    assert [one["reason"] for one in events if one["event"] == "service_failed"] == [runtime.failure]
    assert events[-1]["event"] == "service_stopped"


async def test_a_background_task_that_may_end_does_no_harm() -> None:
    async def bind(runtime: Runtime) -> None:
        runtime.spawn("warm_up", _returns(), may_end=True)

    async with running_service(bind) as running:
        await asyncio.sleep(0.02)
        assert running.runtime.failure == ""


async def test_a_failed_background_task_fails_the_test_that_did_not_expect_it() -> None:
    async def bind(runtime: Runtime) -> None:
        runtime.spawn("relay", _boom())

    with pytest.raises(ServiceFailed, match="relay failed"):
        async with running_service(bind):
            await asyncio.sleep(0.02)


async def test_a_failure_while_binding_closes_what_was_opened() -> None:
    closed: list[str] = []

    async def bind(runtime: Runtime) -> None:
        async def close() -> None:
            closed.append("database")

        runtime.on_close(close)
        runtime.spawn("relay", asyncio.Event().wait())  # type: ignore[arg-type]
        raise RuntimeError("the schema is old")

    runtime = runtime_of()
    with pytest.raises(RuntimeError, match="schema"):
        await serve(runtime, bind)
    assert closed == ["database"]
    assert not runtime.serving


async def test_a_stop_that_comes_while_the_service_starts_gives_up_the_start() -> None:
    runtime = runtime_of()

    async def bind(runtime: Runtime) -> None:
        runtime.request_stop()
        await asyncio.Event().wait()

    assert await asyncio.wait_for(serve(runtime, bind), 5) == 0


async def test_cancelling_a_service_drains_it() -> None:
    drained = asyncio.Event()
    runtime = runtime_of()

    async def bind(runtime: Runtime) -> None:
        async def drain() -> None:
            drained.set()

        runtime.on_drain(drain)

    task = asyncio.create_task(serve(runtime, bind))
    await until(lambda: runtime.serving)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert drained.is_set()
