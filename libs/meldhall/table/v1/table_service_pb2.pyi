from meldhall.common.v1 import envelope_pb2 as _envelope_pb2
from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.table.v1 import table_events_pb2 as _table_events_pb2
from meldhall.table.v1 import table_hints_pb2 as _table_hints_pb2
from meldhall.table.v1 import table_moves_pb2 as _table_moves_pb2
from meldhall.table.v1 import table_view_pb2 as _table_view_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GoAwayReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GO_AWAY_REASON_UNSPECIFIED: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_SHUTDOWN: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_TOO_SLOW: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_TABLE_CLOSED: _ClassVar[GoAwayReason]
    GO_AWAY_REASON_MOVED: _ClassVar[GoAwayReason]
GO_AWAY_REASON_UNSPECIFIED: GoAwayReason
GO_AWAY_REASON_SHUTDOWN: GoAwayReason
GO_AWAY_REASON_TOO_SLOW: GoAwayReason
GO_AWAY_REASON_TABLE_CLOSED: GoAwayReason
GO_AWAY_REASON_MOVED: GoAwayReason

class CreateTableRequest(_message.Message):
    __slots__ = ("command_id", "options", "format", "seats", "limits", "spectators", "host")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SPECTATORS_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    options: _game_pb2.GameOptions
    format: _game_pb2.MatchFormat
    seats: _containers.RepeatedCompositeFieldContainer[SeatPlan]
    limits: _table_events_pb2.TimeLimits
    spectators: _table_events_pb2.SpectatorRules
    host: _table_events_pb2.HostRules
    def __init__(self, command_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., format: _Optional[_Union[_game_pb2.MatchFormat, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[SeatPlan, _Mapping]]] = ..., limits: _Optional[_Union[_table_events_pb2.TimeLimits, _Mapping]] = ..., spectators: _Optional[_Union[_table_events_pb2.SpectatorRules, _Mapping]] = ..., host: _Optional[_Union[_table_events_pb2.HostRules, _Mapping]] = ...) -> None: ...

class SeatPlan(_message.Message):
    __slots__ = ("open", "reserved_for", "bot")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    RESERVED_FOR_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    open: OpenSeat
    reserved_for: str
    bot: str
    def __init__(self, open: _Optional[_Union[OpenSeat, _Mapping]] = ..., reserved_for: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class OpenSeat(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CreateTableResponse(_message.Message):
    __slots__ = ("table_id", "version", "commitment")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    version: int
    commitment: bytes
    def __init__(self, table_id: _Optional[str] = ..., version: _Optional[int] = ..., commitment: _Optional[bytes] = ...) -> None: ...

class JoinRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "seat", "client_seed")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SEED_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    seat: int
    client_seed: bytes
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., seat: _Optional[int] = ..., client_seed: _Optional[bytes] = ...) -> None: ...

class JoinResponse(_message.Message):
    __slots__ = ("seat", "view")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    seat: int
    view: _table_view_pb2.TableView
    def __init__(self, seat: _Optional[int] = ..., view: _Optional[_Union[_table_view_pb2.TableView, _Mapping]] = ...) -> None: ...

class ChangeSeatRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "seat")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    seat: int
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ChangeSeatResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class HostTableRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "lock", "free", "bot", "start")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    LOCK_FIELD_NUMBER: _ClassVar[int]
    FREE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    lock: LockTable
    free: FreeSeat
    bot: SeatBot
    start: StartMatch
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., lock: _Optional[_Union[LockTable, _Mapping]] = ..., free: _Optional[_Union[FreeSeat, _Mapping]] = ..., bot: _Optional[_Union[SeatBot, _Mapping]] = ..., start: _Optional[_Union[StartMatch, _Mapping]] = ...) -> None: ...

class LockTable(_message.Message):
    __slots__ = ("locked",)
    LOCKED_FIELD_NUMBER: _ClassVar[int]
    locked: bool
    def __init__(self, locked: _Optional[bool] = ...) -> None: ...

class FreeSeat(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class SeatBot(_message.Message):
    __slots__ = ("seat", "policy")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    seat: int
    policy: str
    def __init__(self, seat: _Optional[int] = ..., policy: _Optional[str] = ...) -> None: ...

class StartMatch(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: str
    def __init__(self, bots: _Optional[str] = ...) -> None: ...

class HostTableResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class AdmitRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "player_id")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    player_id: str
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., player_id: _Optional[str] = ...) -> None: ...

class AdmitResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class LeaveRequest(_message.Message):
    __slots__ = ("table_id", "command_id")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class LeaveResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class ActRequest(_message.Message):
    __slots__ = ("table_id", "command_id", "expected_version", "move")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    expected_version: int
    move: _table_moves_pb2.Move
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ..., expected_version: _Optional[int] = ..., move: _Optional[_Union[_table_moves_pb2.Move, _Mapping]] = ...) -> None: ...

class ActResponse(_message.Message):
    __slots__ = ("version", "events")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    events: _containers.RepeatedCompositeFieldContainer[_table_view_pb2.TableEvent]
    def __init__(self, version: _Optional[int] = ..., events: _Optional[_Iterable[_Union[_table_view_pb2.TableEvent, _Mapping]]] = ...) -> None: ...

