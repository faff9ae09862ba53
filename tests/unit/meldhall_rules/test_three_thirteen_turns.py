"""Deal, turns, reshuffles, absence, hints and views of Three-Thirteen."""

import pytest
from tests.unit.meldhall_rules.card_positions import answer, events, hand, play, refused, session

from meldhall_rules.commands import (
    AutoTurn,
    Discard,
    Draw,
    GoOut,
    MeldKind,
    MeldSpec,
    Placed,
    TakeDiscard,
)
from meldhall_rules.events import (
    DiscardTaken,
    MeldsLaid,
    RoundDealt,
    RoundEnded,
    StockDrawn,
    StockReshuffled,
    WentOut,
)
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.games.three_thirteen.hints import hints
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import permutation
from meldhall_rules.view import SPECTATOR, Phase

GAME = "three_thirteen"
KEY = bytes(range(32))
OPTIONS = {"max_reshuffles": "6"}


def deal(seats: int, starter: int = 0, number: int = 1) -> RoundDealt:
    return THREE_THIRTEEN.deal(OPTIONS, RoundSetup(number, seats, starter, KEY, (0,) * seats))


@pytest.mark.parametrize(("seats", "cards"), [(2, 52), (3, 104), (4, 104)])
def test_the_deal_is_hands_from_the_starter_then_the_card_turned_up(seats: int, cards: int) -> None:
    for number in (1, 11):
        event = deal(seats, 1, number)
        assert sorted(event.order) == list(range(cards))
        assert event == deal(seats, 1, number)
        state = THREE_THIRTEEN.evolve(None, event)
        size = number + 2
        assert state.hidden.hands[1] == tuple(sorted(event.order[:size]))
        assert state.discards == (event.order[seats * size],)
        view = THREE_THIRTEEN.view(state, SPECTATOR)
        assert view.hand_sizes == (size,) * seats
        assert view.stock_size == cards - seats * size - 1
        assert (view.turn, view.phase, view.wild) == (1, Phase.DRAW, size)


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        (RoundSetup(1, 5, 0, KEY, (0,) * 5), "2 to 4, not 5"),
        (RoundSetup(1, 2, 2, KEY, (0, 0)), "no starter 2"),
        (RoundSetup(12, 2, 0, KEY, (0, 0)), "no round 12"),
        (RoundSetup(0, 2, 0, KEY, (0, 0)), "no round 0"),
    ],
)
def test_a_round_that_cannot_be_is_a_bug_of_the_caller(setup: RoundSetup, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        THREE_THIRTEEN.deal(OPTIONS, setup)


def test_the_first_question_is_whether_the_round_is_over_then_whose_turn_it_is() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="KC ?4", discard="QC")
    assert refused(table, "1 out discard KC") is Code.NOT_YOUR_TURN
    assert refused(table, "0 out discard KC") is Code.WRONG_PHASE
    assert refused(table, "0 take + add 2S to #0") is Code.UNKNOWN_MOVE
    assert refused(table, "0 button") is Code.UNKNOWN_MOVE
    play(table, "0 draw")
    assert refused(table, "0 take + meld set:2S,6H,9D") is Code.WRONG_PHASE


def test_the_new_stock_is_the_pile_shuffled_by_the_key_of_the_round() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KS KH QC JC 4C")
    pile, key = table.state.discards[:-1], table.state.hidden.shuffle_key
    shuffled, drawn = events(table, "0 draw")
    order = tuple(pile[at] for at in permutation(key, "reshuffle/1", 4))
    assert shuffled == StockReshuffled(order)
    assert drawn == StockDrawn(0, order[0])
    play(table, "0 draw", "0 discard 2S", "1 draw", "1 discard 3S", "0 draw", "0 discard 6H", "1 draw")
    state = play(table, "1 discard 7H")
    assert (state.reshuffles, state.hidden.stock_size) == (1, 0)
    pile = state.discards[:-1]
    again, _ = events(table, "0 draw")
    assert again == StockReshuffled(tuple(pile[at] for at in permutation(key, "reshuffle/2", len(pile))))


