"""Deal, turns, reshuffles, absence, hints and views of Basic Rummy."""

import pytest
from tests.unit.meldhall_rules.card_positions import events, hand, play, refused, session

from meldhall_rules.card_melds import read_meld
from meldhall_rules.commands import (
    Discard,
    Draw,
    LayMelds,
    LayOff,
    MeldKind,
    MeldSpec,
    Placed,
    TakeDiscard,
)
from meldhall_rules.events import (
    DiscardTaken,
    Finish,
    LaidOff,
    MeldsLaid,
    RoundDealt,
    RoundEnded,
    StockDrawn,
    StockReshuffled,
    WentOut,
)
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.games.rummy.hints import hints
from meldhall_rules.games.rummy.score import dearest
from meldhall_rules.match import MatchFormat, refuse_format
from meldhall_rules.notation import parse_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import permutation
from meldhall_rules.view import SPECTATOR, Phase

GAME = "rummy"
KEY = bytes(range(32))


def deal(seats: int, starter: int = 0) -> RoundDealt:
    return RUMMY.deal({}, RoundSetup(1, seats, starter, KEY, (0,) * seats))


@pytest.mark.parametrize(
    ("seats", "size", "stock"), [(2, 10, 31), (3, 7, 30), (4, 7, 23), (5, 6, 21), (6, 6, 15)]
)
def test_the_deal_is_hands_from_the_starter_then_the_card_turned_up(
    seats: int, size: int, stock: int
) -> None:
    event = deal(seats, 1)
    assert sorted(event.order) == list(range(52))
    state = RUMMY.evolve(None, event)
    assert state.hidden.hands[1] == tuple(sorted(event.order[:size]))
    assert state.discards == (event.order[seats * size],)
    view = RUMMY.view(state, SPECTATOR)
    assert view.hand_sizes == (size,) * seats
    assert (view.stock_size, view.turn, view.phase) == (stock, 1, Phase.DRAW)


@pytest.mark.parametrize(
    ("seats", "starter", "problem"), [(1, 0, "2 to 6, not 1"), (7, 0, "2 to 6, not 7"), (2, 2, "starter 2")]
)
def test_a_hand_that_cannot_be_is_a_bug_of_the_caller(seats: int, starter: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        deal(seats, starter)


def test_the_first_question_is_whether_the_hand_is_over_then_whose_turn_it_is() -> None:
    table = session(GAME, hands={0: "4C", 1: "8S 8H 8D"}, laid=[0], stock="?4", discard="QC")
    assert refused(table, "1 draw") is Code.NOT_YOUR_TURN
    assert refused(table, "0 discard 4C") is Code.WRONG_PHASE
    assert refused(table, "0 take + meld set:8S,8H,8D") is Code.UNKNOWN_MOVE
    assert refused(table, "0 swap 4C for #0") is Code.UNKNOWN_MOVE
    play(table, "0 draw")
    assert refused(table, "0 take + meld set:8S,8H,8D") is Code.WRONG_PHASE


def test_the_new_stock_is_the_pile_shuffled_by_the_key_of_the_round() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KS KH QC JC 4C")
    pile, key = table.state.discards[:-1], table.state.hidden.shuffle_key
    shuffled, drawn = events(table, "0 draw")
    order = tuple(pile[at] for at in permutation(key, "reshuffle/1", 4))
    assert shuffled == StockReshuffled(order)
    assert drawn == StockDrawn(0, order[0])


def test_the_last_card_by_a_meld_or_a_lay_off_ends_the_hand_at_once() -> None:
    table = session(GAME, phase="play", hands={0: "7H 8H 9H", 1: "KS 3D"}, stock="?4")
    laid, ended = events(table, "0 meld run:7H,8H,9H")
    assert isinstance(laid, MeldsLaid)
    assert ended == RoundEnded(Finish.RUMMY, 0, (26, 0))
    table = session(
        GAME, phase="play", hands={0: "4C", 1: "KS"}, melds=["1 set:4S,4H,4D"], laid=[0], stock="?4"
    )
    laid, ended = events(table, "0 add 4C to #0")
    assert isinstance(laid, LaidOff)
    assert ended == RoundEnded(Finish.NORMAL, 0, (10, 0))


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("0 add 4C to #1", Code.WRONG_TARGET),
        ("0 add 9D to #0", Code.INVALID_MELD),
        ("0 add 9C to #0", Code.TILE_NOT_HELD),
        ("0 add 4C,4C to #0", Code.TILE_NOT_HELD),
        ("0 add 4C=4C,9D to #0", Code.INVALID_MELD),
        ("0 add 9D=4C to #0", Code.INVALID_MELD),
        ("0 meld set:4C,4C,4C", Code.TILE_NOT_HELD),
        ("0 meld pair:4C,9D", Code.INVALID_MELD),
        ("0 meld run:4C,9D", Code.INVALID_MELD),
    ],
)
def test_what_cannot_be_laid_is_refused_and_nothing_changes(move: str, code: Code) -> None:
    table = session(GAME, phase="play", hands={0: "4C 9D KH", 1: "KS"}, melds=["1 set:4S,4H,4D"], stock="?4")
    assert refused(table, move) is code


