"""What every call passes before and after its handler.

Handlers are wrapped once, when a servicer is added, and not looked up by an interceptor at each call: what
is served, what is checked at start-up and what is guarded are then the same list.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from meldhall_runtime.auth import Principal
from meldhall_runtime.errors import invalid_argument

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(slots=True)
class ServerCall:
    """One call on its way. ``code`` and ``reason`` are what it ended with, once it has ended."""

    method: str
    streams: bool
    context: "Context"
    metadata: Mapping[str, str]
    principal: Principal | None = None
    code: grpc.StatusCode = grpc.StatusCode.OK
    reason: str = ""


Proceed = Callable[[], Awaitable[bytes]]
Step = Callable[[ServerCall, Proceed], Awaitable[bytes]]
"""Does something around ``proceed()`` and returns what that returned."""


@dataclass(frozen=True, slots=True)
class _Malformed:
    """Stands for a request that is no message of its type."""


_MALFORMED = _Malformed()
_STATUS: Final[Mapping[object, grpc.StatusCode]] = {status.value[0]: status for status in grpc.StatusCode}


@dataclass(slots=True)
class Recorder:
    """Stands in for the server in ``add_XServicer_to_server`` and writes down what is served."""

    methods: dict[str, "grpc.RpcMethodHandler[Any, Any]"] = field(default_factory=dict)
    services: list[str] = field(default_factory=list)

    def add_generic_rpc_handlers(self, _handlers: Sequence[object]) -> None:
        """Nothing: the same handlers come by name through the other method."""

    def add_registered_method_handlers(
        self, service: str, handlers: Mapping[str, "grpc.RpcMethodHandler[Any, Any]"]
    ) -> None:
        """Take the handlers of one service."""
        self.services.append(service)
        self.methods.update({f"/{service}/{name}": handler for name, handler in handlers.items()})


def wrap_handler(
    method: str, handler: "grpc.RpcMethodHandler[Any, Any]", steps: Sequence[Step]
) -> "grpc.RpcMethodHandler[Any, Any]":
    """Make a handler that runs ``steps``, the first outermost, around the given one.

    Requests that cannot be parsed become INVALID_ARGUMENT. Answers are serialised inside the steps, so that
    a handler's wrong answer is treated like any other bug.

    Raises:
        TypeError: The handler is not asynchronous; it would block the loop.
    """
    behaviour = _behaviour(handler)
    if not (inspect.iscoroutinefunction(behaviour) or inspect.isasyncgenfunction(behaviour)):
        raise TypeError(f"the handler of {method} is not asynchronous")
    body = _streaming_body(behaviour) if handler.response_streaming else _unary_body(behaviour, handler)

    async def handle(request: Any, context: "Context") -> bytes:
        metadata = {
            key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)
        }
        call = ServerCall(method, handler.response_streaming, context, metadata)

        async def innermost() -> bytes:
            if request is _MALFORMED:
                raise _malformed(method)
            return await body(request, context)

        return await _compose(call, steps, innermost)

    parse = _parser(method, handler)
    match handler.request_streaming, handler.response_streaming:
        case False, False:
            return grpc.unary_unary_rpc_method_handler(handle, parse, None)
        case False, True:
            return grpc.unary_stream_rpc_method_handler(handle, parse, handler.response_serializer)
        case True, False:
            return grpc.stream_unary_rpc_method_handler(handle, parse, None)
        case _:
            return grpc.stream_stream_rpc_method_handler(handle, parse, handler.response_serializer)


async def _compose(call: ServerCall, steps: Sequence[Step], innermost: Proceed) -> bytes:
    def after(index: int) -> Proceed:
        if index == len(steps):
            return innermost
        return lambda: steps[index](call, after(index + 1))

    return await after(0)()


def _behaviour(handler: "grpc.RpcMethodHandler[Any, Any]") -> Callable[..., Any]:
    found = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    if found is None:
        raise TypeError("a method handler without a function")
    return found


def _malformed(method: str) -> Exception:
    return invalid_argument("MALFORMED_REQUEST", f"the request is no message that {method} takes")


def _parser(method: str, handler: "grpc.RpcMethodHandler[Any, Any]") -> Callable[[bytes], Any] | None:
    parse = handler.request_deserializer
    if parse is None:
        return None

    def lenient(raw: bytes) -> Any:
        try:
            return parse(raw)
        except Exception:  # noqa: BLE001 - whatever a parser raises, the bytes came from the client
            if handler.request_streaming:
                # Raised out of the handler's own read, inside the steps.
                raise _malformed(method) from None
            return _MALFORMED

    return lenient


def _unary_body(
    behaviour: Callable[..., Awaitable[Any]], handler: "grpc.RpcMethodHandler[Any, Any]"
) -> Callable[[Any, "Context"], Awaitable[bytes]]:
    serialise = handler.response_serializer

    async def body(request: Any, context: "Context") -> bytes:
        answer = await behaviour(request, context)
        if status_of(context) is not grpc.StatusCode.OK:
            return b""
        return answer if serialise is None else serialise(answer)

    return body


def _streaming_body(behaviour: Callable[..., Any]) -> Callable[[Any, "Context"], Awaitable[bytes]]:
    async def generator(request: Any, context: "Context") -> bytes:
        # Closed also when a write fails; a forgotten generator is closed by the collector, somewhere else.
        answers: AsyncIterator[Any]
        async with aclosing(behaviour(request, context)) as answers:
            async for answer in answers:
                await context.write(answer)
        return b""

    async def writer(request: Any, context: "Context") -> bytes:
        await behaviour(request, context)
        return b""

    return generator if inspect.isasyncgenfunction(behaviour) else writer


def status_of(context: "Context") -> grpc.StatusCode:
    """The status that a handler has set or aborted with; OK when it has not."""
    code: object = context.code()
    if isinstance(code, grpc.StatusCode):
        return code
    return _STATUS.get(code, grpc.StatusCode.OK)
