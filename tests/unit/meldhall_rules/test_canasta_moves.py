"""The list of moves, hints and the solver of Canasta on plain positions."""

from collections.abc import Sequence

from tests.unit.meldhall_rules.canasta_positions import CLEAN, HANDS, SIX, SMALL, play, position

from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.canasta.hints import hints
from meldhall_rules.games.canasta.moves import legal_moves
from meldhall_rules.games.canasta.state import State
from meldhall_rules.notation import parse_tiles, write_move, write_spec
from meldhall_rules.solve.canasta_opening import best_opening, thrifty_opening
from meldhall_rules.view import SPECTATOR


def ids(names: str) -> tuple[int, ...]:
    """Return tiles by name, the lower copy first."""
    found: list[int] = []
    for shown in parse_tiles(names):
        copies = (104, 105) if shown is None else (shown * 2, shown * 2 + 1)
        found.append(next(tile for tile in copies if tile not in found))
    return tuple(found)


def moves(state: State) -> list[str]:
    return [write_move(move) for move in legal_moves(CANASTA.view(state, state.turn))]


def opening(hand: str, at_least: int = 0, pile: str = "") -> tuple[int, list[str]] | None:
    names = f"{hand} {pile}".split()
    tiles: Sequence[int] = ids(" ".join(names))
    held = len(hand.split())
    found = best_opening(tiles[:held], at_least=at_least, pile=tiles[held:])
    return None if found is None else (found.value, [write_spec(spec) for spec in found.melds])


def test_the_best_opening_divides_the_wilds_and_keeps_two_tiles() -> None:
    assert opening("R12 Y12 K12 R7 Y7 R2 K5 K6") == (60, ["set:R7,Y7,R2", "set:R12,Y12,K12"])
    assert opening("R1 Y1 R4 Y4 *") == (100, ["set:R1,Y1,*"])
    assert opening("R1 Y1 K1 B1") == (0, [])
    assert opening("R4 K6 R8 B3") == (0, [])
    assert opening("R4 K6 R8 B3", at_least=15) is None


def test_the_twos_are_a_meld_or_wilds_whatever_is_worth_more() -> None:
    assert opening("R2 Y2 * R4 K6") == (90, ["set:R2,Y2,*"])
    assert opening("R2 Y2 R1 Y1 K1 B1 R4 K6") == (140, ["set:R1,Y1,K1,B1,R2,Y2"])


def test_a_canasta_in_the_opening_needs_one_tile_only() -> None:
    seven = "R13 R13 Y13 Y13 K13 K13 B13"
    assert opening(f"{seven} R4") == (70, ["set:R13,R13,Y13,Y13,K13,K13,B13"])
    assert opening("R13 R13 Y13 Y13 K13 K13 R4") == (50, ["set:R13,R13,Y13,Y13,K13"])


def test_the_pile_is_opened_with_its_top_and_a_pair() -> None:
    hand = "R10 Y10 R1 Y1 R2 K4"
    assert opening(hand, 50, "K6 B10") == (100, ["set:R1,Y1,R2", "set:B10,R10,Y10"])
    assert opening("R10 R1 Y1 R2 K4", 0, "K6 B10") is None
    assert opening(hand, 0, "K6 B2") is None
    assert opening(hand, 0, "K6 *") is None
    assert opening(hand, 0, "K6 K3") is None
    assert opening("R10 Y10", 0, "B10") is None
    assert opening("R10 Y10", 0, "K4 K5 B10") == (30, ["set:B10,R10,Y10"])


def test_a_thrifty_opening_spares_jokers_first() -> None:
    hand = ids("R1 Y1 R2 * K4 K6 K7")
    found = thrifty_opening(hand, 50)
    assert found is not None
    assert [write_spec(spec) for spec in found.melds] == ["set:R1,Y1,R2"]
    assert thrifty_opening(hand, 500) is None
    pile = thrifty_opening(ids("R1 Y1 * K4 K6"), 50, pile=ids("K1"))
    assert pile is not None
    assert [write_spec(spec) for spec in pile.melds] == ["set:K1,R1,Y1"]
    assert thrifty_opening(hand, 50, pile=ids("K2")) is None


def test_the_starter_may_only_discard() -> None:
    start = position(seed=4)
    assert all(move.split()[1] == "discard" for move in moves(start))


def test_acquiring_lists_the_draw_the_button_and_every_take() -> None:
    start = position(hands={0: "R9 Y9 K9 * R4 K5"}, discard="R6 B9", melds=[f"0 {SMALL}"], jokers={0: 1})
    assert moves(start) == [
        "0 draw",
        "0 button",
        "0 take + meld set:B9,R9,Y9",
        "0 take + meld set:B9,R9,Y9,*",
        "0 take + meld set:B9,R9,Y9,K9",
        "0 take + meld set:B9,R9,Y9,K9,*",
    ]
    onto = position(hands={0: "R9 Y9 R4 K5"}, discard="B9", melds=["0 set:R9,Y9,K9"])
    assert moves(onto) == ["0 draw", "0 take + add B9,R9,Y9 to #0"]
    blocked = position(hands={0: "R9 Y9 R4 K5"}, discard="B9 R2", melds=[f"0 {SMALL}"])
    assert moves(blocked) == ["0 draw"]


