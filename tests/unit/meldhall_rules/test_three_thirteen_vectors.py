"""Worked positions of Three-Thirteen: going out, final turns, penalties."""

import pytest
from tests.unit.meldhall_rules.card_positions import play, refused, session

from meldhall_rules.alphabet import CARDS
from meldhall_rules.commands import MeldKind
from meldhall_rules.games.three_thirteen.melds import WildRule, read_meld
from meldhall_rules.notation import parse_meld, parse_tiles, write_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.solve.penalty import least_penalty, least_value

GAME = "three_thirteen"


def ids(cards: str) -> list[int]:
    """Choose an id for each name, the lowest that is free."""
    free = list(range(104))
    found = []
    for shown in parse_tiles(cards, CARDS):
        card = next(card for card in free if card % 52 == shown)
        free.remove(card)
        found.append(card)
    return found


OUT = [
    (1, "AS 2S 3S KD", "run:AS,2S,3S discard KD"),
    (1, "7S 7H 3D 9C", "set:7S,7H,3D discard 9C"),
    (1, "KS 3H 3D 5C", "set:KS,3H,3D discard 5C"),
    (1, "3S 3H 3D 5C", "run:5C,3H,3D discard 3S"),
    (1, "QH KH 3D 5C", "run:QH,KH,3D discard 5C"),
    (1, "AC 2C 3D 5C", "run:AC,2C,3D discard 5C"),
    (2, "6S 6H 6D 6C 9S", "set:6S,6H,6D,6C discard 9S"),
    (4, "6S 6H 6D 6C 9S 9H 2D", "set:9S,9H,6S,6H,6D,6C discard 2D"),
    (2, "3D 4D 5D 6D TS", "run:3D,4D,5D,6D discard TS"),
    (2, "3D 5D 4S 6D TS", "run:3D,4S,5D,6D discard TS"),
    (3, "8D 5C TD JD 5S 2H", "run:8D,5C,TD,JD,5S discard 2H"),
    (1, "4S 5S 6S 7S", "run:5S,6S,7S discard 4S"),
    (
        11,
        "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS 2H",
        "run:AS,2S,3S,4S,5S,6S,7S,8S,9S,TS,JS,QS,KS discard 2H",
    ),
]


@pytest.mark.parametrize(("number", "cards", "move"), OUT)
def test_a_hand_goes_out(number: int, cards: str, move: str) -> None:
    state = play(session(GAME, round=number, phase="play", hands={0: cards}), f"0 out {move}")
    assert state.out == 0
    assert state.hidden.hands[0] == ()


NOT_OUT = [
    (1, "3S 3H 3D 5C", "set:3S,3H,3D discard 5C"),
    (1, "QS KS AS 5C", "run:QS,KS,AS discard 5C"),
    (1, "KS AS 2S 5C", "run:KS,AS,2S discard 5C"),
    (4, "6S 6H 6D 6C 9S 9H 2D", "set:6S,6H,6D,6C set:9S,9H discard 2D"),
    (2, "8D 8C 8H 9H TH", "set:8D,8C,8H discard TH"),
]


@pytest.mark.parametrize(("number", "cards", "move"), NOT_OUT)
def test_a_hand_does_not_go_out(number: int, cards: str, move: str) -> None:
    table = session(GAME, round=number, phase="play", hands={0: cards})
    assert refused(table, f"0 out {move}") is Code.INVALID_MELD


def test_wilds_alone_go_out_where_the_table_allows_it() -> None:
    table = session(GAME, 2, {"allow_all_wild": True}, round=1, phase="play", hands={0: "3S 3H 3D 5C"})
    assert play(table, "0 out set:3S,3H,3D discard 5C").out == 0


def test_two_decks_make_sets_of_twins_and_no_runs_of_them() -> None:
    table = session(GAME, 3, round=1, phase="play", hands={0: "7H 7H 7S 2C"})
    assert play(table, "0 out set:7H,7H,7S discard 2C").out == 0
    runs = session(GAME, 3, round=3, phase="play", hands={0: "6C 6C 7C 8C 9D 2S"})
    assert refused(runs, "0 out run:6C,6C,7C,8C discard 2S") is Code.INVALID_MELD


