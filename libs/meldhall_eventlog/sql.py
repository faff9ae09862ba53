"""The log over an SQL database."""

import asyncio
from collections.abc import Sequence
from typing import Final, Self

from sqlalchemy import Connection

from meldhall_eventlog import appending, archiving, global_order, snapshots, statements
from meldhall_eventlog.archiving import Archiving
from meldhall_eventlog.database import Database, GroupCommit
from meldhall_eventlog.errors import InvalidAppend
from meldhall_eventlog.migrate import check_current
from meldhall_eventlog.named_leases import LeaseFence
from meldhall_eventlog.opening import open_database
from meldhall_eventlog.postgres import CONNECTIONS, check_durable
from meldhall_eventlog.types import (
    FIRST,
    Append,
    Finished,
    NewEvent,
    Position,
    Receipt,
    Snapshot,
    SnapshotCount,
    StoredEvent,
    StreamInfo,
)

MAX_ID_LENGTH: Final = 128
"""Characters of a stream id, a category, an event type and a command id at most."""

MAX_EVENTS: Final = 10_000
"""Events of one append at most."""

MAX_PAGE: Final = 10_000
"""Rows of one page at most."""

_MAX_INTEGER: Final = 2**63 - 1


class SqlEventLog:
    """An ``EventLog`` whose truth is an SQL database.

    Appends that wait together share a transaction (``GroupCommit``); reads go to connections of their own and
    see every append that returned before them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = GroupCommit(database)
        self._appended = asyncio.Event()

    @classmethod
    async def open(cls, url: str, *, connections: int = CONNECTIONS) -> Self:
        """Open a migrated database by its URL; see ``open_database``. Call ``close`` at the end.

        Raises:
            NotMigrated: this code cannot work on the schema that is there, or the log was copied from another
                server, whose transactions have higher numbers.
            LogUnavailable: the file cannot be opened, the server cannot be reached, or it does not sync
                commits to its disk.
        """
        database = open_database(url, connections=connections)
        try:
            await database.read(check_current)
            await database.read(check_durable)
            await database.read(global_order.check_order)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    @property
    def database(self) -> Database:
        """The database that the log lies in, for leases: they share its one writer. The log closes it."""
        return self._database

    async def check(self) -> None:
        """Return when the database answers and has a schema that this code works on, for a readiness check.

        Raises:
            NotMigrated: it has another one, as after an older copy was put back.
            LogUnavailable: it does not answer.
        """
        await self._database.read(check_current)

    async def close(self) -> None:
        """Finish what was accepted and close the database. Appends that come later are refused."""
        await self._commits.close()
        await self._database.close()

    async def append(self, append: Append) -> tuple[StoredEvent, ...]:
        """Append in one transaction, durable on return; see ``EventLog.append``."""
        _validate(append)
        stored = await self._commits.run_together(
            lambda connection: appending.append(connection, append),
            appending.append_all,
            append,
            key=append.stream_id,
        )
        woken, self._appended = self._appended, asyncio.Event()
        woken.set()
        return stored

    async def claim(self, stream_id: str, epoch: int) -> StreamInfo | None:
        """Write a higher owner epoch on a stream before it is read; see ``EventLog.claim``."""
        return await self._commits.run(
            lambda connection: statements.claim(connection, stream_id, epoch), key=stream_id
        )

    async def close_stream(self, stream_id: str, epoch: int) -> None:
        """Let a stream take no more events.

        Raises:
            UnknownStream: there is no such stream.
            Fenced: the stream belongs to another epoch.
        """
        await self._commits.run(
            lambda connection: statements.close_stream(connection, stream_id, epoch), key=stream_id
        )

    async def info(self, stream_id: str) -> StreamInfo | None:
        """Return a stream's row, None where there is no such stream."""
        return await self._database.read(lambda connection: statements.info(connection, stream_id))

    async def streams(
        self, category: str, *, after: str = "", limit: int = 500, open_only: bool = False
    ) -> Sequence[StreamInfo]:
        """List streams of a category by id, a page at a time."""
        _check_page(after=0, limit=limit)
        return await self._database.read(
            lambda connection: statements.list_streams(
                connection, category, after=after, limit=limit, open_only=open_only
            )
        )

    async def waking(
        self, category: str, shards: Sequence[int], *, after: str = "", limit: int = 500
    ) -> Sequence[StreamInfo]:
        """List the open streams of these shards that have a ``wake_at_ms``, by id, a page at a time."""
        _check_page(after=0, limit=limit)
        return await self._database.read(
            lambda connection: statements.list_waking(connection, category, shards, after=after, limit=limit)
        )

    async def receipt(self, stream_id: str, command_id: str) -> Receipt | None:
        """Return the receipt of a command."""
        return await self._database.read(
            lambda connection: statements.receipt(connection, stream_id, command_id)
        )

    async def read_stream(
        self, stream_id: str, *, after_version: int = 0, limit: int = 500
    ) -> Sequence[StoredEvent]:
        """Read a page of one stream in version order."""
        _check_page(after=after_version, limit=limit)
        return await self._database.read(
            lambda connection: statements.read_stream(
                connection, stream_id, after_version=after_version, limit=limit
            )
        )

    async def read_all(
        self, *, after: Position = FIRST, limit: int = 500, public_only: bool = False
    ) -> Sequence[StoredEvent]:
        """Read a page of the whole log in commit order."""
        _check_page(after=min(after), limit=limit)
        return await self._database.read(
            lambda connection: global_order.read_all(
                connection, after=after, limit=limit, public_only=public_only
            )
        )

    async def count_all(self, *, after: Position = FIRST, public_only: bool = False) -> int:
        """Count what ``read_all`` has after a position."""
        return await self._database.read(
            lambda connection: global_order.count_all(connection, after=after, public_only=public_only)
        )

    async def load_checkpoint(self, name: str) -> Position:
        """Return the position that a reader stored, ``FIRST`` at first."""
        return await self._database.read(lambda connection: statements.load_checkpoint(connection, name))

    async def save_checkpoint(
        self, name: str, position: Position, *, under: LeaseFence | None = None
    ) -> None:
        """Store a reader's position durably; see ``EventLog.save_checkpoint``."""
        if not 0 <= min(position) <= max(position) <= _MAX_INTEGER:
            raise ValueError(f"checkpoint {name}: {position} is no position")

        def save(connection: Connection) -> None:
            if under is not None:
                under.check(connection)
            statements.save_checkpoint(connection, name, position)

        await self._commits.run(save)

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot, and two of its stream at most; see ``EventLog.save_snapshot``."""
        _check_text("snapshot format", snapshot.format)
        _check_number("snapshot version", snapshot.version)
        await self._commits.run(
            lambda connection: snapshots.save(connection, snapshot), key=snapshot.stream_id
        )

    async def load_snapshot(
        self,
        stream_id: str,
        format: str,  # noqa: A002 - the column's name
        *,
        at_most: int | None = None,
    ) -> Snapshot | None:
        """Return the newest snapshot in a format, of a version that is not above ``at_most``."""
        return await self._database.read(
            lambda connection: snapshots.load(connection, stream_id, format, at_most=at_most)
        )

    async def count_snapshots(self) -> Sequence[SnapshotCount]:
        """Count the snapshots by format."""
        return await self._database.read(snapshots.count)

    async def delete_snapshots(self, stream_id: str | None = None) -> int:
        """Delete a stream's snapshots, or everybody's; return how many there were."""
        return await self._commits.run(
            lambda connection: snapshots.delete_all(connection, stream_id), key=stream_id or ""
        )

    async def finished_streams(
        self, category: str, *, before_ms: int, after: str = "", limit: int = 500
    ) -> Sequence[Finished]:
        """List closed streams whose last event was recorded before a time, by id, a page at a time.

        Those that were archived are not among them.
        """
        _check_page(after=0, limit=limit)
        return await self._database.read(
            lambda connection: archiving.finished(
                connection, category, before_ms=before_ms, after=after, limit=limit
            )
        )

    async def receipts(self, stream_id: str) -> Sequence[Receipt]:
        """Return the receipts of a stream in the order of their events."""
        return await self._database.read(lambda connection: archiving.receipts(connection, stream_id))

    async def archive_stream(self, what: Archiving) -> bool:
        """Delete the events, receipts and snapshots of a stream that a file has, and leave a tombstone.

        One transaction, durable on return; False where it was done before.

        Raises:
            UnknownStream: there is no such stream.
            WrongVersion: it is open, or not what the file has.
        """
        return await self._commits.run(
            lambda connection: archiving.archive(connection, what), key=what.stream.stream_id
        )

    async def next_epoch(self) -> int:
        """Return a number higher than any that this database has returned before."""
        return await self._commits.run(statements.next_epoch)

    async def wait_for_append(self, seconds: float) -> bool:
        """Wait for the next append of this process; see ``EventLog.wait_for_append``.

        A reader that must not miss one between its last page and this call starts the call as a task, reads,
        and awaits the task only when the page was empty.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._appended.wait()
        except TimeoutError:
            return False


