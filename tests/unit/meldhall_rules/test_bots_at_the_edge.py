"""Bots where there is little to choose from, and what must never be put to them."""

import pytest
from tests.unit.meldhall_rules.card_positions import session
from tests.unit.meldhall_rules.positions import hand, position

from meldhall_rules.bots import rummy101_strong
from meldhall_rules.bots.finish import going_out
from meldhall_rules.bots.registry import LEVELS, policy
from meldhall_rules.commands import Discard, Draw, SwapJoker, TakeDiscard
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import Phase

CARD_GAMES = ("rummy", "three_thirteen")


@pytest.mark.parametrize("game", CARD_GAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_where_nothing_can_be_drawn_every_level_takes_the_top_discard(game: str, level: str) -> None:
    table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC")
    assert policy(game, level)(table.game.view(table.state, 0), 0) == TakeDiscard(0)


@pytest.mark.parametrize("game", CARD_GAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_where_nothing_can_be_taken_every_level_draws(game: str, level: str) -> None:
    table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="?4", discard="")
    assert policy(game, level)(table.game.view(table.state, 0), 0) == Draw(0)


def test_strong_discards_a_joker_where_it_holds_nothing_else() -> None:
    state = position(["* *", "Y9 Y10"], opened={1: "melds 101"}, melds=["1 set:R1,Y1,K1"])
    move = rummy101_strong.choose(RUMMY101.view(state, 0))
    assert isinstance(move, Discard)
    assert is_joker(move.tile)


def test_a_swap_for_which_no_joker_stands_is_a_bug() -> None:
    state = position(
        ["R1 Y5 K9", "Y9 Y10"],
        phase=Phase.PLAY,
        opened={0: "melds 101", 1: "melds 101"},
        melds=["1 set:R7,Y7,K7"],
    )
    view, held = RUMMY101.view(state, 0), hand(state, 0)
    with pytest.raises(ValueError, match="meld 0 has no joker for tile"):
        going_out(view, 0, held, [SwapJoker(0, 0, held[0])])
