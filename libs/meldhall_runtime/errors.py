"""The one place where faults become gRPC statuses.

A service raises ``ServiceError``; the server answers with its code, its text and a ``google.rpc.ErrorInfo``
whose domain is ``meldhall``. Clients decide by ``reason`` and ``metadata``, never by the text: texts are
for people and may change.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

DOMAIN: Final = "meldhall"
DETAILS_KEY: Final = "grpc-status-details-bin"
_REASON: Final = re.compile(r"[A-Z][A-Z0-9_]{0,62}")


class RuntimeFault(Exception):
    """Root of every error of this library that is for the people who run a service."""


class ServiceError(Exception):
    """A call cannot be answered. All of it goes to the client, so nothing hidden belongs in it.

    Attributes:
        code: The gRPC status.
        reason: A stable name in UPPER_SNAKE_CASE, at most 63 characters.
        message: A sentence for the people who read logs.
        metadata: Parameters of the reason, for the client's own text.
    """

    def __init__(
        self, code: grpc.StatusCode, reason: str, message: str, metadata: Mapping[str, str] | None = None
    ) -> None:
        if not _REASON.fullmatch(reason):
            raise ValueError(f"a reason is UPPER_SNAKE_CASE of at most 63 characters, not {reason!r}")
        super().__init__(f"{code.name} {reason}: {message}")
        self.code = code
        self.reason = reason
        self.message = message
        self.metadata = dict(metadata or {})


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """What a server says about a refused call."""

    reason: str
    domain: str
    metadata: Mapping[str, str] = field(default_factory=dict)


def invalid_argument(reason: str, message: str, **metadata: str) -> ServiceError:
    """The request itself is wrong, whatever the state."""
    return ServiceError(grpc.StatusCode.INVALID_ARGUMENT, reason, message, metadata)


def not_found(reason: str, message: str, **metadata: str) -> ServiceError:
    """What the request names does not exist."""
    return ServiceError(grpc.StatusCode.NOT_FOUND, reason, message, metadata)


def already_exists(reason: str, message: str, **metadata: str) -> ServiceError:
    """What the request would make is there, and is something else."""
    return ServiceError(grpc.StatusCode.ALREADY_EXISTS, reason, message, metadata)


def failed_precondition(reason: str, message: str, **metadata: str) -> ServiceError:
    """The state does not allow it; trying the same again will not help."""
    return ServiceError(grpc.StatusCode.FAILED_PRECONDITION, reason, message, metadata)


def permission_denied(reason: str, message: str, **metadata: str) -> ServiceError:
    """The caller is known and may not do this."""
    return ServiceError(grpc.StatusCode.PERMISSION_DENIED, reason, message, metadata)


def unauthenticated(reason: str, message: str, **metadata: str) -> ServiceError:
    """The caller is not known."""
    return ServiceError(grpc.StatusCode.UNAUTHENTICATED, reason, message, metadata)


def resource_exhausted(reason: str, message: str, **metadata: str) -> ServiceError:
    """A limit is reached."""
    return ServiceError(grpc.StatusCode.RESOURCE_EXHAUSTED, reason, message, metadata)


def aborted(reason: str, message: str, **metadata: str) -> ServiceError:
    """Somebody else was first; read again and decide again."""
    return ServiceError(grpc.StatusCode.ABORTED, reason, message, metadata)


def unavailable(reason: str, message: str, **metadata: str) -> ServiceError:
    """Not now; the same call may be sent again."""
    return ServiceError(grpc.StatusCode.UNAVAILABLE, reason, message, metadata)


def deadline_exceeded(reason: str, message: str, **metadata: str) -> ServiceError:
    """It took longer than the caller or the server allows."""
    return ServiceError(grpc.StatusCode.DEADLINE_EXCEEDED, reason, message, metadata)


def internal(error_id: str) -> ServiceError:
    """A bug. The client gets the id under which the log has the rest, and nothing else."""
    return ServiceError(
        grpc.StatusCode.INTERNAL, "INTERNAL", f"internal error {error_id}", {"error_id": error_id}
    )


async def abort_with(context: "grpc.aio.ServicerContext[Any, Any]", error: ServiceError) -> NoReturn:
    """End the call with ``error`` as a rich status.

    Raises:
        grpc.aio.AbortError: Always; it must reach grpc.
    """
    status = status_pb2.Status(code=error.code.value[0], message=error.message)
    status.details.add().Pack(
        error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)
    )
    await context.abort(error.code, error.message, ((DETAILS_KEY, status.SerializeToString()),))


def reason_of(error: grpc.RpcError) -> ErrorInfo | None:
    """Read what the server said about a refused call.

    Returns:
        The ``ErrorInfo`` of any domain, or None when there is none or it cannot be read.
    """
    trailers = error.trailing_metadata() if isinstance(error, grpc.aio.AioRpcError) else None
    for key, value in trailers or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            return _error_info(value)
    return None


def _error_info(raw: bytes) -> ErrorInfo | None:
    found = error_details_pb2.ErrorInfo()
    try:
        for detail in status_pb2.Status.FromString(raw).details:
            if detail.Unpack(found):
                return ErrorInfo(found.reason, found.domain, dict(found.metadata))
    except DecodeError:
        return None
    return None