PENALTIES = [
    (4, "6S 6H 6D 6C 9S 9H", 0),
    (3, "5S 6S 7S 6H 6D", 7),
    (5, "2S 3S 4S 9H 9D 7C KC", 10),
    (6, "4D 5D 6D TC JC 8S AH 2H", 3),
    (8, "AS 2S 3D 4D 5H 7C 9S JD QH KC", 61),
    (8, "AS 2S 3D 4D 5H 7C TS JD QH KC", 45),
    (1, "3S KD 9C", 22),
    (1, "3S 3H KD", 0),
    (11, "KS 2S 2H 2D 2C 3S 3H 3D 3C 4S 4H 4D 4C", 0),
    (2, "4S 4H 4D 4C", 16),
    (2, "", 0),
    (11, "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 0),
    (1, "3S 3H 3D 3C 3S 3H 3D 3C 9D", 0),
]


@pytest.mark.parametrize(("number", "cards", "value"), PENALTIES)
def test_a_hand_costs_the_least_that_it_can(number: int, cards: str, value: int) -> None:
    hand, wild = ids(cards), number + 2
    best = least_penalty(hand, wild)
    assert best.value == least_value(hand, wild) == value
    laid = [placed.tile for spec in best.melds for placed in spec.tiles]
    assert sorted([*laid, *best.left]) == sorted(hand)
    assert sum(min(card % 13 + 1, 10) for card in best.left) == value
    for spec in best.melds:
        assert not isinstance(read_meld(spec, WildRule(wild, all_wild=False)), Rejection)


def test_wilds_alone_cost_nothing_where_they_are_a_set() -> None:
    best = least_penalty(ids("4S 4H 4D 4C"), 4, all_wild=True)
    assert (best.value, best.left) == (0, ())
    assert [spec.kind for spec in best.melds] == [MeldKind.SET]
    assert least_value(ids("4S 4H 4D"), 4, all_wild=True) == 0
    assert least_value(ids("4S 4H"), 4, all_wild=True) == 8


READ = [
    ("run:3D,4D,5D,6D", 4, "run:3D,4D,5D,6D"),
    ("run:6D,5D,4D", 4, "run:4D,5D,6D"),
    ("run:5D,6D,4S", 4, "run:5D,6D,4S=7D"),
    ("run:QH,KH,4S", 4, "run:4S=JH,QH,KH"),
    ("run:3D,4D,4D,6D", 4, "run:3D,4D,4D=5D,6D"),
    ("run:3D,4S,4D,6D", 4, "run:3D,4D,4S=5D,6D"),
    ("run:3D,4D=2D,4S", 4, "run:4D=2D,3D,4S=4D"),
    ("set:9S,9H,4D,4C,4H", 4, "set:9S,9H,4D=9D,4C=9C,4H=9S"),
    ("set:9S,4D=9S,4C", 4, "set:9S,4D=9S,4C=9H"),
    ("run:5D,6D,4S,4D", 4, "run:4D,5D,6D,4S=7D"),
    ("run:2D,3D,4S,5D,6D,7D,8D,9D,TD,JD,QD,KD,4H", 4, "run:4H=AD,2D,3D,4S=4D,5D,6D,7D,8D,9D,TD,JD,QD,KD"),
]


@pytest.mark.parametrize(("text", "wild", "read"), READ)
def test_a_wild_is_given_a_place_in_fixed_order(text: str, wild: int, read: str) -> None:
    meld = read_meld(parse_meld(text, None, CARDS), WildRule(wild, all_wild=False))
    assert not isinstance(meld, Rejection), meld
    assert write_meld(meld, CARDS) == read


def test_wilds_alone_are_a_set_of_themselves_in_the_order_named() -> None:
    meld = read_meld(parse_meld("set:4C,4D,4H", None, CARDS), WildRule(4, all_wild=True))
    assert not isinstance(meld, Rejection), meld
    assert write_meld(meld, CARDS) == "set:4C,4D,4H"


REASONS = [
    ("pair:9S,9H", "no pairs"),
    ("set:9S,9H", "a set of 2 cards"),
    ("run:9S=TS,JS,QS", "9S is not wild"),
    ("run:4S,4H,4D", "a run without a natural card"),
    ("set:9S,8H,4D", "ranks differ: 9S and 8H"),
    ("set:9S,9H,4D=8D", "8D is not of the rank of the set"),
    ("run:9S,TH,4D", "suits differ: 9S and TH"),
    ("run:9S,TS,4D=JH", "suits differ: 9S and JH"),
    ("run:9S,TS,4D=9S", "rank repeated: 9S"),
    ("run:8S,TS,JS,KS,4D", "gap at QS"),
    ("run:AS,2S,3S,4S,5S,6S,7S,8S,9S,TS,JS,QS,KS,4H", "no place for a wild"),
]


@pytest.mark.parametrize(("text", "reason"), REASONS)
def test_what_is_no_meld_is_refused_with_the_reason(text: str, reason: str) -> None:
    meld = read_meld(parse_meld(text, None, CARDS), WildRule(4, all_wild=False))
    assert isinstance(meld, Rejection)
    assert meld.code is Code.INVALID_MELD
    assert reason in meld.detail


def test_a_card_named_twice_is_not_held_twice() -> None:
    meld = read_meld(parse_meld("set:9S,9S,9S", range(52), CARDS), WildRule(4, all_wild=False))
    assert isinstance(meld, Rejection)
    assert meld.code is Code.TILE_NOT_HELD