def test_an_unopened_team_takes_with_its_best_opening() -> None:
    start = position(hands={0: "R13 Y13 R1 Y1 * R4 Y5"}, discard="K8 K13")
    assert moves(start) == ["0 draw", "0 take + open set:R1,Y1,* set:K13,R13,Y13"]
    poor = position(hands={0: "R13 Y13 R4 Y5"}, discard="K8 K13")
    assert moves(poor) == ["0 draw"]


def test_the_button_is_listed_while_a_joker_may_be_in_the_stock() -> None:
    gone = position(hands={0: "* R4", 1: "R9"}, discard="*", jokers={0: 1})
    assert "0 button" not in moves(gone)
    extra = position({"joker_button_source": "extra"}, hands={0: "* R4"}, discard="*", jokers={0: 1})
    assert "0 button" in moves(extra)
    used = play(position(hands={0: "R4 R5"}, stock="* K7 ?9", jokers={0: 2}), "0 button")
    assert CANASTA.view(used, 0).button_used[0]
    assert "0 button" not in moves(position(hands={0: "R4"}, jokers={0: 0}))


def test_melds_and_additions_are_listed_as_far_as_a_discard_stays() -> None:
    start = position(phase="play", hands={0: "R9 Y9 K9 B13"}, melds=[f"0 {SIX}"])
    assert moves(start) == [
        "0 add B13 to #0",
        "0 discard R9",
        "0 discard Y9",
        "0 discard K9",
        "0 discard B13",
    ]
    rich = position(phase="play", hands={0: "R9 Y9 K9 R2"}, melds=[f"0 {CLEAN}", "0 set:Y2,K2,B2"])
    assert "0 meld set:R9,Y9,K9" in moves(rich)
    assert "0 meld set:R9,Y9,R2" in moves(rich)
    assert "0 meld set:R9,Y9,K9,R2" not in moves(rich)
    assert "0 add R2 to #0" in moves(rich)
    assert "0 add R2 to #1" in moves(rich)
    last = position(phase="play", hands={0: "R9"}, melds=[f"0 {SIX}"])
    assert moves(last) == []


def test_an_unopened_team_is_told_its_best_opening_only() -> None:
    start = position(phase="play", hands={0: "R1 Y1 K1 R4 K5"})
    assert moves(start)[0] == "0 open set:R1,Y1,K1"
    assert moves(position(phase="play", hands={0: "R4 Y4 K4 R5 K6"}))[0] == "0 discard R4"


def test_hints_before_the_opening() -> None:
    short = hints(CANASTA.view(position(phase="play", hands={0: "R4 Y4 K4 R5 K6"}), 0))
    assert short is not None
    assert (short.need, short.best_value, short.can_open, short.plan) == (50, 15, False, ())
    assert len(short.loose) == 2
    ready = hints(CANASTA.view(position(phase="play", hands={0: "R1 Y1 K1 R5 K6"}), 0))
    assert ready is not None
    assert (ready.best_value, ready.can_open, ready.goes_out) == (75, True, False)
    below = hints(CANASTA.view(position(phase="play", hands={0: "R4 Y5 K6"}, totals=[-5, 0]), 0))
    assert below is not None
    assert not below.can_open


def test_hints_after_the_opening() -> None:
    state = position(phase="play", hands={0: "R9 Y9 K9 B13 K6"}, melds=[f"0 {SIX}"])
    told = hints(CANASTA.view(state, 0))
    assert told is not None
    assert [write_move(move) for move in told.plan] == ["0 meld set:R9,Y9,K9", "0 add B13 to #0"]
    assert told.goes_out
    assert len(told.loose) == 1
    assert (told.need, told.best_value, told.opening) == (0, 0, ())
    draw = position(hands={0: "R9 Y9 K4 K5"}, discard="B9", melds=[f"0 {SMALL}"])
    on_turn, waiting = hints(CANASTA.view(draw, 0)), hints(CANASTA.view(draw, 2))
    assert on_turn is not None
    assert waiting is not None
    assert len(on_turn.takes) == 1
    assert waiting.takes == ()


def test_nobody_is_told_moves_out_of_turn() -> None:
    state = position(hands=HANDS)
    assert legal_moves(CANASTA.view(state, SPECTATOR)) == ()
    assert legal_moves(CANASTA.view(state, 2)) == ()
    assert hints(CANASTA.view(state, SPECTATOR)) is None
    over = play(position(hands=HANDS, stock="K7"), "0 draw", "0 discard K7")
    assert legal_moves(CANASTA.view(over, over.turn)) == ()
    assert hints(CANASTA.view(over, 0)) is None
