from meldhall.common.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Play(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAY_UNSPECIFIED: _ClassVar[Play]
    PLAY_QUICK: _ClassVar[Play]
    PLAY_RANKED: _ClassVar[Play]
    PLAY_ARENA: _ClassVar[Play]

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_REASON_UNSPECIFIED: _ClassVar[EndReason]
    END_REASON_NO_COINS: _ClassVar[EndReason]

class TicketState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TICKET_STATE_UNSPECIFIED: _ClassVar[TicketState]
    TICKET_STATE_WAITING: _ClassVar[TicketState]
    TICKET_STATE_PROPOSED: _ClassVar[TicketState]
    TICKET_STATE_MATCHED: _ClassVar[TicketState]
    TICKET_STATE_CANCELLED: _ClassVar[TicketState]
    TICKET_STATE_EXPIRED: _ClassVar[TicketState]
PLAY_UNSPECIFIED: Play
PLAY_QUICK: Play
PLAY_RANKED: Play
PLAY_ARENA: Play
END_REASON_UNSPECIFIED: EndReason
END_REASON_NO_COINS: EndReason
TICKET_STATE_UNSPECIFIED: TicketState
TICKET_STATE_WAITING: TicketState
TICKET_STATE_PROPOSED: TicketState
TICKET_STATE_MATCHED: TicketState
TICKET_STATE_CANCELLED: TicketState
TICKET_STATE_EXPIRED: TicketState

class EnqueueRequest(_message.Message):
    __slots__ = ("command_id", "options", "seats", "rounds", "latencies_ms", "play", "as_party", "stake")
    class LatenciesMsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    LATENCIES_MS_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    AS_PARTY_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    latencies_ms: _containers.ScalarMap[str, int]
    play: Play
    as_party: bool
    stake: int
    def __init__(self, command_id: _Optional[str] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., latencies_ms: _Optional[_Mapping[str, int]] = ..., play: _Optional[_Union[Play, str]] = ..., as_party: _Optional[bool] = ..., stake: _Optional[int] = ...) -> None: ...

class EnqueueResponse(_message.Message):
    __slots__ = ("ticket",)
    TICKET_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ...) -> None: ...

class Ticket(_message.Message):
    __slots__ = ("ticket_id", "player_id", "state", "options", "seats", "rounds", "enqueued_at_unix_ms", "bots_at_unix_ms", "table_id", "table_address", "play", "rating", "stake", "end_reason")
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ENQUEUED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    BOTS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    player_id: str
    state: TicketState
    options: _game_pb2.GameOptions
    seats: int
    rounds: int
    enqueued_at_unix_ms: int
    bots_at_unix_ms: int
    table_id: str
    table_address: str
    play: Play
    rating: int
    stake: int
    end_reason: EndReason
    def __init__(self, ticket_id: _Optional[str] = ..., player_id: _Optional[str] = ..., state: _Optional[_Union[TicketState, str]] = ..., options: _Optional[_Union[_game_pb2.GameOptions, _Mapping]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., enqueued_at_unix_ms: _Optional[int] = ..., bots_at_unix_ms: _Optional[int] = ..., table_id: _Optional[str] = ..., table_address: _Optional[str] = ..., play: _Optional[_Union[Play, str]] = ..., rating: _Optional[int] = ..., stake: _Optional[int] = ..., end_reason: _Optional[_Union[EndReason, str]] = ...) -> None: ...

class CancelRequest(_message.Message):
    __slots__ = ("ticket_id",)
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    def __init__(self, ticket_id: _Optional[str] = ...) -> None: ...

class CancelResponse(_message.Message):
    __slots__ = ("ticket",)
    TICKET_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ...) -> None: ...

class WatchTicketRequest(_message.Message):
    __slots__ = ("ticket_id",)
    TICKET_ID_FIELD_NUMBER: _ClassVar[int]
    ticket_id: str
    def __init__(self, ticket_id: _Optional[str] = ...) -> None: ...

class WatchTicketResponse(_message.Message):
    __slots__ = ("ticket", "waiting", "position", "estimate_ms", "reach")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_MS_FIELD_NUMBER: _ClassVar[int]
    REACH_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    waiting: int
    position: int
    estimate_ms: int
    reach: Reach
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ..., waiting: _Optional[int] = ..., position: _Optional[int] = ..., estimate_ms: _Optional[int] = ..., reach: _Optional[_Union[Reach, _Mapping]] = ...) -> None: ...

class Reach(_message.Message):
    __slots__ = ("rating", "latency_ms", "widens_at_unix_ms")
    RATING_FIELD_NUMBER: _ClassVar[int]
    LATENCY_MS_FIELD_NUMBER: _ClassVar[int]
    WIDENS_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    rating: int
    latency_ms: int
    widens_at_unix_ms: int
    def __init__(self, rating: _Optional[int] = ..., latency_ms: _Optional[int] = ..., widens_at_unix_ms: _Optional[int] = ...) -> None: ...

class BlockRequest(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class BlockResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnblockRequest(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class UnblockResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListBlocksRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListBlocksResponse(_message.Message):
    __slots__ = ("player_ids",)
    PLAYER_IDS_FIELD_NUMBER: _ClassVar[int]
    player_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, player_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetRatingsRequest(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class GetRatingsResponse(_message.Message):
    __slots__ = ("ratings",)
    class RatingsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Rating
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Rating, _Mapping]] = ...) -> None: ...
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    ratings: _containers.MessageMap[str, Rating]
    def __init__(self, ratings: _Optional[_Mapping[str, Rating]] = ...) -> None: ...

class Rating(_message.Message):
    __slots__ = ("rating", "uncertainty", "matches")
    RATING_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTY_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    rating: int
    uncertainty: int
    matches: int
    def __init__(self, rating: _Optional[int] = ..., uncertainty: _Optional[int] = ..., matches: _Optional[int] = ...) -> None: ...