def test_hands_are_hidden_until_the_round_is_over_and_then_shown() -> None:
    table = session(GAME, hands={0: "6S 6H 3D", 1: "9S TH KD"}, stock="AC 2C ?4", discard="QC")
    before = THREE_THIRTEEN.view(table.state, 0)
    spectator = THREE_THIRTEEN.view(table.state, SPECTATOR)
    assert before.hand == table.hand(0)
    assert (spectator.hand, spectator.jokers) == (None, None)
    assert before.shown == spectator.shown == ()
    assert (before.finish, before.winner, before.scores) == (None, None, None)
    play(table, "0 draw", "0 out set:6S,6H,3D discard AC", "1 draw", "1 discard KD")
    after = THREE_THIRTEEN.view(table.state, SPECTATOR)
    assert [one.hand for one in after.shown] == [(), table.hand(1)]
    assert (after.finish, after.winner, after.scores, after.out) == ("normal", 0, (0, 21), 0)
    with pytest.raises(ValueError, match="no seat 2"):
        THREE_THIRTEEN.view(table.state, 2)


def test_a_shown_hand_has_the_melds_by_which_it_was_scored() -> None:
    table = session(GAME, out=0, turn=1, melds=["0 set:9S,9H,9D"], hands={1: "KH QH 3C"}, stock="5D ?4")
    play(table, "1 draw", "1 discard 5D")
    _, shown = THREE_THIRTEEN.view(table.state, SPECTATOR).shown
    (meld,) = shown.melds
    assert sorted(laid.tile for laid in meld.tiles) == list(shown.hand)


def test_an_absent_player_takes_where_there_is_nothing_to_draw_and_gives_it_back() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC")
    taken, discarded = events(table, "0 auto")
    assert taken == DiscardTaken(0, 51)
    assert discarded.tile == 51  # type: ignore[union-attr]


def test_an_absent_player_whose_card_is_not_known_discards_the_most_valuable_natural() -> None:
    table = session(GAME, phase="play", hands={0: "3S 6H TD QC", 1: "4S 7H TC"}, stock="?4", discard="KC")
    (discarded,) = events(table, "0 auto")
    assert table.game.alphabet.name_of(discarded.tile) == "QC"  # type: ignore[union-attr]


def test_a_taken_card_is_given_back_for_an_absent_player_and_not_the_dearest_one() -> None:
    table = session(GAME, acquired="discard 5C", hands={0: "KS 6H 9D 5C"}, discard="QC")
    (discarded,) = events(table, "0 auto")
    assert table.game.alphabet.name_of(discarded.tile) == "5C"  # type: ignore[union-attr]


def test_a_card_that_may_not_go_back_is_not_given_back_in_a_final_turn_either() -> None:
    table = session(
        GAME,
        2,
        {"forbid_return_discard": True},
        acquired="discard KS",
        out=1,
        melds=["1 set:8S,8H,8D"],
        hands={0: "2S 6H 9D KS"},
        discard="QC",
    )
    assert refused(table, "0 discard KS") is Code.MUST_NOT_RETURN
    discarded, ended = events(table, "0 auto")
    assert table.game.alphabet.name_of(discarded.tile) == "9D"  # type: ignore[union-attr]
    assert isinstance(ended, RoundEnded)


def test_an_absent_player_at_an_empty_table_without_cards_is_refused() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="")
    assert refused(table, "0 auto") is Code.NO_DISCARD


def test_the_draw_that_is_one_rebuild_too_many_ends_the_round_at_once() -> None:
    table = session(
        GAME, options={"max_reshuffles": 0}, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC QC"
    )
    (ended,) = events(table, "0 draw")
    assert ended == RoundEnded("exhausted", None, (17, 20))  # type: ignore[arg-type]


def test_a_dead_turn_counts_only_in_a_row() -> None:
    table = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC")
    assert table.state.dead_turns == 1
    state = play(table, "0 take", "0 discard 9D")
    assert state.dead_turns == 2
    live = session(GAME, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="5C", discard="KC")
    assert live.state.dead_turns == 0
    assert play(live, "0 draw", "0 discard 5C").dead_turns == 0


