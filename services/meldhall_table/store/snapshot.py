"""A table's whole state as bytes, so that a stream need not be folded from its beginning.

Snapshots are disposable. One that other code wrote is never brought up to date but ignored, and the stream is
read instead: ``FORMAT`` is made of everything that a state is and of what folds it, so that it differs
whenever a state written by other code could mean something else. Where a snapshot stands is checked as well:
it carries the hash of the event that it was made after.

    state = hash of the event, 32 bytes || SHA-256 of what follows, first 8 bytes || zlib(JSON)

Source: ``deploy/docs/event-log.md``, "Snapshots".
"""

import hashlib
import json
import zlib
from dataclasses import replace
from importlib.resources import files
from typing import Any, Final, Union

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import WrongVersion
from meldhall_eventlog.store import EventLog, LogReader
from meldhall_eventlog.types import Snapshot
from meldhall_rules import registry
from meldhall_table.domain.state import Round, Table
from meldhall_table.store.shapes import Codec, ShapeError, codec_of
from meldhall_table.store.sharing import shared

HASH_BYTES: Final = 32
LEVEL: Final = 1
CHECK_BYTES: Final = 8
MOST_BYTES: Final = 1 << 20
"""Of a state unpacked: a hundred times what a long round of the largest game takes."""


class SnapshotError(ValueError):
    """Bytes that are no snapshot of this format."""


async def write_snapshot(log: EventLog, table: Table) -> None:
    """Keep a table's state for the next who reads its stream. Nothing depends on it.

    Args:
        log: where the stream is.
        table: its state at a version that the log has.

    Raises:
        WrongVersion: the log has no event of the table's version.
        LogUnavailable: the database failed.
    """
    made_after = await _hash_at(log, table.table_id, table.version)
    if made_after is None:
        raise WrongVersion(table.table_id, expected=table.version, actual=0)
    await log.save_snapshot(Snapshot(table.table_id, table.version, FORMAT, made_after + encode(table)))


async def newest(
    log: LogReader, table_id: str, *, at_most: int | None, logger: BoundLogger | None
) -> Table | None:
    """Return the newest state that can be read, of a version that is not above ``at_most``.

    One that cannot be used is as good as none: the logger is told, and the stream is read instead.
    """
    found = await log.load_snapshot(table_id, FORMAT, at_most=at_most)
    if found is None:
        return None
    try:
        return await _opened(log, found)
    except SnapshotError as error:
        if logger is not None:
            logger.warning("snapshot_ignored", table_id=table_id, version=found.version, why=str(error))
        return None


async def _opened(log: LogReader, found: Snapshot) -> Table:
    table = decode(found.state[HASH_BYTES:])
    if (table.table_id, table.version) != (found.stream_id, found.version):
        raise SnapshotError("it is of another table, or of another version")
    if await _hash_at(log, found.stream_id, found.version) != found.state[:HASH_BYTES]:
        raise SnapshotError("the stream has another event at its version")
    return replace(table, options=shared(table.options))


async def _hash_at(log: LogReader, table_id: str, version: int) -> bytes | None:
    page = await log.read_stream(table_id, after_version=version - 1, limit=1)
    return page[0].hash if page and page[0].version == version else None


def encode(table: Table) -> bytes:
    """Return a table as bytes. Equal tables give equal bytes."""
    text = json.dumps(_CODEC.write(table), separators=(",", ":"))
    packed = zlib.compress(text.encode(), LEVEL)
    return _check(packed) + packed


def decode(data: bytes) -> Table:
    """Return the table that ``encode`` was given.

    Raises:
        SnapshotError: the bytes are damaged, or not of this format.
    """
    packed = data[CHECK_BYTES:]
    if data[:CHECK_BYTES] != _check(packed):
        raise SnapshotError("the bytes are not those that were written")
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MOST_BYTES)
        if not unpacker.eof:
            raise SnapshotError(f"the state is cut off, or has more than {MOST_BYTES} bytes")
        table: Table = _CODEC.decode(json.loads(text))
    except zlib.error as error:
        raise SnapshotError(f"not packed: {error}") from error
    except ShapeError as error:
        raise SnapshotError(f"not a table: {error}") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SnapshotError("not JSON") from error
    return table


def _check(packed: bytes) -> bytes:
    return hashlib.sha256(packed).digest()[:CHECK_BYTES]


def _codec() -> Codec:
    states: Any = Union[tuple(game.state_type for game in registry.every())]  # noqa: UP007 - made, not written
    return codec_of(Table, {(Round, "state"): states})


def _format(codec: Codec) -> str:
    """Return the fingerprint of what a state is made of and of what folds it.

    Rules have versions that change with their folds. The fold of the table around the round has none, so its
    source stands for one.
    """
    digest = hashlib.sha256(codec.shape.encode())
    for game in registry.every():
        digest.update(f"\n{game.name} {game.rules_version}".encode())
    digest.update(files("meldhall_table.domain").joinpath("evolve.py").read_bytes())
    return f"table/1/{digest.hexdigest()[:32]}"


_CODEC: Final = _codec()
FORMAT: Final = _format(_CODEC)
"""Names what ``encode`` writes. Snapshots of another format are not looked at."""
