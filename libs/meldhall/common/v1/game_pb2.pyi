from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OpeningMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPENING_MODE_UNSPECIFIED: _ClassVar[OpeningMode]
    OPENING_MODE_FIXED: _ClassVar[OpeningMode]
    OPENING_MODE_RISING: _ClassVar[OpeningMode]

class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODE_UNSPECIFIED: _ClassVar[Mode]
    MODE_FRIENDS: _ClassVar[Mode]
    MODE_QUICK: _ClassVar[Mode]
    MODE_ARENA: _ClassVar[Mode]
    MODE_TOURNAMENT: _ClassVar[Mode]
OPENING_MODE_UNSPECIFIED: OpeningMode
OPENING_MODE_FIXED: OpeningMode
OPENING_MODE_RISING: OpeningMode
MODE_UNSPECIFIED: Mode
MODE_FRIENDS: Mode
MODE_QUICK: Mode
MODE_ARENA: Mode
MODE_TOURNAMENT: Mode

class GameOptions(_message.Message):
    __slots__ = ("rummy101",)
    RUMMY101_FIELD_NUMBER: _ClassVar[int]
    rummy101: Rummy101Options
    def __init__(self, rummy101: _Optional[_Union[Rummy101Options, _Mapping]] = ...) -> None: ...

class Rummy101Options(_message.Message):
    __slots__ = ("opening",)
    OPENING_FIELD_NUMBER: _ClassVar[int]
    opening: OpeningMode
    def __init__(self, opening: _Optional[_Union[OpeningMode, str]] = ...) -> None: ...

class MatchFormat(_message.Message):
    __slots__ = ("mode", "rounds", "single_winner", "stake", "rake_bps")
    MODE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    SINGLE_WINNER_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    RAKE_BPS_FIELD_NUMBER: _ClassVar[int]
    mode: Mode
    rounds: int
    single_winner: bool
    stake: int
    rake_bps: int
    def __init__(self, mode: _Optional[_Union[Mode, str]] = ..., rounds: _Optional[int] = ..., single_winner: _Optional[bool] = ..., stake: _Optional[int] = ..., rake_bps: _Optional[int] = ...) -> None: ...
