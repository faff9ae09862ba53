from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.table.v1 import table_events_pb2 as _table_events_pb2
from meldhall.table.v1 import table_moves_pb2 as _table_moves_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TableStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_STATUS_UNSPECIFIED: _ClassVar[TableStatus]
    TABLE_STATUS_WAITING: _ClassVar[TableStatus]
    TABLE_STATUS_PLAYING: _ClassVar[TableStatus]
    TABLE_STATUS_BREAK: _ClassVar[TableStatus]
    TABLE_STATUS_CLOSED: _ClassVar[TableStatus]
    TABLE_STATUS_OVER: _ClassVar[TableStatus]

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_DRAW: _ClassVar[Phase]
    PHASE_PLAY: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class OpeningKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPENING_KIND_UNSPECIFIED: _ClassVar[OpeningKind]
    OPENING_KIND_MELDS: _ClassVar[OpeningKind]
    OPENING_KIND_PAIRS: _ClassVar[OpeningKind]

class AutomaticReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUTOMATIC_REASON_UNSPECIFIED: _ClassVar[AutomaticReason]
    AUTOMATIC_REASON_TIME_UP: _ClassVar[AutomaticReason]
    AUTOMATIC_REASON_LEFT: _ClassVar[AutomaticReason]

class Limit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LIMIT_UNSPECIFIED: _ClassVar[Limit]
    LIMIT_ROUND: _ClassVar[Limit]
    LIMIT_MATCH: _ClassVar[Limit]
TABLE_STATUS_UNSPECIFIED: TableStatus
TABLE_STATUS_WAITING: TableStatus
TABLE_STATUS_PLAYING: TableStatus
TABLE_STATUS_BREAK: TableStatus
TABLE_STATUS_CLOSED: TableStatus
TABLE_STATUS_OVER: TableStatus
PHASE_UNSPECIFIED: Phase
PHASE_DRAW: Phase
PHASE_PLAY: Phase
PHASE_OVER: Phase
OPENING_KIND_UNSPECIFIED: OpeningKind
OPENING_KIND_MELDS: OpeningKind
OPENING_KIND_PAIRS: OpeningKind
AUTOMATIC_REASON_UNSPECIFIED: AutomaticReason
AUTOMATIC_REASON_TIME_UP: AutomaticReason
AUTOMATIC_REASON_LEFT: AutomaticReason
LIMIT_UNSPECIFIED: Limit
LIMIT_ROUND: Limit
LIMIT_MATCH: Limit

class TableView(_message.Message):
    __slots__ = ("table_id", "version", "status", "options", "format", "limits", "seats", "own_seat", "round", "totals", "deadline_unix_ms", "last_result", "match_result", "commitment", "last_secret", "deadlines", "spectators", "previous_table_id", "next_table_id", "host")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OWN_SEAT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_RESULT_FIELD_NUMBER: _ClassVar[int]
    MATCH_RESULT_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    LAST_SECRET_FIELD_NUMBER: _ClassVar[int]
    DEADLINES_FIELD_NUMBER: _ClassVar[int]
    SPECTATORS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    version: int
    status: TableStatus
    options: _game_pb2.GameOptions
    format: _game_pb2.MatchFormat
    limits: _table_events_pb2.TimeLimits
    seats: _containers.RepeatedCompositeFieldContainer[SeatView]
    own_seat: int
    round: RoundView
    totals: _containers.RepeatedScalarFieldContainer[int]
    deadline_unix_ms: int
    last_result: _table_events_pb2.RoundResult
    match_result: _table_events_pb2.MatchResult
    commitment: bytes
    last_secret: bytes
    deadlines: TableDeadlines
    spectators: _table_events_pb2.SpectatorRules
    previous_table_id: str
    next_table_id: str
    host: HostView
    def __init__(self, table_id: _Optional[str] = ..., version: _Optional[int] = ..., status: _Optional[_Union[TableStatus, str]] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., format: _Optional[_Union[_game_pb2.MatchFormat, _Mapping]] = ..., limits: _Optional[_Union[_table_events_pb2.TimeLimits, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[SeatView, _Mapping]]] = ..., own_seat: _Optional[int] = ..., round: _Optional[_Union[RoundView, _Mapping]] = ..., totals: _Optional[_Iterable[int]] = ..., deadline_unix_ms: _Optional[int] = ..., last_result: _Optional[_Union[_table_events_pb2.RoundResult, _Mapping]] = ..., match_result: _Optional[_Union[_table_events_pb2.MatchResult, _Mapping]] = ..., commitment: _Optional[bytes] = ..., last_secret: _Optional[bytes] = ..., deadlines: _Optional[_Union[TableDeadlines, _Mapping]] = ..., spectators: _Optional[_Union[_table_events_pb2.SpectatorRules, _Mapping]] = ..., previous_table_id: _Optional[str] = ..., next_table_id: _Optional[str] = ..., host: _Optional[_Union[HostView, _Mapping]] = ...) -> None: ...

