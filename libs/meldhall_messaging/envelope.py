"""The envelope of an event on NATS: made, written, read and checked."""

from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_eventlog.types import StoredEvent
from meldhall_messaging.errors import UndecodableMessage

TRACEPARENT_HEADER: Final = "traceparent"
"""Header that repeats the envelope's trace context, for tools that do not read envelopes."""


def envelope_of(
    event: StoredEvent, *, type_name: str | None = None, payload: bytes | None = None
) -> EventEnvelope:
    """Make the envelope of a public event of the log.

    Args:
        event: An event with a public sequence.
        type_name: Full name of the payload's message where the public event differs from the stored one.
        payload: The public payload where it differs from the stored one.

    Raises:
        ValueError: the event is private.
    """
    if event.public_seq is None:
        raise ValueError(f"event {event.version} of stream {event.stream_id} is private")
    return EventEnvelope(
        event_id=str(event.event_id),
        stream_id=event.stream_id,
        version=event.version,
        sequence=event.public_seq,
        type=event.type if type_name is None else type_name,
        schema_version=event.schema_version,
        recorded_at_ms=event.recorded_at_ms,
        traceparent=event.meta.traceparent,
        payload=event.payload if payload is None else payload,
    )


def encode(envelope: EventEnvelope) -> bytes:
    """Write an envelope; the same envelope gives the same bytes.

    Raises:
        UndecodableMessage: a reader would refuse it.
    """
    _check(envelope)
    return envelope.SerializeToString(deterministic=True)


def decode(data: bytes) -> EventEnvelope:
    """Read an envelope.

    Raises:
        UndecodableMessage: the bytes are not an envelope, or one that names no event.
    """
    envelope = EventEnvelope()
    try:
        envelope.ParseFromString(data)
    except DecodeError as error:
        raise UndecodableMessage(f"{len(data)} bytes are not an event envelope") from error
    _check(envelope)
    return envelope


def _check(envelope: EventEnvelope) -> None:
    try:
        UUID(envelope.event_id)
    except ValueError as error:
        raise UndecodableMessage(f"not an event id: {envelope.event_id[:64]!r}") from error
    for name in ("stream_id", "version", "sequence", "type", "schema_version"):
        if not getattr(envelope, name):
            raise UndecodableMessage(f"event {envelope.event_id} has no {name}")
