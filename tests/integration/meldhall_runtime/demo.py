"""A small service for these tests, made of the messages of gRPC health."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2

from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import failed_precondition

SERVICE: Final = "demo.v1.Demo"
Request = health_pb2.HealthCheckRequest
Answer = health_pb2.HealthListResponse
ANYBODY: Final = frozenset(Role)
ACCESS: Final[AccessTable] = {
    f"/{SERVICE}/Ask": ANYBODY,
    f"/{SERVICE}/Watch": frozenset({Role.PLAYER}),
    f"/{SERVICE}/Collect": ANYBODY,
    f"/{SERVICE}/Talk": ANYBODY,
}
Context = grpc.aio.ServicerContext[Any, Any]


def answer(text: str) -> Any:
    made = Answer()
    made.statuses[text].status = health_pb2.HealthCheckResponse.SERVING
    return made


def text_of(message: Any) -> str:
    (text,) = message.statuses
    return str(text)


class Demo:
    """``Ask`` does what the request's text names; the rest says texts back."""

    def __init__(self, **asked: Callable[["Context"], Awaitable[Any]]) -> None:
        self.asked = asked
        self.ended: list[str] = []
        self.going = asyncio.Event()

    async def Ask(self, request: Any, context: "Context") -> Any:  # noqa: N802 - a method of gRPC
        if request.service in self.asked:
            return await self.asked[request.service](context)
        if request.service == "refuse":
            raise failed_precondition("NOT_OWNER", "not the owner", owner="10.0.0.7:7410", epoch="4")
        return answer(f"{current_principal().subject} asked {request.service}")

    async def Watch(self, request: Any, _context: "Context") -> AsyncIterator[Any]:  # noqa: N802 - as above
        try:
            yield answer(f"{current_principal().subject} watches {request.service}")
            await self.going.wait()
            yield answer("go away")
        finally:
            self.ended.append(request.service)

    async def Collect(self, requests: AsyncIterator[Any], _context: "Context") -> Any:  # noqa: N802 - as above
        return answer(",".join([request.service async for request in requests]))

    async def Talk(self, _requests: AsyncIterator[Any], context: "Context") -> None:  # noqa: N802 - as above
        while (request := await context.read()) is not grpc.aio.EOF:
            await context.write(answer(request.service))


def add_demo(servicer: Any, server: Any) -> None:
    kinds = {
        "Ask": grpc.unary_unary_rpc_method_handler,
        "Watch": grpc.unary_stream_rpc_method_handler,
        "Collect": grpc.stream_unary_rpc_method_handler,
        "Talk": grpc.stream_stream_rpc_method_handler,
    }
    handlers: dict[str, Any] = {
        name: kind(getattr(servicer, name), Request.FromString, Answer.SerializeToString)
        for name, kind in kinds.items()
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    server.add_registered_method_handlers(SERVICE, handlers)


class DemoStub:
    """The client's side."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.Ask: Any = channel.unary_unary(f"/{SERVICE}/Ask", Request.SerializeToString, Answer.FromString)
        self.Watch: Any = channel.unary_stream(
            f"/{SERVICE}/Watch", Request.SerializeToString, Answer.FromString
        )
        self.Collect: Any = channel.stream_unary(
            f"/{SERVICE}/Collect", Request.SerializeToString, Answer.FromString
        )
        self.Talk: Any = channel.stream_stream(
            f"/{SERVICE}/Talk", Request.SerializeToString, Answer.FromString
        )

    async def ask(self, text: str) -> str:
        return text_of(await self.Ask(Request(service=text)))
