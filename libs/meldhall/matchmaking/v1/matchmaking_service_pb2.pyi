from meldhall.common.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TicketState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TICKET_STATE_UNSPECIFIED: _ClassVar[TicketState]
    TICKET_STATE_WAITING: _ClassVar[TicketState]
    TICKET_STATE_PROPOSED: _ClassVar[TicketState]
    TICKET_STATE_MATCHED: _ClassVar[TicketState]
    TICKET_STATE_CANCELLED: _ClassVar[TicketState]
    TICKET_STATE_EXPIRED: _ClassVar[TicketState]
TICKET_STATE_UNSPECIFIED: TicketState
TICKET_STATE_WAITING: TicketState
TICKET_STATE_PROPOSED: TicketState
TICKET_STATE_MATCHED: TicketState
TICKET_STATE_CANCELLED: TicketState
TICKET_STATE_EXPIRED: TicketState

class EnqueueRequest(_message.Message):
    __slots__ = ("command_id", "options", "seats", "rounds")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    def __init__(self, command_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ...) -> None: ...

class EnqueueResponse(_message.Message):
    __slots__ = ("ticket",)
    TICKET_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ...) -> None: ...

class Ticket(_message.Message):
    __slots__ = ("ticket_id", "player_id", "state", "options", "seats", "rounds", "enqueued_at_unix_ms", "bots_at_unix_ms", "table_id", "table_address")
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ENQUEUED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    BOTS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    player_id: str
    state: TicketState
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    enqueued_at_unix_ms: int
    bots_at_unix_ms: int
    table_id: str
    table_address: str
    def __init__(self, ticket_id: _Optional[str] = ..., player_id: _Optional[str] = ..., state: _Optional[_Union[TicketState, str]] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., enqueued_at_unix_ms: _Optional[int] = ..., bots_at_unix_ms: _Optional[int] = ..., table_id: _Optional[str] = ..., table_address: _Optional[str] = ...) -> None: ...

class CancelRequest(_message.Message):
    __slots__ = ("ticket_id",)
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    def __init__(self, ticket_id: _Optional[str] = ...) -> None: ...

class CancelResponse(_message.Message):
    __slots__ = ("ticket",)
    TICKET_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ...) -> None: ...

class WatchTicketRequest(_message.Message):
    __slots__ = ("ticket_id",)
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    def __init__(self, ticket_id: _Optional[str] = ...) -> None: ...

class WatchTicketResponse(_message.Message):
    __slots__ = ("ticket", "waiting")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    waiting: int
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ..., waiting: _Optional[int] = ...) -> None: ...
