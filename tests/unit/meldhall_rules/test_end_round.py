"""A round whose time is up: a turn that has begun is finished, then it ends as one whose stock ran out."""

from typing import Any

import pytest

from meldhall_rules import events, registry
from meldhall_rules.bots.registry import policy
from meldhall_rules.commands import AutoTurn, Draw, EndRound
from meldhall_rules.events import Finish
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase

FINISH = {
    "rummy101": Finish.EXHAUSTED,
    "canasta": Finish.EXHAUSTED,
    "rummy": Finish.VOID,
    "three_thirteen": Finish.EXHAUSTED,
}
GAMES = sorted(FINISH)


def folded(game: Game, state: Any, *new: events.Event) -> Any:
    for event in new:
        state = game.evolve(state, event)
    return state


def after_turns(game: Game, turns: int) -> Any:
    """A round of which so many turns were played by themselves, the next one not begun."""
    options = game.parse_options({})
    assert not isinstance(options, Rejection)
    seats = game.min_seats
    state = game.evolve(None, game.deal(options, RoundSetup(1, seats, 0, bytes(32), (0,) * seats)))
    for _ in range(turns):
        answer = game.decide(state, AutoTurn(game.view(state, 0).turn))
        assert not isinstance(answer, Rejection)
        state = folded(game, state, *answer)
    return state


@pytest.mark.parametrize("name", GAMES)
def test_between_two_turns_the_round_ends_at_once_and_nobody_wins(name: str) -> None:
    game = registry.game(name)
    state = after_turns(game, 3)
    seat = game.view(state, 0).turn
    assert game.view(state, 0).phase is Phase.DRAW
    answer = game.decide(state, EndRound(seat))
    assert not isinstance(answer, Rejection)
    (ended,) = answer
    assert isinstance(ended, events.RoundEnded)
    assert (ended.finish, ended.winner) == (FINISH[name], None)
    assert game.view(folded(game, state, ended), 0).phase is Phase.OVER


@pytest.mark.parametrize("name", GAMES)
def test_a_turn_that_has_begun_is_finished_by_itself_first(name: str) -> None:
    game = registry.game(name)
    state = after_turns(game, 3)
    seat = game.view(state, 0).turn
    drawn = game.decide(state, Draw(seat))
    assert not isinstance(drawn, Rejection)
    state = folded(game, state, *drawn)
    answer = game.decide(state, EndRound(seat))
    assert not isinstance(answer, Rejection)
    assert game.decide(state, AutoTurn(seat)) == answer[:-1]
    assert isinstance(answer[-1], events.RoundEnded)
    hands = [len(game.view(folded(game, state, *answer), at).hand or ()) for at in range(game.min_seats)]
    before = [len(game.view(after_turns(game, 3), at).hand or ()) for at in range(game.min_seats)]
    assert hands == before


def test_a_hand_of_rummy_101_is_paid_for_as_when_the_stock_has_run_out() -> None:
    game = registry.game("rummy101")
    state = after_turns(game, 3)
    answer = game.decide(state, EndRound(game.view(state, 0).turn))
    # Nobody has opened (rule 45).
    assert answer == (events.RoundEnded(Finish.EXHAUSTED, None, (-202, -202)),)


def test_a_round_of_three_thirteen_in_which_somebody_went_out_stays_his() -> None:
    game = registry.game("three_thirteen")
    state, bot = after_turns(game, 0), policy("three_thirteen", "normal")
    while game.view(state, 0).out is None:
        seat = game.view(state, 0).turn
        answer = game.decide(state, bot(game.view(state, seat), 0))
        assert not isinstance(answer, Rejection)
        state = folded(game, state, *answer)
    out = game.view(state, 0).out
    ended = game.decide(state, EndRound(game.view(state, 0).turn))
    assert not isinstance(ended, Rejection)
    assert isinstance(ended[-1], events.RoundEnded)
    assert (ended[-1].finish, ended[-1].winner) == (Finish.NORMAL, out)


@pytest.mark.parametrize("name", GAMES)
def test_only_the_seat_on_turn_of_a_round_that_is_played_can_be_ended(name: str) -> None:
    game = registry.game(name)
    state = after_turns(game, 3)
    turn = game.view(state, 0).turn
    other = game.decide(state, EndRound((turn + 1) % game.min_seats))
    assert isinstance(other, Rejection)
    assert other.code is Code.NOT_YOUR_TURN
    ended = game.decide(state, EndRound(turn))
    assert not isinstance(ended, Rejection)
    again = game.decide(folded(game, state, *ended), EndRound(turn))
    assert isinstance(again, Rejection)
    assert again.code is Code.ROUND_OVER


def test_a_turn_that_ends_the_round_by_itself_is_its_end() -> None:
    game = registry.game("rummy101")
    state = after_turns(game, 0)
    while True:
        turn = game.view(state, 0).turn
        if game.view(state, 0).phase is Phase.DRAW:
            drawn = game.decide(state, Draw(turn))
            assert not isinstance(drawn, Rejection)
            state = folded(game, state, *drawn)
        rest = game.decide(state, AutoTurn(turn))
        assert not isinstance(rest, Rejection)
        if isinstance(rest[-1], events.RoundEnded):
            assert game.decide(state, EndRound(turn)) == rest
            return
        state = folded(game, state, *rest)
