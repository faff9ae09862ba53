from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SetJokerColor(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SET_JOKER_COLOR_UNSPECIFIED: _ClassVar[SetJokerColor]
    SET_JOKER_COLOR_FIXED: _ClassVar[SetJokerColor]
    SET_JOKER_COLOR_OPEN: _ClassVar[SetJokerColor]

class OpeningMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPENING_MODE_UNSPECIFIED: _ClassVar[OpeningMode]
    OPENING_MODE_FIXED: _ClassVar[OpeningMode]
    OPENING_MODE_RISING: _ClassVar[OpeningMode]

class JokerButtonSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOKER_BUTTON_SOURCE_UNSPECIFIED: _ClassVar[JokerButtonSource]
    JOKER_BUTTON_SOURCE_STOCK: _ClassVar[JokerButtonSource]
    JOKER_BUTTON_SOURCE_EXTRA: _ClassVar[JokerButtonSource]

class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODE_UNSPECIFIED: _ClassVar[Mode]
    MODE_FRIENDS: _ClassVar[Mode]
    MODE_QUICK: _ClassVar[Mode]
    MODE_ARENA: _ClassVar[Mode]
    MODE_TOURNAMENT: _ClassVar[Mode]
SET_JOKER_COLOR_UNSPECIFIED: SetJokerColor
SET_JOKER_COLOR_FIXED: SetJokerColor
SET_JOKER_COLOR_OPEN: SetJokerColor
OPENING_MODE_UNSPECIFIED: OpeningMode
OPENING_MODE_FIXED: OpeningMode
OPENING_MODE_RISING: OpeningMode
JOKER_BUTTON_SOURCE_UNSPECIFIED: JokerButtonSource
JOKER_BUTTON_SOURCE_STOCK: JokerButtonSource
JOKER_BUTTON_SOURCE_EXTRA: JokerButtonSource
MODE_UNSPECIFIED: Mode
MODE_FRIENDS: Mode
MODE_QUICK: Mode
MODE_ARENA: Mode
MODE_TOURNAMENT: Mode

class GameOptions(_message.Message):
    __slots__ = ("rummy101", "rummy", "canasta", "three_thirteen")
    RUMMY101_FIELD_NUMBER: _ClassVar[int]
    RUMMY_FIELD_NUMBER: _ClassVar[int]
    CANASTA_FIELD_NUMBER: _ClassVar[int]
    THREE_THIRTEEN_FIELD_NUMBER: _ClassVar[int]
    rummy101: Rummy101Options
    rummy: RummyOptions
    canasta: CanastaOptions
    three_thirteen: ThreeThirteenOptions
    def __init__(self, rummy101: _Optional[_Union[Rummy101Options, _Mapping]] = ..., rummy: _Optional[_Union[RummyOptions, _Mapping]] = ..., canasta: _Optional[_Union[CanastaOptions, _Mapping]] = ..., three_thirteen: _Optional[_Union[ThreeThirteenOptions, _Mapping]] = ...) -> None: ...

class Rummy101Options(_message.Message):
    __slots__ = ("opening", "starter_may_meld", "playable_discard_penalty", "joker_discard_penalty", "joker_button_source", "set_joker_color")
    OPENING_FIELD_NUMBER: _ClassVar[int]
    STARTER_MAY_MELD_FIELD_NUMBER: _ClassVar[int]
    PLAYABLE_DISCARD_PENALTY_FIELD_NUMBER: _ClassVar[int]
    JOKER_DISCARD_PENALTY_FIELD_NUMBER: _ClassVar[int]
    JOKER_BUTTON_SOURCE_FIELD_NUMBER: _ClassVar[int]
    SET_JOKER_COLOR_FIELD_NUMBER: _ClassVar[int]
    opening: OpeningMode
    starter_may_meld: bool
    playable_discard_penalty: int
    joker_discard_penalty: int
    joker_button_source: JokerButtonSource
    set_joker_color: SetJokerColor
    def __init__(self, opening: _Optional[_Union[OpeningMode, str]] = ..., starter_may_meld: _Optional[bool] = ..., playable_discard_penalty: _Optional[int] = ..., joker_discard_penalty: _Optional[int] = ..., joker_button_source: _Optional[_Union[JokerButtonSource, str]] = ..., set_joker_color: _Optional[_Union[SetJokerColor, str]] = ...) -> None: ...

class RummyOptions(_message.Message):
    __slots__ = ("ace_high_low", "must_discard_to_go_out", "max_melds_per_turn", "max_reshuffles", "two_player_winner_deals", "max_idle_reshuffles")
    ACE_HIGH_LOW_FIELD_NUMBER: _ClassVar[int]
    MUST_DISCARD_TO_GO_OUT_FIELD_NUMBER: _ClassVar[int]
    MAX_MELDS_PER_TURN_FIELD_NUMBER: _ClassVar[int]
    MAX_RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    TWO_PLAYER_WINNER_DEALS_FIELD_NUMBER: _ClassVar[int]
    MAX_IDLE_RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    ace_high_low: bool
    must_discard_to_go_out: bool
    max_melds_per_turn: int
    max_reshuffles: int
    two_player_winner_deals: bool
    max_idle_reshuffles: int
    def __init__(self, ace_high_low: _Optional[bool] = ..., must_discard_to_go_out: _Optional[bool] = ..., max_melds_per_turn: _Optional[int] = ..., max_reshuffles: _Optional[int] = ..., two_player_winner_deals: _Optional[bool] = ..., max_idle_reshuffles: _Optional[int] = ...) -> None: ...

class CanastaOptions(_message.Message):
    __slots__ = ("joker_button_source",)
    JOKER_BUTTON_SOURCE_FIELD_NUMBER: _ClassVar[int]
    joker_button_source: JokerButtonSource
    def __init__(self, joker_button_source: _Optional[_Union[JokerButtonSource, str]] = ...) -> None: ...

class ThreeThirteenOptions(_message.Message):
    __slots__ = ("forbid_return_discard", "allow_all_wild", "max_reshuffles")
    FORBID_RETURN_DISCARD_FIELD_NUMBER: _ClassVar[int]
    ALLOW_ALL_WILD_FIELD_NUMBER: _ClassVar[int]
    MAX_RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    forbid_return_discard: bool
    allow_all_wild: bool
    max_reshuffles: int
    def __init__(self, forbid_return_discard: _Optional[bool] = ..., allow_all_wild: _Optional[bool] = ..., max_reshuffles: _Optional[int] = ...) -> None: ...

class MatchFormat(_message.Message):
    __slots__ = ("mode", "rounds", "single_winner", "stake", "rake_bps", "target")
    MODE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    SINGLE_WINNER_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    RAKE_BPS_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    mode: Mode
    rounds: int
    single_winner: bool
    stake: int
    rake_bps: int
    target: int
    def __init__(self, mode: _Optional[_Union[Mode, str]] = ..., rounds: _Optional[int] = ..., single_winner: _Optional[bool] = ..., stake: _Optional[int] = ..., rake_bps: _Optional[int] = ..., target: _Optional[int] = ...) -> None: ...
