from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.table.v1 import table_moves_pb2 as _table_moves_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SpectatorMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SPECTATOR_MODE_UNSPECIFIED: _ClassVar[SpectatorMode]
    SPECTATOR_MODE_NONE: _ClassVar[SpectatorMode]
    SPECTATOR_MODE_DELAYED: _ClassVar[SpectatorMode]

class Finish(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINISH_UNSPECIFIED: _ClassVar[Finish]
    FINISH_NORMAL: _ClassVar[Finish]
    FINISH_JOKER: _ClassVar[Finish]
    FINISH_ONE_TURN: _ClassVar[Finish]
    FINISH_ONE_TURN_JOKER: _ClassVar[Finish]
    FINISH_EXHAUSTED: _ClassVar[Finish]
    FINISH_RUMMY: _ClassVar[Finish]
    FINISH_VOID: _ClassVar[Finish]

class CloseReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CLOSE_REASON_UNSPECIFIED: _ClassVar[CloseReason]
    CLOSE_REASON_MATCH_OVER: _ClassVar[CloseReason]
    CLOSE_REASON_EMPTY: _ClassVar[CloseReason]
    CLOSE_REASON_NOT_FILLED: _ClassVar[CloseReason]
    CLOSE_REASON_ABANDONED: _ClassVar[CloseReason]
    CLOSE_REASON_TIME_UP: _ClassVar[CloseReason]
SPECTATOR_MODE_UNSPECIFIED: SpectatorMode
SPECTATOR_MODE_NONE: SpectatorMode
SPECTATOR_MODE_DELAYED: SpectatorMode
FINISH_UNSPECIFIED: Finish
FINISH_NORMAL: Finish
FINISH_JOKER: Finish
FINISH_ONE_TURN: Finish
FINISH_ONE_TURN_JOKER: Finish
FINISH_EXHAUSTED: Finish
FINISH_RUMMY: Finish
FINISH_VOID: Finish
CLOSE_REASON_UNSPECIFIED: CloseReason
CLOSE_REASON_MATCH_OVER: CloseReason
CLOSE_REASON_EMPTY: CloseReason
CLOSE_REASON_NOT_FILLED: CloseReason
CLOSE_REASON_ABANDONED: CloseReason
CLOSE_REASON_TIME_UP: CloseReason

class TableCreated(_message.Message):
    __slots__ = ("table_id", "options", "format", "seats", "reserved_for", "commitment", "created_by", "limits", "spectators", "previous_table_id", "host")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    RESERVED_FOR_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SPECTATORS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    options: _game_pb2.GameOptions
    format: _game_pb2.MatchFormat
    seats: int
    reserved_for: _containers.RepeatedScalarFieldContainer[str]
    commitment: bytes
    created_by: str
    limits: TimeLimits
    spectators: SpectatorRules
    previous_table_id: str
    host: HostRules
    def __init__(self, table_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., format: _Optional[_Union[_game_pb2.MatchFormat, _Mapping]] = ..., seats: _Optional[int] = ..., reserved_for: _Optional[_Iterable[str]] = ..., commitment: _Optional[bytes] = ..., created_by: _Optional[str] = ..., limits: _Optional[_Union[TimeLimits, _Mapping]] = ..., spectators: _Optional[_Union[SpectatorRules, _Mapping]] = ..., previous_table_id: _Optional[str] = ..., host: _Optional[_Union[HostRules, _Mapping]] = ...) -> None: ...

class HostRules(_message.Message):
    __slots__ = ("player_id", "invited_only")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    INVITED_ONLY_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    invited_only: bool
    def __init__(self, player_id: _Optional[str] = ..., invited_only: _Optional[bool] = ...) -> None: ...

class SpectatorRules(_message.Message):
    __slots__ = ("mode", "delay_ms")
    MODE_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    mode: SpectatorMode
    delay_ms: int
    def __init__(self, mode: _Optional[_Union[SpectatorMode, str]] = ..., delay_ms: _Optional[int] = ...) -> None: ...

class TimeLimits(_message.Message):
    __slots__ = ("turn_ms", "break_ms", "join_ms", "bot_move_ms", "fill_ms", "round_ms", "match_ms", "rematch_ms")
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    BREAK_MS_FIELD_NUMBER: _ClassVar[int]
    JOIN_MS_FIELD_NUMBER: _ClassVar[int]
    BOT_MOVE_MS_FIELD_NUMBER: _ClassVar[int]
    FILL_MS_FIELD_NUMBER: _ClassVar[int]
    ROUND_MS_FIELD_NUMBER: _ClassVar[int]
    MATCH_MS_FIELD_NUMBER: _ClassVar[int]
    REMATCH_MS_FIELD_NUMBER: _ClassVar[int]
    turn_ms: int
    break_ms: int
    join_ms: int
    bot_move_ms: int
    fill_ms: int
    round_ms: int
    match_ms: int
    rematch_ms: int
    def __init__(self, turn_ms: _Optional[int] = ..., break_ms: _Optional[int] = ..., join_ms: _Optional[int] = ..., bot_move_ms: _Optional[int] = ..., fill_ms: _Optional[int] = ..., round_ms: _Optional[int] = ..., match_ms: _Optional[int] = ..., rematch_ms: _Optional[int] = ...) -> None: ...

class SeatTaken(_message.Message):
    __slots__ = ("seat", "player_id", "client_seed", "bot")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SEED_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    client_seed: bytes
    bot: str
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ..., client_seed: _Optional[bytes] = ..., bot: _Optional[str] = ...) -> None: ...

