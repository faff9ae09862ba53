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

class TournamentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_STATE_UNSPECIFIED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_OPEN: _ClassVar[TournamentState]
    TOURNAMENT_STATE_RUNNING: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CLOSED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CANCELLED: _ClassVar[TournamentState]

class EntryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_STATE_UNSPECIFIED: _ClassVar[EntryState]
    ENTRY_STATE_PENDING: _ClassVar[EntryState]
    ENTRY_STATE_ENTERED: _ClassVar[EntryState]
    ENTRY_STATE_REFUSED: _ClassVar[EntryState]
    ENTRY_STATE_WITHDRAWN: _ClassVar[EntryState]
    ENTRY_STATE_DISQUALIFIED: _ClassVar[EntryState]

class ResultSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESULT_SOURCE_UNSPECIFIED: _ClassVar[ResultSource]
    RESULT_SOURCE_MATCH: _ClassVar[ResultSource]
    RESULT_SOURCE_FORFEIT: _ClassVar[ResultSource]
    RESULT_SOURCE_TIMEOUT: _ClassVar[ResultSource]
    RESULT_SOURCE_OPERATOR: _ClassVar[ResultSource]
TOURNAMENT_FORMAT_UNSPECIFIED: TournamentFormat
TOURNAMENT_FORMAT_FIXED_ROUNDS: TournamentFormat
TOURNAMENT_FORMAT_SWISS: TournamentFormat
TOURNAMENT_FORMAT_SINGLE_ELIMINATION: TournamentFormat
TOURNAMENT_STATE_UNSPECIFIED: TournamentState
TOURNAMENT_STATE_OPEN: TournamentState
TOURNAMENT_STATE_RUNNING: TournamentState
TOURNAMENT_STATE_CLOSED: TournamentState
TOURNAMENT_STATE_CANCELLED: TournamentState
ENTRY_STATE_UNSPECIFIED: EntryState
ENTRY_STATE_PENDING: EntryState
ENTRY_STATE_ENTERED: EntryState
ENTRY_STATE_REFUSED: EntryState
ENTRY_STATE_WITHDRAWN: EntryState
ENTRY_STATE_DISQUALIFIED: EntryState
RESULT_SOURCE_UNSPECIFIED: ResultSource
RESULT_SOURCE_MATCH: ResultSource
RESULT_SOURCE_FORFEIT: ResultSource
RESULT_SOURCE_TIMEOUT: ResultSource
RESULT_SOURCE_OPERATOR: ResultSource

class Tournament(_message.Message):
    __slots__ = ("tournament_id", "title", "format", "options", "seats", "rounds", "entry_fee", "starts_at_unix_ms", "opens_at_unix_ms", "sit_and_go", "check_in_ms", "late_until_round", "minimum", "maximum", "entries_each", "prizes", "match_rounds", "match_target", "drawn_partners", "table_ms", "join_ms", "shared_places", "status")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FEE_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    OPENS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    SIT_AND_GO_FIELD_NUMBER: _ClassVar[int]
    CHECK_IN_MS_FIELD_NUMBER: _ClassVar[int]
    LATE_UNTIL_ROUND_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_EACH_FIELD_NUMBER: _ClassVar[int]
    PRIZES_FIELD_NUMBER: _ClassVar[int]
    MATCH_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    MATCH_TARGET_FIELD_NUMBER: _ClassVar[int]
    DRAWN_PARTNERS_FIELD_NUMBER: _ClassVar[int]
    TABLE_MS_FIELD_NUMBER: _ClassVar[int]
    JOIN_MS_FIELD_NUMBER: _ClassVar[int]
    SHARED_PLACES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    title: str
    format: TournamentFormat
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    entry_fee: int
    starts_at_unix_ms: int
    opens_at_unix_ms: int
    sit_and_go: bool
    check_in_ms: int
    late_until_round: int
    minimum: int
    maximum: int
    entries_each: int
    prizes: PrizeTable
    match_rounds: int
    match_target: int
    drawn_partners: bool
    table_ms: int
    join_ms: int
    shared_places: bool
    status: TournamentStatus
    def __init__(self, tournament_id: _Optional[str] = ..., title: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., entry_fee: _Optional[int] = ..., starts_at_unix_ms: _Optional[int] = ..., opens_at_unix_ms: _Optional[int] = ..., sit_and_go: _Optional[bool] = ..., check_in_ms: _Optional[int] = ..., late_until_round: _Optional[int] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ..., entries_each: _Optional[int] = ..., prizes: _Optional[_Union[PrizeTable, _Mapping]] = ..., match_rounds: _Optional[int] = ..., match_target: _Optional[int] = ..., drawn_partners: _Optional[bool] = ..., table_ms: _Optional[int] = ..., join_ms: _Optional[int] = ..., shared_places: _Optional[bool] = ..., status: _Optional[_Union[TournamentStatus, _Mapping]] = ...) -> None: ...

