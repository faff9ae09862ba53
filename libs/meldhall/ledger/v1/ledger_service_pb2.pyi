from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.common.v1 import page_pb2 as _page_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Unit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNIT_UNSPECIFIED: _ClassVar[Unit]
    UNIT_POINTS: _ClassVar[Unit]
    UNIT_JOKERS: _ClassVar[Unit]
    UNIT_COINS: _ClassVar[Unit]

class TransferKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRANSFER_KIND_UNSPECIFIED: _ClassVar[TransferKind]
    TRANSFER_KIND_ROUND_RESULT: _ClassVar[TransferKind]
    TRANSFER_KIND_JOKER_SPENT: _ClassVar[TransferKind]
    TRANSFER_KIND_GRANT: _ClassVar[TransferKind]
    TRANSFER_KIND_MATCH_RESULT: _ClassVar[TransferKind]
    TRANSFER_KIND_STAKE: _ClassVar[TransferKind]
    TRANSFER_KIND_PAYOUT: _ClassVar[TransferKind]
    TRANSFER_KIND_RAKE: _ClassVar[TransferKind]
    TRANSFER_KIND_FEE: _ClassVar[TransferKind]
    TRANSFER_KIND_PRIZE: _ClassVar[TransferKind]
    TRANSFER_KIND_CORRECTION: _ClassVar[TransferKind]

class TransferPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRANSFER_PHASE_UNSPECIFIED: _ClassVar[TransferPhase]
    TRANSFER_PHASE_SINGLE: _ClassVar[TransferPhase]
    TRANSFER_PHASE_PENDING: _ClassVar[TransferPhase]
    TRANSFER_PHASE_POST: _ClassVar[TransferPhase]
    TRANSFER_PHASE_VOID: _ClassVar[TransferPhase]

class PendingState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PENDING_STATE_UNSPECIFIED: _ClassVar[PendingState]
    PENDING_STATE_PENDING: _ClassVar[PendingState]
    PENDING_STATE_POSTED: _ClassVar[PendingState]
    PENDING_STATE_VOIDED: _ClassVar[PendingState]
    PENDING_STATE_EXPIRED: _ClassVar[PendingState]
UNIT_UNSPECIFIED: Unit
UNIT_POINTS: Unit
UNIT_JOKERS: Unit
UNIT_COINS: Unit
TRANSFER_KIND_UNSPECIFIED: TransferKind
TRANSFER_KIND_ROUND_RESULT: TransferKind
TRANSFER_KIND_JOKER_SPENT: TransferKind
TRANSFER_KIND_GRANT: TransferKind
TRANSFER_KIND_MATCH_RESULT: TransferKind
TRANSFER_KIND_STAKE: TransferKind
TRANSFER_KIND_PAYOUT: TransferKind
TRANSFER_KIND_RAKE: TransferKind
TRANSFER_KIND_FEE: TransferKind
TRANSFER_KIND_PRIZE: TransferKind
TRANSFER_KIND_CORRECTION: TransferKind
TRANSFER_PHASE_UNSPECIFIED: TransferPhase
TRANSFER_PHASE_SINGLE: TransferPhase
TRANSFER_PHASE_PENDING: TransferPhase
TRANSFER_PHASE_POST: TransferPhase
TRANSFER_PHASE_VOID: TransferPhase
PENDING_STATE_UNSPECIFIED: PendingState
PENDING_STATE_PENDING: PendingState
PENDING_STATE_POSTED: PendingState
PENDING_STATE_VOIDED: PendingState
PENDING_STATE_EXPIRED: PendingState

