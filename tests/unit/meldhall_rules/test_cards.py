"""Cards and the alphabets by which pieces are named."""

import pytest

from meldhall_rules.alphabet import CARDS, TILES
from meldhall_rules.cards import card_name, face, face_of, rank_of, suit_of, value_of
from meldhall_rules.commands import Discard, GoOut, LayOff, MeldKind, Placed
from meldhall_rules.events import Laid, MeldLaid, StockReshuffled, WentOut
from meldhall_rules.notation import (
    NotationError,
    describe,
    parse_meld,
    parse_move,
    parse_tile,
    parse_tiles,
    write_meld,
    write_move,
    write_tiles,
)


def test_every_card_of_two_decks_has_a_name_and_an_id_of_its_own() -> None:
    names = [card_name(card) for card in range(104)]
    assert names[:14] == ["AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AH"]
    assert names[:52] == names[52:]
    assert len(set(names)) == 52
    for card in range(104):
        assert face(suit_of(card), rank_of(card)) == face_of(card)
        assert parse_tile(card_name(card), CARDS) == face_of(card)


def test_values_are_those_of_the_rank_and_ten_for_court_cards() -> None:
    assert [value_of(card) for card in range(13)] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert value_of(103) == 10


MOVES = [
    "0 take",
    "0 discard TD",
    "1 out set:7H,7D,7S run:AS,2S,4D=3S discard KC",
    "1 out run:AS,2S,3S",
    "1 out discard KC",
    "1 out",
    "0 meld run:4H,5H,6H",
    "0 add 7H,8H to #3",
]


@pytest.mark.parametrize("text", MOVES)
def test_a_move_with_cards_is_read_and_written_again(text: str) -> None:
    assert write_move(parse_move(text, range(104), alphabet=CARDS), CARDS) == text


def test_a_card_may_be_named_with_what_it_stands_for_and_a_tile_may_not() -> None:
    spec = parse_meld("run:4S=6H,7H,8H", range(52), CARDS)
    assert spec.tiles[0] == Placed(3, face(1, 6))
    assert spec.kind is MeldKind.RUN
    with pytest.raises(NotationError, match="only a joker"):
        parse_meld("run:R1=R2,R3,R4")


def test_of_twins_the_lower_id_is_named_and_one_that_is_not_held_is_refusable() -> None:
    assert parse_move("0 discard AS", (52, 0), alphabet=CARDS) == Discard(0, 0)
    assert parse_move("0 add AS,AS,AS to #0", (52,), alphabet=CARDS) == LayOff(
        0, 0, (Placed(52), Placed(0), Placed(0))
    )
    assert parse_move("0 out discard AS", (), alphabet=CARDS) == GoOut(0, (), 0)


@pytest.mark.parametrize("text", ["*", "1S", "10S", "as", "SA", "", "R7", "AX"])
def test_a_text_that_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a card"):
        parse_tile(text, CARDS)


def test_a_list_is_sorted_by_face_and_twins_stand_together() -> None:
    assert write_tiles(CARDS.in_order((52, 1, 0, 51)), CARDS) == "AS AS 2S KC"
    assert parse_tiles("AS KC", CARDS) == (0, 51)
    assert write_tiles(TILES.in_order((104, 2, 1))) == "R1 R2 *"


def test_what_a_wild_stands_for_is_written_and_its_own_face_is_not() -> None:
    meld = MeldLaid(MeldKind.RUN, (Laid(3, 18), Laid(19, 19), Laid(20, 20)))
    assert write_meld(meld, CARDS) == "run:4S=6H,7H,8H"


def test_events_of_cards_are_described() -> None:
    meld = MeldLaid(MeldKind.SET, (Laid(0, 0), Laid(13, 13), Laid(26, 26)))
    assert describe(WentOut(1, (meld,), 51), alphabet=CARDS) == "1 out set:AS,AH,AD discard KC"
    assert describe(StockReshuffled((5, 9)), alphabet=CARDS) == "reshuffle 2"