def _check_page(*, after: int, limit: int) -> None:
    if after < 0:
        raise ValueError(f"a page starts after 0 or more, not {after}")
    if not 1 <= limit <= MAX_PAGE:
        raise ValueError(f"a page has 1 to {MAX_PAGE} rows, not {limit}")


def _validate(append: Append) -> None:
    _check_text("stream id", append.stream_id)
    _check_text("category", append.category)
    if append.command_id is not None:
        _check_text("command id", append.command_id)
    _check_number("shard", append.shard)
    _check_number("expected version", append.expected_version)
    _check_number("epoch", append.epoch)
    _check_number("recorded_at_ms", append.recorded_at_ms)
    if append.wake_at_ms is not None:
        _check_number("wake_at_ms", append.wake_at_ms)
    if not 1 <= len(append.events) <= MAX_EVENTS:
        raise InvalidAppend(f"stream {append.stream_id}: {len(append.events)} events, not 1 to {MAX_EVENTS}")
    if len({event.event_id for event in append.events}) != len(append.events):
        raise InvalidAppend(f"stream {append.stream_id}: an event id is there twice")
    for event in append.events:
        _validate_event(event)


def _validate_event(event: NewEvent) -> None:
    _check_text("event type", event.type)
    _check_number("schema version", event.schema_version)


def _check_text(what: str, text: str) -> None:
    # Printable excludes NUL, which separates the fields of the hash, and lone surrogates, which have no
    # UTF-8.
    if not 1 <= len(text) <= MAX_ID_LENGTH or not text.isprintable():
        raise InvalidAppend(f"{what} {text!r:.200} is not 1 to {MAX_ID_LENGTH} printable characters")


def _check_number(what: str, number: int) -> None:
    if not 0 <= number <= _MAX_INTEGER:
        raise InvalidAppend(f"{what} {number} is not 0 to {_MAX_INTEGER}")
