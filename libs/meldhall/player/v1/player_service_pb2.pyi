from meldhall.table.v1 import table_moves_pb2 as _table_moves_pb2
from meldhall.table.v1 import table_view_pb2 as _table_view_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SignInAsGuestRequest(_message.Message):
    __slots__ = ("display_name",)
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    def __init__(self, display_name: _Optional[str] = ...) -> None: ...

class SignInAsGuestResponse(_message.Message):
    __slots__ = ("player_id", "token", "expires_at_unix_ms")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    token: str
    expires_at_unix_ms: int
    def __init__(self, player_id: _Optional[str] = ..., token: _Optional[str] = ..., expires_at_unix_ms: _Optional[int] = ...) -> None: ...

class ActRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "expected_version", "move")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    expected_version: int
    move: _table_moves_pb2.Move
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., expected_version: _Optional[int] = ..., move: _Optional[_Union[_table_moves_pb2.Move, _Mapping]] = ...) -> None: ...

class ActResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class SessionRequest(_message.Message):
    __slots__ = ("after_message",)
    AFTER_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    after_message: int
    def __init__(self, after_message: _Optional[int] = ...) -> None: ...

class SessionResponse(_message.Message):
    __slots__ = ("number", "table", "table_event")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TABLE_EVENT_FIELD_NUMBER: _ClassVar[int]
    number: int
    table: _table_view_pb2.TableView
    table_event: SessionTableEvent
    def __init__(self, number: _Optional[int] = ..., table: _Optional[_Union[_table_view_pb2.TableView, _Mapping]] = ..., table_event: _Optional[_Union[SessionTableEvent, _Mapping]] = ...) -> None: ...

class SessionTableEvent(_message.Message):
    __slots__ = ("table_id", "event")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    event: _table_view_pb2.TableEvent
    def __init__(self, table_id: _Optional[str] = ..., event: _Optional[_Union[_table_view_pb2.TableEvent, _Mapping]] = ...) -> None: ...