class SeatLeft(_message.Message):
    __slots__ = ("seat", "player_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class RoundStarted(_message.Message):
    __slots__ = ("round", "starter", "game", "rules_version", "players", "hand_sizes", "stock_size", "discards", "need_points", "need_pairs", "wild", "thresholds", "bonus", "deadline_unix_ms", "match_deadline_unix_ms")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    STOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    NEED_POINTS_FIELD_NUMBER: _ClassVar[int]
    NEED_PAIRS_FIELD_NUMBER: _ClassVar[int]
    WILD_FIELD_NUMBER: _ClassVar[int]
    THRESHOLDS_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    MATCH_DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    round: int
    starter: int
    game: str
    rules_version: int
    players: _containers.RepeatedScalarFieldContainer[str]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    stock_size: int
    discards: _containers.RepeatedScalarFieldContainer[int]
    need_points: int
    need_pairs: int
    wild: int
    thresholds: _containers.RepeatedScalarFieldContainer[int]
    bonus: _containers.RepeatedCompositeFieldContainer[TilesExposed]
    deadline_unix_ms: int
    match_deadline_unix_ms: int
    def __init__(self, round: _Optional[int] = ..., starter: _Optional[int] = ..., game: _Optional[str] = ..., rules_version: _Optional[int] = ..., players: _Optional[_Iterable[str]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., stock_size: _Optional[int] = ..., discards: _Optional[_Iterable[int]] = ..., need_points: _Optional[int] = ..., need_pairs: _Optional[int] = ..., wild: _Optional[int] = ..., thresholds: _Optional[_Iterable[int]] = ..., bonus: _Optional[_Iterable[_Union[TilesExposed, _Mapping]]] = ..., deadline_unix_ms: _Optional[int] = ..., match_deadline_unix_ms: _Optional[int] = ...) -> None: ...

class TilesExposed(_message.Message):
    __slots__ = ("tiles",)
    TILES_FIELD_NUMBER: _ClassVar[int]
    tiles: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, tiles: _Optional[_Iterable[int]] = ...) -> None: ...

class JokerSpent(_message.Message):
    __slots__ = ("round", "seat", "player_id")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    round: int
    seat: int
    player_id: str
    def __init__(self, round: _Optional[int] = ..., seat: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class RoundEnded(_message.Message):
    __slots__ = ("table_id", "game", "mode", "result", "players", "account_changes", "round_secret", "bots")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_CHANGES_FIELD_NUMBER: _ClassVar[int]
    ROUND_SECRET_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    game: str
    mode: _game_pb2.Mode
    result: RoundResult
    players: _containers.RepeatedScalarFieldContainer[str]
    account_changes: _containers.RepeatedScalarFieldContainer[int]
    round_secret: bytes
    bots: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, table_id: _Optional[str] = ..., game: _Optional[str] = ..., mode: _Optional[_Union[_game_pb2.Mode, str]] = ..., result: _Optional[_Union[RoundResult, _Mapping]] = ..., players: _Optional[_Iterable[str]] = ..., account_changes: _Optional[_Iterable[int]] = ..., round_secret: _Optional[bytes] = ..., bots: _Optional[_Iterable[bool]] = ...) -> None: ...

class RoundResult(_message.Message):
    __slots__ = ("round", "finish", "winner", "scores", "totals", "left")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    FINISH_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    round: int
    finish: Finish
    winner: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    left: _containers.RepeatedCompositeFieldContainer[TilesLeft]
    def __init__(self, round: _Optional[int] = ..., finish: _Optional[_Union[Finish, str]] = ..., winner: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., left: _Optional[_Iterable[_Union[TilesLeft, _Mapping]]] = ...) -> None: ...

class TilesLeft(_message.Message):
    __slots__ = ("tiles", "melds")
    TILES_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    tiles: _containers.RepeatedScalarFieldContainer[int]
    melds: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidMeld]
    def __init__(self, tiles: _Optional[_Iterable[int]] = ..., melds: _Optional[_Iterable[_Union[_table_moves_pb2.LaidMeld, _Mapping]]] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("table_id", "game", "mode", "result", "players", "stake_changes", "account_changes", "bots")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    STAKE_CHANGES_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_CHANGES_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    game: str
    mode: _game_pb2.Mode
    result: MatchResult
    players: _containers.RepeatedScalarFieldContainer[str]
    stake_changes: _containers.RepeatedScalarFieldContainer[int]
    account_changes: _containers.RepeatedScalarFieldContainer[int]
    bots: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, table_id: _Optional[str] = ..., game: _Optional[str] = ..., mode: _Optional[_Union[_game_pb2.Mode, str]] = ..., result: _Optional[_Union[MatchResult, _Mapping]] = ..., players: _Optional[_Iterable[str]] = ..., stake_changes: _Optional[_Iterable[int]] = ..., account_changes: _Optional[_Iterable[int]] = ..., bots: _Optional[_Iterable[bool]] = ...) -> None: ...

class MatchResult(_message.Message):
    __slots__ = ("winners", "totals", "rounds")
    WINNERS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    winners: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    rounds: int
    def __init__(self, winners: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., rounds: _Optional[int] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: CloseReason
    def __init__(self, reason: _Optional[_Union[CloseReason, str]] = ...) -> None: ...

class RematchBegan(_message.Message):
    __slots__ = ("next_table_id",)
    NEXT_TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    next_table_id: str
    def __init__(self, next_table_id: _Optional[str] = ...) -> None: ...

class SeatChanged(_message.Message):
    __slots__ = ("from_seat", "to_seat", "player_id")
    FROM_SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    from_seat: int
    to_seat: int
    player_id: str
    def __init__(self, from_seat: _Optional[int] = ..., to_seat: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class PlayerAdmitted(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class PlayerBarred(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class TableLocked(_message.Message):
    __slots__ = ("locked",)
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    locked: bool
    def __init__(self, locked: _Optional[bool] = ...) -> None: ...

class HostChanged(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class StartCalled(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
