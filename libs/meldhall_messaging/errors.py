"""Errors of messaging. The first family passes by itself, the second needs a person."""

from collections.abc import Sequence
from typing import ClassVar


class MessagingError(Exception):
    """Root of every error of messaging."""


class BusUnavailable(MessagingError):
    """The server cannot be reached or did not answer in time. Try again later."""


class PublishUncertain(BusUnavailable):
    """Messages were sent and not acknowledged: each of them may be stored or not.

    Publish them again with the same message ids; what is stored already is not stored twice.
    """


class StreamMissing(BusUnavailable):
    """No stream takes the subject: it was deleted, or was never made. ``ensure_stream`` makes it."""


class PublishRefused(MessagingError):
    """The server answered that it will not store a message."""


class IncompatibleConfig(MessagingError):
    """A stream or consumer exists with a setting that cannot be changed into the declared one."""


class ServerTooOld(MessagingError):
    """The server lacks features that Meldhall needs."""


class InvalidSubject(MessagingError):
    """A subject, or a part of one, that is not of the form ``meldhall.<area>.<shard>.<entity>.<Event>``."""


class UndecodableMessage(MessagingError):
    """The bytes are not a valid event envelope."""


class PoisonMessage(MessagingError):
    """Raised by a handler for an event that no retry can help. Its partition stops until a person acts."""


class GapFound(MessagingError):
    """Raised by a handler that misses events. ``last`` is the sequence that it has applied, 0 for none."""

    def __init__(self, stream_id: str, *, last: int, sequence: int) -> None:
        super().__init__(f"stream {stream_id}: event {sequence} came after {last}")
        self.stream_id = stream_id
        self.last = last
        self.sequence = sequence


class GapNotFilled(MessagingError):
    """The owner of the stream did not return the missing events. Try again later."""


class PartitionsStopped(MessagingError):
    """Partitions of a consumer stand still because of poison."""

    SHOWN: ClassVar[int] = 5

    def __init__(self, consumer: str, partitions: Sequence[str]) -> None:
        shown = ", ".join(partitions[: self.SHOWN])
        more = len(partitions) - self.SHOWN
        super().__init__(f"{consumer} stands still at {shown}" + (f" and {more} more" if more > 0 else ""))
        self.partitions = tuple(partitions)
