"""Melds and lay-offs of Basic Rummy by the options of the table, and why they are refused."""

from typing import Any

import pytest
from tests.unit.meldhall_rules.card_positions import answer, events, play, session

from meldhall_rules.commands import LayMelds, MeldKind, MeldSpec, Placed
from meldhall_rules.events import LaidOff, MeldsLaid
from meldhall_rules.rejections import Code, Rejection

GAME = "rummy"


def test_no_meld_at_all_is_refused() -> None:
    table = session(GAME, phase="play", hands={0: "6S 6H 6C 9D"}, stock="?4")
    assert table.game.decide(table.state, LayMelds(0, ())) == Rejection(Code.INVALID_MELD, "no melds")


def test_the_limit_of_a_turn_counts_the_melds_before_and_those_at_once() -> None:
    hands = {0: "6S 6H 6C 7S 7H 7C 8S 8H 8C 9D"}
    limited = Rejection(Code.KIND_NOT_ALLOWED, "more than 2 new melds in a turn")
    table = session(GAME, 2, {"max_melds_per_turn": 2}, phase="play", hands=hands, stock="?4")
    assert answer(table, "0 meld set:6S,6H,6C set:7S,7H,7C set:8S,8H,8C") == limited
    play(table, "0 meld set:6S,6H,6C", "0 meld set:7S,7H,7C")
    assert answer(table, "0 meld set:8S,8H,8C") == limited


@pytest.mark.parametrize("move", ["0 meld run:QS,KS,AS", "0 add AH to #0"])
def test_an_ace_is_high_where_the_table_says_so(move: str) -> None:
    given: dict[str, Any] = {
        "phase": "play",
        "hands": {0: "QS KS AS AH 9D"},
        "melds": ["1 run:JH,QH,KH"],
        "stock": "?4",
    }
    high = session(GAME, 2, {"ace_high_low": True}, **given)
    assert isinstance(events(high, move)[0], MeldsLaid | LaidOff)
    low = session(GAME, **given)
    refused = answer(low, move)
    assert isinstance(refused, Rejection)
    assert refused.code is Code.INVALID_MELD


@pytest.mark.parametrize("move", ["0 meld set:6S,6H,6C", "0 meld run:6S,7S,8S"])
def test_the_last_card_is_discarded_where_the_table_says_so(move: str) -> None:
    cards = move.partition(":")[2].replace(",", " ")
    table = session(
        GAME, 2, {"must_discard_to_go_out": True}, phase="play", hands={0: cards}, stock="?4", discard="KC"
    )
    assert answer(table, move) == Rejection(Code.MUST_KEEP_DISCARD, "the last card has to be discarded")


def test_the_card_that_was_taken_may_not_be_all_that_is_left() -> None:
    table = session(GAME, acquired="discard KD", hands={0: "7H 8H 9H KD"}, stock="?4")
    assert answer(table, "0 meld run:7H,8H,9H") == Rejection(
        Code.MUST_KEEP_DISCARD, "only KD is left, which was taken in this turn"
    )


def test_a_card_is_laid_once() -> None:
    table = session(GAME, phase="play", hands={0: "6S 6H 6C 6D 9D"}, stock="?4")
    (laid, *_) = events(table, "0 meld set:6S,6H,6C")
    assert isinstance(laid, MeldsLaid)
    spec = MeldSpec(MeldKind.SET, tuple(Placed(one.tile) for one in laid.melds[0].tiles))
    twice = table.game.decide(table.state, LayMelds(0, (spec, spec)))
    assert twice == Rejection(Code.TILE_NOT_HELD, "a card is named twice")
