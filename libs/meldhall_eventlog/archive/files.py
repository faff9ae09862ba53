"""The files of an archive: a stream a gzip member, JSON lines within, an index beside.

``zcat`` shows a whole file. A member begins with a line about its stream; the events follow in the order of
their versions, then the receipts. Source: ``deploy/docs/archive.md``.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from meldhall_eventlog.chain import verify_chain
from meldhall_eventlog.errors import ArchiveDamaged, ChainBroken
from meldhall_eventlog.types import Meta, Position, Receipt, StoredEvent, StreamInfo

FORMAT: Final = "meldhall-archive/1"
SUFFIX: Final = ".jsonl.gz"
INDEX_SUFFIX: Final = ".index.json"
LEVEL: Final = 9
CHUNK: Final = 1 << 20
_GZIP: Final = 31
"""zlib's ``wbits`` for a gzip member."""


@dataclass(frozen=True, slots=True)
class ArchivedStream:
    """A stream as its member has it, checked: its chain holds and ends where its row says."""

    info: StreamInfo
    events: tuple[StoredEvent, ...]
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a stream lies in a file: ``length`` bytes from ``offset``, and the row that it had."""

    info: StreamInfo
    offset: int
    length: int
    first_at_ms: int
    last_at_ms: int


@dataclass(frozen=True, slots=True)
class Index:
    """What is in a file, and the SHA-256 of all of it."""

    file: str
    sha256: str
    entries: tuple[Entry, ...]

    def dumps(self) -> str:
        """Write it."""
        streams = [
            {
                **_stream_row(entry.info),
                "offset": entry.offset,
                "length": entry.length,
                "first_at_ms": entry.first_at_ms,
                "last_at_ms": entry.last_at_ms,
            }
            for entry in self.entries
        ]
        content = {"format": FORMAT, "file": self.file, "sha256": self.sha256, "streams": streams}
        return json.dumps(content, indent=1) + "\n"

    @classmethod
    def loads(cls, text: str, where: str) -> "Index":
        """Read what ``dumps`` wrote.

        Raises:
            ArchiveDamaged: it is something else.
        """
        try:
            content = json.loads(text)
            if content["format"] != FORMAT:
                raise ArchiveDamaged(where, f"format {content['format']!r:.80}, not {FORMAT}")
            entries = tuple(
                Entry(_stream_info(row), row["offset"], row["length"], row["first_at_ms"], row["last_at_ms"])
                for row in content["streams"]
            )
            return cls(content["file"], content["sha256"], entries)
        except (ValueError, KeyError, TypeError) as error:
            raise ArchiveDamaged(where, f"not an index: {error!r:.200}") from error


def dump_stream(info: StreamInfo, events: Sequence[StoredEvent], receipts: Sequence[Receipt]) -> bytes:
    """Return a stream as a gzip member. The same stream gives the same bytes."""
    head = {"format": FORMAT, "stream": _stream_row(info), "events": len(events), "receipts": len(receipts)}
    lines = [head, *map(_event_row, events), *map(_receipt_row, receipts)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), LEVEL, mtime=0)


def load_stream(member: bytes, where: str) -> ArchivedStream:
    """Read a member and check it.

    Args:
        member: its bytes.
        where: the file, for errors.

    Raises:
        ArchiveDamaged: it is not a whole member, or its chain does not hold.
    """
    try:
        head, *rows = [json.loads(line) for line in gzip.decompress(member).splitlines()]
        if head["format"] != FORMAT:
            raise ArchiveDamaged(where, f"format {head['format']!r:.80}, not {FORMAT}")
        info = _stream_info(head["stream"])
        count = head["events"]
        events = tuple(_stored_event(info.stream_id, row) for row in rows[:count])
        receipts = tuple(_receipt(info.stream_id, row["receipt"]) for row in rows[count:])
        if (len(events), len(receipts)) != (count, head["receipts"]):
            raise ArchiveDamaged(where, f"stream {info.stream_id} is not whole")
        link = verify_chain(events)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise ArchiveDamaged(where, f"a stream cannot be read: {error!r:.200}") from error
    except ChainBroken as error:
        raise ArchiveDamaged(where, str(error)) from error
    if (link.version, link.hash) != (info.version, info.last_hash):
        raise ArchiveDamaged(where, f"stream {info.stream_id} does not end where its row says")
    return ArchivedStream(info, events, receipts)


def read_member(path: Path, entry: Entry) -> ArchivedStream:
    """Read one stream of a file by its entry.

    Raises:
        ArchiveDamaged: something else lies there.
    """
    try:
        with path.open("rb") as file:
            file.seek(entry.offset)
            member = file.read(entry.length)
    except OSError as error:
        raise ArchiveDamaged(path.name, f"cannot be read: {error.strerror}") from error
    found = load_stream(member, path.name)
    if found.info != entry.info:
        raise ArchiveDamaged(path.name, f"stream {entry.info.stream_id} does not lie where the index says")
    return found


def index_of(path: Path) -> Index:
    """Read a whole file, check every stream in it and return its index.

    Raises:
        ArchiveDamaged: something in it does not hold.
    """
    digest = hashlib.sha256()
    entries: list[Entry] = []
    offset = 0
    for member in _members(path):
        digest.update(member)
        found = load_stream(member, path.name)
        times = [event.recorded_at_ms for event in found.events]
        entries.append(Entry(found.info, offset, len(member), times[0], times[-1]))
        offset += len(member)
    return Index(path.name, digest.hexdigest(), tuple(entries))


def _members(path: Path) -> Iterator[bytes]:
    """Give the gzip members of a file, which say themselves where they end."""
    with path.open("rb") as file:
        left = b""
        while left or (left := file.read(CHUNK)):
            member, unpacker = bytearray(), zlib.decompressobj(_GZIP)
            while not unpacker.eof:
                piece = left or file.read(CHUNK)
                if not piece:
                    raise ArchiveDamaged(path.name, "it ends within a stream")
                try:
                    unpacker.decompress(piece)
                except zlib.error as error:
                    raise ArchiveDamaged(path.name, f"not packed as a stream: {error}") from error
                left = unpacker.unused_data
                member += piece[: len(piece) - len(left)]
            yield bytes(member)


def _stream_row(info: StreamInfo) -> dict[str, object]:
    return {
        "stream_id": info.stream_id,
        "category": info.category,
        "shard": info.shard,
        "version": info.version,
        "public_seq": info.public_seq,
        "owner_epoch": info.owner_epoch,
        "last_hash": info.last_hash.hex(),
    }


def _stream_info(row: Mapping[str, Any]) -> StreamInfo:
    names = ("stream_id", "category", "shard", "version", "public_seq", "owner_epoch")
    last_hash = bytes.fromhex(row["last_hash"])
    return StreamInfo(**{name: row[name] for name in names}, last_hash=last_hash, closed=True)


def _event_row(event: StoredEvent) -> dict[str, object]:
    return {
        "version": event.version,
        "position": str(event.position),
        "public_seq": event.public_seq,
        "event_id": str(event.event_id),
        "type": event.type,
        "schema_version": event.schema_version,
        "payload": event.payload.hex(),
        "command_id": event.command_id,
        **asdict(event.meta),
        "epoch": event.epoch,
        "recorded_at_ms": event.recorded_at_ms,
        "prev_hash": event.prev_hash.hex(),
        "hash": event.hash.hex(),
    }


def _stored_event(stream_id: str, row: Mapping[str, Any]) -> StoredEvent:
    names = ("version", "public_seq", "type", "schema_version", "command_id", "epoch", "recorded_at_ms")
    meta = ("actor", "correlation_id", "causation_id", "traceparent")
    return StoredEvent(
        stream_id=stream_id,
        position=Position.parse(row["position"]),
        event_id=UUID(row["event_id"]),
        meta=Meta(**{name: row[name] for name in meta}),
        payload=bytes.fromhex(row["payload"]),
        prev_hash=bytes.fromhex(row["prev_hash"]),
        hash=bytes.fromhex(row["hash"]),
        **{name: row[name] for name in names},
    )


def _receipt_row(receipt: Receipt) -> dict[str, object]:
    content = {
        "command_id": receipt.command_id,
        "first_version": receipt.first_version,
        "last_version": receipt.last_version,
        "response": receipt.response.hex(),
    }
    return {"receipt": content}


def _receipt(stream_id: str, row: Mapping[str, Any]) -> Receipt:
    response = bytes.fromhex(row["response"])
    return Receipt(stream_id, row["command_id"], row["first_version"], row["last_version"], response)