class HostView(_message.Message):
    __slots__ = ("player_id", "invited_only", "locked", "started")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    INVITED_ONLY_FIELD_NUMBER: _ClassVar[int]
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    invited_only: bool
    locked: bool
    started: bool
    def __init__(self, player_id: _Optional[str] = ..., invited_only: _Optional[bool] = ..., locked: _Optional[bool] = ..., started: _Optional[bool] = ...) -> None: ...

class TableDeadlines(_message.Message):
    __slots__ = ("join_unix_ms", "fill_unix_ms", "round_unix_ms", "match_unix_ms")
    JOIN_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    FILL_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ROUND_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    MATCH_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    join_unix_ms: int
    fill_unix_ms: int
    round_unix_ms: int
    match_unix_ms: int
    def __init__(self, join_unix_ms: _Optional[int] = ..., fill_unix_ms: _Optional[int] = ..., round_unix_ms: _Optional[int] = ..., match_unix_ms: _Optional[int] = ...) -> None: ...

class SeatView(_message.Message):
    __slots__ = ("seat", "player_id", "reserved_for", "bot", "left", "client_seed", "ready", "rematch")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    RESERVED_FOR_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SEED_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    REMATCH_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    reserved_for: str
    bot: str
    left: bool
    client_seed: bytes
    ready: bool
    rematch: bool
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ..., reserved_for: _Optional[str] = ..., bot: _Optional[str] = ..., left: _Optional[bool] = ..., client_seed: _Optional[bytes] = ..., ready: _Optional[bool] = ..., rematch: _Optional[bool] = ...) -> None: ...

