from meldhall.table.v1 import table_moves_pb2 as _table_moves_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetHintsRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetHintsResponse(_message.Message):
    __slots__ = ("version", "hints")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HINTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    hints: Hints
    def __init__(self, version: _Optional[int] = ..., hints: _Optional[_Union[Hints, _Mapping]] = ...) -> None: ...

class Hints(_message.Message):
    __slots__ = ("opening", "melds", "plan", "swaps", "takes", "keep", "loose", "points_left", "goes_out", "way_out", "discards", "suggested", "legal_moves", "more_legal_moves")
    OPENING_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    SWAPS_FIELD_NUMBER: _ClassVar[int]
    TAKES_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    LOOSE_FIELD_NUMBER: _ClassVar[int]
    POINTS_LEFT_FIELD_NUMBER: _ClassVar[int]
    GOES_OUT_FIELD_NUMBER: _ClassVar[int]
    WAY_OUT_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    MORE_LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    opening: OpeningHint
    melds: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.MeldSpec]
    plan: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.Move]
    swaps: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.Move]
    takes: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.Move]
    keep: _containers.RepeatedScalarFieldContainer[int]
    loose: _containers.RepeatedScalarFieldContainer[int]
    points_left: int
    goes_out: bool
    way_out: _table_moves_pb2.Move
    discards: _containers.RepeatedScalarFieldContainer[int]
    suggested: _table_moves_pb2.Move
    legal_moves: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.Move]
    more_legal_moves: bool
    def __init__(self, opening: _Optional[_Union[OpeningHint, _Mapping]] = ..., melds: _Optional[_Iterable[_Union[_table_moves_pb2.MeldSpec, _Mapping]]] = ..., plan: _Optional[_Iterable[_Union[_table_moves_pb2.Move, _Mapping]]] = ..., swaps: _Optional[_Iterable[_Union[_table_moves_pb2.Move, _Mapping]]] = ..., takes: _Optional[_Iterable[_Union[_table_moves_pb2.Move, _Mapping]]] = ..., keep: _Optional[_Iterable[int]] = ..., loose: _Optional[_Iterable[int]] = ..., points_left: _Optional[int] = ..., goes_out: _Optional[bool] = ..., way_out: _Optional[_Union[_table_moves_pb2.Move, _Mapping]] = ..., discards: _Optional[_Iterable[int]] = ..., suggested: _Optional[_Union[_table_moves_pb2.Move, _Mapping]] = ..., legal_moves: _Optional[_Iterable[_Union[_table_moves_pb2.Move, _Mapping]]] = ..., more_legal_moves: _Optional[bool] = ...) -> None: ...

class OpeningHint(_message.Message):
    __slots__ = ("need_points", "need_pairs", "best_points", "best_pairs", "ways")
    NEED_POINTS_FIELD_NUMBER: _ClassVar[int]
    NEED_PAIRS_FIELD_NUMBER: _ClassVar[int]
    BEST_POINTS_FIELD_NUMBER: _ClassVar[int]
    BEST_PAIRS_FIELD_NUMBER: _ClassVar[int]
    WAYS_FIELD_NUMBER: _ClassVar[int]
    need_points: int
    need_pairs: int
    best_points: int
    best_pairs: int
    ways: _containers.RepeatedCompositeFieldContainer[_table_moves_pb2.Move]
    def __init__(self, need_points: _Optional[int] = ..., need_pairs: _Optional[int] = ..., best_points: _Optional[int] = ..., best_pairs: _Optional[int] = ..., ways: _Optional[_Iterable[_Union[_table_moves_pb2.Move, _Mapping]]] = ...) -> None: ...
