from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class ReplayRoundRequest(_message.Message):
    __slots__ = ("table_id", "round")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    round: int
    def __init__(self, table_id: _Optional[str] = ..., round: _Optional[int] = ...) -> None: ...

class ReplayRoundResponse(_message.Message):
    __slots__ = ("version", "move", "hands")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    version: int
    move: str
    hands: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version: _Optional[int] = ..., move: _Optional[str] = ..., hands: _Optional[_Iterable[str]] = ...) -> None: ...

class VerifyTableRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class VerifyTableResponse(_message.Message):
    __slots__ = ("ok", "difference", "rounds")
    OK_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ok: bool
    difference: str
    rounds: int
    def __init__(self, ok: _Optional[bool] = ..., difference: _Optional[str] = ..., rounds: _Optional[int] = ...) -> None: ...
