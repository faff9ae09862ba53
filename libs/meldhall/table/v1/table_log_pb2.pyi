from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SecretsDrawn(_message.Message):
    __slots__ = ("tip",)
    TIP_FIELD_NUMBER: _ClassVar[int]
    tip: bytes
    def __init__(self, tip: _Optional[bytes] = ...) -> None: ...

class RoundDealt(_message.Message):
    __slots__ = ("game", "rules_version", "round", "seats", "starter", "order", "shuffle_key", "spare_jokers", "options", "totals")
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_KEY_FIELD_NUMBER: _ClassVar[int]
    SPARE_JOKERS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    game: str
    rules_version: int
    round: int
    seats: int
    starter: int
    order: _containers.RepeatedScalarFieldContainer[int]
    shuffle_key: bytes
    spare_jokers: _containers.RepeatedScalarFieldContainer[int]
    options: _containers.RepeatedCompositeFieldContainer[RuleOption]
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, game: _Optional[str] = ..., rules_version: _Optional[int] = ..., round: _Optional[int] = ..., seats: _Optional[int] = ..., starter: _Optional[int] = ..., order: _Optional[_Iterable[int]] = ..., shuffle_key: _Optional[bytes] = ..., spare_jokers: _Optional[_Iterable[int]] = ..., options: _Optional[_Iterable[_Union[RuleOption, _Mapping]]] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class RuleOption(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class StockDrawn(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class StockReshuffled(_message.Message):
    __slots__ = ("order",)
    ORDER_FIELD_NUMBER: _ClassVar[int]
    order: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, order: _Optional[_Iterable[int]] = ...) -> None: ...
