"""What is listed, shown and folded where a round has little left, or where something is wrong."""

from dataclasses import replace

import pytest
from tests.unit.meldhall_rules import canasta_positions
from tests.unit.meldhall_rules.card_positions import session
from tests.unit.meldhall_rules.positions import position

from meldhall_rules.commands import Draw, MeldKind, MeldSpec, Placed, TakeDiscard
from meldhall_rules.events import BonusExposed, Finish, RoundEnded, StockReshuffled
from meldhall_rules.games.canasta import CANASTA
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.three_thirteen import view as three_thirteen_view
from meldhall_rules.games.three_thirteen.moves import ways_out
from meldhall_rules.match import MatchRules, first_starter
from meldhall_rules.solve.penalty import Penalty
from meldhall_rules.view import SPECTATOR, Phase

CARD_GAMES = ("rummy", "three_thirteen")


@pytest.mark.parametrize("game", CARD_GAMES)
def test_with_an_empty_stock_and_a_single_discard_only_the_take_is_listed(game: str) -> None:
    table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC")
    assert table.game.legal_moves(table.game.view(table.state, 0)) == (TakeDiscard(0),)


@pytest.mark.parametrize("game", CARD_GAMES)
def test_without_a_discard_only_the_draw_is_listed(game: str) -> None:
    table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="?4", discard="")
    assert table.game.legal_moves(table.game.view(table.state, 0)) == (Draw(0),)


def test_from_an_empty_stock_of_canasta_no_draw_is_listed() -> None:
    state = canasta_positions.position(hands={0: "R4 Y9 K12"}, stock="R5 R6", discard="K3", phase="draw")
    view = CANASTA.view(state, 0)
    assert Draw(0) in CANASTA.legal_moves(view)
    assert Draw(0) not in CANASTA.legal_moves(replace(view, stock_size=0))


def test_a_spectator_has_no_way_to_go_out() -> None:
    table = session("three_thirteen", phase="play", hands={0: "4S 4H 4D KD"}, stock="?4")
    assert list(ways_out(table.game.view(table.state, 0)))
    assert list(ways_out(table.game.view(table.state, SPECTATOR))) == []


def test_melds_of_a_solver_that_break_the_rules_are_a_bug_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = session("three_thirteen", phase="play", hands={0: "4S 5H 9D KD"}, stock="?4")
    wrong = MeldSpec(MeldKind.SET, tuple(map(Placed, table.hand(0))))
    ended = replace(table.state, phase=Phase.OVER, ending=RoundEnded(Finish.NORMAL, 1, (10, 0)))
    assert three_thirteen_view.view(ended, 0).shown
    monkeypatch.setattr(three_thirteen_view, "least_penalty", lambda *_, **__: Penalty(0, (wrong,), ()))
    with pytest.raises(ValueError, match="ranks differ: 4S and 5H"):
        three_thirteen_view.view(ended, 0)


@pytest.mark.parametrize("event", [BonusExposed(0, 3), StockReshuffled((1, 2))])
def test_rummy101_folds_no_event_of_another_game(event: BonusExposed | StockReshuffled) -> None:
    state = position(["R1 Y5 K9", "Y9 Y10"])
    with pytest.raises(ValueError, match=f"rummy101 has no {type(event).__name__}"):
        RUMMY101.evolve(state, event)


def test_where_a_dealer_is_drawn_the_seat_after_starts() -> None:
    assert first_starter(3, 4, MatchRules(dealer=True)) == 0
    assert first_starter(3, 4, MatchRules(dealer=False)) == 3
