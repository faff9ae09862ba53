from typing import Any

import pytest

from meldhall_rules import registry
from meldhall_rules.advice import advise
from meldhall_rules.commands import Command, Discard, PressJokerButton
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.hints import Advice
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import SPECTATOR, Phase, View


def dealt(game: Game, seed: int, round_: int = 1) -> Any:
    options = game.parse_options({})
    assert not isinstance(options, Rejection)
    seats = max(game.min_seats, 3)
    return game.evolve(
        None, game.deal(options, RoundSetup(round_, seats, 0, bytes([seed]) * 32, (1,) * seats))
    )


def told(game: Game, view: View) -> Advice:
    advice = advise(game, view)
    assert advice is not None
    return advice


def accepted(game: Game, state: Any, move: Command) -> bool:
    answer = game.decide(state, move)
    # Only the stock knows whether a joker of Canasta is left in it.
    return not isinstance(answer, Rejection) or (
        isinstance(move, PressJokerButton) and game.name == "canasta"
    )


def after(game: Game, state: Any, move: Command) -> Any:
    answer = game.decide(state, move)
    assert not isinstance(answer, Rejection), (move, answer)
    for event in answer:
        state = game.evolve(state, event)
    return state


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("seed", [1, 2])
def test_every_listed_move_is_accepted_and_what_is_suggested_leads_to_the_end(name: str, seed: int) -> None:
    game = registry.game(name)
    state = dealt(game, seed, 4)
    for _ in range(1_500):
        view = game.view(state, game.view(state, SPECTATOR).turn)
        if view.phase is Phase.OVER:
            break
        advice = told(game, view)
        hints = advice.hints
        assert advice.suggested in advice.legal
        assert all(accepted(game, state, move) for move in advice.legal)
        assert set(hints.loose) <= set(view.hand or ())
        assert all(accepted(game, state, Discard(view.turn, tile)) for tile in hints.discards[:1])
        if hints.opening is not None and view.phase is Phase.PLAY and not view.first_turn:
            assert all(accepted(game, state, way) for way in hints.opening.ways)
        assert hints.way_out is None or accepted(game, state, hints.way_out)
        assert all(accepted(game, state, take) for take in hints.takes)
        state = after(game, state, advice.suggested)
    else:
        pytest.fail("the round leads nowhere")
    assert advise(game, game.view(state, 0)) is None


@pytest.mark.parametrize("name", registry.names())
def test_who_is_not_on_turn_is_told_about_his_hand_only(name: str) -> None:
    game = registry.game(name)
    state = dealt(game, 1)
    turn = game.view(state, SPECTATOR).turn
    advice = told(game, game.view(state, turn + 1))
    assert (advice.suggested, advice.legal, advice.hints.takes, advice.hints.discards) == (None, (), (), ())
    assert advise(game, game.view(state, SPECTATOR)) is None


def test_only_games_with_an_opening_tell_how_far_it_is() -> None:
    rummy101, rummy = registry.game("rummy101"), registry.game("rummy")
    opening = told(rummy101, rummy101.view(dealt(rummy101, 1), 0)).hints.opening
    assert opening is not None
    assert (opening.need_points, opening.need_pairs) == (101, 5)
    assert told(rummy, rummy.view(dealt(rummy, 1), 0)).hints.opening is None
