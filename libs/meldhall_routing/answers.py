"""What an engine's answer means to whoever looks for the owner of a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import grpc
import grpc.aio

from meldhall_runtime import reason_of

EPOCH_KEY: Final = "meldhall-epoch"
"""Trailing metadata: the epoch under which the engine that answers owns the table."""

NOT_OWNER: Final = "NOT_OWNER"

_AGAIN: Final = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    # A server of grpc.aio lets go of calls that arrive while it stops. A call that this side cancels itself
    # raises asyncio's CancelledError instead.
    grpc.StatusCode.CANCELLED,
})  # fmt: skip
"""Codes after which the same request is sent again."""

_OF_TRANSPORT: Final = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN})
_AGAIN_NUMBERS: Final = frozenset(code.value[0] for code in _AGAIN)


@dataclass(frozen=True, slots=True)
class NotOwner:
    """An engine does not own the table, and what it knows of who does; an empty address is nobody."""

    address: str
    epoch: int
    shard: int | None


class TableUnreachable(grpc.aio.AioRpcError):
    """No engine served the table within the time that the caller had; the status is UNAVAILABLE."""

    def __init__(self, what: str, seconds: float, last: str) -> None:
        super().__init__(
            grpc.StatusCode.UNAVAILABLE,
            grpc.aio.Metadata(),
            grpc.aio.Metadata(),
            details=f"no engine served {what} within {seconds:g} s; the last answer was {last}",
        )


class Stale(Exception):
    """An answer, or the lack of one, of an engine that has lost the table.

    Attributes:
        moved: The new owner is known.
    """

    def __init__(self, why: str, *, moved: bool = False) -> None:
        super().__init__(why)
        self.moved = moved


def not_owner(error: grpc.RpcError) -> NotOwner | None:
    """Read from a refused call who owns the table; None where the refusal is something else."""
    info = reason_of(error)
    return not_owner_of(info.reason, info.metadata) if info else None


def not_owner_of(reason: str, metadata: Mapping[str, str]) -> NotOwner | None:
    """Read from the reason of a refusal who owns the table; None where it is something else."""
    if reason != NOT_OWNER:
        return None
    shard = _number(metadata.get("shard", ""))
    return NotOwner(metadata.get("owner_address", ""), _number(metadata.get("owner_epoch", "")) or 0, shard)


def may_repeat(error: grpc.aio.AioRpcError) -> bool:
    """Whether the call says nothing about its outcome, so that the same command id is to be sent again.

    Our services give a reason with everything that is their fault. INTERNAL and UNKNOWN without one are what
    grpc itself says of a stream that was reset, or that ended while something was being written to it.
    """
    return error.code() in _AGAIN or (error.code() in _OF_TRANSPORT and reason_of(error) is None)


def may_repeat_status(status: int) -> bool:
    """Tell the same of a status by number, as it stands in an answer of a stream."""
    return status in _AGAIN_NUMBERS


def epoch_of(trailers: Any) -> int | None:
    """Return the epoch in the trailing metadata of a call; None where there is none."""
    for key, value in trailers or ():
        if key == EPOCH_KEY:
            return _number(value if isinstance(value, str) else value.decode("ascii", "replace"))
    return None


def last_words(error: grpc.aio.AioRpcError) -> str:
    """Return an error in a few words, for another error's text."""
    info = reason_of(error)
    return f"{error.code().name} {info.reason if info else error.details() or ''}".strip()


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
