"""A folder of archive files, or one of them, as a log that can only be read."""

import asyncio
import bisect
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from meldhall_eventlog.archive.files import (
    INDEX_SUFFIX,
    SUFFIX,
    ArchivedStream,
    Entry,
    Index,
    index_of,
    read_member,
)
from meldhall_eventlog.errors import ArchiveDamaged
from meldhall_eventlog.types import Receipt, Snapshot, StoredEvent, StreamInfo


def load_index(path: Path) -> Index:
    """Return the index that lies beside a file, or read the file where there is none.

    Raises:
        ArchiveDamaged: the index is not one, or is that of another file.
    """
    beside = path.with_name(path.name.removesuffix(SUFFIX) + INDEX_SUFFIX)
    if not beside.is_file():
        return index_of(path)
    index = Index.loads(beside.read_text(), beside.name)
    if index.file != path.name:
        raise ArchiveDamaged(beside.name, f"it is the index of {index.file}")
    return index


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    entry: Entry


class ArchivedLog:
    """The reading half of an ``EventLog`` over archive files.

    Every stream is checked when it is read: its chain, and that it ends where the index says. ``check_files``
    compares whole files with their hashes.
    """

    def __init__(self, indices: Sequence[tuple[Path, Index]]) -> None:
        self._files = indices
        self._places: dict[str, _Place] = {}
        for path, index in indices:
            for entry in index.entries:
                self._places.setdefault(entry.info.stream_id, _Place(path, entry))
        self._ids = sorted(self._places)
        # Whoever reads a stream reads it page by page.
        self._member = lru_cache(maxsize=2)(read_member)

    @classmethod
    async def open(cls, path: Path) -> "ArchivedLog":
        """Open a folder of archive files, or one file.

        Raises:
            FileNotFoundError: there is no archive.
            ArchiveDamaged: a file or an index is not one.
        """
        return cls(await asyncio.to_thread(lambda: list(_load(path))))

    async def check_files(self) -> Sequence[str]:
        """Compare every file with the hash in its index; return what does not hold, a sentence a file."""
        return await asyncio.to_thread(
            lambda: [why for path, index in self._files if (why := _wrong(path, index))]
        )

    async def info(self, stream_id: str) -> StreamInfo | None:
        """Return a stream's row as it was, None where it is not in these files."""
        place = self._places.get(stream_id)
        return place.entry.info if place else None

    async def streams(
        self, category: str, *, after: str = "", limit: int = 500, open_only: bool = False
    ) -> Sequence[StreamInfo]:
        """List streams of a category by id, a page at a time; none of them is open."""
        if open_only:
            return []
        page: list[StreamInfo] = []
        for stream_id in self._ids[bisect.bisect_right(self._ids, after) :]:
            info = self._places[stream_id].entry.info
            if info.category == category:
                page.append(info)
            if len(page) == limit:
                break
        return page

    async def receipt(self, stream_id: str, command_id: str) -> Receipt | None:
        """Return the receipt of a command.

        Raises:
            ArchiveDamaged: what lies in the file does not hold.
        """
        found = await self._read(stream_id)
        receipts = found.receipts if found else ()
        return next((one for one in receipts if one.command_id == command_id), None)

    async def read_stream(
        self, stream_id: str, *, after_version: int = 0, limit: int = 500
    ) -> Sequence[StoredEvent]:
        """Read a page of one stream in version order.

        Raises:
            ArchiveDamaged: what lies in the file does not hold.
        """
        found = await self._read(stream_id)
        return found.events[after_version : after_version + limit] if found else ()

    async def load_snapshot(
        self,
        stream_id: str,  # noqa: ARG002 - the port's
        format: str,  # noqa: A002, ARG002 - the port's
        *,
        at_most: int | None = None,  # noqa: ARG002 - the port's
    ) -> Snapshot | None:
        """Return None: an archive has no snapshots."""
        return None

    async def close(self) -> None:
        """Forget what was read."""
        self._member.cache_clear()

    async def _read(self, stream_id: str) -> ArchivedStream | None:
        place = self._places.get(stream_id)
        return await asyncio.to_thread(self._member, place.path, place.entry) if place else None


def _load(path: Path) -> Iterator[tuple[Path, Index]]:
    if path.is_file():
        yield path, load_index(path)
        return
    if not path.is_dir():
        raise FileNotFoundError(f"there is no archive at {path}")
    for index in path.glob(f"*{INDEX_SUFFIX}"):
        file = index.with_name(index.name.removesuffix(INDEX_SUFFIX) + SUFFIX)
        if not file.is_file():
            raise ArchiveDamaged(file.name, f"it is not there, and {index.name} says what was in it")
    for file in sorted(path.glob(f"*{SUFFIX}")):
        yield file, load_index(file)


def _wrong(path: Path, index: Index) -> str | None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return (
        None
        if found == index.sha256
        else f"{path.name} has the SHA-256 {found}, its index says {index.sha256}"
    )
