"""Turns of Canasta: who may do what and when, the deal, views, options, and what cannot be."""

from dataclasses import replace

import pytest
from tests.unit.meldhall_rules.canasta_positions import (
    CLEAN,
    HANDS,
    SIX,
    SMALL,
    ending,
    events,
    play,
    position,
    refused,
    session,
)

from meldhall_rules.canasta_tiles import is_bonus
from meldhall_rules.commands import (
    AutoTurn,
    Discard,
    Draw,
    GoOut,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    MeldSpec,
    Placed,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import (
    BonusExposed,
    Discarded,
    DiscardTaken,
    Finish,
    JokerIssued,
    Laid,
    LaidOff,
    MeldsLaid,
    OpeningLaid,
    PileTaken,
    RoundDealt,
    RoundEnded,
    StockDrawn,
)
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.canasta.deal import deal_out, expose
from meldhall_rules.games.canasta.options import ButtonSource, Options, from_canonical, parse
from meldhall_rules.notation import describe, write_table_meld
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import DEAL, permutation
from meldhall_rules.tiles import NO_FACE
from meldhall_rules.view import SPECTATOR, Phase

KEY = bytes(range(32))
SETUP = RoundSetup(1, 4, 2, KEY, (1, 0, 0, 0), (1500, -5))
STOCK = Options().canonical()


def specs(*tiles: int) -> tuple[MeldSpec, ...]:
    return (MeldSpec(MeldKind.SET, tuple(map(Placed, tiles))),)


def test_the_deal_names_everything_that_a_fold_needs() -> None:
    dealt = CANASTA.deal(STOCK, SETUP)
    assert dealt.order == permutation(KEY, DEAL, 106)
    assert dealt.totals == (1500, -5)
    assert dealt.options == (("joker_button_source", "stock"),)
    state = CANASTA.evolve(None, dealt)
    assert [len(state.hidden.hands[seat]) for seat in range(4)] == [14, 14, 15, 14]
    assert state.turn == 2
    assert state.first_turn
    assert CANASTA.view(state, 0).thresholds == (90, 15)
    assert CANASTA.deal(STOCK, replace(SETUP, totals=())).totals == (0, 0)


def test_the_starter_is_dealt_first_and_bonus_threes_are_replaced_from_the_stock() -> None:
    for number in range(40):
        order = permutation(number.to_bytes(32, "big"), DEAL, 106)
        dealt = deal_out(order, number % 4)
        assert not any(is_bonus(tile) for hand in dealt.hands for tile in hand)
        exposed = [tile for team in dealt.bonus for tile in team]
        assert all(map(is_bonus, exposed))
        assert dealt.next_draw == 57 + len(exposed)
        everything = [tile for hand in dealt.hands for tile in hand] + exposed
        assert sorted(everything) == sorted(order[: dealt.next_draw])


def test_a_deal_without_replacements_cannot_be() -> None:
    bonus = next(filter(is_bonus, range(106)))
    with pytest.raises(ValueError, match="no tile left to replace the bonus three"):
        expose(((bonus,), (), (), ()), (), 0, 0)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (replace(SETUP, seats=3), "canasta is for 4, not 3"),
        (replace(SETUP, starter=4), "no starter 4"),
        (replace(SETUP, spare_jokers=(0, 0)), "spare jokers"),
        (replace(SETUP, spare_jokers=(0, 0, 0, -1)), "spare jokers"),
        (replace(SETUP, totals=(0, 0, 0, 0)), "totals"),
    ],
)
def test_a_round_that_cannot_be_is_not_dealt(setup: RoundSetup, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CANASTA.deal(STOCK, setup)


def test_options_are_read_by_name_and_value() -> None:
    assert parse({}) == Options(ButtonSource.STOCK)
    assert parse({"joker_button_source": "extra"}) == Options(ButtonSource.EXTRA)
    for given in ({"joker": 1}, {"joker_button_source": "bag"}, {"joker_button_source": True}):
        answer = CANASTA.parse_options(given)
        assert isinstance(answer, Rejection)
        assert answer.code is Code.UNKNOWN_OPTION
    assert from_canonical({"joker_button_source": "extra"}).canonical() == {"joker_button_source": "extra"}
    with pytest.raises(ValueError, match="no option 'x'"):
        from_canonical({"x": "1"})


def test_questions_are_asked_in_the_same_order_for_every_command() -> None:
    start = position(hands=HANDS)
    assert refused(start, Discard(1, 0)) is Code.NOT_YOUR_TURN
    assert refused(start, Discard(0, 0)) is Code.WRONG_PHASE
    assert refused(start, LayMelds(0, specs(0, 2, 4))) is Code.WRONG_PHASE
    assert refused(start, TakeDiscard(0, LayMelds(0, specs(0, 2, 4)))) is Code.NOTHING_TO_TAKE
    drawn = play(start, "0 draw")
    assert refused(drawn, Draw(0)) is Code.WRONG_PHASE
    assert refused(drawn, PressJokerButton(0)) is Code.WRONG_PHASE
    assert refused(drawn, Discard(0, 999)) is Code.TILE_NOT_HELD
    assert refused(drawn, LayOpening(0, specs(0, 0, 0))) is Code.TILE_NOT_HELD
    assert refused(drawn, SwapJoker(0, 0, 0)) is Code.UNKNOWN_MOVE
    assert refused(drawn, GoOut(0, (), 0)) is Code.UNKNOWN_MOVE
    over = play(position(phase="play", hands={0: "K4"}, melds=[f"0 {CLEAN}"]), "0 discard K4")
    for command in (Draw(1), Discard(0, 0), AutoTurn(1)):
        assert refused(over, command) is Code.ROUND_OVER


def test_a_meld_without_tiles_is_none() -> None:
    start = position(phase="play", hands=HANDS, melds=[f"0 {SMALL}"])
    assert refused(start, LayMelds(0, ())) is Code.INVALID_MELD
    assert refused(start, LayOff(0, 0, ())) is Code.INVALID_MELD
    assert refused(start, LayMelds(0, (MeldSpec(MeldKind.SET, ()),))) is Code.INVALID_MELD
    assert refused(start, LayOff(0, -1, (Placed(start.hand[0]),))) is Code.WRONG_TARGET
    unopened = position(phase="play", hands=HANDS, totals=[-5, 0])
    assert refused(unopened, LayOpening(0, ())) is Code.INVALID_MELD


def test_a_wild_stands_for_a_number_and_for_no_tile() -> None:
    start = position(phase="play", hands={0: "* R4 K5 K6"}, melds=[f"0 {SMALL}"])
    joker = start.hand[-1]
    assert refused(start, LayOff(0, 0, (Placed(joker, 12),))) is Code.INVALID_MELD
    after = play(start, "0 add * to #0")
    assert after.table.melds[0].tiles[-1].face == NO_FACE
    assert write_table_meld(after.table.melds[0]) == "0 set:R13,Y13,K13,*"


def test_a_take_is_of_the_seat_on_turn_and_uses_the_top() -> None:
    start = position(hands={0: "R9 Y9 K9 R4 K5"}, discard="R6 B9", melds=[f"0 {SMALL}"])
    top = start.discards[-1]
    pair = start.hand[1:3]
    use = LayMelds(1, specs(top, *pair))
    assert refused(start, TakeDiscard(0, use)) is Code.NOT_YOUR_TURN
    assert refused(start, TakeDiscard(0, SwapJoker(0, 0, top))) is Code.MUST_USE_TAKEN
    assert refused(start, "0 take") is Code.MUST_USE_TAKEN
    assert refused(start, "0 take + meld set:R9,Y9,K9") is Code.MUST_USE_TAKEN
    assert refused(start, "0 take + meld set:B9,R9,R4") is Code.INVALID_MELD


def test_nothing_is_acquired_from_an_empty_stock() -> None:
    start = position(
        {"joker_button_source": "extra"},
        hands={0: "R9 Y9 R4 K5"},
        discard="B9",
        stock="",
        melds=[f"0 {SMALL}"],
        jokers={0: 1},
    )
    for text in ("0 draw", "0 button", "0 auto", "0 take + meld set:B9,R9,Y9"):
        assert refused(start, text) is Code.STOCK_EMPTY


def test_what_happened_is_told_in_order() -> None:
    start = position(hands={0: "R9 Y9 R4 K5"}, discard="R6 B9", melds=[f"0 {SMALL}"])
    pile = start.discards
    taken, laid = events(start, "0 take + meld set:B9,R9,Y9")
    assert taken == PileTaken(0, pile)
    assert isinstance(laid, MeldsLaid)
    assert describe(taken) == "0 take pile R6 B9"
    threes = position(hands=HANDS, stock="R3 Y3 K7")
    first, second, drawn = events(threes, "0 draw")
    assert (type(first), type(second), type(drawn)) == (BonusExposed, BonusExposed, StockDrawn)
    assert describe(first) == "0 bonus R3"
    last = events(position(hands=HANDS, stock="R3"), "0 auto")
    assert [type(event) for event in last] == [BonusExposed, RoundEnded]


def test_the_button_takes_the_joker_that_would_come_first() -> None:
    start = position(hands=HANDS, stock="K7 * K8 *", jokers={0: 1})
    jokers = [tile for tile in start.hidden.order if tile >= 104]
    (issued,) = events(start, "0 button")
    assert issued == JokerIssued(0, jokers[0])
    after = play(start, "0 button")
    assert [tile >= 104 for tile in after.hidden.stock] == [False, False, True]
    assert after.jokers.issued == 0
    assert after.hidden.drawn is None
    extra = position({"joker_button_source": "extra"}, hands=HANDS, stock="K7", jokers={0: 1})
    assert events(extra, "0 button") == (JokerIssued(0, 106),)


def test_only_events_of_the_game_are_folded() -> None:
    start = position(hands=HANDS)
    with pytest.raises(ValueError, match="canasta has no DiscardTaken"):
        CANASTA.evolve(start, DiscardTaken(0, 5))
    with pytest.raises(ValueError, match="Discarded before the deal"):
        CANASTA.evolve(None, Discarded(0, 5))


def test_a_seat_sees_its_own_hand_and_neither_its_partners_nor_the_stock() -> None:
    state = position(hands=HANDS, jokers={0: 1, 2: 5}, stock="* * K7")
    own = CANASTA.view(state, 0)
    assert own.hand == state.hidden.hands[0]
    assert own.jokers == 1
    for viewer in (0, SPECTATOR):
        seen = CANASTA.view(state, viewer)
        for hidden in (state.hidden.hands[2], state.hidden.stock, state.hidden.shuffle_key):
            assert repr(hidden) not in repr(seen)
        assert seen.hand_sizes == (2, 1, 1, 1)
        assert seen.stock_size == 3
    assert CANASTA.view(state, SPECTATOR).hand is None
    assert CANASTA.view(state, SPECTATOR).jokers is None
    with pytest.raises(ValueError, match="no seat 4"):
        CANASTA.view(state, 4)


def test_everybody_sees_every_tile_of_a_meld_and_who_owns_it() -> None:
    state = position(hands=HANDS, melds=[f"0 {CLEAN}", f"1 {SIX.replace('13', '12')}"], bonus={1: "R3"})
    for viewer in (0, 1, SPECTATOR):
        seen = CANASTA.view(state, viewer)
        assert [(meld.owner, len(meld.tiles)) for meld in seen.melds] == [(0, 7), (1, 6)]
        assert [opening is not None for opening in seen.opened] == [True, True]
        assert seen.bonus[1] == state.table.bonus[1] != ()


def test_the_need_is_that_of_the_viewers_team() -> None:
    state = position(hands=HANDS, totals=[3000, -5], turn=1)
    assert [CANASTA.view(state, seat).need for seat in range(4)] == [(120, 0), (15, 0), (120, 0), (15, 0)]
    assert CANASTA.view(state, SPECTATOR).need == (15, 0)


def test_an_opening_says_its_worth_and_belongs_to_the_team() -> None:
    start = position(phase="play", turn=2, hands={2: "R1 Y1 K1 R4 K5"})
    (opened,) = events(start, "2 open set:R1,Y1,K1")
    assert isinstance(opened, OpeningLaid)
    assert (opened.seat, opened.by, opened.value) == (2, "melds", 75)
    after = play(start, "2 open set:R1,Y1,K1")
    assert after.table.melds[0].owner == 0
    (added,) = events(position(phase="play", hands={0: "R13 K4 K5"}, melds=[f"0 {SMALL}"]), "0 add R13 to #0")
    assert isinstance(added, LaidOff)
    assert len(added.tiles) == 1
    assert len(added.result) == 4


def test_a_round_that_is_over_stays_as_it_is() -> None:
    state = play(position(hands=HANDS, stock="K7"), "0 draw", "0 discard K7")
    assert state.phase is Phase.OVER
    assert ending(state).finish is Finish.EXHAUSTED
    seen = CANASTA.view(state, 3)
    assert (seen.finish, seen.winner, seen.scores) == (Finish.EXHAUSTED, None, (-20, -10))


def test_the_next_round_begins_with_the_totals_of_the_match() -> None:
    played = session(
        phase="play",
        hands={0: "K4", 1: "R9", 2: "R5", 3: "Y9"},
        melds=[f"0 {CLEAN}"],
        match={"rounds": 3},
        totals=[2500, 0],
    )
    assert played.move("0 discard K4") is None
    assert played.move("next") is None
    assert played.table().thresholds == (120, 15)
    assert played.state.frame.totals == (3165, -10)


def test_a_dealt_log_names_the_totals() -> None:
    dealt = CANASTA.deal(STOCK, SETUP)
    assert isinstance(dealt, RoundDealt)
    assert replace(dealt, totals=()) != dealt
    assert CANASTA.evolve(None, replace(dealt, totals=())).frame.thresholds == (50, 50)


def test_every_joker_beyond_the_set_is_another_tile() -> None:
    options = {"joker_button_source": "extra"}
    start = position(options, hands=HANDS, stock="K7 ?9", jokers={0: 1, 1: 1})
    after = play(start, "0 button", "0 discard R4")
    assert events(after, "1 button") == (JokerIssued(1, 107),)


def test_an_absent_player_discards_what_he_drew_before_he_left() -> None:
    start = position(None, hands=HANDS, stock="K13 ?9")
    (discarded,) = events(play(start, "0 draw"), "0 auto")
    assert discarded == Discarded(0, start.hidden.stock[0])
    assert discarded.tile not in start.hand


def test_a_joker_of_the_account_shows_no_tile_on_the_table() -> None:
    options = {"joker_button_source": "extra"}
    start = position(options, hands={0: "R4 R5"}, jokers={0: 1}, melds=[f"0 {SMALL}"])
    (added,) = events(play(start, "0 button"), "0 add * to #0")
    assert isinstance(added, LaidOff)
    assert added.tiles == (Laid(106, NO_FACE),)
