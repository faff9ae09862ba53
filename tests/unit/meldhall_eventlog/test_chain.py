"""The hash formula against vectors made by hand, and every way in which a chain can break."""

import hashlib
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from meldhall_eventlog import (
    CHAIN_START,
    GENESIS_HASH,
    ChainBroken,
    ChainLink,
    Meta,
    Position,
    StoredEvent,
    event_hash,
    verify_chain,
)


def chain(count: int, stream_id: str = "table-1") -> list[StoredEvent]:
    events: list[StoredEvent] = []
    for version in range(1, count + 1):
        prev_hash = events[-1].hash if events else GENESIS_HASH
        payload = b"payload %d" % version
        events.append(
            StoredEvent(
                position=Position(0, version * 3),
                stream_id=stream_id,
                version=version,
                public_seq=None,
                event_id=UUID(int=version),
                type="TileDrawn",
                schema_version=1,
                payload=payload,
                command_id=None,
                meta=Meta(),
                epoch=1,
                recorded_at_ms=0,
                prev_hash=prev_hash,
                hash=event_hash(prev_hash, stream_id, version, "TileDrawn", payload),
            )
        )
    return events


def test_the_hash_is_over_the_bytes_that_the_document_names() -> None:
    stored = (
        bytes(32)
        + b"t\xc3\xa1bla-1"
        + b"\x00"
        + b"\x00\x00\x00\x00\x00\x00\x01\x02"
        + b"RoundStarted"
        + b"\x00"
        + b"\x08\x01"
    )
    assert (
        event_hash(bytes(32), "tábla-1", 258, "RoundStarted", b"\x08\x01") == hashlib.sha256(stored).digest()
    )


def test_the_hash_of_a_known_event_never_changes() -> None:
    known = event_hash(GENESIS_HASH, "table-1", 1, "RoundStarted", b"\x08\x01")
    assert known.hex() == "fc1d964633f6963a09de5eada48f65340099f34a2699b46bd60b3492d1bcac1e"


def test_a_whole_chain_ends_at_its_last_event() -> None:
    events = chain(5)
    assert verify_chain(events) == ChainLink(5, events[-1].hash)


def test_no_events_leave_the_link_where_it_was() -> None:
    assert verify_chain([]) == CHAIN_START
    link = ChainLink(4, b"h" * 32)
    assert verify_chain([], after=link) == link


def test_a_page_is_checked_from_the_link_before_it() -> None:
    events = chain(6)
    assert verify_chain(events[3:], after=verify_chain(events[:3])) == verify_chain(events)
    with pytest.raises(ChainBroken, match="prev_hash"):
        verify_chain(events[3:], after=ChainLink(3, events[1].hash))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"payload": b"payload 9"}, "hash is not that of the stored event"),
        ({"type": "TileLaid"}, "hash is not that of the stored event"),
        ({"hash": b"h" * 32}, "hash is not that of the stored event"),
        ({"prev_hash": b"h" * 32}, "prev_hash is not the hash of the version before"),
        ({"version": 4}, "missing"),
        ({"stream_id": "table-2"}, "an event of stream table-2"),
    ],
)
def test_a_changed_event_is_found_where_it_is(change: dict[str, Any], what: str) -> None:
    events = chain(5)
    events[2] = replace(events[2], **change)
    with pytest.raises(ChainBroken, match=what) as broken:
        verify_chain(events)
    assert (broken.value.stream_id, broken.value.version) == ("table-1", 3)


def test_a_removed_event_is_found() -> None:
    events = chain(5)
    del events[2]
    with pytest.raises(ChainBroken, match="version 4 follows 2") as broken:
        verify_chain(events)
    assert broken.value.version == 3


def test_swapped_events_are_found() -> None:
    events = chain(5)
    events[2], events[3] = events[3], events[2]
    with pytest.raises(ChainBroken) as broken:
        verify_chain(events)
    assert broken.value.version == 3


def test_an_event_that_was_changed_with_its_hash_breaks_the_next_one() -> None:
    events = chain(5)
    forged = event_hash(events[2].prev_hash, "table-1", 3, "TileDrawn", b"forged")
    events[2] = replace(events[2], payload=b"forged", hash=forged)
    with pytest.raises(ChainBroken) as broken:
        verify_chain(events)
    assert broken.value.version == 4