class RoundView(_message.Message):
    __slots__ = ("round", "starter", "turn", "phase", "first_turn", "own_hand", "hand_sizes", "stock_size", "discards", "melds", "openings", "need_points", "need_pairs", "own_spare_jokers", "button_used", "game", "rules_version", "wild", "out", "taken", "reshuffles", "laid", "new_melds", "thresholds", "bonus")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    FIRST_TURN_FIELD_NUMBER: _ClassVar[int]
    OWN_HAND_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    STOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    OPENINGS_FIELD_NUMBER: _ClassVar[int]
    NEED_POINTS_FIELD_NUMBER: _ClassVar[int]
    NEED_PAIRS_FIELD_NUMBER: _ClassVar[int]
    OWN_SPARE_JOKERS_FIELD_NUMBER: _ClassVar[int]
    BUTTON_USED_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    WILD_FIELD_NUMBER: _ClassVar[int]
    OUT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLES_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    NEW_MELDS_FIELD_NUMBER: _ClassVar[int]
    THRESHOLDS_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    round: int
    starter: int
    turn: int
    phase: Phase
    first_turn: bool
    own_hand: _containers.RepeatedScalarFieldContainer[int]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    stock_size: int
    discards: _containers.RepeatedScalarFieldContainer[int]
    melds: _containers.RepeatedCompositeFieldContainer[TableMeld]
    openings: _containers.RepeatedCompositeFieldContainer[OpeningView]
    need_points: int
    need_pairs: int
    own_spare_jokers: int
    button_used: _containers.RepeatedScalarFieldContainer[bool]
    game: str
    rules_version: int
    wild: int
    out: int
    taken: int
    reshuffles: int
    laid: _containers.RepeatedScalarFieldContainer[bool]
    new_melds: int
    thresholds: _containers.RepeatedScalarFieldContainer[int]
    bonus: _containers.RepeatedCompositeFieldContainer[_table_events_pb2.TilesExposed]
    def __init__(self, round: _Optional[int] = ..., starter: _Optional[int] = ..., turn: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., first_turn: _Optional[bool] = ..., own_hand: _Optional[_Iterable[int]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., stock_size: _Optional[int] = ..., discards: _Optional[_Iterable[int]] = ..., melds: _Optional[_Iterable[_Union[TableMeld, _Mapping]]] = ..., openings: _Optional[_Iterable[_Union[OpeningView, _Mapping]]] = ..., need_points: _Optional[int] = ..., need_pairs: _Optional[int] = ..., own_spare_jokers: _Optional[int] = ..., button_used: _Optional[_Iterable[bool]] = ..., game: _Optional[str] = ..., rules_version: _Optional[int] = ..., wild: _Optional[int] = ..., out: _Optional[int] = ..., taken: _Optional[int] = ..., reshuffles: _Optional[int] = ..., laid: _Optional[_Iterable[bool]] = ..., new_melds: _Optional[int] = ..., thresholds: _Optional[_Iterable[int]] = ..., bonus: _Optional[_Iterable[_Union[_table_events_pb2.TilesExposed, _Mapping]]] = ...) -> None: ...

class TableMeld(_message.Message):
    __slots__ = ("owner", "meld")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    owner: int
    meld: _table_moves_pb2.LaidMeld
    def __init__(self, owner: _Optional[int] = ..., meld: _Optional[_Union[_table_moves_pb2.LaidMeld, _Mapping]] = ...) -> None: ...

class OpeningView(_message.Message):
    __slots__ = ("kind", "value")
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    kind: OpeningKind
    value: int
    def __init__(self, kind: _Optional[_Union[OpeningKind, str]] = ..., value: _Optional[int] = ...) -> None: ...

class TableEvent(_message.Message):
    __slots__ = ("version", "at_unix_ms", "hidden", "table_created", "seat_taken", "seat_left", "round_started", "own_hand_dealt", "turn_began", "tile_drawn", "own_tile_drawn", "discard_taken", "joker_issued", "opening_laid", "melds_laid", "laid_off", "joker_swapped", "discarded", "automatic_turn", "joker_spent", "round_ended", "break_began", "match_ended", "table_closed", "deadline_moved", "stock_rebuilt", "went_out", "pile_taken", "bonus_exposed", "seat_ready", "limit_reached", "rematch_offered", "rematch_wanted", "rematch_began", "seat_changed", "player_admitted", "player_barred", "table_locked", "host_changed", "start_called")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    TABLE_CREATED_FIELD_NUMBER: _ClassVar[int]
    SEAT_TAKEN_FIELD_NUMBER: _ClassVar[int]
    SEAT_LEFT_FIELD_NUMBER: _ClassVar[int]
    ROUND_STARTED_FIELD_NUMBER: _ClassVar[int]
    OWN_HAND_DEALT_FIELD_NUMBER: _ClassVar[int]
    TURN_BEGAN_FIELD_NUMBER: _ClassVar[int]
    TILE_DRAWN_FIELD_NUMBER: _ClassVar[int]
    OWN_TILE_DRAWN_FIELD_NUMBER: _ClassVar[int]
    DISCARD_TAKEN_FIELD_NUMBER: _ClassVar[int]
    JOKER_ISSUED_FIELD_NUMBER: _ClassVar[int]
    OPENING_LAID_FIELD_NUMBER: _ClassVar[int]
    MELDS_LAID_FIELD_NUMBER: _ClassVar[int]
    LAID_OFF_FIELD_NUMBER: _ClassVar[int]
    JOKER_SWAPPED_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    AUTOMATIC_TURN_FIELD_NUMBER: _ClassVar[int]
    JOKER_SPENT_FIELD_NUMBER: _ClassVar[int]
    ROUND_ENDED_FIELD_NUMBER: _ClassVar[int]
    BREAK_BEGAN_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MOVED_FIELD_NUMBER: _ClassVar[int]
    STOCK_REBUILT_FIELD_NUMBER: _ClassVar[int]
    WENT_OUT_FIELD_NUMBER: _ClassVar[int]
    PILE_TAKEN_FIELD_NUMBER: _ClassVar[int]
    BONUS_EXPOSED_FIELD_NUMBER: _ClassVar[int]
    SEAT_READY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REACHED_FIELD_NUMBER: _ClassVar[int]
    REMATCH_OFFERED_FIELD_NUMBER: _ClassVar[int]
    REMATCH_WANTED_FIELD_NUMBER: _ClassVar[int]
    REMATCH_BEGAN_FIELD_NUMBER: _ClassVar[int]
    SEAT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ADMITTED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_BARRED_FIELD_NUMBER: _ClassVar[int]
    TABLE_LOCKED_FIELD_NUMBER: _ClassVar[int]
    HOST_CHANGED_FIELD_NUMBER: _ClassVar[int]
    START_CALLED_FIELD_NUMBER: _ClassVar[int]
    version: int
    at_unix_ms: int
    hidden: Hidden
    table_created: _table_events_pb2.TableCreated
    seat_taken: _table_events_pb2.SeatTaken
    seat_left: _table_events_pb2.SeatLeft
    round_started: _table_events_pb2.RoundStarted
    own_hand_dealt: OwnHandDealt
    turn_began: TurnBegan
    tile_drawn: TileDrawn
    own_tile_drawn: OwnTileDrawn
    discard_taken: DiscardTaken
    joker_issued: JokerIssued
    opening_laid: OpeningLaid
    melds_laid: MeldsLaid
    laid_off: LaidOff
    joker_swapped: JokerSwapped
    discarded: Discarded
    automatic_turn: AutomaticTurn
    joker_spent: _table_events_pb2.JokerSpent
    round_ended: _table_events_pb2.RoundEnded
    break_began: BreakBegan
    match_ended: _table_events_pb2.MatchEnded
    table_closed: _table_events_pb2.TableClosed
    deadline_moved: DeadlineMoved
    stock_rebuilt: StockRebuilt
    went_out: WentOut
    pile_taken: PileTaken
    bonus_exposed: BonusExposed
    seat_ready: SeatReady
    limit_reached: LimitReached
    rematch_offered: RematchOffered
    rematch_wanted: RematchWanted
    rematch_began: _table_events_pb2.RematchBegan
    seat_changed: _table_events_pb2.SeatChanged
    player_admitted: _table_events_pb2.PlayerAdmitted
    player_barred: _table_events_pb2.PlayerBarred
    table_locked: _table_events_pb2.TableLocked
    host_changed: _table_events_pb2.HostChanged
    start_called: _table_events_pb2.StartCalled
    def __init__(self, version: _Optional[int] = ..., at_unix_ms: _Optional[int] = ..., hidden: _Optional[_Union[Hidden, _Mapping]] = ..., table_created: _Optional[_Union[_table_events_pb2.TableCreated, _Mapping]] = ..., seat_taken: _Optional[_Union[_table_events_pb2.SeatTaken, _Mapping]] = ..., seat_left: _Optional[_Union[_table_events_pb2.SeatLeft, _Mapping]] = ..., round_started: _Optional[_Union[_table_events_pb2.RoundStarted, _Mapping]] = ..., own_hand_dealt: _Optional[_Union[OwnHandDealt, _Mapping]] = ..., turn_began: _Optional[_Union[TurnBegan, _Mapping]] = ..., tile_drawn: _Optional[_Union[TileDrawn, _Mapping]] = ..., own_tile_drawn: _Optional[_Union[OwnTileDrawn, _Mapping]] = ..., discard_taken: _Optional[_Union[DiscardTaken, _Mapping]] = ..., joker_issued: _Optional[_Union[JokerIssued, _Mapping]] = ..., opening_laid: _Optional[_Union[OpeningLaid, _Mapping]] = ..., melds_laid: _Optional[_Union[MeldsLaid, _Mapping]] = ..., laid_off: _Optional[_Union[LaidOff, _Mapping]] = ..., joker_swapped: _Optional[_Union[JokerSwapped, _Mapping]] = ..., discarded: _Optional[_Union[Discarded, _Mapping]] = ..., automatic_turn: _Optional[_Union[AutomaticTurn, _Mapping]] = ..., joker_spent: _Optional[_Union[_table_events_pb2.JokerSpent, _Mapping]] = ..., round_ended: _Optional[_Union[_table_events_pb2.RoundEnded, _Mapping]] = ..., break_began: _Optional[_Union[BreakBegan, _Mapping]] = ..., match_ended: _Optional[_Union[_table_events_pb2.MatchEnded, _Mapping]] = ..., table_closed: _Optional[_Union[_table_events_pb2.TableClosed, _Mapping]] = ..., deadline_moved: _Optional[_Union[DeadlineMoved, _Mapping]] = ..., stock_rebuilt: _Optional[_Union[StockRebuilt, _Mapping]] = ..., went_out: _Optional[_Union[WentOut, _Mapping]] = ..., pile_taken: _Optional[_Union[PileTaken, _Mapping]] = ..., bonus_exposed: _Optional[_Union[BonusExposed, _Mapping]] = ..., seat_ready: _Optional[_Union[SeatReady, _Mapping]] = ..., limit_reached: _Optional[_Union[LimitReached, _Mapping]] = ..., rematch_offered: _Optional[_Union[RematchOffered, _Mapping]] = ..., rematch_wanted: _Optional[_Union[RematchWanted, _Mapping]] = ..., rematch_began: _Optional[_Union[_table_events_pb2.RematchBegan, _Mapping]] = ..., seat_changed: _Optional[_Union[_table_events_pb2.SeatChanged, _Mapping]] = ..., player_admitted: _Optional[_Union[_table_events_pb2.PlayerAdmitted, _Mapping]] = ..., player_barred: _Optional[_Union[_table_events_pb2.PlayerBarred, _Mapping]] = ..., table_locked: _Optional[_Union[_table_events_pb2.TableLocked, _Mapping]] = ..., host_changed: _Optional[_Union[_table_events_pb2.HostChanged, _Mapping]] = ..., start_called: _Optional[_Union[_table_events_pb2.StartCalled, _Mapping]] = ...) -> None: ...

class Hidden(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OwnHandDealt(_message.Message):
    __slots__ = ("tiles", "spare_jokers")
    TILES_FIELD_NUMBER: _ClassVar[int]
    SPARE_JOKERS_FIELD_NUMBER: _ClassVar[int]
    tiles: _containers.RepeatedScalarFieldContainer[int]
    spare_jokers: int
    def __init__(self, tiles: _Optional[_Iterable[int]] = ..., spare_jokers: _Optional[int] = ...) -> None: ...

class TurnBegan(_message.Message):
    __slots__ = ("seat", "deadline_unix_ms", "phase", "laid")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    deadline_unix_ms: int
    phase: Phase
    laid: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, seat: _Optional[int] = ..., deadline_unix_ms: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., laid: _Optional[_Iterable[bool]] = ...) -> None: ...

class TileDrawn(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class OwnTileDrawn(_message.Message):
    __slots__ = ("tile",)
    TILE_FIELD_NUMBER: _ClassVar[int]
    tile: int
    def __init__(self, tile: _Optional[int] = ...) -> None: ...

class DiscardTaken(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class JokerIssued(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class OpeningLaid(_message.Message):
    __slots__ = ("seat", "kind", "value", "melds", "need_points", "need_pairs")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    NEED_POINTS_FIELD_NUMBER: _ClassVar[int]
    NEED_PAIRS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: OpeningKind
    value: int
    melds: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidMeld]
    need_points: int
    need_pairs: int
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[OpeningKind, str]] = ..., value: _Optional[int] = ..., melds: _Optional[_Iterable[_Union[_table_moves_pb2.LaidMeld, _Mapping]]] = ..., need_points: _Optional[int] = ..., need_pairs: _Optional[int] = ...) -> None: ...

class MeldsLaid(_message.Message):
    __slots__ = ("seat", "melds")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    melds: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidMeld]
    def __init__(self, seat: _Optional[int] = ..., melds: _Optional[_Iterable[_Union[_table_moves_pb2.LaidMeld, _Mapping]]] = ...) -> None: ...

