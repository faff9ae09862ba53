"""What a refusal tells a developer beside its code: what is missing, and what or whom it is about."""

from typing import Any

import pytest
from tests.unit.meldhall_rules import canasta_positions as canasta
from tests.unit.meldhall_rules import card_positions as cards
from tests.unit.meldhall_rules.positions import play, position, refusal

from meldhall_rules.commands import Draw, GoOut, LayMelds, LayOff, MeldKind, MeldSpec, Placed, TakeDiscard
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.options import Options
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase

OPENED = {0: "melds 101"}
RUN = ["1 run:B1,B2,B3"]
OWN = f"0 {canasta.SMALL}"
THEIRS = "1 set:R9,Y9,K9"
DRAW = {"phase": Phase.DRAW}
CLOSED = {"first_turn": True, "options": Options(starter_may_meld=False)}

RUMMY101_REFUSED: list[tuple[dict[str, Any], str, Code, str]] = [
    ({}, "1 draw", Code.NOT_YOUR_TURN, "seat 0 is on turn, not seat 1"),
    (DRAW, "0 discard R1", Code.WRONG_PHASE, "a tile has to be acquired first"),
    ({}, "0 draw", Code.WRONG_PHASE, "the turn has its tile already"),
    ({**DRAW, "stock": ""}, "0 draw", Code.STOCK_EMPTY, "the stock is empty"),
    (DRAW, "0 button", Code.NO_JOKER, "seat 0 has no joker in the account"),
    (
        {**DRAW, "jokers": (1, 0), "stock": ""},
        "0 button",
        Code.STOCK_EMPTY,
        "the stock is empty, there is no draw to replace",
    ),
    (DRAW, "0 take", Code.NOTHING_TO_TAKE, "there is no discard"),
    ({**DRAW, "discard": "K1"}, "0 take", Code.MUST_USE_TAKEN, "the taken tile cannot be kept"),
    (
        {**DRAW, "discard": "K1"},
        "0 take + open run:R1,R2,R3",
        Code.MUST_USE_TAKEN,
        "the taken tile is not among the tiles put down",
    ),
    (CLOSED, "0 open run:R1,R2,R3", Code.WRONG_PHASE, "the starter only discards in the first turn"),
    ({}, "0 open run:R1,R2,R3", Code.BELOW_THRESHOLD, "6 points, 101 are needed"),
    ({}, "0 open pair:R1,R1", Code.BELOW_THRESHOLD, "1 pairs, 5 are needed"),
    (
        {},
        "0 open pair:R1,R1 run:R2,R3,R4",
        Code.MIXED_OPENING,
        "an opening of pairs and other melds",
    ),
    ({"opened": OPENED}, "0 open run:R1,R2,R3", Code.ALREADY_OPENED, "seat 0 has opened"),
    ({}, "0 meld run:R1,R2,R3", Code.NOT_OPENED, "seat 0 has not opened"),
    ({"opened": OPENED, "melds": RUN}, "0 add R1 to #1", Code.WRONG_TARGET, "there is no meld 1"),
    ({"opened": OPENED}, "0 meld pair:R1,R1", Code.KIND_NOT_ALLOWED, "no player has opened by pairs"),
    (
        {"opened": {0: "pairs 5"}},
        "0 meld run:R1,R2,R3",
        Code.KIND_NOT_ALLOWED,
        "seat 0 opened by pairs and lays no run",
    ),
    (
        {"opened": OPENED, "melds": RUN},
        "0 swap R4 for #0",
        Code.NO_SUCH_JOKER,
        "no joker of meld 0 stands for R4",
    ),
]


@pytest.mark.parametrize(("given", "move", "code", "reason"), RUMMY101_REFUSED)
def test_rummy101_says_why_a_move_is_refused(
    given: dict[str, Any], move: str, code: Code, reason: str
) -> None:
    state = position(["R1 R1 R2 R3 R4 B9", "Y1"], **given)
    assert refusal(state, move) == Rejection(code, reason)


def test_rummy101_names_the_seat_and_the_tile_that_it_does_not_hold() -> None:
    melds = (MeldSpec(MeldKind.RUN, (Placed(0), Placed(2), Placed(90))),)
    state = position(["R1 R2 R3", "Y1"], opened=OPENED)
    missing = Rejection(Code.TILE_NOT_HELD, "seat 0 does not hold tile 90")
    assert RUMMY101.decide(state, LayMelds(0, melds)) == missing
    drawing = position(["R1 R2 R3", "Y1"], opened=OPENED, phase=Phase.DRAW, discard="R4")
    assert RUMMY101.decide(drawing, TakeDiscard(0, LayMelds(0, melds))) == missing
    other = RUMMY101.decide(drawing, TakeDiscard(0, LayMelds(1, melds)))
    assert other == Rejection(Code.NOT_YOUR_TURN, "seat 0 takes, seat 1 cannot use the tile")


def test_rummy101_says_that_a_round_is_over_and_that_nobody_declares_going_out() -> None:
    state = position(["R1", "Y1"], opened=OPENED)
    unknown = RUMMY101.decide(state, GoOut(0, (), None))
    assert unknown == Rejection(Code.UNKNOWN_MOVE, "in rummy101 a player goes out by a discard")
    over = play(state, "0 discard R1")
    assert RUMMY101.decide(over, Draw(1)) == Rejection(Code.ROUND_OVER, "the round is over")


