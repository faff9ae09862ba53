"""The options of Rummy 101 beyond the positions of the scenarios: folds, moves, hints and the bot."""

from tests.unit.meldhall_rules.positions import command, events, hand, play, position, refusal, refused

from meldhall_rules.bots.rummy101 import choose
from meldhall_rules.commands import Discard, Draw, LayOff, LayOpening, Placed, PressJokerButton, SwapJoker
from meldhall_rules.events import Discarded, JokerIssued, JokerSwapped, Laid, LaidOff
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.hints import hints
from meldhall_rules.games.rummy101.options import ButtonSource, Options, SetJoker
from meldhall_rules.rejections import Code
from meldhall_rules.view import Phase

OPENED = {0: "melds 101", 1: "melds 101"}
OPENER = "R10 R11 R12 R13 B10 B11 B12 B13 Y10 Y11 Y12 K1"
SILENT = Options(starter_may_meld=False)
STOCK = Options(joker_button_source=ButtonSource.STOCK)
FINED = Options(playable_discard_penalty=50, joker_discard_penalty=101)
OPEN_SETS = Options(set_joker_color=SetJoker.OPEN)


def test_a_silent_starter_is_told_to_discard_whatever_he_tries() -> None:
    state = position([OPENER, "K2"], first_turn=True, options=SILENT)
    for move in (
        "0 open run:R10,R11,R12,R13",
        "0 meld run:R10,R11,R12",
        "0 add R9 to #0",
        "0 swap R9 for #0",
    ):
        assert refused(state, move) is Code.WRONG_PHASE
    assert "first turn" in refusal(state, "0 meld run:R10,R11,R12").detail
    assert play(state, "0 discard K1").turn == 1


def test_nothing_but_discards_is_listed_hinted_or_chosen_for_a_silent_starter() -> None:
    view = RUMMY101.view(position([OPENER, "K2"], first_turn=True, options=SILENT), 0)
    assert {type(move) for move in RUMMY101.legal_moves(view)} == {Discard}
    assert isinstance(choose(view), Discard)
    seen = hints(view)
    assert seen is not None
    assert not seen.can_open
    free = RUMMY101.view(position([OPENER, "K2"], first_turn=True), 0)
    assert any(isinstance(move, LayOpening) for move in RUMMY101.legal_moves(free))
    assert isinstance(choose(free), LayOpening)


def test_a_joker_of_the_button_leaves_its_place_in_the_stock() -> None:
    state = position(["R1", "R2"], phase=Phase.DRAW, jokers=(1, 1), stock="K1 * K2", options=STOCK)
    (event,) = events(state, "0 button")
    assert event == JokerIssued(0, 104)
    after = play(state, "0 button")
    assert (after.hidden.stock, after.jokers.issued, after.jokers.spare) == ((52, 54), 0, (0, 1))
    assert hand(after, 0) == (0, 104)
    empty = play(after, "0 discard R1")
    assert refused(empty, "1 button") is Code.NO_JOKER
    assert empty.jokers.spare == (0, 1)


def test_a_button_that_may_be_refused_is_listed_and_no_bot_presses_it() -> None:
    state = position(["R1", "R2"], phase=Phase.DRAW, jokers=(1, 1), stock="K1 K2", options=STOCK)
    assert PressJokerButton(0) in RUMMY101.legal_moves(RUMMY101.view(state, 0))
    ready = position(
        ["R10 R11 R12 B10 B11 B12 Y10 Y11 Y12 K1", "K2"], phase=Phase.DRAW, jokers=(1, 1), options=STOCK
    )
    assert choose(RUMMY101.view(ready, 0)) == Draw(0)


def test_fines_are_counted_by_the_fold_alone_and_paid_at_the_end() -> None:
    state = position(
        ["R6 * B1 B5", "K9"],
        melds=["1 run:R3,R4,R5"],
        opened=OPENED,
        stock="K1 K2 K3",
        phase=Phase.DRAW,
        options=FINED,
    )
    state = play(state, "0 draw", "0 discard R6", "1 draw", "1 discard K2", "0 draw", "0 discard *")
    assert state.fines == (151, 0)
    assert state.ending is not None
    assert state.ending.scores == (-(1 + 5 + 1 + 3) - 151, -9)


