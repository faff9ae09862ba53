"""Envelopes that are read are whole, and every event is a duplicate, the next one, or too early."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_eventlog import Meta, Position, StoredEvent
from meldhall_messaging import (
    ConsumerSettings,
    GapFound,
    ServerTooOld,
    Standing,
    UndecodableMessage,
    admit,
    classify,
    decode,
    encode,
    envelope_of,
)
from meldhall_messaging._ensure import check_version

EVENT_ID = UUID("5b3f4bd8-1d4e-4a0f-9a53-0d6f3f5c0c11")


def stored(public_seq: int | None) -> StoredEvent:
    return StoredEvent(
        position=Position(0, 9),
        stream_id="t-1",
        version=4,
        public_seq=public_seq,
        event_id=EVENT_ID,
        type="meldhall.table.v1.TileDrawn",
        schema_version=2,
        payload=b"secret",
        command_id=None,
        meta=Meta(traceparent="00-ab-cd-01", actor="p-1"),
        epoch=1,
        recorded_at_ms=5,
        prev_hash=bytes(32),
        hash=bytes(32),
    )


def envelope(sequence: int = 3) -> EventEnvelope:
    return envelope_of(stored(sequence))


def test_an_envelope_carries_the_event_and_can_carry_another_payload() -> None:
    made = envelope_of(stored(3), type_name="meldhall.table.v1.TurnTaken", payload=b"public")
    assert decode(encode(made)) == EventEnvelope(
        event_id=str(EVENT_ID),
        stream_id="t-1",
        version=4,
        sequence=3,
        type="meldhall.table.v1.TurnTaken",
        schema_version=2,
        recorded_at_ms=5,
        traceparent="00-ab-cd-01",
        payload=b"public",
    )


def test_a_private_event_has_no_envelope() -> None:
    with pytest.raises(ValueError, match="private"):
        envelope_of(stored(None))


@pytest.mark.parametrize("field", ["event_id", "stream_id", "version", "sequence", "type", "schema_version"])
def test_an_envelope_without_its_essentials_is_neither_written_nor_read(field: str) -> None:
    broken = envelope()
    broken.ClearField(field)
    with pytest.raises(UndecodableMessage):
        encode(broken)
    with pytest.raises(UndecodableMessage):
        decode(broken.SerializeToString())


@given(st.binary(max_size=60))
def test_any_bytes_are_an_envelope_or_refused_as_undecodable(data: bytes) -> None:
    try:
        decoded = decode(data)
    except UndecodableMessage:
        return
    assert decoded.sequence > 0


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_every_sequence_has_one_standing(last: int, sequence: int) -> None:
    standing = classify(last, sequence)
    assert (standing is Standing.APPLY) == (sequence == last + 1)
    assert (standing is Standing.DUPLICATE) == (sequence <= last)
    assert (standing is Standing.GAP) == (sequence > last + 1)


def test_admission_says_apply_or_not_and_raises_for_a_gap() -> None:
    assert admit(2, envelope(3))
    assert not admit(3, envelope(3))
    with pytest.raises(GapFound, match="event 3 came after 1") as raised:
        admit(1, envelope(3))
    assert (raised.value.stream_id, raised.value.last, raised.value.sequence) == ("t-1", 1, 3)


def test_the_wait_before_another_try_doubles_up_to_a_bound() -> None:
    settings = ConsumerSettings(retry_first=0.5, retry_most=30.0)
    assert [settings.retry_after(attempt) for attempt in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert settings.retry_after(10_000) == 30.0


class Server:
    """A client's view of a server of some version."""

    def __init__(self, major: int, minor: int) -> None:
        self.connected_server_version = self
        self.major = major
        self.minor = minor


def test_an_old_server_is_refused_by_its_version() -> None:
    check_version(Server(2, 11))
    check_version(Server(3, 0))
    with pytest.raises(ServerTooOld, match=r"2\.10 is too old; 2\.11"):
        check_version(Server(2, 10))
