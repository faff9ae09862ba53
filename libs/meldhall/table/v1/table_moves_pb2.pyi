from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MeldKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MELD_KIND_UNSPECIFIED: _ClassVar[MeldKind]
    MELD_KIND_RUN: _ClassVar[MeldKind]
    MELD_KIND_SET: _ClassVar[MeldKind]
    MELD_KIND_PAIR: _ClassVar[MeldKind]
MELD_KIND_UNSPECIFIED: MeldKind
MELD_KIND_RUN: MeldKind
MELD_KIND_SET: MeldKind
MELD_KIND_PAIR: MeldKind

class Move(_message.Message):
    __slots__ = ("draw", "press_joker_button", "lay_opening", "lay_melds", "lay_off", "swap_joker", "take_discard", "discard", "go_out")
    DRAW_FIELD_NUMBER: _ClassVar[int]
    PRESS_JOKER_BUTTON_FIELD_NUMBER: _ClassVar[int]
    LAY_OPENING_FIELD_NUMBER: _ClassVar[int]
    LAY_MELDS_FIELD_NUMBER: _ClassVar[int]
    LAY_OFF_FIELD_NUMBER: _ClassVar[int]
    SWAP_JOKER_FIELD_NUMBER: _ClassVar[int]
    TAKE_DISCARD_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    GO_OUT_FIELD_NUMBER: _ClassVar[int]
    draw: Draw
    press_joker_button: PressJokerButton
    lay_opening: LayOpening
    lay_melds: LayMelds
    lay_off: LayOff
    swap_joker: SwapJoker
    take_discard: TakeDiscard
    discard: Discard
    go_out: GoOut
    def __init__(self, draw: _Optional[_Union[Draw, _Mapping]] = ..., press_joker_button: _Optional[_Union[PressJokerButton, _Mapping]] = ..., lay_opening: _Optional[_Union[LayOpening, _Mapping]] = ..., lay_melds: _Optional[_Union[LayMelds, _Mapping]] = ..., lay_off: _Optional[_Union[LayOff, _Mapping]] = ..., swap_joker: _Optional[_Union[SwapJoker, _Mapping]] = ..., take_discard: _Optional[_Union[TakeDiscard, _Mapping]] = ..., discard: _Optional[_Union[Discard, _Mapping]] = ..., go_out: _Optional[_Union[GoOut, _Mapping]] = ...) -> None: ...

class Draw(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PressJokerButton(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LayOpening(_message.Message):
    __slots__ = ("melds",)
    MELDS_FIELD_NUMBER: _ClassVar[int]
    melds: _containers.RepeatedCompositeFieldContainer[MeldSpec]
    def __init__(self, melds: _Optional[_Iterable[_Union[MeldSpec, _Mapping]]] = ...) -> None: ...

class LayMelds(_message.Message):
    __slots__ = ("melds",)
    MELDS_FIELD_NUMBER: _ClassVar[int]
    melds: _containers.RepeatedCompositeFieldContainer[MeldSpec]
    def __init__(self, melds: _Optional[_Iterable[_Union[MeldSpec, _Mapping]]] = ...) -> None: ...

class LayOff(_message.Message):
    __slots__ = ("meld", "tiles")
    MELD_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    meld: int
    tiles: _containers.RepeatedCompositeFieldContainer[PlacedTile]
    def __init__(self, meld: _Optional[int] = ..., tiles: _Optional[_Iterable[_Union[PlacedTile, _Mapping]]] = ...) -> None: ...

class SwapJoker(_message.Message):
    __slots__ = ("meld", "tile")
    MELD_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    meld: int
    tile: int
    def __init__(self, meld: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class TakeDiscard(_message.Message):
    __slots__ = ("lay_opening", "lay_melds", "lay_off", "swap_joker")
    LAY_OPENING_FIELD_NUMBER: _ClassVar[int]
    LAY_MELDS_FIELD_NUMBER: _ClassVar[int]
    LAY_OFF_FIELD_NUMBER: _ClassVar[int]
    SWAP_JOKER_FIELD_NUMBER: _ClassVar[int]
    lay_opening: LayOpening
    lay_melds: LayMelds
    lay_off: LayOff
    swap_joker: SwapJoker
    def __init__(self, lay_opening: _Optional[_Union[LayOpening, _Mapping]] = ..., lay_melds: _Optional[_Union[LayMelds, _Mapping]] = ..., lay_off: _Optional[_Union[LayOff, _Mapping]] = ..., swap_joker: _Optional[_Union[SwapJoker, _Mapping]] = ...) -> None: ...

class Discard(_message.Message):
    __slots__ = ("tile",)
    TILE_FIELD_NUMBER: _ClassVar[int]
    tile: int
    def __init__(self, tile: _Optional[int] = ...) -> None: ...

class GoOut(_message.Message):
    __slots__ = ("melds", "discard")
    MELDS_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    melds: _containers.RepeatedCompositeFieldContainer[MeldSpec]
    discard: int
    def __init__(self, melds: _Optional[_Iterable[_Union[MeldSpec, _Mapping]]] = ..., discard: _Optional[int] = ...) -> None: ...

class MeldSpec(_message.Message):
    __slots__ = ("kind", "tiles")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    kind: MeldKind
    tiles: _containers.RepeatedCompositeFieldContainer[PlacedTile]
    def __init__(self, kind: _Optional[_Union[MeldKind, str]] = ..., tiles: _Optional[_Iterable[_Union[PlacedTile, _Mapping]]] = ...) -> None: ...

class PlacedTile(_message.Message):
    __slots__ = ("tile", "stands_for")
    TILE_FIELD_NUMBER: _ClassVar[int]
    STANDS_FOR_FIELD_NUMBER: _ClassVar[int]
    tile: int
    stands_for: int
    def __init__(self, tile: _Optional[int] = ..., stands_for: _Optional[int] = ...) -> None: ...

class LaidTile(_message.Message):
    __slots__ = ("tile", "face")
    TILE_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    tile: int
    face: int
    def __init__(self, tile: _Optional[int] = ..., face: _Optional[int] = ...) -> None: ...

class LaidMeld(_message.Message):
    __slots__ = ("kind", "tiles")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    kind: MeldKind
    tiles: _containers.RepeatedCompositeFieldContainer[LaidTile]
    def __init__(self, kind: _Optional[_Union[MeldKind, str]] = ..., tiles: _Optional[_Iterable[_Union[LaidTile, _Mapping]]] = ...) -> None: ...
