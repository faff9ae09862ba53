"""The steps of the pipeline: trace, count, log, answer faults, hold time limits, authorise."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, cast

import grpc
from opentelemetry.trace import StatusCode
from structlog.stdlib import BoundLogger

from meldhall_runtime.auth import Authoriser, set_principal
from meldhall_runtime.clock import Clock
from meldhall_runtime.errors import ServiceError, abort_with, deadline_exceeded, internal, unavailable
from meldhall_runtime.ids import Ids
from meldhall_runtime.metrics import RuntimeMetrics
from meldhall_runtime.pipeline import Proceed, ServerCall, Step, status_of
from meldhall_runtime.tracing import Tracing

MAX_UNARY_SECONDS: Final = 60.0
"""No unary call is worked on for longer, whatever its deadline says or if it has none."""

_OUR_FAULTS: Final = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS})
_QUIET: Final = frozenset({grpc.StatusCode.OK, grpc.StatusCode.CANCELLED})


def trace_step(tracing: Tracing) -> Step:
    """Continue the caller's trace, or begin one."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        with tracing.span(call.method, call.metadata) as span:
            try:
                return await proceed()
            finally:
                span.set_attribute("rpc.grpc.status_code", call.code.value[0])
                if call.code in _OUR_FAULTS:
                    span.set_status(StatusCode.ERROR)

    return step


def count_step(metrics: RuntimeMetrics, clock: Clock) -> Step:
    """Count calls by method and code, time unary ones, gauge open streams."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        started = clock.monotonic()
        gauge = metrics.open_streams.labels(call.method)
        with gauge.track_inprogress() if call.streams else contextlib.nullcontext():
            try:
                return await proceed()
            finally:
                metrics.requests.labels(call.method, call.code.name).inc()
                if not call.streams:
                    metrics.request_seconds.labels(call.method).observe(clock.monotonic() - started)

    return step


def log_step(log: BoundLogger, clock: Clock) -> Step:
    """Write one event for each finished call: who, what, how it ended, how long. Never what was said."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        started = clock.monotonic()
        try:
            return await proceed()
        finally:
            write = log.debug if call.code in _QUIET else log.error if call.code in _OUR_FAULTS else log.info
            write(
                "rpc_finished",
                method=call.method,
                code=call.code.name,
                reason=call.reason,
                duration_ms=round((clock.monotonic() - started) * 1000, 3),
                subject=call.principal.subject if call.principal else "",
                role=call.principal.role.value if call.principal else "",
            )

    return step


def fault_step(log: BoundLogger, ids: Ids) -> Step:
    """Answer ``ServiceError`` as itself, anything unforeseen as INTERNAL with an id that the log has too."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        try:
            answer = await proceed()
        except grpc.aio.AbortError:
            call.code = status_of(call.context)
            raise
        except ServiceError as error:
            return await _refuse(call, error)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                call.code = grpc.StatusCode.CANCELLED
                raise
            # Not this call was cancelled but something that it waited for. grpc would send no status at all,
            # and the client would wait until its deadline.
            log.warning("rpc_work_cancelled", method=call.method)
            return await _refuse(call, unavailable("CANCELLED_INSIDE", "the work was cancelled; try again"))
        except Exception:
            # The last place before grpc, which would show the exception's text to the client.
            error_id = str(ids.event_id())
            log.exception("rpc_failed", method=call.method, error_id=error_id)
            return await _refuse(call, internal(error_id))
        call.code = status_of(call.context)
        return answer

    return step


async def _refuse(call: ServerCall, error: ServiceError) -> bytes:
    call.code, call.reason = error.code, error.reason
    await abort_with(call.context, error)


def deadline_step(max_unary_seconds: float = MAX_UNARY_SECONDS) -> Step:
    """Do not begin what is too late, and bound unary calls by their deadline or ``max_unary_seconds``."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        remaining = cast("float | None", call.context.time_remaining())
        if remaining is not None and remaining <= 0:
            raise deadline_exceeded("DEADLINE_EXCEEDED", "the deadline was over before the work began")
        if call.streams:
            return await proceed()
        limit = max_unary_seconds if remaining is None else min(remaining, max_unary_seconds)
        return await _within(limit, proceed)

    return step


async def _within(seconds: float, proceed: Callable[[], Awaitable[bytes]]) -> bytes:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await proceed()
    except TimeoutError:
        if not limit.expired():
            raise
        raise deadline_exceeded("DEADLINE_EXCEEDED", f"not done within {seconds:.3f} s") from None


def auth_step(authoriser: Authoriser) -> Step:
    """Find out who calls and whether they may."""

    async def step(call: ServerCall, proceed: Proceed) -> bytes:
        call.principal = authoriser.authorise(call.method, call.metadata.get("authorization", ""))
        set_principal(call.principal)
        return await proceed()

    return step