CANASTA_REFUSED: list[tuple[dict[str, Any], str, Code, str]] = [
    ({"phase": "draw"}, "0 discard K11", Code.WRONG_PHASE, "a tile has to be acquired first"),
    ({}, "0 draw", Code.WRONG_PHASE, "the turn has its tile already"),
    ({"phase": "draw"}, "0 take", Code.NOTHING_TO_TAKE, "the discard pile is empty"),
    (
        {"phase": "draw", "discard": "R9"},
        "0 take",
        Code.MUST_USE_TAKEN,
        "the pile is taken with a pair for its top tile",
    ),
    (
        {"phase": "draw", "discard": "R2"},
        "0 take",
        Code.PILE_BLOCKED,
        "a two, a three or a joker on top blocks the pile",
    ),
    (
        {"first_turn": True},
        "0 open set:K11,Y11,B11",
        Code.WRONG_PHASE,
        "the first turn of a round is a discard and nothing else",
    ),
    ({}, "0 open set:K11,Y11,B11", Code.BELOW_THRESHOLD, "30 points, 50 are needed"),
    ({}, "0 meld set:K11,Y11,B11", Code.NOT_OPENED, "team 0 has not opened"),
    ({"melds": [OWN]}, "0 open set:K11,Y11,B11", Code.ALREADY_OPENED, "team 0 has opened"),
    ({"melds": [OWN]}, "0 add K11 to #1", Code.WRONG_TARGET, "there is no meld 1"),
    ({"melds": [OWN, THEIRS]}, "0 add K11 to #1", Code.WRONG_TARGET, "meld 1 is the opponents'"),
    (
        {"melds": [OWN, "0 set:Y11,R11,R11"]},
        "0 meld set:K11,K11,B11",
        Code.INVALID_MELD,
        "a second meld of 11s: one meld a number",
    ),
    (
        {"melds": [OWN], "hands": {0: "K11 Y11 B11 R4"}},
        "0 meld set:K11,Y11,B11",
        Code.MUST_KEEP_DISCARD,
        "1 would be left: a hand keeps two tiles while the team has no canasta",
    ),
    (
        {"melds": [f"0 {canasta.CLEAN}"], "hands": {0: "K11 Y11 B11"}},
        "0 meld set:K11,Y11,B11",
        Code.MUST_KEEP_DISCARD,
        "0 would be left: a hand keeps a tile for the discard",
    ),
]


@pytest.mark.parametrize(("given", "move", "code", "reason"), CANASTA_REFUSED)
def test_canasta_says_why_a_move_is_refused(
    given: dict[str, Any], move: str, code: Code, reason: str
) -> None:
    everything = {"phase": "play", "hands": {0: "K11 K11 Y11 B11 R4 R5"}, **given}
    state = canasta.position(None, **everything)
    assert CANASTA.decide(state, canasta.command(state, move)) == Rejection(code, reason)


def test_canasta_names_the_seat_and_the_tile_that_it_does_not_hold() -> None:
    use = LayOff(0, 0, (Placed(90),))
    missing = Rejection(Code.TILE_NOT_HELD, "seat 0 does not hold tile 90")
    state = canasta.position(None, phase="play", hands={0: "K11 R4 R5"}, melds=[OWN])
    assert CANASTA.decide(state, use) == missing
    drawing = canasta.position(None, phase="draw", hands={0: "K11 R4 R5"}, melds=[OWN], discard="R9")
    assert CANASTA.decide(drawing, TakeDiscard(0, use)) == missing


THREE_THIRTEEN_REFUSED: list[tuple[dict[str, Any], str, Code, str]] = [
    (
        {"phase": "draw", "hands": {0: "7S 7H 7D"}},
        "0 discard 7S",
        Code.WRONG_PHASE,
        "a card has to be drawn first",
    ),
    ({}, "0 draw", Code.WRONG_PHASE, "the turn has its card already"),
    ({}, "0 out set:7S,7H,7D", Code.INVALID_MELD, "1 cards are left over"),
    ({}, "0 out discard 9C", Code.INVALID_MELD, "going out needs melds"),
    ({}, "0 out set:7S,7H,7D,9C", Code.NO_DISCARD, "going out needs a discard"),
]


@pytest.mark.parametrize(("given", "move", "code", "reason"), THREE_THIRTEEN_REFUSED)
def test_three_thirteen_says_why_a_move_is_refused(
    given: dict[str, Any], move: str, code: Code, reason: str
) -> None:
    table = cards.session("three_thirteen", **{"phase": "play", "hands": {0: "7S 7H 7D 9C"}, **given})
    assert cards.answer(table, move) == Rejection(code, reason)


def test_three_thirteen_says_that_a_card_is_named_twice() -> None:
    table = cards.session("three_thirteen", phase="play", hands={0: "7S 7H 7D 9C"})
    melds = (MeldSpec(MeldKind.SET, tuple(Placed(card) for card in table.hand(0)[:3])),)
    twice = GoOut(0, melds, table.hand(0)[0])
    assert table.game.decide(table.state, twice) == Rejection(Code.TILE_NOT_HELD, "a card is named twice")
