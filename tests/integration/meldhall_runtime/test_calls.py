"""Calls over a real server: errors, tokens, limits, garbage, traces."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.fixtures.waiting import until
from tests.integration.meldhall_runtime.demo import (
    ACCESS,
    SERVICE,
    Demo,
    DemoStub,
    Request,
    add_demo,
    answer,
    text_of,
)

from meldhall_runtime.auth import Principal, Role
from meldhall_runtime.errors import ErrorInfo, ServiceError, reason_of
from meldhall_runtime.grpc_client import open_channel, with_retries
from meldhall_runtime.service import Runtime
from meldhall_runtime.testing import RunningService, operator, player, running_service, service
from meldhall_runtime.tracing import Tracing, current_traceparent

UNARY_REQUEST = ("Ask", "Watch")
KINDS = {"Ask": "unary_unary", "Watch": "unary_stream", "Collect": "stream_unary", "Talk": "stream_stream"}
GARBAGE = (b"\xff\xff\xff", b"\x0a\xff", b"\x0a\x02\xc3\x28")


async def _fail(_context: Any) -> Any:
    hand = "R7 R8 R9"
    raise RuntimeError(f"cannot discard from {hand}")


async def _nothing(_context: Any) -> Any:
    return None


async def _cancelled_inside(_context: Any) -> Any:
    task = asyncio.create_task(asyncio.sleep(10))
    task.cancel()
    await task


async def _abort(context: Any) -> Any:
    await context.abort(grpc.StatusCode.DATA_LOSS, "by hand")


async def _set_code(context: Any) -> Any:
    context.set_code(grpc.StatusCode.NOT_FOUND)
    context.set_details("by code")


async def _slow(_context: Any) -> Any:
    await asyncio.sleep(30)


async def _trace(_context: Any) -> Any:
    return answer(current_traceparent())


async def _logged(_context: Any) -> Any:
    return answer(str(structlog.contextvars.get_contextvars().get("service")))


@pytest.fixture
async def demo() -> Demo:
    return Demo(
        fail=_fail, nothing=_nothing, inside=_cancelled_inside, abort=_abort, code=_set_code, slow=_slow,
        trace=_trace, logged=_logged,
    )  # fmt: skip


@pytest.fixture
async def running(demo: Demo) -> AsyncIterator[RunningService]:
    async def bind(runtime: Runtime) -> None:
        runtime.add_servicer(add_demo, demo, ACCESS)

    async with running_service(bind, name="demo") as found:
        yield found


@pytest.fixture
async def stub(running: RunningService) -> DemoStub:
    return DemoStub(await running.channel(player("p1")))


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await asyncio.wait_for(_whole(call), 5)
    return caught.value


async def _whole(call: Any) -> Any:
    return [part async for part in call] if hasattr(call, "__aiter__") else await call


def told(error: grpc.aio.AioRpcError) -> tuple[str, str]:
    info = reason_of(error)
    return error.code().name, info.reason if info else ""


async def test_every_kind_of_call_is_answered(stub: DemoStub, demo: Demo) -> None:
    async def texts() -> AsyncIterator[Any]:
        for text in "abc":
            yield Request(service=text)

    assert await stub.ask("hello") == "p1 asked hello"
    demo.going.set()
    assert [text_of(part) async for part in stub.Watch(Request(service="w"))] == ["p1 watches w", "go away"]
    assert text_of(await stub.Collect(texts())) == "a,b,c"
    assert [text_of(part) async for part in stub.Talk(texts())] == ["a", "b", "c"]


async def test_a_service_error_comes_with_its_reason_and_metadata(stub: DemoStub) -> None:
    error = await refused(stub.Ask(Request(service="refuse")))
    assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "not the owner")
    assert reason_of(error) == ErrorInfo("NOT_OWNER", "meldhall", {"owner": "10.0.0.7:7410", "epoch": "4"})


async def test_a_bug_becomes_internal_with_an_id_that_the_log_has_too_and_nothing_else(
    stub: DemoStub,
) -> None:
    with structlog.testing.capture_logs() as events:
        error = await refused(stub.Ask(Request(service="fail")))
    info = reason_of(error)
    assert info is not None
    error_id = info.metadata["error_id"]
    assert error.code() is grpc.StatusCode.INTERNAL
    assert error.details() == f"internal error {error_id}"
    assert [event["error_id"] for event in events if event["event"] == "rpc_failed"] == [error_id]


async def test_an_answer_that_is_no_message_is_a_bug_too(stub: DemoStub) -> None:
    assert told(await refused(stub.Ask(Request(service="nothing")))) == ("INTERNAL", "INTERNAL")


async def test_work_that_is_cancelled_inside_a_call_is_unavailable_and_does_not_hang(stub: DemoStub) -> None:
    assert told(await refused(stub.Ask(Request(service="inside")))) == ("UNAVAILABLE", "CANCELLED_INSIDE")


async def test_a_handler_may_abort_or_set_a_code_by_itself(stub: DemoStub) -> None:
    assert told(await refused(stub.Ask(Request(service="abort")))) == ("DATA_LOSS", "")
    error = await refused(stub.Ask(Request(service="code")))
    assert (error.code(), error.details()) == (grpc.StatusCode.NOT_FOUND, "by code")


async def test_a_deadline_is_kept(stub: DemoStub) -> None:
    error = await refused(stub.Ask(Request(service="slow"), timeout=0.1))
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_a_client_that_goes_ends_its_stream_on_the_server(stub: DemoStub, demo: Demo) -> None:
    call = stub.Watch(Request(service="w"))
    await call.read()
    call.cancel()
    await until(lambda: demo.ended == ["w"])


@pytest.mark.parametrize("raw", GARBAGE)
@pytest.mark.parametrize("name", sorted(KINDS))
async def test_bytes_that_are_no_message_are_an_invalid_argument(
    running: RunningService, name: str, raw: bytes
) -> None:
    channel = await running.channel(player())

    async def raws() -> AsyncIterator[bytes]:
        yield raw

    call = getattr(channel, KINDS[name])(f"/{SERVICE}/{name}")
    error = await refused(call(raw if name in UNARY_REQUEST else raws(), timeout=5))
    assert told(error) == ("INVALID_ARGUMENT", "MALFORMED_REQUEST")


async def test_bytes_that_are_no_message_need_a_token_first(running: RunningService) -> None:
    channel = await running.channel()
    error = await refused(channel.unary_unary(f"/{SERVICE}/Ask")(b"\xff\xff"))  # type: ignore[arg-type]
    assert told(error) == ("UNAUTHENTICATED", "TOKEN_MISSING")


async def test_a_request_that_is_too_large_is_refused(stub: DemoStub) -> None:
    error = await refused(stub.Ask(Request(service="x" * (1 << 20))))
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    ("method", "caller", "expected"),
    [
        ("Ask", None, ("UNAUTHENTICATED", "TOKEN_MISSING")),
        ("Ask", player(), None),
        ("Ask", service(), None),
        ("Ask", operator(), None),
        ("Watch", None, ("UNAUTHENTICATED", "TOKEN_MISSING")),
        ("Watch", player(), None),
        ("Watch", service(), ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")),
        ("Watch", operator(), ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")),
    ],
)
async def test_each_role_may_call_what_the_access_table_says(
    running: RunningService,
    demo: Demo,
    method: str,
    caller: Principal | None,
    expected: tuple[str, str] | None,
) -> None:
    demo.going.set()
    call = getattr(DemoStub(await running.channel(caller)), method)(Request(service="x"))
    if expected is None:
        await _whole(call)
    else:
        assert told(await refused(call)) == expected


async def test_an_expired_or_strange_token_is_not_authenticated(running: RunningService) -> None:
    for token, expected in ((running.keys.token(ttl_seconds=-60), "TOKEN_EXPIRED"), ("abc", "TOKEN_INVALID")):
        async with open_channel(running.address, tokens=lambda token=token: token) as channel:  # type: ignore[misc]
            assert told(await refused(DemoStub(channel).Ask(Request()))) == ("UNAUTHENTICATED", expected)


async def test_a_token_is_in_no_log(running: RunningService) -> None:
    token = running.keys.token(ttl_seconds=-60)
    with structlog.testing.capture_logs() as events:
        async with open_channel(running.address, tokens=lambda: token) as channel:
            await refused(DemoStub(channel).Ask(Request()))
        await until(lambda: any(event["event"] == "rpc_finished" for event in events))
    assert [event["reason"] for event in events if event["event"] == "rpc_finished"] == ["TOKEN_EXPIRED"]
    assert token not in str(events)


async def test_health_and_reflection_need_no_token(running: RunningService) -> None:
    channel = await running.channel()
    health = health_pb2_grpc.HealthStub(channel)
    found = await health.Check(health_pb2.HealthCheckRequest(service=""))
    assert found.status == health_pb2.HealthCheckResponse.SERVING
    listed = await health.List(health_pb2.HealthListRequest())
    assert set(listed.statuses) == {"", SERVICE, "readiness"}
    reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
    call = reflection.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    (listed,) = [part async for part in call]
    assert {SERVICE, "grpc.health.v1.Health"} <= {one.name for one in listed.list_services_response.service}


async def test_a_method_that_nobody_serves_is_unimplemented(running: RunningService) -> None:
    channel = await running.channel(player())
    error = await refused(channel.unary_unary(f"/{SERVICE}/Nothing")(b""))  # type: ignore[arg-type]
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_the_callers_trace_goes_on_in_the_handler(stub: DemoStub) -> None:
    with Tracing("client", "1", "i").span("outside"):
        outside = current_traceparent()
        inside = await stub.ask("trace")
    assert inside.split("-")[1] == outside.split("-")[1]
    assert inside.split("-")[2] != outside.split("-")[2]


async def test_without_a_trace_the_server_begins_one(stub: DemoStub) -> None:
    assert len(await stub.ask("trace")) == 55


async def test_logs_of_handlers_name_the_service_and_those_of_the_test_do_not(stub: DemoStub) -> None:
    assert await stub.ask("logged") == "demo"
    assert "service" not in structlog.contextvars.get_contextvars()


async def test_calls_are_counted_by_method_and_code(stub: DemoStub, running: RunningService) -> None:
    await stub.ask("hello")
    await refused(stub.Ask(Request(service="refuse")))
    registry = running.runtime.registry

    def count(code: str) -> float | None:
        labels = {"method": f"/{SERVICE}/Ask", "code": code}
        return registry.get_sample_value("meldhall_grpc_requests_total", labels)

    # A refusal is counted after the client has it.
    await until(lambda: count("FAILED_PRECONDITION") == 1)
    assert count("OK") == 1
    timed = registry.get_sample_value(
        "meldhall_grpc_request_duration_seconds_count", {"method": f"/{SERVICE}/Ask"}
    )
    assert timed == 2


async def test_retries_go_on_while_the_server_is_unavailable(running: RunningService, demo: Demo) -> None:
    calls = 0

    async def sometimes(_context: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ServiceError(grpc.StatusCode.UNAVAILABLE, "DRAINING", "not now")
        return answer("now")

    demo.asked["sometimes"] = sometimes
    stub = DemoStub(await running.channel(player()))
    assert await with_retries(lambda: stub.ask("sometimes")) == "now"
    assert calls == 3


async def test_retries_stop_at_any_other_error(running: RunningService) -> None:
    stub = DemoStub(await running.channel(player()))
    error = await refused(with_retries(lambda: stub.ask("refuse")))
    assert told(error)[1] == "NOT_OWNER"
    labels = {"method": f"/{SERVICE}/Ask", "code": "FAILED_PRECONDITION"}
    registry = running.runtime.registry
    await until(lambda: registry.get_sample_value("meldhall_grpc_requests_total", labels) == 1)
    assert await stub.ask("hello")
    assert registry.get_sample_value("meldhall_grpc_requests_total", labels) == 1


async def test_the_role_of_a_service_token_is_service(running: RunningService) -> None:
    channel = running.runtime.channel(running.address)
    assert await DemoStub(channel).ask("x") == "demo asked x"
    error = await refused(DemoStub(channel).Watch(Request()))
    info = reason_of(error)
    assert info is not None
    assert info.metadata == {"role": Role.SERVICE.value}