def test_melds_and_lay_offs_of_nothing_are_refused() -> None:
    table = session(GAME, phase="play", hands={0: "4C 9D KH", 1: "KS"}, melds=["1 set:4S,4H,4D"], stock="?4")
    for command in (LayMelds(0, ()), LayOff(0, 0, ())):
        found = RUMMY.decide(table.state, command)
        assert isinstance(found, Rejection)
        assert found.code is Code.INVALID_MELD
    below = RUMMY.decide(table.state, LayOff(0, -1, ()))
    assert isinstance(below, Rejection)
    assert below.code is Code.WRONG_TARGET


def test_idle_rebuilds_are_counted_from_the_last_card_laid() -> None:
    table = session(
        GAME,
        hands={0: "4S 6D 8H", 1: "KD 3H"},
        melds=["1 set:4H,4D,4C"],
        stock="",
        discard="2C 9D",
    )
    state = play(table, "0 draw")
    assert (state.reshuffles, state.idle_reshuffles) == (1, 1)
    state = play(table, "0 add 4S to #0")
    assert (state.reshuffles, state.idle_reshuffles) == (1, 0)


def test_an_absent_player_keeps_the_card_that_he_had_to_take() -> None:
    table = session(GAME, hands={0: "4S TD 9C", 1: "KS"}, stock="", discard="KD")
    taken, discarded = events(table, "0 auto")
    assert isinstance(taken, DiscardTaken)
    assert RUMMY.alphabet.name_of(discarded.tile) == "TD"  # type: ignore[union-attr]


def test_of_equal_values_spades_go_first_and_then_the_higher_rank() -> None:
    def name(cards: str, *, ace_high: bool = False) -> str:
        held = session(GAME, hands={0: cards}).hand(0)
        return RUMMY.alphabet.name_of(dearest(held, ace_high=ace_high))

    assert name("KH JS 9C") == "JS"
    assert name("KC QC JC TC") == "KC"
    assert name("AC KS") == "KS"
    assert name("AC KS", ace_high=True) == "AC"


def test_the_automatic_turn_at_an_empty_table_is_refused() -> None:
    table = session(GAME, hands={0: "4S TD 9C", 1: "KS"}, stock="", discard="")
    assert refused(table, "0 auto") is Code.NO_DISCARD
    dead = session(
        GAME, options={"max_idle_reshuffles": 0}, hands={0: "4S", 1: "KS"}, stock="", discard="2C 3C"
    )
    (ended,) = events(dead, "0 auto")
    assert ended == RoundEnded(Finish.VOID, None, (0, 0))


def test_a_view_shows_the_own_hand_alone_until_the_hand_is_over() -> None:
    table = session(GAME, phase="play", hands={0: "4C", 1: "KS 3D"}, laid=[0], stock="?4", discard="AS")
    seat, spectator = RUMMY.view(table.state, 1), RUMMY.view(table.state, SPECTATOR)
    assert seat.hand == table.hand(1)
    assert (spectator.hand, spectator.jokers) == (None, None)
    assert seat.shown == spectator.shown == ()
    assert seat.laid == (True, False)
    play(table, "0 discard 4C")
    after = RUMMY.view(table.state, SPECTATOR)
    assert [one.hand for one in after.shown] == [(), table.hand(1)]
    assert (after.finish, after.winner, after.scores) == ("normal", 0, (13, 0))
    with pytest.raises(ValueError, match="no seat 2"):
        RUMMY.view(table.state, 2)


def test_moves_are_listed_for_the_seat_on_turn_only() -> None:
    table = session(
        GAME, hands={0: "6S 6H 6C 9D", 1: "3S 7H TD"}, stock="6D ?4", discard="KC", melds=["1 run:TC,JC,QC"]
    )
    assert RUMMY.legal_moves(RUMMY.view(table.state, 0)) == (Draw(0), TakeDiscard(0))
    assert RUMMY.legal_moves(RUMMY.view(table.state, 1)) == ()
    assert RUMMY.legal_moves(RUMMY.view(table.state, SPECTATOR)) == ()
    play(table, "0 take")
    moves = RUMMY.legal_moves(RUMMY.view(table.state, 0))
    assert [type(move) for move in moves] == [LayMelds, LayOff, *[Discard] * 4]


