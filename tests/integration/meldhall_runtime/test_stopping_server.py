"""What clients see of a server that stops while they call it, and that they simply call again."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio
import pytest

from meldhall_runtime.grpc_client import is_unavailable, with_retries

METHOD = "/s/m"


async def serving(handle: Callable[..., Any]) -> tuple[grpc.aio.Server, str]:
    server = grpc.aio.server()
    methods: dict[str, Any] = {"m": grpc.unary_unary_rpc_method_handler(handle)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("s", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, f"127.0.0.1:{port}"


async def test_calls_that_arrive_while_a_server_stops_count_as_calls_to_nobody() -> None:
    async def handle(request: bytes, _context: Any) -> bytes:
        return request

    ends: Counter[grpc.StatusCode] = Counter()
    for _ in range(10):
        server, address = await serving(handle)
        stopped = asyncio.Event()
        async with grpc.aio.insecure_channel(address) as channel:
            call: Any = channel.unary_unary(METHOD)
            callers = [asyncio.create_task(calling(call, stopped, ends)) for _ in range(6)]
            await asyncio.sleep(0.03)
            await server.stop(1.0)
            stopped.set()
            await asyncio.gather(*callers)
    assert ends[grpc.StatusCode.OK] > 0
    assert ends.keys() <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}


async def calling(call: Any, stopped: asyncio.Event, ends: Counter[grpc.StatusCode]) -> None:
    while not stopped.is_set():
        try:
            await call(b"x", timeout=5)
        except grpc.aio.AioRpcError as error:
            ends[error.code() if is_unavailable(error) else grpc.StatusCode.UNKNOWN] += 1
        else:
            ends[grpc.StatusCode.OK] += 1
        await asyncio.sleep(0)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
async def test_a_call_that_a_server_let_go_of_is_made_again(code: grpc.StatusCode) -> None:
    attempts = 0

    async def handle(request: bytes, context: Any) -> bytes:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            await context.abort(code, "gone")
        return request

    server, address = await serving(handle)
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.unary_unary(METHOD)
        assert await with_retries(lambda: call(b"x", timeout=5)) == b"x"
    await server.stop(0)
    assert attempts == 3


async def test_a_call_that_the_caller_cancels_is_not_made_again() -> None:
    attempts = 0

    async def handle(request: bytes, _context: Any) -> bytes:
        nonlocal attempts
        attempts += 1
        await asyncio.sleep(30)
        return request

    server, address = await serving(handle)
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.unary_unary(METHOD)
        asking = asyncio.create_task(with_retries(lambda: call(b"x", timeout=20)))
        while not attempts:  # noqa: ASYNC110 - the handler's count is all there is to look at
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    await server.stop(0)
    assert attempts == 1
