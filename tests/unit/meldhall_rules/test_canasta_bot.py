"""What the Canasta bot does in plain positions."""

import pytest
from tests.unit.meldhall_rules.canasta_positions import CLEAN, HANDS, SIX, SMALL, play, position

from meldhall_rules.bots import canasta as bot
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.canasta.state import State
from meldhall_rules.notation import write_move
from meldhall_rules.view import SPECTATOR

EXTRA = {"joker_button_source": "extra"}


def choice(state: State, salt: int = 0) -> str:
    return write_move(bot.choose(CANASTA.view(state, state.turn), salt))


def test_it_opens_as_soon_as_it_can_with_as_few_wilds_as_will_do() -> None:
    assert choice(position(phase="play", hands={0: "R1 Y1 K1 R2 * R4 K5"})) == "0 open set:R1,Y1,K1"
    assert choice(position(phase="play", hands={0: "R1 Y1 R2 * R4 K5"})) == "0 open set:R1,Y1,R2"
    assert choice(position(phase="play", hands={0: "R4 Y4 K4 R5 K6 B10"})).startswith("0 discard")


def test_it_opens_with_the_pile() -> None:
    start = position(hands={0: "R1 Y1 R4 K5"}, discard="R6 K1")
    assert choice(start) == "0 take + open set:K1,R1,Y1"


def test_it_takes_a_pile_that_is_worth_it_and_leaves_one_that_is_not() -> None:
    hand = {0: "R9 Y9 R4 K5 R6"}
    assert choice(position(hands=hand, discard="R1 B9", melds=[f"0 {SMALL}"])) == "0 take + meld set:B9,R9,Y9"
    assert choice(position(hands=hand, discard="K3 B3 B9", melds=[f"0 {SMALL}"])) == "0 draw"
    assert choice(position(hands=hand, melds=[f"0 {SMALL}"])) == "0 draw"


def test_it_leaves_a_big_pile_when_the_round_is_about_to_end() -> None:
    start = position(
        hands={0: "R9 Y9 R4 K5 R6", 1: "K10"},
        discard="R1 Y1 R7 Y7 K8 B9",
        melds=[f"0 {SMALL}", "1 set:R12,R12,Y12,Y12,K12,K12,B12"],
    )
    assert choice(start) == "0 draw"


def test_it_goes_out_when_it_can() -> None:
    start = position(phase="play", hands={0: "R9 Y9 K9 B13 K6"}, melds=[f"0 {SIX}"])
    first = play(start, choice(start))
    second = play(first, choice(first))
    assert choice(second) == "0 discard K6"
    assert play(second, "0 discard K6").ending is not None


def test_it_saves_wilds_for_a_canasta_and_never_spoils_a_clean_one() -> None:
    hand = {0: "R2 K4 K6 R8", 1: "R9 R5 R6 R7"}
    assert choice(position(phase="play", hands=hand, melds=[f"0 {SIX}"])) == "0 add R2 to #0"
    assert choice(position(phase="play", hands=hand, melds=[f"0 {SMALL}"])).startswith("0 discard")
    assert choice(position(phase="play", hands=hand, melds=[f"0 {CLEAN}"])).startswith("0 discard")


def test_it_spends_its_wilds_when_the_stock_is_nearly_out() -> None:
    start = position(phase="play", hands={0: "R2 K4 K6 R8"}, melds=[f"0 {SMALL}"], stock="K9 B9")
    assert choice(start) == "0 add R2 to #0"


def test_it_discards_dark_threes_then_singles_and_wilds_last() -> None:
    assert choice(position(phase="play", hands={0: "R4 Y4 K3 R1"})) == "0 discard K3"
    assert choice(position(phase="play", hands={0: "R4 Y4 R10 R2"})) == "0 discard R10"
    assert choice(position(phase="play", hands={0: "R2 *"})) == "0 discard R2"
    theirs = position(phase="play", hands={0: "R9 B7 R8"}, melds=["1 set:R7,Y7,K7"])
    assert choice(theirs) in {"0 discard R9", "0 discard R8"}


def test_it_presses_the_button_only_where_that_is_sure_and_helps() -> None:
    helped = {"hands": {0: "R1 Y1 R4 K5"}, "jokers": {0: 1}}
    assert choice(position(EXTRA, **helped)) == "0 button"
    assert choice(position(None, **helped)) == "0 draw"
    assert choice(position(EXTRA, hands={0: "R4 Y6 R8 K5"}, jokers={0: 1})) == "0 draw"
    out = position(EXTRA, hands={0: "K5"}, melds=[f"0 {SIX}"], jokers={0: 1})
    assert choice(out) == "0 button"
    idle = position(EXTRA, hands={0: "K5 K6 R8"}, melds=[f"0 {SIX}"], jokers={0: 1})
    assert choice(idle) == "0 draw"


def test_the_first_turn_is_a_discard() -> None:
    assert choice(position(seed=2)).startswith("0 discard")


def test_salt_breaks_ties() -> None:
    start = position(phase="play", hands={0: "R4 Y5 K6 B7 R8 Y9"})
    assert len({choice(start, salt) for salt in range(30)}) > 1


def test_it_moves_for_the_seat_on_turn_only() -> None:
    state = position(hands=HANDS)
    with pytest.raises(ValueError, match="a spectator makes no move"):
        bot.choose(CANASTA.view(state, SPECTATOR))
    with pytest.raises(ValueError, match="seat 2 is not on turn"):
        bot.choose(CANASTA.view(state, 2))
    over = play(position(hands=HANDS, stock="K7"), "0 draw", "0 discard K7")
    with pytest.raises(ValueError, match="is not on turn"):
        bot.choose(CANASTA.view(over, over.turn))
