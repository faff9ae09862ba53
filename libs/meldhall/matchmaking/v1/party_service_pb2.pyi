from meldhall.matchmaking.v1 import matchmaking_service_pb2 as _matchmaking_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Party(_message.Message):
    __slots__ = ("party_id", "leader_id", "player_ids")
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    LEADER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_IDS_FIELD_NUMBER: _ClassVar[int]
    party_id: str
    leader_id: str
    player_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, party_id: _Optional[str] = ..., leader_id: _Optional[str] = ..., player_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CreatePartyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CreatePartyResponse(_message.Message):
    __slots__ = ("party",)
    PARTY_FIELD_NUMBER: _ClassVar[int]
    party: Party
    def __init__(self, party: _Optional[_Union[Party, _Mapping]] = ...) -> None: ...

class JoinPartyRequest(_message.Message):
    __slots__ = ("party_id",)
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    party_id: str
    def __init__(self, party_id: _Optional[str] = ...) -> None: ...

class JoinPartyResponse(_message.Message):
    __slots__ = ("party",)
    PARTY_FIELD_NUMBER: _ClassVar[int]
    party: Party
    def __init__(self, party: _Optional[_Union[Party, _Mapping]] = ...) -> None: ...

class LeavePartyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LeavePartyResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetPartyRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetPartyResponse(_message.Message):
    __slots__ = ("party", "ticket")
    PARTY_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    party: Party
    ticket: _matchmaking_service_pb2.Ticket
    def __init__(self, party: _Optional[_Union[Party, _Mapping]] = ..., ticket: _Optional[_Union[_matchmaking_service_pb2.Ticket, _Mapping]] = ...) -> None: ...
