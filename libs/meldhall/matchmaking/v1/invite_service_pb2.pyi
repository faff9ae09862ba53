from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.common.v1 import page_pb2 as _page_pb2
from meldhall.table.v1 import table_events_pb2 as _table_events_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateInviteRequest(_message.Message):
    __slots__ = ("command_id", "options", "format", "seats", "limits", "spectators", "listed")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SPECTATORS_FIELD_NUMBER: _ClassVar[int]
    LISTED_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    options: _game_pb2.GameOptions
    format: _game_pb2.MatchFormat
    seats: int
    limits: _table_events_pb2.TimeLimits
    spectators: _table_events_pb2.SpectatorRules
    listed: bool
    def __init__(self, command_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., format: _Optional[_Union[_game_pb2.MatchFormat, _Mapping]] = ..., seats: _Optional[int] = ..., limits: _Optional[_Union[_table_events_pb2.TimeLimits, _Mapping]] = ..., spectators: _Optional[_Union[_table_events_pb2.SpectatorRules, _Mapping]] = ..., listed: _Optional[bool] = ...) -> None: ...

class CreateInviteResponse(_message.Message):
    __slots__ = ("invite",)
    INVITE_FIELD_NUMBER: _ClassVar[int]
    invite: Invite
    def __init__(self, invite: _Optional[_Union[Invite, _Mapping]] = ...) -> None: ...

class Invite(_message.Message):
    __slots__ = ("code", "link", "table_id", "table_address", "host_id", "listed", "expires_at_unix_ms")
    CODE_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    LISTED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    code: str
    link: str
    table_id: str
    table_address: str
    host_id: str
    listed: bool
    expires_at_unix_ms: int
    def __init__(self, code: _Optional[str] = ..., link: _Optional[str] = ..., table_id: _Optional[str] = ..., table_address: _Optional[str] = ..., host_id: _Optional[str] = ..., listed: _Optional[bool] = ..., expires_at_unix_ms: _Optional[int] = ...) -> None: ...

class JoinInviteRequest(_message.Message):
    __slots__ = ("code", "table_id")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    code: str
    table_id: str
    def __init__(self, code: _Optional[str] = ..., table_id: _Optional[str] = ...) -> None: ...

class JoinInviteResponse(_message.Message):
    __slots__ = ("table_id", "table_address", "host_id")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    table_address: str
    host_id: str
    def __init__(self, table_id: _Optional[str] = ..., table_address: _Optional[str] = ..., host_id: _Optional[str] = ...) -> None: ...

class RevokeInviteRequest(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: str
    def __init__(self, code: _Optional[str] = ...) -> None: ...

class RevokeInviteResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListOpenTablesRequest(_message.Message):
    __slots__ = ("game", "page")
    GAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    game: str
    page: _page_pb2.PageRequest
    def __init__(self, game: _Optional[str] = ..., page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListOpenTablesResponse(_message.Message):
    __slots__ = ("tables", "next_cursor")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[OpenTable]
    next_cursor: str
    def __init__(self, tables: _Optional[_Iterable[_Union[OpenTable, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class OpenTable(_message.Message):
    __slots__ = ("table_id", "host_id", "options", "format", "seats", "taken", "opened_at_unix_ms")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    OPENED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    host_id: str
    options: _game_pb2.GameOptions
    format: _game_pb2.MatchFormat
    seats: int
    taken: int
    opened_at_unix_ms: int
    def __init__(self, table_id: _Optional[str] = ..., host_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., format: _Optional[_Union[_game_pb2.MatchFormat, _Mapping]] = ..., seats: _Optional[int] = ..., taken: _Optional[int] = ..., opened_at_unix_ms: _Optional[int] = ...) -> None: ...
