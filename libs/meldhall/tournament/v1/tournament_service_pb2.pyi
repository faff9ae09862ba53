from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.common.v1 import page_pb2 as _page_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_FORMAT_UNSPECIFIED: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_FIXED_ROUNDS: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_SWISS: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_SINGLE_ELIMINATION: _ClassVar[TournamentFormat]
TOURNAMENT_FORMAT_UNSPECIFIED: TournamentFormat
TOURNAMENT_FORMAT_FIXED_ROUNDS: TournamentFormat
TOURNAMENT_FORMAT_SWISS: TournamentFormat
TOURNAMENT_FORMAT_SINGLE_ELIMINATION: TournamentFormat

class Tournament(_message.Message):
    __slots__ = ("tournament_id", "title", "format", "options", "seats", "rounds", "entry_fee", "starts_at_unix_ms")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FEE_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    title: str
    format: TournamentFormat
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    entry_fee: int
    starts_at_unix_ms: int
    def __init__(self, tournament_id: _Optional[str] = ..., title: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., entry_fee: _Optional[int] = ..., starts_at_unix_ms: _Optional[int] = ...) -> None: ...

class CreateTournamentRequest(_message.Message):
    __slots__ = ("command_id", "tournament")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    tournament: Tournament
    def __init__(self, command_id: _Optional[str] = ..., tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class RegisterRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class RegisterResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: int
    def __init__(self, entries: _Optional[int] = ...) -> None: ...

class WithdrawRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class WithdrawResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListStandingsRequest(_message.Message):
    __slots__ = ("tournament_id", "page")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    page: _page_pb2.PageRequest
    def __init__(self, tournament_id: _Optional[str] = ..., page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("standings", "next_cursor")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    next_cursor: str
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("place", "player_id", "score", "tie_breaks")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    TIE_BREAKS_FIELD_NUMBER: _ClassVar[int]
    place: int
    player_id: str
    score: int
    tie_breaks: _containers.RepeatedCompositeFieldContainer[TieBreak]
    def __init__(self, place: _Optional[int] = ..., player_id: _Optional[str] = ..., score: _Optional[int] = ..., tie_breaks: _Optional[_Iterable[_Union[TieBreak, _Mapping]]] = ...) -> None: ...

class TieBreak(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