def test_moves_are_listed_for_the_seat_on_turn_only() -> None:
    table = session(GAME, hands={0: "6S 6H 9D", 1: "3S 7H TD"}, stock="6C ?4", discard="KC")
    view = THREE_THIRTEEN.view(table.state, 0)
    assert THREE_THIRTEEN.legal_moves(view) == (Draw(0), TakeDiscard(0))
    assert THREE_THIRTEEN.legal_moves(THREE_THIRTEEN.view(table.state, 1)) == ()
    assert THREE_THIRTEEN.legal_moves(THREE_THIRTEEN.view(table.state, SPECTATOR)) == ()
    play(table, "0 draw")
    moves = THREE_THIRTEEN.legal_moves(THREE_THIRTEEN.view(table.state, 0))
    assert [type(move) for move in moves] == [GoOut, Discard, Discard, Discard, Discard]


def test_of_twins_only_one_is_listed_and_never_the_one_that_may_not_go_back() -> None:
    table = session(
        GAME,
        3,
        {"forbid_return_discard": True},
        acquired="discard KS",
        hands={0: "6S 6H KS KS", 1: "3S 7H TD"},
        discard="QC",
    )
    moves = THREE_THIRTEEN.legal_moves(THREE_THIRTEEN.view(table.state, 0))
    assert len(moves) == 3
    for move in moves:
        assert not isinstance(table.game.decide(table.state, move), Rejection)


def test_hints_tell_of_the_own_hand_and_nothing_more() -> None:
    table = session(GAME, hands={0: "6S 6H 9D", 1: "3S 7H TD"}, stock="6C ?4", discard="KC")
    before = hints(THREE_THIRTEEN.view(table.state, 0))
    assert before is not None
    assert (before.penalty, before.discards, before.way_out) == (21, (), None)
    waiting = hints(THREE_THIRTEEN.view(table.state, 1))
    assert waiting is not None
    assert waiting.penalty == 20
    play(table, "0 draw")
    now = hints(THREE_THIRTEEN.view(table.state, 0))
    assert now is not None
    assert now.way_out is not None
    assert isinstance(table.game.decide(table.state, now.way_out)[0], WentOut)  # type: ignore[index]
    assert [table.game.alphabet.name_of(card) for card in now.discards] == ["9D"]
    assert hints(THREE_THIRTEEN.view(table.state, SPECTATOR)) is None


def test_folding_refuses_what_cannot_have_happened() -> None:
    with pytest.raises(ValueError, match="before the deal"):
        THREE_THIRTEEN.evolve(None, StockDrawn(0, 1))
    with pytest.raises(ValueError, match="has no MeldsLaid"):
        THREE_THIRTEEN.evolve(session(GAME).state, MeldsLaid(0, ()))


def test_options_are_checked_and_written_in_full() -> None:
    options = THREE_THIRTEEN.parse_options({"allow_all_wild": True})
    assert options == {"forbid_return_discard": "false", "allow_all_wild": "true", "max_reshuffles": "6"}
    refusal = THREE_THIRTEEN.parse_options({"jokers": 2})
    assert refusal == Rejection(Code.UNKNOWN_OPTION, "three_thirteen has no option 'jokers'")


def test_an_automatic_turn_is_refused_out_of_turn() -> None:
    table = session(GAME)
    other = 1 - table.table().turn
    found = table.game.decide(table.state, AutoTurn(other))
    assert isinstance(found, Rejection)
    assert found.code is Code.NOT_YOUR_TURN


def test_hands_are_written_by_face() -> None:
    table = session(GAME, hands={0: "9D 6H 6S", 1: "3S 7H TD"})
    assert hand(table, 0) == "6S 6H 9D"
    assert isinstance(answer(table, "0 draw"), tuple)


def test_going_out_names_every_card_once() -> None:
    table = session(GAME, phase="play", hands={0: "6S 6H 6C 9D"})
    six, *_, nine = table.hand(0)
    spec = MeldSpec(MeldKind.SET, (Placed(six), Placed(six), Placed(nine)))
    found = THREE_THIRTEEN.decide(table.state, GoOut(0, (spec,), nine))
    assert isinstance(found, Rejection)
    assert found.code is Code.TILE_NOT_HELD
