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
UNIT_UNSPECIFIED: Unit
UNIT_POINTS: Unit
UNIT_JOKERS: Unit
UNIT_COINS: Unit
TRANSFER_KIND_UNSPECIFIED: TransferKind
TRANSFER_KIND_ROUND_RESULT: TransferKind
TRANSFER_KIND_JOKER_SPENT: TransferKind
TRANSFER_KIND_GRANT: TransferKind
TRANSFER_KIND_MATCH_RESULT: TransferKind

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
    __slots__ = ("seat", "player_id", "points", "transfer_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player_id: str
    points: int
    transfer_id: str
    def __init__(self, seat: _Optional[int] = ..., player_id: _Optional[str] = ..., points: _Optional[int] = ..., transfer_id: _Optional[str] = ...) -> None: ...

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