def test_a_dead_end_is_not_listed() -> None:
    table = session(GAME, hands={0: "7H 8H 9H", 1: "KS"}, stock="?4", discard="2C")
    play(table, "0 take")
    moves = RUMMY.legal_moves(RUMMY.view(table.state, 0))
    assert [type(move) for move in moves] == [Discard] * 3


def test_no_meld_is_listed_beyond_the_limit_of_a_turn() -> None:
    table = session(
        GAME, 2, {"max_melds_per_turn": 1}, phase="play", hands={0: "6S 6H 6C 7S 7H 7C 9D"}, stock="?4"
    )
    play(table, "0 meld set:6S,6H,6C")
    moves = RUMMY.legal_moves(RUMMY.view(table.state, 0))
    assert all(isinstance(move, Discard) for move in moves)
    hint = hints(RUMMY.view(table.state, 0))
    assert hint is not None
    assert hint.plan.moves == ()


def test_hints_tell_what_to_lay_and_whether_it_goes_out() -> None:
    table = session(
        GAME, phase="play", hands={0: "6S 6H 6C 9D KC", 1: "3S"}, melds=["1 run:TC,JC,QC"], stock="?4"
    )
    hint = hints(RUMMY.view(table.state, 0))
    assert hint is not None
    assert (len(hint.plan.moves), hint.plan.value, hint.goes_out) == (2, 9, True)
    waiting = hints(RUMMY.view(table.state, 1))
    assert waiting is not None
    assert waiting.plan.value == 3
    assert hints(RUMMY.view(table.state, SPECTATOR)) is None


def test_folding_refuses_what_cannot_have_happened() -> None:
    with pytest.raises(ValueError, match="before the deal"):
        RUMMY.evolve(None, StockDrawn(0, 1))
    with pytest.raises(ValueError, match="has no WentOut"):
        RUMMY.evolve(session(GAME).state, WentOut(0, (), 1))


def test_options_are_checked_and_written_in_full() -> None:
    assert RUMMY.parse_options({"max_reshuffles": 2}) == {
        "ace_high_low": "false",
        "must_discard_to_go_out": "false",
        "max_melds_per_turn": "unlimited",
        "max_reshuffles": "2",
        "max_idle_reshuffles": "6",
        "two_player_winner_deals": "false",
    }
    assert isinstance(RUMMY.parse_options({"opening": "fixed"}), Rejection)


def test_a_match_is_to_a_target_or_of_some_hands_and_moves_no_points() -> None:
    rules = RUMMY.match_rules({})
    assert (rules.targets, rules.scores_pay, rules.winner_deals) == (True, False, False)
    assert refuse_format(MatchFormat(target=150), rules) is None
    assert refuse_format(MatchFormat(rounds=5), rules) is None
    assert RUMMY.match_rules({"two_player_winner_deals": "true"}).winner_deals


def test_a_card_comes_to_its_place_in_the_hand() -> None:
    table = session(GAME, hands={0: "9D 6H 6S", 1: "3S"}, stock="7S ?4")
    play(table, "0 draw")
    assert hand(table, 0) == "6S 7S 6H 9D"


@pytest.mark.parametrize("text", ["set:KH,KH,KD", "run:4C,5C,5C,6C", "set:8S,8H,8D,8C,8S"])
def test_there_is_one_deck_and_no_card_twice(text: str) -> None:
    meld = read_meld(parse_meld(text, None, RUMMY.alphabet), ace_high=False)
    assert isinstance(meld, Rejection)
    assert meld.code is Code.INVALID_MELD


def test_a_card_named_twice_is_not_held_twice() -> None:
    spec = MeldSpec(MeldKind.SET, (Placed(0), Placed(0), Placed(13)))
    meld = read_meld(spec, ace_high=False)
    assert isinstance(meld, Rejection)
    assert meld.code is Code.TILE_NOT_HELD


@pytest.mark.parametrize(("high", "discarded"), [(True, "AC"), (False, "9D")])
def test_an_absent_player_discards_an_ace_where_it_costs_fifteen(high: bool, discarded: str) -> None:
    table = session(GAME, 2, {"ace_high_low": high}, phase="play", hands={0: "2S 9D AC"}, discard="QC")
    (event,) = events(table, "0 auto")
    assert table.game.alphabet.name_of(event.tile) == discarded  # type: ignore[union-attr]