class PrizeTable(_message.Message):
    __slots__ = ("shares_bps", "amounts", "guaranteed")
    SHARES_BPS_FIELD_NUMBER: _ClassVar[int]
    AMOUNTS_FIELD_NUMBER: _ClassVar[int]
    GUARANTEED_FIELD_NUMBER: _ClassVar[int]
    shares_bps: _containers.RepeatedScalarFieldContainer[int]
    amounts: _containers.RepeatedScalarFieldContainer[int]
    guaranteed: int
    def __init__(self, shares_bps: _Optional[_Iterable[int]] = ..., amounts: _Optional[_Iterable[int]] = ..., guaranteed: _Optional[int] = ...) -> None: ...

class TournamentStatus(_message.Message):
    __slots__ = ("state", "version", "entries", "round", "rounds", "tables_open", "paused", "cancelled", "commitment", "seed", "settled")
    STATE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    TABLES_OPEN_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    state: TournamentState
    version: int
    entries: int
    round: int
    rounds: int
    tables_open: int
    paused: str
    cancelled: str
    commitment: bytes
    seed: bytes
    settled: bool
    def __init__(self, state: _Optional[_Union[TournamentState, str]] = ..., version: _Optional[int] = ..., entries: _Optional[int] = ..., round: _Optional[int] = ..., rounds: _Optional[int] = ..., tables_open: _Optional[int] = ..., paused: _Optional[str] = ..., cancelled: _Optional[str] = ..., commitment: _Optional[bytes] = ..., seed: _Optional[bytes] = ..., settled: _Optional[bool] = ...) -> None: ...

class OwnEntry(_message.Message):
    __slots__ = ("entry", "state", "entrant", "table_id", "table_address", "absent")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    entry: int
    state: EntryState
    entrant: int
    table_id: str
    table_address: str
    absent: bool
    def __init__(self, entry: _Optional[int] = ..., state: _Optional[_Union[EntryState, str]] = ..., entrant: _Optional[int] = ..., table_id: _Optional[str] = ..., table_address: _Optional[str] = ..., absent: _Optional[bool] = ...) -> None: ...

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
    __slots__ = ("tournament_id", "command_id", "partner")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    PARTNER_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    partner: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., partner: _Optional[str] = ...) -> None: ...

