"""Channels to other services: keepalive, deadlines, credentials, trace context, retries."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Self, TypeVar

import grpc
import stamina

from meldhall_runtime.grpc_server import MAX_ANSWER_BYTES, MAX_REQUEST_BYTES
from meldhall_runtime.tracing import TRACEPARENT, current_traceparent

DEFAULT_DEADLINE_SECONDS: Final = 10.0
_T = TypeVar("_T")

_ROUND_ROBIN: Final = '{"loadBalancingConfig": [{"round_robin": {}}]}'
_OPTIONS: Final[Sequence[tuple[str, int | str]]] = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.max_send_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
    # Retries are ours (``with_retries``), where it is known whether a call may be repeated.
    ("grpc.enable_retries", 0),
    ("grpc.service_config", _ROUND_ROBIN),
)


def open_channel(
    target: str,
    *,
    tokens: Callable[[], str] | None = None,
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS,
    credentials: grpc.ChannelCredentials | None = None,
) -> grpc.aio.Channel:
    """Make a channel for generated stubs. It connects when it is first used; close it.

    Args:
        target: host:port, or ``dns:///host:port`` for every address behind a name in turn.
        tokens: Gives the bearer token for each call.
        deadline_seconds: Deadline of unary calls that name none. Streams have none.
        credentials: TLS; plain text when None.
    """
    if credentials is None:
        inner = grpc.aio.insecure_channel(target, options=_OPTIONS)
    else:
        inner = grpc.aio.secure_channel(target, credentials, options=_OPTIONS)
    return _Channel(inner, tokens, deadline_seconds)


def is_unavailable(error: Exception) -> bool:
    """Whether a call failed because the server was not there, or just went away.

    A server of grpc.aio lets go of calls that arrive while it stops; its clients see CANCELLED. A call that
    the caller cancels raises asyncio's ``CancelledError`` instead.
    """
    gone = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    return isinstance(error, grpc.aio.AioRpcError) and error.code() in gone


async def with_retries(
    call: Callable[[], Awaitable[_T]], *, attempts: int = 5, within_seconds: float = DEFAULT_DEADLINE_SECONDS
) -> _T:
    """Make a call again while the server is not there; only for what may be repeated, as by a command id.

    Args:
        call: Makes the call anew each time.
        attempts: How often at most.
        within_seconds: Time after which there is no further attempt.

    Raises:
        grpc.aio.AioRpcError: The last attempt's, or at once any for which ``is_unavailable`` does not hold.
    """
    caller = stamina.AsyncRetryingCaller(
        attempts=attempts, timeout=within_seconds, wait_initial=0.05, wait_max=1.0, wait_jitter=0.1
    )
    return await caller(is_unavailable, call)


class _Callable:
    """A multi-callable of grpc that adds what each call of ours carries.

    Wrapped here and not by grpc's interceptors, which would put a task and a queue around every stream.
    """

    def __init__(self, inner: Any, tokens: Callable[[], str] | None, deadline_seconds: float | None) -> None:
        self._inner = inner
        self._tokens = tokens
        self._deadline = deadline_seconds

    def __call__(
        self,
        request: Any = None,
        *,
        timeout: float | None = None,
        metadata: Sequence[tuple[str, str | bytes]] | None = None,
        **options: Any,
    ) -> Any:
        carried = list(metadata or ())
        if self._tokens is not None:
            carried.append(("authorization", f"Bearer {self._tokens()}"))
        if traceparent := current_traceparent():
            carried.append((TRACEPARENT, traceparent))
        limit = timeout if timeout is not None else self._deadline
        return self._inner(request, timeout=limit, metadata=tuple(carried), **options)


class _Channel(grpc.aio.Channel):
    """Delegates to a channel of grpc and wraps its multi-callables."""

    def __init__(
        self, inner: grpc.aio.Channel, tokens: Callable[[], str] | None, deadline_seconds: float
    ) -> None:
        self._inner = inner
        self._tokens = tokens
        self._deadline = deadline_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Callable(self._inner.unary_unary(*args, **kwargs), self._tokens, self._deadline)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Callable(self._inner.unary_stream(*args, **kwargs), self._tokens, None)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Callable(self._inner.stream_unary(*args, **kwargs), self._tokens, self._deadline)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Callable(self._inner.stream_stream(*args, **kwargs), self._tokens, None)

    async def close(self, grace: float | None = None) -> None:
        await self._inner.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - grpc's own signature
        return self._inner.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._inner.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._inner.channel_ready()