class GetBalancesRequest(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class GetBalancesResponse(_message.Message):
    __slots__ = ("balances",)
    BALANCES_FIELD_NUMBER: _ClassVar[int]
    balances: _containers.RepeatedCompositeFieldContainer[Balance]
    def __init__(self, balances: _Optional[_Iterable[_Union[Balance, _Mapping]]] = ...) -> None: ...

class Balance(_message.Message):
    __slots__ = ("unit", "posted", "held")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    POSTED_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    unit: Unit
    posted: int
    held: int
    def __init__(self, unit: _Optional[_Union[Unit, str]] = ..., posted: _Optional[int] = ..., held: _Optional[int] = ...) -> None: ...

class ListStatementRequest(_message.Message):
    __slots__ = ("player_id", "unit", "page")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    unit: Unit
    page: _page_pb2.PageRequest
    def __init__(self, player_id: _Optional[str] = ..., unit: _Optional[_Union[Unit, str]] = ..., page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListStatementResponse(_message.Message):
    __slots__ = ("lines", "next_cursor")
    LINES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[StatementLine]
    next_cursor: str
    def __init__(self, lines: _Optional[_Iterable[_Union[StatementLine, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class StatementLine(_message.Message):
    __slots__ = ("transfer_id", "change", "balance", "kind", "table_id", "round", "reason", "posted_at_unix_ms")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    BALANCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    POSTED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    change: int
    balance: int
    kind: TransferKind
    table_id: str
    round: int
    reason: str
    posted_at_unix_ms: int
    def __init__(self, transfer_id: _Optional[str] = ..., change: _Optional[int] = ..., balance: _Optional[int] = ..., kind: _Optional[_Union[TransferKind, str]] = ..., table_id: _Optional[str] = ..., round: _Optional[int] = ..., reason: _Optional[str] = ..., posted_at_unix_ms: _Optional[int] = ...) -> None: ...

class CreateTransfersRequest(_message.Message):
    __slots__ = ("orders",)
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    orders: _containers.RepeatedCompositeFieldContainer[TransferOrder]
    def __init__(self, orders: _Optional[_Iterable[_Union[TransferOrder, _Mapping]]] = ...) -> None: ...

class TransferOrder(_message.Message):
    __slots__ = ("transfer_id", "kind", "reason", "linked", "move", "hold", "post", "void", "corrects")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LINKED_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    POST_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    CORRECTS_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    kind: TransferKind
    reason: str
    linked: bool
    move: Movement
    hold: Hold
    post: Post
    void: Void
    corrects: str
    def __init__(self, transfer_id: _Optional[str] = ..., kind: _Optional[_Union[TransferKind, str]] = ..., reason: _Optional[str] = ..., linked: _Optional[bool] = ..., move: _Optional[_Union[Movement, _Mapping]] = ..., hold: _Optional[_Union[Hold, _Mapping]] = ..., post: _Optional[_Union[Post, _Mapping]] = ..., void: _Optional[_Union[Void, _Mapping]] = ..., corrects: _Optional[str] = ...) -> None: ...

class Movement(_message.Message):
    __slots__ = ("debit", "credit", "amount")
    DEBIT_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    debit: str
    credit: str
    amount: int
    def __init__(self, debit: _Optional[str] = ..., credit: _Optional[str] = ..., amount: _Optional[int] = ...) -> None: ...

class Hold(_message.Message):
    __slots__ = ("movement", "expires_at_unix_ms")
    MOVEMENT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    movement: Movement
    expires_at_unix_ms: int
    def __init__(self, movement: _Optional[_Union[Movement, _Mapping]] = ..., expires_at_unix_ms: _Optional[int] = ...) -> None: ...

class Post(_message.Message):
    __slots__ = ("pending_id", "amount")
    PENDING_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    pending_id: str
    amount: int
    def __init__(self, pending_id: _Optional[str] = ..., amount: _Optional[int] = ...) -> None: ...

class Void(_message.Message):
    __slots__ = ("pending_id",)
    PENDING_ID_FIELD_NUMBER: _ClassVar[int]
    pending_id: str
    def __init__(self, pending_id: _Optional[str] = ...) -> None: ...

class CreateTransfersResponse(_message.Message):
    __slots__ = ("verdicts",)
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    verdicts: _containers.RepeatedCompositeFieldContainer[Verdict]
    def __init__(self, verdicts: _Optional[_Iterable[_Union[Verdict, _Mapping]]] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("transfer_id", "accepted", "refused")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    accepted: Accepted
    refused: Refused
    def __init__(self, transfer_id: _Optional[str] = ..., accepted: _Optional[_Union[Accepted, _Mapping]] = ..., refused: _Optional[_Union[Refused, _Mapping]] = ...) -> None: ...

class Accepted(_message.Message):
    __slots__ = ("before", "amount")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    before: bool
    amount: int
    def __init__(self, before: _Optional[bool] = ..., amount: _Optional[int] = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("code", "detail", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    code: str
    detail: str
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[str] = ..., detail: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class GetTransferRequest(_message.Message):
    __slots__ = ("transfer_id",)
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    def __init__(self, transfer_id: _Optional[str] = ...) -> None: ...

class GetTransferResponse(_message.Message):
    __slots__ = ("transfer_id", "debit", "credit", "amount", "kind", "phase", "reason", "actor", "refers_to", "table_id", "round", "state", "posted", "created_at_unix_ms")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    DEBIT_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    REFERS_TO_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    POSTED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    debit: str
    credit: str
    amount: int
    kind: TransferKind
    phase: TransferPhase
    reason: str
    actor: str
    refers_to: str
    table_id: str
    round: int
    state: PendingState
    posted: int
    created_at_unix_ms: int
    def __init__(self, transfer_id: _Optional[str] = ..., debit: _Optional[str] = ..., credit: _Optional[str] = ..., amount: _Optional[int] = ..., kind: _Optional[_Union[TransferKind, str]] = ..., phase: _Optional[_Union[TransferPhase, str]] = ..., reason: _Optional[str] = ..., actor: _Optional[str] = ..., refers_to: _Optional[str] = ..., table_id: _Optional[str] = ..., round: _Optional[int] = ..., state: _Optional[_Union[PendingState, str]] = ..., posted: _Optional[int] = ..., created_at_unix_ms: _Optional[int] = ...) -> None: ...

class GrantRequest(_message.Message):
    __slots__ = ("transfer_id", "player_id", "unit", "amount", "reason")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    player_id: str
    unit: Unit
    amount: int
    reason: str
    def __init__(self, transfer_id: _Optional[str] = ..., player_id: _Optional[str] = ..., unit: _Optional[_Union[Unit, str]] = ..., amount: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class GrantResponse(_message.Message):
    __slots__ = ("balance",)
    BALANCE_FIELD_NUMBER: _ClassVar[int]
    balance: Balance
    def __init__(self, balance: _Optional[_Union[Balance, _Mapping]] = ...) -> None: ...

class ReserveJokersRequest(_message.Message):
    __slots__ = ("table_id", "round", "claims")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    round: int
    claims: _containers.RepeatedCompositeFieldContainer[JokerClaim]
    def __init__(self, table_id: _Optional[str] = ..., round: _Optional[int] = ..., claims: _Optional[_Iterable[_Union[JokerClaim, _Mapping]]] = ...) -> None: ...

class JokerClaim(_message.Message):
    __slots__ = ("seat", "player_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class ReserveJokersResponse(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seats: _Optional[_Iterable[int]] = ...) -> None: ...

class HoldStakesRequest(_message.Message):
    __slots__ = ("table_id", "stake", "players")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    stake: int
    players: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table_id: _Optional[str] = ..., stake: _Optional[int] = ..., players: _Optional[_Iterable[str]] = ...) -> None: ...

class HoldStakesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReturnStakesRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class ReturnStakesResponse(_message.Message):
    __slots__ = ("returned",)
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    returned: int
    def __init__(self, returned: _Optional[int] = ...) -> None: ...

class GetSettlementRequest(_message.Message):
    __slots__ = ("table_id", "round")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    round: int
    def __init__(self, table_id: _Optional[str] = ..., round: _Optional[int] = ...) -> None: ...

class GetSettlementResponse(_message.Message):
    __slots__ = ("settled", "seats")
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    settled: bool
    seats: _containers.RepeatedCompositeFieldContainer[SettledSeat]
    def __init__(self, settled: _Optional[bool] = ..., seats: _Optional[_Iterable[_Union[SettledSeat, _Mapping]]] = ...) -> None: ...

class SettledSeat(_message.Message):
    __slots__ = ("seat", "player_id", "points", "transfer_id", "coins")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    COINS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    points: int
    transfer_id: str
    coins: int
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ..., points: _Optional[int] = ..., transfer_id: _Optional[str] = ..., coins: _Optional[int] = ...) -> None: ...

class CheckSumsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckSumsResponse(_message.Message):
    __slots__ = ("sums", "settled_rounds")
    SUMS_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    sums: _containers.RepeatedCompositeFieldContainer[UnitSum]
    settled_rounds: int
    def __init__(self, sums: _Optional[_Iterable[_Union[UnitSum, _Mapping]]] = ..., settled_rounds: _Optional[int] = ...) -> None: ...

class UnitSum(_message.Message):
    __slots__ = ("unit", "sum", "transfers")
    UNIT_FIELD_NUMBER: _ClassVar[int]
    SUM_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    unit: Unit
    sum: int
    transfers: int
    def __init__(self, unit: _Optional[_Union[Unit, str]] = ..., sum: _Optional[int] = ..., transfers: _Optional[int] = ...) -> None: ...

class ReconcileRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReconcileResponse(_message.Message):
    __slots__ = ("findings", "checks")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    checks: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., checks: _Optional[_Iterable[str]] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("check", "subject", "detail")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    check: str
    subject: str
    detail: str
    def __init__(self, check: _Optional[str] = ..., subject: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class GetLeaderboardRequest(_message.Message):
    __slots__ = ("game", "mode", "season", "page", "around")
    GAME_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    AROUND_FIELD_NUMBER: _ClassVar[int]
    game: str
    mode: _game_pb2.Mode
    season: str
    page: _page_pb2.PageRequest
    around: str
    def __init__(self, game: _Optional[str] = ..., mode: _Optional[_Union[_game_pb2.Mode, str]] = ..., season: _Optional[str] = ..., page: _Optional[_Union[_page_pb2.PageRequest, _Mapping]] = ..., around: _Optional[str] = ...) -> None: ...

class GetLeaderboardResponse(_message.Message):
    __slots__ = ("season", "starts_at_unix_ms", "ends_at_unix_ms", "entries", "next_cursor")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ENDS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    season: str
    starts_at_unix_ms: int
    ends_at_unix_ms: int
    entries: _containers.RepeatedCompositeFieldContainer[LeaderboardEntry]
    next_cursor: str
    def __init__(self, season: _Optional[str] = ..., starts_at_unix_ms: _Optional[int] = ..., ends_at_unix_ms: _Optional[int] = ..., entries: _Optional[_Iterable[_Union[LeaderboardEntry, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class LeaderboardEntry(_message.Message):
    __slots__ = ("rank", "player_id", "score", "rounds", "wins")
    RANK_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    rank: int
    player_id: str
    score: int
    rounds: int
    wins: int
    def __init__(self, rank: _Optional[int] = ..., player_id: _Optional[str] = ..., score: _Optional[int] = ..., rounds: _Optional[int] = ..., wins: _Optional[int] = ...) -> None: ...