def test_a_tile_that_fits_is_fined_before_it_leaves_and_not_where_it_goes_out() -> None:
    state = position(["R6", "R2"], melds=["1 run:R3,R4,R5"], opened=OPENED, options=FINED)
    assert play(state, "0 discard R6").fines == (0, 0)
    held = position(["R6 K1", "R2"], melds=["1 run:R3,R4,R5"], opened=OPENED, options=FINED)
    assert RUMMY101.evolve(held, Discarded(0, 10)).fines == (50, 0)
    assert RUMMY101.evolve(held, Discarded(0, 52)).fines == (0, 0)


def test_either_missing_colour_brings_the_joker_home_where_sets_are_open() -> None:
    state = position(["B8 R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED, options=OPEN_SETS)
    (event,) = events(state, "0 swap B8 for #0")
    assert event == JokerSwapped(0, 0, 92, 104)
    (meld,) = play(state, "0 swap B8 for #0").table.melds
    assert meld.tiles == (Laid(14, 7), Laid(40, 20), Laid(92, 46))
    fixed = position(["B8 R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED)
    assert refused(fixed, "0 swap B8 for #0") is Code.NO_SUCH_JOKER


def test_a_joker_of_an_open_set_gives_way_to_the_colour_that_it_showed() -> None:
    state = position(["K8 R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED, options=OPEN_SETS)
    (event,) = events(state, "0 add K8 to #0")
    assert isinstance(event, LaidOff)
    assert event.tiles == (Laid(66, 33),)
    assert event.result == (Laid(14, 7), Laid(40, 20), Laid(66, 33), Laid(104, 46))
    after = play(state, "0 add K8 to #0")
    assert refused(after, "0 swap R8 for #0") is Code.TILE_NOT_HELD
    fixed = position(["K8 R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED)
    assert refused(fixed, "0 add K8 to #0") is Code.INVALID_MELD


def test_a_fine_for_a_tile_that_fits_asks_the_table_of_its_options() -> None:
    for sets, fine in ((SetJoker.OPEN, 50), (SetJoker.FIXED, 0)):
        options = Options(playable_discard_penalty=50, set_joker_color=sets)
        state = position(["K8 R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED, options=options)
        assert play(state, "0 discard K8").fines == (fine, 0)


def test_moves_of_open_sets_are_listed_and_each_is_accepted() -> None:
    state = position(["K8 B8 * R1", "Y1"], melds=["1 set:R8,Y8,*"], opened=OPENED, options=OPEN_SETS)
    moves = RUMMY101.legal_moves(RUMMY101.view(state, 0))
    swaps = [move for move in moves if isinstance(move, SwapJoker)]
    offs = [move for move in moves if isinstance(move, LayOff)]
    assert swaps == [SwapJoker(0, 0, 66), SwapJoker(0, 0, 92)]
    joker = command(state, "0 discard *")
    assert isinstance(joker, Discard)
    assert offs == [
        LayOff(0, 0, (placed,))
        for placed in (Placed(66), Placed(joker.tile, 33), Placed(92), Placed(joker.tile, 46))
    ]
    for move in moves:
        assert isinstance(RUMMY101.decide(state, move), tuple)


def test_sets_with_two_jokers_and_sets_of_four_stay_as_they_are() -> None:
    state = position(
        ["B8 K9 R1", "Y1"],
        melds=["1 set:R8,*,*", "1 set:R9,Y9,*=B9", "1 set:R13,Y13,K13,*"],
        opened=OPENED,
        options=OPEN_SETS,
    )
    assert refused(state, "0 swap B8 for #0") is Code.NO_SUCH_JOKER
    four = play(state, "0 add K9 to #1")
    assert four.table.melds[1].tiles[-1].face == 47
    assert refused(four, "0 swap B8 for #2") is Code.NO_SUCH_JOKER
