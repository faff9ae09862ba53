"""Faults that other implementations had in public, as inputs of Basic Rummy with the right answer.

The numbers are those of a survey of such faults; a name tells the whole story.
"""

from collections import Counter
from dataclasses import asdict

import pytest
from tests.unit.meldhall_rules.card_positions import events, hand, play, refused, session

from meldhall_rules.card_melds import extend, read_meld
from meldhall_rules.cards import rank_of
from meldhall_rules.commands import LayOff, Placed
from meldhall_rules.events import Finish
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.match import MatchFormat, new_match, winners
from meldhall_rules.notation import parse_meld, write_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import SPECTATOR

GAME = "rummy"


def is_meld(text: str, *, ace_high: bool = False) -> bool:
    spec = parse_meld(text, range(52), RUMMY.alphabet)
    return not isinstance(read_meld(spec, ace_high=ace_high), Rejection)


def test_fault_16_a_sequence_is_not_tested_by_its_sum() -> None:
    assert not is_meld("run:9S,TS,QS")
    assert not is_meld("run:3S,5S,7S")


def test_fault_19_the_deck_has_four_cards_of_every_rank() -> None:
    dealt = RUMMY.deal({}, RoundSetup(1, 2, 0, bytes(32), (0, 0)))
    assert Counter(map(rank_of, dealt.order)) == dict.fromkeys(range(1, 14), 4)


def test_fault_21_an_ace_is_put_at_the_right_end() -> None:
    run = read_meld(parse_meld("run:2S,3S,4S", range(52), RUMMY.alphabet), ace_high=True)
    assert not isinstance(run, Rejection)
    laid = extend(run, (Placed(0),), ace_high=True)
    assert not isinstance(laid, Rejection)
    assert [one.tile for one in laid] == [0, 1, 2, 3]
    high = read_meld(parse_meld("run:JS,QS,KS", range(52), RUMMY.alphabet), ace_high=True)
    assert not isinstance(high, Rejection)
    laid = extend(high, (Placed(0),), ace_high=True)
    assert not isinstance(laid, Rejection)
    assert [one.tile for one in laid] == [10, 11, 12, 0]
    assert isinstance(extend(high, (Placed(0),), ace_high=False), Rejection)


def test_fault_37_an_ace_and_kings_are_no_group() -> None:
    assert not is_meld("set:KC,KD,AD", ace_high=True)
    assert not is_meld("run:KC,KD,AD", ace_high=True)
    assert is_meld("run:QD,KD,AD", ace_high=True)


def test_fault_38_five_cards_in_a_row_are_not_two_sequences() -> None:
    table = session(GAME, phase="play", hands={0: "7D 8D 9D TD JD 2S"})
    assert refused(table, "0 meld run:7D,8D,9D run:9D,TD,JD") is Code.TILE_NOT_HELD


def test_fault_49_a_card_that_fits_two_melds_goes_where_the_command_says() -> None:
    given = {"phase": "play", "hands": {0: "8H KC 2S"}, "melds": ["1 set:8S,8D,8C", "1 run:5H,6H,7H"]}
    group = play(session(GAME, **given), "0 add 8H to #0")  # type: ignore[arg-type]
    run = play(session(GAME, **given), "0 add 8H to #1")  # type: ignore[arg-type]
    assert [len(meld.tiles) for meld in group.melds] == [4, 3]
    assert [len(meld.tiles) for meld in run.melds] == [3, 4]


def test_fault_50_a_lay_off_is_remembered_by_the_next() -> None:
    table = session(GAME, phase="play", hands={0: "6C 7C KD 2H"}, melds=["1 run:3C,4C,5C"])
    state = play(table, "0 add 6C to #0", "0 add 7C to #0")
    assert write_meld(state.melds[0], RUMMY.alphabet) == "run:3C,4C,5C,6C,7C"


def test_fault_51_a_foreign_card_refuses_the_whole_command() -> None:
    table = session(GAME, phase="play", hands={0: "8S 8H 4C", 1: "8D 6H"})
    assert refused(table, "0 meld set:8S,8H,8D") is Code.TILE_NOT_HELD


@pytest.mark.parametrize(("ace_high", "scores"), [(False, (1, 0)), (True, (15, 0))])
def test_fault_72_an_ace_left_over_counts_by_the_option(ace_high: bool, scores: tuple[int, int]) -> None:
    table = session(GAME, 2, {"ace_high_low": ace_high}, phase="play", hands={0: "6C", 1: "AC"}, laid=[0])
    assert play(table, "0 discard 6C").ending.scores == scores