class LaidOff(_message.Message):
    __slots__ = ("seat", "meld", "tiles", "result")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    meld: int
    tiles: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidTile]
    result: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidTile]
    def __init__(self, seat: _Optional[int] = ..., meld: _Optional[int] = ..., tiles: _Optional[_Iterable[_Union[_table_moves_pb2.LaidTile, _Mapping]]] = ..., result: _Optional[_Iterable[_Union[_table_moves_pb2.LaidTile, _Mapping]]] = ...) -> None: ...

class JokerSwapped(_message.Message):
    __slots__ = ("seat", "meld", "tile", "joker")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    JOKER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    meld: int
    tile: int
    joker: int
    def __init__(self, seat: _Optional[int] = ..., meld: _Optional[int] = ..., tile: _Optional[int] = ..., joker: _Optional[int] = ...) -> None: ...

class Discarded(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class AutomaticTurn(_message.Message):
    __slots__ = ("seat", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: AutomaticReason
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[_Union[AutomaticReason, str]] = ...) -> None: ...

class BreakBegan(_message.Message):
    __slots__ = ("deadline_unix_ms",)
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    deadline_unix_ms: int
    def __init__(self, deadline_unix_ms: _Optional[int] = ...) -> None: ...

class SeatReady(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class LimitReached(_message.Message):
    __slots__ = ("limit",)
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    limit: Limit
    def __init__(self, limit: _Optional[_Union[Limit, str]] = ...) -> None: ...

class RematchOffered(_message.Message):
    __slots__ = ("deadline_unix_ms",)
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    deadline_unix_ms: int
    def __init__(self, deadline_unix_ms: _Optional[int] = ...) -> None: ...

class RematchWanted(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class DeadlineMoved(_message.Message):
    __slots__ = ("deadline_unix_ms", "outage_ms")
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    OUTAGE_MS_FIELD_NUMBER: _ClassVar[int]
    deadline_unix_ms: int
    outage_ms: int
    def __init__(self, deadline_unix_ms: _Optional[int] = ..., outage_ms: _Optional[int] = ...) -> None: ...

class StockRebuilt(_message.Message):
    __slots__ = ("stock_size",)
    STOCK_SIZE_FIELD_NUMBER: _ClassVar[int]
    stock_size: int
    def __init__(self, stock_size: _Optional[int] = ...) -> None: ...

class WentOut(_message.Message):
    __slots__ = ("seat", "melds", "discard")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    melds: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.LaidMeld]
    discard: int
    def __init__(self, seat: _Optional[int] = ..., melds: _Optional[_Iterable[_Union[_table_moves_pb2.LaidMeld, _Mapping]]] = ..., discard: _Optional[int] = ...) -> None: ...

class PileTaken(_message.Message):
    __slots__ = ("seat", "tiles")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tiles: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., tiles: _Optional[_Iterable[int]] = ...) -> None: ...

class BonusExposed(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...
