from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class EventEnvelope(_message.Message):
    __slots__ = ("event_id", "stream_id", "version", "sequence", "type", "schema_version", "recorded_at_ms", "traceparent", "payload")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    stream_id: str
    version: int
    sequence: int
    type: str
    schema_version: int
    recorded_at_ms: int
    traceparent: str
    payload: bytes
    def __init__(self, event_id: _Optional[str] = ..., stream_id: _Optional[str] = ..., version: _Optional[int] = ..., sequence: _Optional[int] = ..., type: _Optional[str] = ..., schema_version: _Optional[int] = ..., recorded_at_ms: _Optional[int] = ..., traceparent: _Optional[str] = ..., payload: _Optional[bytes] = ...) -> None: ...
