"""Moving finished streams out of the database into files.

Nothing is deleted before a file has it: written, synced, read back and checked, renamed to its final name,
indexed. A run that dies at any step has lost nothing, and the next one finishes: it clears up half-written
files, indexes files that have no index, and deletes from the database what a file already has.
Source: ``deploy/docs/archive.md``.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from meldhall_eventlog.archive.files import (
    INDEX_SUFFIX,
    SUFFIX,
    Entry,
    Index,
    dump_stream,
    index_of,
    read_member,
)
from meldhall_eventlog.archive.reading import load_index
from meldhall_eventlog.archiving import Archiving
from meldhall_eventlog.chain import ChainLink, verify_chain
from meldhall_eventlog.errors import ArchiveDamaged, ChainBroken
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import Finished, Position, StoredEvent, StreamInfo

BATCH: Final = 200
"""Streams of one file at most."""

PAGE: Final = 500
PART: Final = ".part"
LOCK: Final = ".lock"

STEPS: Final = ("written", "checked", "named", "indexed", "deleted")
"""The steps of a file, in order; a stream that is deleted is one each."""


class ArchiveBusy(Exception):
    """Another run is at work in the folder."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is moved where.

    Attributes:
        folder: where the files go; made where it is not there.
        category: of the streams.
        before_ms: streams whose last event is older than this, Unix milliseconds.
        now_ms: what the tombstones say.
        published: how far public events have been published; streams with later ones stay. None: they are
            not published at all.
        step: called after each of ``STEPS``, with its name.
    """

    folder: Path
    category: str
    before_ms: int
    now_ms: int
    published: Position | None
    step: Callable[[str], None] = lambda _name: None


@dataclass
class Moved:
    """What a run did: files written, their bytes, streams and events deleted from the database.

    ``unpublished`` streams stayed for now; those that are ``broken``, a sentence each, stay for good.
    """

    files: int = 0
    streams: int = 0
    events: int = 0
    bytes: int = 0
    unpublished: int = 0
    broken: list[str] = field(default_factory=list)


async def move_finished(log: SqlEventLog, plan: Plan) -> Moved:
    """Move every finished stream of the plan.

    Raises:
        ArchiveBusy: another run works in the folder.
        ArchiveDamaged: a file in the folder is damaged, or what was written cannot be read back.
        LogUnavailable: the database failed; run again.
    """
    await asyncio.to_thread(plan.folder.mkdir, parents=True, exist_ok=True)
    with _locked(plan.folder):
        mover = _Mover(log, plan, await asyncio.to_thread(_recover, plan.folder))
        return await mover.run()


class _Mover:
    def __init__(self, log: SqlEventLog, plan: Plan, files: Sequence[tuple[Path, Index]]) -> None:
        self._log = log
        self._plan = plan
        self._known = {
            entry.info.stream_id: (path, entry) for path, index in files for entry in index.entries
        }
        self._moved = Moved()

    async def run(self) -> Moved:
        plan, batches = self._plan, dict[str, list[Finished]]()
        after = ""
        while page := await self._log.finished_streams(
            plan.category, before_ms=plan.before_ms, after=after, limit=PAGE
        ):
            for found in page:
                if await self._is_there(found):
                    continue
                batch = batches.setdefault(_month(found.last_at_ms), [])
                batch.append(found)
                if len(batch) == BATCH:
                    await self._move(_month(found.last_at_ms), batch)
                    batch.clear()
            after = page[-1].info.stream_id
        for month, batch in sorted(batches.items()):
            await self._move(month, batch)
        return self._moved

    async def _is_there(self, found: Finished) -> bool:
        """Delete a stream that an earlier run wrote and did not come to delete; tell whether it was one."""
        path, entry = self._known.get(found.info.stream_id, (None, None))
        if path is None or entry is None:
            return False
        if (entry.info.version, entry.info.last_hash) != (found.info.version, found.info.last_hash):
            raise ArchiveDamaged(path.name, f"it has another stream {found.info.stream_id} than the database")
        await asyncio.to_thread(read_member, path, entry)
        await self._delete(entry, path.name)
        return True

    async def _move(self, month: str, batch: Sequence[Finished]) -> None:
        members = [member for found in batch if (member := await self._member(found)) is not None]
        if not members:
            return
        path, index = await asyncio.to_thread(self._write, month, members)
        self._moved.files += 1
        self._moved.bytes += sum(entry.length for entry in index.entries)
        for entry in index.entries:
            await self._delete(entry, path.name)

    async def _member(self, found: Finished) -> bytes | None:
        """Return a stream for a file, None where it has to stay for now."""
        info, events = found.info, list[StoredEvent]()
        while len(events) < info.version:
            page = await self._log.read_stream(info.stream_id, after_version=len(events), limit=PAGE)
            if not page:
                break
            events.extend(page)
        if self._unpublished(events):
            self._moved.unpublished += 1
            return None
        broken = await asyncio.to_thread(_broken, info, events)
        if broken:
            self._moved.broken.append(broken)
            return None
        return await asyncio.to_thread(dump_stream, info, events, await self._log.receipts(info.stream_id))

    def _unpublished(self, events: Sequence[StoredEvent]) -> bool:
        published = self._plan.published
        return published is not None and any(
            event.public_seq is not None and event.position > published for event in events
        )

    def _write(self, month: str, members: Sequence[bytes]) -> tuple[Path, Index]:
        """Write a file and its index, durably, and return both. Blocking."""
        folder, step = self._plan.folder, self._plan.step
        part = folder / f"{self._plan.category}-{month}{PART}"
        _write_synced(part, b"".join(members))
        step("written")
        index = index_of(part)
        step("checked")
        path = folder / f"{self._plan.category}-{month}-{index.sha256[:16]}{SUFFIX}"
        part.rename(path)
        _sync(folder)
        step("named")
        index = _index(path)
        step("indexed")
        return path, index

    async def _delete(self, entry: Entry, file: str) -> None:
        if await self._log.archive_stream(Archiving(entry.info, file, self._plan.now_ms)):
            self._moved.streams += 1
            self._moved.events += entry.info.version
        self._plan.step("deleted")


def _broken(info: StreamInfo, events: Sequence[StoredEvent]) -> str | None:
    try:
        link = verify_chain(events)
    except ChainBroken as error:
        return str(error)
    if link == ChainLink(info.version, info.last_hash):
        return None
    return f"stream {info.stream_id} ends at version {link.version}, its row says {info.version}"


def _recover(folder: Path) -> Sequence[tuple[Path, Index]]:
    """Clear up what a run left that died, and return the files that there are. Blocking."""
    for part in folder.glob(f"*{PART}"):
        part.unlink()
    return [(path, _index(path)) for path in sorted(folder.glob(f"*{SUFFIX}"))]


def _index(path: Path) -> Index:
    """Return the index of a file, and make the one that is missing."""
    beside = path.with_name(path.name.removesuffix(SUFFIX) + INDEX_SUFFIX)
    index = load_index(path)
    if not beside.is_file():
        part = beside.with_name(beside.name + PART)
        _write_synced(part, index.dumps().encode())
        part.rename(beside)
        _sync(path.parent)
    return index


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ArchiveBusy(f"another run is archiving into {folder}") from error
        yield


def _month(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m")