def test_fault_73_the_option_holds_in_the_next_hand_too() -> None:
    table = session(
        GAME, 2, {"ace_high_low": True}, phase="play", hands={0: "6C", 1: "AC"}, laid=[0], match={"hands": 2}
    )
    state = play(table, "0 discard 6C", "next")
    assert state.frame.options.ace_high_low


def test_fault_79_equal_totals_share_where_no_single_winner_is_needed() -> None:
    match = new_match(3, 0, RUMMY.match_rules({}))
    assert winners(MatchFormat(rounds=1), match) == ()
    tied = type(match)((60, 60, 12), 1, 0, match.rules)
    assert winners(MatchFormat(rounds=1), tied) == (0, 1)
    assert winners(MatchFormat(rounds=1, single_winner=True), tied) == ()


def test_fault_88_the_top_discard_stays_and_the_next_deal_has_all_cards() -> None:
    pile = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2S 3S 4S 5S 6S"
    table = session(GAME, stock="", discard=pile)
    before = table.state
    shuffled, _ = events(table, "0 draw")
    assert len(shuffled.order) == 17  # type: ignore[union-attr]
    assert before.discards[-1] not in shuffled.order  # type: ignore[union-attr]


def test_fault_89_an_empty_pile_offers_nothing_to_take() -> None:
    table = session(GAME, hands={0: "4S 5D"}, stock="?5", discard="")
    assert refused(table, "0 take") is Code.NO_DISCARD


def test_fault_90_a_hand_that_leads_nowhere_is_void() -> None:
    table = session(GAME, hands={0: "4S 6D", 1: "KD 3H"}, stock="", discard="9D")
    state = play(table, "0 auto", "1 auto")
    assert (state.ending.finish, state.ending.scores) == (Finish.VOID, (0, 0))


def test_fault_93_a_move_out_of_turn_leaves_everything_as_it_was() -> None:
    table = session(GAME, hands={0: "4S 6D", 1: "KD 3H"})
    for move in ("draw", "take", "auto", "discard KD", "add KD to #0", "meld set:KD,3H,4S"):
        assert refused(table, f"1 {move}") is Code.NOT_YOUR_TURN


def test_fault_94_a_draw_takes_from_the_stock_alone() -> None:
    table = session(GAME, hands={0: "4S 6D", 1: "KD 3H"}, stock="KC QC")
    play(table, "0 draw")
    assert (hand(table, 0), hand(table, 1)) == ("4S 6D KC", "3H KD")


def test_fault_95_the_pile_is_a_stack_and_is_never_sorted() -> None:
    table = session(GAME, hands={0: "5D KH", 1: "2C QD"}, stock="TD 3C ?4", discard="AS")
    play(table, "0 draw", "0 discard 5D", "1 draw", "1 discard 2C")
    assert RUMMY.alphabet.name_of(table.state.discards[-1]) == "2C"


def test_fault_99_no_view_has_a_card_of_another_hand_or_of_the_stock() -> None:
    table = session(GAME, 4)
    for viewer in (0, 1, SPECTATOR):
        view = asdict(RUMMY.view(table.state, viewer))
        assert view["shown"] == ()
        assert view["discards"] == table.state.discards


def test_fault_103_the_second_of_two_equal_draws_is_refused() -> None:
    table = session(GAME)
    seat = table.table().turn
    play(table, f"{seat} draw")
    assert refused(table, f"{seat} draw") is Code.WRONG_PHASE


def test_fault_104_a_card_discarded_before_cannot_be_discarded_again() -> None:
    table = session(GAME, hands={0: "5D KH", 1: "2C QD"}, stock="TD 3C 9H ?4", discard="AS")
    play(table, "0 draw", "0 discard 5D", "1 draw", "1 discard 2C", "0 draw")
    assert refused(table, "0 discard 5D") is Code.TILE_NOT_HELD


def test_a_meld_number_is_that_of_the_table_and_not_of_a_player() -> None:
    table = session(GAME, phase="play", hands={0: "8H KC 2S"}, melds=["1 set:8S,8D,8C"])
    for number in (-1, 1):
        found = RUMMY.decide(table.state, LayOff(0, number, (Placed(table.hand(0)[1]),)))
        assert isinstance(found, Rejection)
        assert found.code is Code.WRONG_TARGET
