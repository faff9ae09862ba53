"""The port of the log. Adapters answer to the conformance suite in ``meldhall_eventlog.testing``."""

from collections.abc import Sequence
from typing import Protocol

from meldhall_eventlog.named_leases import LeaseFence
from meldhall_eventlog.types import (
    FIRST,
    Append,
    Position,
    Receipt,
    Snapshot,
    SnapshotCount,
    StoredEvent,
    StreamInfo,
)


class LogReader(Protocol):
    """What reading streams takes: a log, or an archive of finished streams."""

    async def info(self, stream_id: str) -> StreamInfo | None:
        """Return a stream's row, None where there is no such stream."""

    async def streams(
        self, category: str, *, after: str = "", limit: int = 500, open_only: bool = False
    ) -> Sequence[StreamInfo]:
        """List streams of a category by id, a page at a time."""

    async def receipt(self, stream_id: str, command_id: str) -> Receipt | None:
        """Return the receipt of a command."""

    async def read_stream(
        self, stream_id: str, *, after_version: int = 0, limit: int = 500
    ) -> Sequence[StoredEvent]:
        """Read a page of one stream in version order.

        Raises:
            StreamArchived: the events of the stream are in an archive.
        """

    async def load_snapshot(
        self,
        stream_id: str,
        format: str,  # noqa: A002 - the column's name
        *,
        at_most: int | None = None,
    ) -> Snapshot | None:
        """Return the newest snapshot in a format, of a version that is not above ``at_most``."""


class EventLog(LogReader, Protocol):
    """An append-only log of streams with one global order."""

    async def append(self, append: Append) -> tuple[StoredEvent, ...]:
        """Append in one transaction, durable on return.

        Raises:
            DuplicateCommand: the stream has a receipt for this command id; carries the receipt. Nothing is
                written.
            WrongVersion: the stream is at another version than expected; carries both.
            Fenced: the stream belongs to another epoch; carries both.
            StreamClosed: the stream takes no more events.
            StreamArchived: the events of the stream are in an archive.
            InvalidAppend: the append is malformed (no events, an id too long, …), or an event id is in the
                log already.
            LogUnavailable: the database failed; what became of the append is not known.
        """

    async def claim(self, stream_id: str, epoch: int) -> StreamInfo | None:
        """Write a higher owner epoch on a stream before it is read; None where there is no such stream.

        Claiming with the epoch that the stream has already is a no-op.

        Raises:
            Fenced: the stream carries a higher epoch.
        """

    async def close_stream(self, stream_id: str, epoch: int) -> None:
        """Let a stream take no more events. A second call is a no-op.

        Raises:
            UnknownStream: there is no such stream.
            Fenced: the stream belongs to another epoch.
        """

    async def waking(
        self, category: str, shards: Sequence[int], *, after: str = "", limit: int = 500
    ) -> Sequence[StreamInfo]:
        """List the open streams of these shards that have a ``wake_at_ms``, by id, a page at a time."""

    async def read_all(
        self, *, after: Position = FIRST, limit: int = 500, public_only: bool = False
    ) -> Sequence[StoredEvent]:
        """Read a page of the whole log in commit order, with no event ever skipped by a concurrent commit."""

    async def count_all(self, *, after: Position = FIRST, public_only: bool = False) -> int:
        """Count what ``read_all`` has after a position; reads an index entry for each."""

    async def load_checkpoint(self, name: str) -> Position:
        """Return the position that a reader stored, ``FIRST`` at first."""

    async def save_checkpoint(
        self, name: str, position: Position, *, under: LeaseFence | None = None
    ) -> None:
        """Store a reader's position durably; it may go back.

        Raises:
            LeaseLost: it was to be stored under a lease that is somebody else's by now. Nothing is stored.
        """

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot, and of those of its stream the two with the highest versions.

        Raises:
            UnknownStream: there is no such stream.
            WrongVersion: the stream has not got that far; carries both versions.
        """

    async def count_snapshots(self) -> Sequence[SnapshotCount]:
        """Count the snapshots by format, in the order of their names."""

    async def delete_snapshots(self, stream_id: str | None = None) -> int:
        """Delete a stream's snapshots, or everybody's; return how many there were."""

    async def next_epoch(self) -> int:
        """Return an owner's epoch: higher than any that this database has given out before, durably."""

    async def wait_for_append(self, seconds: float) -> bool:
        """Wait until this process appends something, or at most that long; True when something was appended.

        A hint for relays; another process's appends are found by reading.
        """
