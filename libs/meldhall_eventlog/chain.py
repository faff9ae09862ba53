"""The hash chain of a stream: what it is made of, and how it is checked.

One formula, over the stored bytes, so that nothing is ever encoded again to verify::

    hash = SHA-256(prev_hash || stream_id utf-8 || 0x00 || version, 8 bytes big-endian
                   || type utf-8 || 0x00 || payload)

``prev_hash`` is 32 bytes, zeros for version 1. Stream ids and types hold no NUL, so no two events have the
same input. Source: ``deploy/docs/event-log.md``, "Hash chain".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from meldhall_eventlog.errors import ChainBroken, UnknownStream
from meldhall_eventlog.store import LogReader
from meldhall_eventlog.types import GENESIS_HASH, StoredEvent


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A place in a chain: the version reached and its hash."""

    version: int
    hash: bytes


CHAIN_START: Final = ChainLink(0, GENESIS_HASH)
"""Where every stream starts."""


def event_hash(prev_hash: bytes, stream_id: str, version: int, event_type: str, payload: bytes) -> bytes:
    """Return an event's hash, 32 bytes."""
    digest = sha256(prev_hash)
    digest.update(stream_id.encode())
    digest.update(b"\x00")
    digest.update(version.to_bytes(8, "big"))
    digest.update(event_type.encode())
    digest.update(b"\x00")
    digest.update(payload)
    return digest.digest()


def verify_chain(events: Iterable[StoredEvent], *, after: ChainLink = CHAIN_START) -> ChainLink:
    """Check that events follow from a link and from one another.

    Args:
        events: events of one stream in version order; a page is enough.
        after: the link before the first of them.

    Returns:
        The last link, to go on from with the next page.

    Raises:
        ChainBroken: at the first event that does not follow: a version missing or out of order, a
            ``prev_hash`` that is not the hash before it, or a hash that is not the event's.
    """
    link, stream_id = after, None
    for event in events:
        stream_id = stream_id or event.stream_id
        if event.stream_id != stream_id:
            raise ChainBroken(
                stream_id, link.version + 1, f"an event of stream {event.stream_id} in its place"
            )
        if event.version != link.version + 1:
            raise ChainBroken(
                stream_id, link.version + 1, f"missing: version {event.version} follows {link.version}"
            )
        if event.prev_hash != link.hash:
            raise ChainBroken(stream_id, event.version, "prev_hash is not the hash of the version before")
        if event.hash != event_hash(event.prev_hash, stream_id, event.version, event.type, event.payload):
            raise ChainBroken(stream_id, event.version, "hash is not that of the stored event")
        link = ChainLink(event.version, event.hash)
    return link


async def verify_stream(log: LogReader, stream_id: str, *, page: int = 500) -> ChainLink:
    """Check a whole stream of a log, and that it ends where its stream row says.

    Events appended meanwhile are checked too. A stream whose tail was cut off is found by its row.

    Returns:
        The last link.

    Raises:
        UnknownStream: there is no such stream.
        ChainBroken: the first difference.
    """
    info = await log.info(stream_id)
    if info is None:
        raise UnknownStream(stream_id)
    link = CHAIN_START
    while events := await log.read_stream(stream_id, after_version=link.version, limit=page):
        link = verify_chain(events, after=link)
    if link.version < info.version:
        raise ChainBroken(stream_id, link.version + 1, f"missing: the stream row says version {info.version}")
    return link
