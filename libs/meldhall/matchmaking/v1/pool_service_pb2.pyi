from meldhall.common.v1 import game_pb2 as _game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as _matchmaking_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WaitReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAIT_REASON_UNSPECIFIED: _ClassVar[WaitReason]
    WAIT_REASON_ENDED: _ClassVar[WaitReason]
    WAIT_REASON_BEING_SEATED: _ClassVar[WaitReason]
    WAIT_REASON_NO_LEADER: _ClassVar[WaitReason]
    WAIT_REASON_TABLES_FAIL: _ClassVar[WaitReason]
    WAIT_REASON_PARTY_INCOMPLETE: _ClassVar[WaitReason]
    WAIT_REASON_TOO_FEW: _ClassVar[WaitReason]
    WAIT_REASON_RATING: _ClassVar[WaitReason]
    WAIT_REASON_LATENCY: _ClassVar[WaitReason]
    WAIT_REASON_BLOCKED: _ClassVar[WaitReason]
    WAIT_REASON_REMATCH: _ClassVar[WaitReason]
    WAIT_REASON_MISFIT: _ClassVar[WaitReason]
    WAIT_REASON_ABSENT: _ClassVar[WaitReason]
WAIT_REASON_UNSPECIFIED: WaitReason
WAIT_REASON_ENDED: WaitReason
WAIT_REASON_BEING_SEATED: WaitReason
WAIT_REASON_NO_LEADER: WaitReason
WAIT_REASON_TABLES_FAIL: WaitReason
WAIT_REASON_PARTY_INCOMPLETE: WaitReason
WAIT_REASON_TOO_FEW: WaitReason
WAIT_REASON_RATING: WaitReason
WAIT_REASON_LATENCY: WaitReason
WAIT_REASON_BLOCKED: WaitReason
WAIT_REASON_REMATCH: WaitReason
WAIT_REASON_MISFIT: WaitReason
WAIT_REASON_ABSENT: WaitReason

class ListPoolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPoolsResponse(_message.Message):
    __slots__ = ("pools",)
    POOLS_FIELD_NUMBER: _ClassVar[int]
    pools: _containers.RepeatedCompositeFieldContainer[Pool]
    def __init__(self, pools: _Optional[_Iterable[_Union[Pool, _Mapping]]] = ...) -> None: ...

class Pool(_message.Message):
    __slots__ = ("options", "seats", "rounds", "play", "part", "leader", "waiting", "proposed", "oldest_at_unix_ms", "typical_wait_ms", "failing", "stake")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_FIELD_NUMBER: _ClassVar[int]
    OLDEST_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    TYPICAL_WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    FAILING_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    play: _matchmaking_service_pb2.Play
    part: int
    leader: str
    waiting: int
    proposed: int
    oldest_at_unix_ms: int
    typical_wait_ms: int
    failing: bool
    stake: int
    def __init__(self, options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., play: _Optional[_Union[_matchmaking_service_pb2.Play, str]] = ..., part: _Optional[int] = ..., leader: _Optional[str] = ..., waiting: _Optional[int] = ..., proposed: _Optional[int] = ..., oldest_at_unix_ms: _Optional[int] = ..., typical_wait_ms: _Optional[int] = ..., failing: _Optional[bool] = ..., stake: _Optional[int] = ...) -> None: ...

class ExplainTicketRequest(_message.Message):
    __slots__ = ("ticket_id",)
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    def __init__(self, ticket_id: _Optional[str] = ...) -> None: ...

class ExplainTicketResponse(_message.Message):
    __slots__ = ("ticket", "reason", "waiting", "fitting", "obstacles", "reach")
    class ObstaclesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    TICKET_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    FITTING_FIELD_NUMBER: _ClassVar[int]
    OBSTACLES_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    ticket: _matchmaking_service_pb2.Ticket
    reason: WaitReason
    waiting: int
    fitting: int
    obstacles: _containers.ScalarMap[str, int]
    reach: _matchmaking_service_pb2.Reach
    def __init__(self, ticket: _Optional[_Union[_matchmaking_service_pb2.Ticket, _Mapping]] = ..., reason: _Optional[_Union[WaitReason, str]] = ..., waiting: _Optional[int] = ..., fitting: _Optional[int] = ..., obstacles: _Optional[_Mapping[str, int]] = ..., reach: _Optional[_Union[_matchmaking_service_pb2.Reach, _Mapping]] = ...) -> None: ...