class RegisterResponse(_message.Message):
    __slots__ = ("entries", "own")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    entries: int
    own: OwnEntry
    def __init__(self, entries: _Optional[int] = ..., own: _Optional[_Union[OwnEntry, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("place", "player_id", "score", "tie_breaks", "entrant", "players", "out", "prize")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    TIE_BREAKS_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    OUT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    place: int
    player_id: str
    score: int
    tie_breaks: _containers.RepeatedCompositeFieldContainer[TieBreak]
    entrant: int
    players: _containers.RepeatedScalarFieldContainer[str]
    out: str
    prize: int
    def __init__(self, place: _Optional[int] = ..., player_id: _Optional[str] = ..., score: _Optional[int] = ..., tie_breaks: _Optional[_Iterable[_Union[TieBreak, _Mapping]]] = ..., entrant: _Optional[int] = ..., players: _Optional[_Iterable[str]] = ..., out: _Optional[str] = ..., prize: _Optional[int] = ...) -> None: ...

class TieBreak(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("tournament_id",)
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    def __init__(self, tournament_id: _Optional[str] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("tournament", "own")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    own: OwnEntry
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., own: _Optional[_Union[OwnEntry, _Mapping]] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("page",)
    PAGE_FIELD_NUMBER: _ClassVar[int]
    page: _page_pb2.PageRequest
    def __init__(self, page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("tournaments", "next_cursor")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[Tournament]
    next_cursor: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[Tournament, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class CheckInRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class CheckInResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPairingsRequest(_message.Message):
    __slots__ = ("tournament_id", "round", "page")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    round: int
    page: _page_pb2.PageRequest
    def __init__(self, tournament_id: _Optional[str] = ..., round: _Optional[int] = ..., page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListPairingsResponse(_message.Message):
    __slots__ = ("round", "pairings", "next_cursor")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    round: int
    pairings: _containers.RepeatedCompositeFieldContainer[Pairing]
    next_cursor: str
    def __init__(self, round: _Optional[int] = ..., pairings: _Optional[_Iterable[_Union[Pairing, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class Pairing(_message.Message):
    __slots__ = ("table", "sides", "table_id", "attempt", "source", "voided", "decided_by", "has_late_result")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    VOIDED_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    HAS_LATE_RESULT_FIELD_NUMBER: _ClassVar[int]
    table: int
    sides: _containers.RepeatedCompositeFieldContainer[PairedSide]
    table_id: str
    attempt: int
    source: ResultSource
    voided: bool
    decided_by: str
    has_late_result: bool
    def __init__(self, table: _Optional[int] = ..., sides: _Optional[_Iterable[_Union[PairedSide, _Mapping]]] = ..., table_id: _Optional[str] = ..., attempt: _Optional[int] = ..., source: _Optional[_Union[ResultSource, str]] = ..., voided: _Optional[bool] = ..., decided_by: _Optional[str] = ..., has_late_result: _Optional[bool] = ...) -> None: ...

class PairedSide(_message.Message):
    __slots__ = ("entrant", "players", "result")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    players: _containers.RepeatedScalarFieldContainer[str]
    result: SideResult
    def __init__(self, entrant: _Optional[int] = ..., players: _Optional[_Iterable[str]] = ..., result: _Optional[_Union[SideResult, _Mapping]] = ...) -> None: ...

class SideResult(_message.Message):
    __slots__ = ("place", "own", "rounds_won", "did_not_come")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_WON_FIELD_NUMBER: _ClassVar[int]
    DID_NOT_COME_FIELD_NUMBER: _ClassVar[int]
    place: int
    own: int
    rounds_won: int
    did_not_come: bool
    def __init__(self, place: _Optional[int] = ..., own: _Optional[int] = ..., rounds_won: _Optional[int] = ..., did_not_come: _Optional[bool] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("tournament_id",)
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    def __init__(self, tournament_id: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("tournament", "own")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    own: OwnEntry
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., own: _Optional[_Union[OwnEntry, _Mapping]] = ...) -> None: ...

class PauseTournamentRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id", "reason")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    reason: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class PauseTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ResumeTournamentRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class ResumeTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CancelTournamentRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id", "reason")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    reason: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class CancelTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VoidResultRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id", "round", "table", "replay", "reason")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    round: int
    table: int
    replay: bool
    reason: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., round: _Optional[int] = ..., table: _Optional[int] = ..., replay: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class VoidResultResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetResultRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id", "round", "table", "sides")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    round: int
    table: int
    sides: _containers.RepeatedCompositeFieldContainer[SideResult]
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., round: _Optional[int] = ..., table: _Optional[int] = ..., sides: _Optional[_Iterable[_Union[SideResult, _Mapping]]] = ...) -> None: ...

class SetResultResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DisqualifyEntrantRequest(_message.Message):
    __slots__ = ("tournament_id", "command_id", "entrant", "reason")
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    command_id: str
    entrant: int
    reason: str
    def __init__(self, tournament_id: _Optional[str] = ..., command_id: _Optional[str] = ..., entrant: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class DisqualifyEntrantResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
