from dataclasses import dataclass, make_dataclass
from enum import Enum, StrEnum
from typing import Any

import pytest

from meldhall_table.store.shapes import ShapeError, codec_of


class Suit(StrEnum):
    HEARTS = "hearts"
    SPADES = "spades"


class Side(Enum):
    LEFT = 1
    RIGHT = 2


@dataclass(frozen=True, slots=True)
class Card:
    rank: int
    suit: Suit


@dataclass(frozen=True, slots=True)
class Only:
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    flag: bool = False
    side: Side = Side.LEFT

    def __post_init__(self) -> None:
        if self.flag and self.side is Side.RIGHT:
            raise ValueError("no flag on the right")


@dataclass(frozen=True, slots=True)
class Whole:
    cards: tuple[Card, ...]
    pair: tuple[int, str]
    rows: tuple[tuple[int, ...], ...]
    secret: bytes
    either: Card | Only
    maybe: Card | Only | None
    number: int | None
    suits: frozenset[Suit]
    counts: dict[str, int]
    settings: Settings
    anything: Any


CODEC = codec_of(Whole, {(Whole, "anything"): Only})
WHOLE = Whole(
    cards=(Card(1, Suit.SPADES), Card(13, Suit.HEARTS)),
    pair=(4, "four"),
    rows=((), (1, 2)),
    secret=b"\x00\xff",
    either=Only("anna"),
    maybe=None,
    number=7,
    suits=frozenset(Suit),
    counts={"b": 2, "a": 1},
    settings=Settings(side=Side.RIGHT),
    anything=Only("x"),
)
WRITTEN = [
    [[1, "spades"], [13, "hearts"]],
    [4, "four"],
    [[], [1, 2]],
    "00ff",
    [1, ["anna"]],
    None,
    7,
    ["hearts", "spades"],
    [["b", 2], ["a", 1]],
    [False, 2],
    ["x"],
]


def plain(value: Any) -> Any:
    """Tuples as the lists that JSON makes of them."""
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def test_a_value_is_written_by_position_and_read_back() -> None:
    written = plain(CODEC.write(WHOLE))
    assert written == WRITTEN
    again = CODEC.decode(written)
    assert again == WHOLE
    assert type(again.cards[0].suit) is Suit
    assert list(again.counts) == ["b", "a"]


@pytest.mark.parametrize(
    ("at", "data"),
    [
        (0, [[True, "spades"]]),
        (0, [["1", "spades"]]),
        (0, [[1, "clubs"]]),
        (0, [[1]]),
        (0, [[1, "spades", 0]]),
        (0, None),
        (1, [4]),
        (2, [[1, 1.0]]),
        (2, [[1, None]]),
        (3, "0"),
        (3, 0),
        (4, [2, ["anna"]]),
        (4, [-1, ["anna"]]),
        (4, [True, ["anna"]]),
        (4, None),
        (6, "7"),
        (7, ["hearts", ["spades"]]),
        (8, [["a"]]),
        (9, [True, 2]),
        (9, [False, True]),
        (10, [0]),
    ],
)
def test_what_is_not_exactly_of_the_type_is_refused(at: int, data: Any) -> None:
    with pytest.raises(ShapeError):
        CODEC.decode([*WRITTEN[:at], data, *WRITTEN[at + 1 :]])


@pytest.mark.parametrize("data", [None, {}, WRITTEN[:-1], [*WRITTEN, 0], tuple(WRITTEN)])
def test_a_value_has_all_its_fields_and_no_more(data: Any) -> None:
    with pytest.raises(ShapeError):
        CODEC.decode(data)


def test_the_shape_tells_every_field_type_and_word() -> None:
    def shape(field: str = "suit", kind: Any = Suit) -> str:
        return codec_of(make_dataclass("Card", [("rank", int), (field, kind)], frozen=True)).shape

    words = {"HEARTS": "hearts", "SPADES": "spade"}
    other = StrEnum("Suit", words)  # type: ignore[misc] # the same name, so that only the words differ
    kinds = (int, str, bytes, bool, int | None, tuple[int, ...], tuple[int, int], Suit, other, Card)
    shapes = {shape(kind=kind) for kind in kinds} | {shape(field="colour")}
    assert len(shapes) == len(kinds) + 1
    assert shape() == shape()


@pytest.mark.parametrize("kind", [Any, float, list[int], object, int | str, set[int]])
def test_a_type_without_a_codec_is_found_when_the_codec_is_made(kind: Any) -> None:
    with pytest.raises(TypeError, match="no codec"):
        codec_of(make_dataclass("Odd", [("field", kind)], frozen=True))


def test_equal_small_values_that_are_read_are_one_object() -> None:
    one, other = CODEC.decode(plain(CODEC.write(WHOLE))), CODEC.decode(plain(CODEC.write(WHOLE)))
    assert one is not other
    assert one.settings is other.settings
    assert all(mine is its for mine, its in zip(one.cards, other.cards, strict=True))
    assert one.cards[0] is not one.cards[1]
