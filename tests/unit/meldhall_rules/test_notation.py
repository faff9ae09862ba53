"""Moves as text: there and back, and what is said of a text that is none."""

import pytest

from meldhall_rules.commands import (
    Discard,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    Placed,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    Finish,
    JokerIssued,
    JokerSwapped,
    Laid,
    LaidOff,
    MeldLaid,
    MeldsLaid,
    OpeningLaid,
    RoundDealt,
    RoundEnded,
    StockDrawn,
)
from meldhall_rules.notation import (
    NotationError,
    describe,
    parse_meld,
    parse_move,
    parse_tile,
    parse_tiles,
    seat_of,
    write_move,
    write_spec,
    write_table_meld,
    write_tile,
    write_tiles,
)
from meldhall_rules.view import TableMeld

MOVES = [
    "0 draw",
    "3 button",
    "1 auto",
    "0 take",
    "0 open run:R1,R2,* set:*=R4,Y4,K4",
    "2 meld pair:R7,R7 pair:B1,*",
    "0 add R6,R7,*=R8 to #0",
    "0 swap R11 for #12",
    "0 discard *",
    "0 discard B13",
    "0 take + open run:R1,R2,*",
    "0 take + meld run:R1,R2,R3",
    "0 take + add R6 to #0",
    "0 take + swap R11 for #0",
    "0 out run:R1,R2,R3 set:R5,Y5,K5 discard B5",
]


@pytest.mark.parametrize("text", MOVES)
def test_a_move_is_read_and_written_again(text: str) -> None:
    assert write_move(parse_move(text, range(108))) == text


def test_every_tile_has_a_name_that_is_read_again() -> None:
    for tile in range(104):
        assert parse_tile(write_tile(tile)) == tile // 2
    assert parse_tile("*") is None
    assert write_tiles((0, 1, 51, 103, 104)) == "R1 R1 Y13 B13 *"
    assert parse_tiles("R1 R1 * B13") == (0, 0, None, 51)


def test_of_two_copies_the_lower_id_is_chosen_and_each_only_once() -> None:
    assert parse_move("0 discard R1", (1, 0)) == Discard(0, 0)
    assert parse_move("0 discard R1", (1,)) == Discard(0, 1)
    pairs = parse_move("0 open pair:R1,R1 pair:*,R2", (0, 1, 3, 105, 106))
    assert isinstance(pairs, LayOpening)
    assert [placed.tile for spec in pairs.melds for placed in spec.tiles] == [0, 1, 105, 3]


def test_a_tile_that_is_not_held_becomes_one_that_the_rules_refuse() -> None:
    assert parse_move("0 discard R1", ()) == Discard(0, 0)
    assert parse_move("0 discard *", (104, 105)) == Discard(0, 104)
    assert parse_move("0 discard *", (7,)) == Discard(0, 104)
    missing = parse_move("0 add R1,R1,R1 to #0", (1,))
    assert missing == LayOff(0, 0, (Placed(1), Placed(0), Placed(0))), "a third copy is a copy named twice"
    jokers = parse_move("0 add *,* to #0", (105,))
    assert jokers == LayOff(0, 0, (Placed(105), Placed(106)))


def test_a_take_uses_the_taken_tile_before_its_twin_in_the_hand() -> None:
    taken = parse_move("0 take + add R6 to #0", (10,), taken=11)
    assert taken == TakeDiscard(0, LayOff(0, 0, (Placed(11),)))
    assert parse_move("0 take + swap * for #0", (104,), taken=105) == TakeDiscard(0, SwapJoker(0, 0, 105))
    both = parse_move("0 take + add R6,R6 to #0", (10,), taken=11)
    assert both == TakeDiscard(0, LayOff(0, 0, (Placed(11), Placed(10))))
    assert parse_move("0 discard R6", (10, 11), taken=11) == Discard(0, 10)


def test_a_take_with_a_discard_is_a_take_with_a_use_that_puts_nothing_down() -> None:
    assert parse_move("0 take + discard R1", (0,), taken=5) == TakeDiscard(0, LayMelds(0, ()))