class ReadyRequest(_message.Message):
    __slots__ = ("table_id", "command_id")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class ReadyResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class RematchRequest(_message.Message):
    __slots__ = ("table_id", "command_id")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_id: str
    def __init__(self, table_id: _Optional[str] = ..., command_id: _Optional[str] = ...) -> None: ...

class RematchResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("table_id", "after_version")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    after_version: int
    def __init__(self, table_id: _Optional[str] = ..., after_version: _Optional[int] = ...) -> None: ...

class WatchResponse(_message.Message):
    __slots__ = ("snapshot", "event", "go_away")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    GO_AWAY_FIELD_NUMBER: _ClassVar[int]
    snapshot: _table_view_pb2.TableView
    event: _table_view_pb2.TableEvent
    go_away: GoAway
    def __init__(self, snapshot: _Optional[_Union[_table_view_pb2.TableView, _Mapping]] = ..., event: _Optional[_Union[_table_view_pb2.TableEvent, _Mapping]] = ..., go_away: _Optional[_Union[GoAway, _Mapping]] = ...) -> None: ...

class GoAway(_message.Message):
    __slots__ = ("resume_version", "retry_after_ms", "reason", "address")
    RESUME_VERSION_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    resume_version: int
    retry_after_ms: int
    reason: GoAwayReason
    address: str
    def __init__(self, resume_version: _Optional[int] = ..., retry_after_ms: _Optional[int] = ..., reason: _Optional[_Union[GoAwayReason, str]] = ..., address: _Optional[str] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("watch", "act", "leave", "ready", "rematch")
    WATCH_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    REMATCH_FIELD_NUMBER: _ClassVar[int]
    watch: WatchRequest
    act: ActRequest
    leave: LeaveRequest
    ready: ReadyRequest
    rematch: RematchRequest
    def __init__(self, watch: _Optional[_Union[WatchRequest, _Mapping]] = ..., act: _Optional[_Union[ActRequest, _Mapping]] = ..., leave: _Optional[_Union[LeaveRequest, _Mapping]] = ..., ready: _Optional[_Union[ReadyRequest, _Mapping]] = ..., rematch: _Optional[_Union[RematchRequest, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("snapshot", "event", "go_away", "answer", "news")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    GO_AWAY_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    snapshot: _table_view_pb2.TableView
    event: _table_view_pb2.TableEvent
    go_away: GoAway
    answer: CommandAnswer
    news: PlayNews
    def __init__(self, snapshot: _Optional[_Union[_table_view_pb2.TableView, _Mapping]] = ..., event: _Optional[_Union[_table_view_pb2.TableEvent, _Mapping]] = ..., go_away: _Optional[_Union[GoAway, _Mapping]] = ..., answer: _Optional[_Union[CommandAnswer, _Mapping]] = ..., news: _Optional[_Union[PlayNews, _Mapping]] = ...) -> None: ...

class PlayNews(_message.Message):
    __slots__ = ("events", "answers")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_table_view_pb2.TableEvent]
    answers: _containers.RepeatedCompositeFieldContainer[CommandAnswer]
    def __init__(self, events: _Optional[_Iterable[_Union[_table_view_pb2.TableEvent, _Mapping]]] = ..., answers: _Optional[_Iterable[_Union[CommandAnswer, _Mapping]]] = ...) -> None: ...

class CommandAnswer(_message.Message):
    __slots__ = ("command_id", "version", "refused")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    version: int
    refused: CommandRefused
    def __init__(self, command_id: _Optional[str] = ..., version: _Optional[int] = ..., refused: _Optional[_Union[CommandRefused, _Mapping]] = ...) -> None: ...

class CommandRefused(_message.Message):
    __slots__ = ("status", "reason", "detail", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    status: int
    reason: str
    detail: str
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, status: _Optional[int] = ..., reason: _Optional[str] = ..., detail: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class WatchShardsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchShardsResponse(_message.Message):
    __slots__ = ("owners",)
    OWNERS_FIELD_NUMBER: _ClassVar[int]
    owners: _containers.RepeatedCompositeFieldContainer[ShardOwner]
    def __init__(self, owners: _Optional[_Iterable[_Union[ShardOwner, _Mapping]]] = ...) -> None: ...

class ShardOwner(_message.Message):
    __slots__ = ("shard", "address", "epoch")
    SHARD_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    shard: int
    address: str
    epoch: int
    def __init__(self, shard: _Optional[int] = ..., address: _Optional[str] = ..., epoch: _Optional[int] = ...) -> None: ...

class ReadStreamRequest(_message.Message):
    __slots__ = ("table_id", "after_sequence", "limit")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    after_sequence: int
    limit: int
    def __init__(self, table_id: _Optional[str] = ..., after_sequence: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ReadStreamResponse(_message.Message):
    __slots__ = ("envelope",)
    ENVELOPE_FIELD_NUMBER: _ClassVar[int]
    envelope: _envelope_pb2.EventEnvelope
    def __init__(self, envelope: _Optional[_Union[_envelope_pb2.EventEnvelope, _Mapping]] = ...) -> None: ...
