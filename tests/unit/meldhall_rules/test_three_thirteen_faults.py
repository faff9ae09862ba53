"""Faults that other implementations had in public, as inputs of Three-Thirteen with the right answer.

The numbers are those of a survey of such faults; a name tells the whole story.
"""

import copy
import json
from dataclasses import asdict

from tests.unit.meldhall_rules.card_positions import events, hand, play, refused, session
from tests.unit.meldhall_rules.test_three_thirteen_vectors import ids

from meldhall_rules.commands import Discard
from meldhall_rules.events import StockDrawn
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.match import MatchFormat, after_round, new_match, winners
from meldhall_rules.notation import describe
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.solve.penalty import least_value
from meldhall_rules.view import SPECTATOR

GAME = "three_thirteen"
HANDS = {0: "2S 6H 9D", 1: "3S 7H TD"}


def test_fault_4_the_longest_run_does_not_block_the_set() -> None:
    assert least_value(ids("3H 4H 5H 6H 7H 6S 6C"), 13) == 7


def test_fault_38_five_cards_in_a_row_are_not_two_runs_that_share_the_nine() -> None:
    table = session(GAME, round=4, phase="play", hands={0: "7S 8S 9S TS JS 2D KC"})
    assert refused(table, "0 out run:7S,8S,9S run:9S,TS,JS discard KC") is Code.TILE_NOT_HELD


def test_fault_51_a_foreign_card_refuses_the_whole_command() -> None:
    table = session(GAME, phase="play", hands={0: "7S 7H 7C 9C", 1: "7D 8D JC"})
    assert refused(table, "0 out set:7S,7H,7D discard 9C") is Code.TILE_NOT_HELD


def test_faults_69_79_the_lowest_total_wins_and_equal_ones_share() -> None:
    rules = THREE_THIRTEEN.match_rules({})
    match = after_round(new_match(3, 0, rules), (48, 51, 48))
    assert winners(MatchFormat(), match) == (0, 2)
    assert winners(MatchFormat(), after_round(match, (1, 0, 2), winner=1)) == (0,)


def test_fault_76_a_hand_without_a_meld_costs_its_sum() -> None:
    assert least_value(ids("AS 2S 3D 4D 5H 7C 9S JD QH KC"), 10) == 61


def test_fault_81_the_round_ends_at_the_one_who_went_out_and_not_at_the_starter() -> None:
    table = session(
        GAME, 4, dealer=0, turn=1, hands={0: "2H 8S JD", 1: "4S 9C QD", 2: "7S 7H 7D", 3: "5C 6H TS"}
    )
    play(table, "1 draw", "1 auto", "2 draw")
    drawn = table.game.alphabet.name_of(table.state.hidden.drawn)
    play(table, f"2 out set:7S,7H,7D discard {drawn}")
    order = []
    while table.state.ending is None:
        order.append(table.state.turn)
        play(table, f"{table.state.turn} auto")
    assert order == [3, 0, 1]


def test_fault_82_the_round_ends_when_everybody_has_gone_out() -> None:
    table = session(
        GAME, 3, turn=1, phase="play", hands={0: "2H 2S JD", 1: "4S 4C 4D TH", 2: "8S 8H KD"}, stock="8C 2C"
    )
    state = play(
        table,
        "1 out set:4S,4C,4D discard TH",
        "2 draw",
        "2 out set:8S,8H,8C discard KD",
        "0 draw",
        "0 out set:2H,2S,2C discard JD",
    )
    assert state.ending.scores == (0, 0, 0)
    assert (state.ending.winner, state.out) == (1, 1)


def test_fault_83_a_card_is_found_by_its_id_and_not_by_being_the_same_object() -> None:
    table = session(GAME, phase="play", hands={0: "2S 6H 9D KC"})
    card = json.loads(json.dumps(table.hand(0)[0]))
    assert not isinstance(THREE_THIRTEEN.decide(copy.deepcopy(table.state), Discard(0, card)), Rejection)


def test_fault_84_the_automatic_discard_keeps_the_wild() -> None:
    table = session(GAME, out=1, melds=["1 set:8S,8H,8D"], hands={0: "KS KH 3D"}, stock="9C ?4")
    state = play(table, "0 auto")
    assert state.ending.scores == (0, 0)
    assert table.game.alphabet.name_of(state.discards[-1]) == "9C"


def test_fault_91_every_hand_is_counted_by_the_wild_of_its_own_round() -> None:
    cards = ids("4S 9H 9D 2C")
    assert [least_value(cards, wild) for wild in (3, 4, 5, 4, 3)] == [24, 2, 24, 2, 24]


def test_fault_93_a_move_out_of_turn_leaves_everything_as_it_was() -> None:
    table = session(GAME, hands=HANDS)
    for move in ("draw", "take", "auto", "discard 3S", "out set:3S,7H,TD discard 3S"):
        assert refused(table, f"1 {move}") is Code.NOT_YOUR_TURN


def test_fault_94_a_draw_takes_from_the_stock_alone() -> None:
    table = session(GAME, hands=HANDS, stock="KC QC ?4", discard="AC")
    state = play(table, "0 draw")
    assert hand(table, 0) == "2S 6H 9D KC"
    assert hand(table, 1) == "3S 7H TD"
    assert state.hidden.stock_size == 5


def test_fault_96_twins_are_two_cards() -> None:
    table = session(GAME, 3, round=2, phase="play", hands={0: "7H 7H 7S 7S 2C"})
    assert len(set(table.hand(0))) == 5
    play(table, "0 out set:7H,7H,7S,7S discard 2C")
    assert sorted(laid.tile for laid in table.state.melds[0].tiles) == [*ids("7S 7H"), 58, 71]


def test_fault_98_a_draw_is_told_to_others_without_the_card() -> None:
    assert describe(StockDrawn(0, 51), reveal=False, alphabet=THREE_THIRTEEN.alphabet) == "0 draw"


def test_fault_99_no_view_has_a_card_of_another_hand_or_of_the_stock() -> None:
    table = session(GAME, round=11)
    for viewer in (0, 1, SPECTATOR):
        view = asdict(THREE_THIRTEEN.view(table.state, viewer))
        del view["hand"], view["hand_sizes"], view["options"]
        assert view["shown"] == ()
        assert view["discards"] == table.state.discards


def test_fault_100_another_key_is_another_deal() -> None:
    hands = set()
    for number in range(200):
        setup = RoundSetup(3, 2, 0, number.to_bytes(32, "big"), (0, 0))
        hands.add(THREE_THIRTEEN.evolve(None, THREE_THIRTEEN.deal({}, setup)).hidden.hands[0])
    assert len(hands) > 195


def test_fault_103_the_second_of_two_equal_draws_is_refused() -> None:
    table = session(GAME, hands=HANDS)
    play(table, "0 draw")
    assert refused(table, "0 draw") is Code.WRONG_PHASE


def test_fault_104_a_card_discarded_before_cannot_be_discarded_again() -> None:
    table = session(GAME, hands=HANDS, stock="KC QC ?4", discard="AC")
    play(table, "0 draw", "0 discard 2S", "1 draw", "1 discard 3S", "0 draw")
    assert refused(table, "0 discard 2S") is Code.TILE_NOT_HELD
    assert table.state.turn == 0


def test_fault_108_looking_at_a_round_changes_nothing() -> None:
    table = session(GAME, hands=HANDS)
    before = repr(table.state)
    for viewer in (0, 1, SPECTATOR):
        THREE_THIRTEEN.legal_moves(THREE_THIRTEEN.view(table.state, viewer))
    events(table, "0 draw")
    assert repr(table.state) == before