def test_a_meld_is_read_on_its_own() -> None:
    spec = parse_meld("pair:R7,*=R7", (13, 104))
    assert (spec.kind, spec.tiles) == (MeldKind.PAIR, (Placed(13), Placed(104, 6)))
    assert write_spec(spec) == "pair:R7,*=R7"
    assert seat_of("3 draw") == 3


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("", 0, "a seat is missing"),
        ("x draw", 0, "'x' is not a seat"),
        ("0", 1, "an action is missing"),
        ("0 foo", 2, "there is no move 'foo'"),
        ("0 add R6 #0", 9, "'#0' where 'to' should be"),
        ("0 add R6 to 0", 12, "'0' is not # and the number of a meld"),
        ("0 add R6 to #1234", 12, "'#1234' is not # and the number of a meld"),
        ("0 open", 6, "a meld is missing"),
        ("0 open run:R1,,R2", 14, "'' is not a tile"),
        ("0 open row:R1,R2,R3", 7, "'row:R1,R2,R3' is not run:, set: or pair: and tiles"),
        ("0 open run:R1,R2,*=R0", 19, "'R0' is not a tile"),
        ("0 open run:R1=R2,R3,R4", 11, "'R1=R2': only a joker stands for a tile"),
        ("0 meld run:R1,R2,R3 discard R4", 20, "'discard' after the end"),
        ("0 discard R14", 10, "'R14' is not a tile"),
        ("0 discard G1", 10, "'G1' is not a tile"),
        ("0 discard *=R1", 10, "'*=R1' is not a tile"),
        ("0 draw now", 7, "'now' after the end"),
        ("0 take open run:R1,R2,R3", 7, "'open' where '+' should be"),
        ("0 take + draw", 9, "'draw' does not use a tile"),
        ("0 take + take", 9, "there is no move 'take'"),
        ("0 out run:R1,R2,R3 discard", 26, "a tile is missing"),
    ],
)
def test_a_text_that_is_no_move_is_refused_at_its_place(text: str, place: int, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_move(text, range(108))
    assert (caught.value.text, caught.value.place, caught.value.reason) == (text, place, reason)
    assert str(caught.value) == f"{text!r}, character {place + 1}: {reason}"


@pytest.mark.parametrize("text", ["R", "r7", "R07", "", "Y0", "K 1"])
def test_a_text_that_is_no_tile_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_tile(text)


RUN = MeldLaid(MeldKind.RUN, (Laid(0, 0), Laid(2, 1), Laid(104, 2)))
DEAL = RoundDealt("rummy101", 1, (("opening", "fixed"),), 2, 2, 1, tuple(range(106)), bytes(32), (0, 0))
EVENTS: list[tuple[Event, str]] = [
    (DEAL, "deal round 2 rummy101/1 opening=fixed starter 1"),
    (StockDrawn(0, 13), "0 draw R7"),
    (DiscardTaken(0, 13), "0 take R7"),
    (JokerIssued(0, 106), "0 button"),
    (OpeningLaid(0, "melds", 6, (RUN,)), "0 open run:R1,R2,*=R3"),
    (MeldsLaid(0, (RUN,)), "0 meld run:R1,R2,*=R3"),
    (LaidOff(0, 3, (Laid(105, 3),), (*RUN.tiles, Laid(105, 3))), "0 add *=R4 to #3"),
    (JokerSwapped(0, 1, 4, 104), "0 swap R3 for #1"),
    (Discarded(0, 104), "0 discard *"),
    (RoundEnded(Finish.NORMAL, 0, (101, -202)), "end normal winner 0 scores 101 -202"),
    (RoundEnded(Finish.EXHAUSTED, None, (-202, -5)), "end exhausted scores -202 -5"),
]


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_an_event_is_described_in_a_line(event: Event, line: str) -> None:
    assert describe(event) == line


def test_the_public_line_of_a_draw_does_not_name_the_tile() -> None:
    assert describe(StockDrawn(0, 13), reveal=False) == "0 draw"
    assert describe(Discarded(0, 13), reveal=False) == "0 discard R7"


def test_a_meld_on_the_table_is_written_with_its_owner() -> None:
    assert write_table_meld(TableMeld(2, RUN.kind, RUN.tiles)) == "2 run:R1,R2,*=R3"
