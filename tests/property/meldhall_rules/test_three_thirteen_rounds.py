"""Whole rounds of Three-Thirteen: by chance, by absent players and by bots."""

from collections import Counter

import hypothesis.strategies as st
import pytest
from tests.property.meldhall_rules.card_rounds import SETTINGS, CardRounds, begin, choose, states, step

from meldhall_rules.bots import three_thirteen as bot
from meldhall_rules.commands import AutoTurn, Command
from meldhall_rules.events import Discarded, Finish, RoundEnded, WentOut
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import Stream
from meldhall_rules.view import SPECTATOR, Phase


class Rounds(CardRounds):
    game = THREE_THIRTEEN
    rounds = st.integers(1, 11)
    options = st.fixed_dictionaries(
        {
            "forbid_return_discard": st.booleans(),
            "allow_all_wild": st.booleans(),
            "max_reshuffles": st.integers(0, 2),
        }
    )


TestRounds = Rounds.TestCase
TestRounds.settings = SETTINGS


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_else_has_one_turn_after_the_first_who_goes_out(seats: int) -> None:
    for seed in range(25):
        _, state = begin(THREE_THIRTEEN, seed, seats, 1 + seed % 3)
        stream = Stream(seed.to_bytes(32, "big"), "moves")
        ends: list[int] = []
        first = None
        while state.phase is not Phase.OVER:
            events, state = step(THREE_THIRTEEN, state, choose(THREE_THIRTEEN, stream, state))
            for event in events:
                if first is not None and isinstance(event, Discarded | WentOut):
                    ends.append(event.seat)
                if isinstance(event, WentOut) and first is None:
                    first = event.seat
        if first is None:
            assert state.ending.finish is Finish.EXHAUSTED
            continue
        assert ends == [(first + place) % seats for place in range(1, seats)]
        assert (state.ending.finish, state.ending.winner) == (Finish.NORMAL, first)
        assert state.ending.scores[first] == 0


def test_absent_players_end_a_round_by_the_limit_of_rebuilding() -> None:
    for seats in (2, 3, 4):
        _, state = begin(THREE_THIRTEEN, 5, seats, 11, max_reshuffles=1)
        while state.phase is not Phase.OVER:
            events, state = step(THREE_THIRTEEN, state, AutoTurn(state.turn))
        assert state.reshuffles == 1
        assert events == (state.ending,)
        assert isinstance(state.ending, RoundEnded)
        assert state.ending.finish is Finish.EXHAUSTED


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_go_out_in_every_round(seats: int) -> None:
    finishes = Counter[Finish]()
    for number in range(1, 12):
        forbid = bool(number % 2)
        _, state = begin(THREE_THIRTEEN, number, seats, number, forbid_return_discard=forbid)
        *_, last = states(THREE_THIRTEEN, state, lambda view: bot.choose(view, view.round))
        finishes[last.ending.finish] += 1
    assert finishes == {Finish.NORMAL: 11}


def test_the_same_view_and_salt_give_the_same_move_and_nobody_else_moves() -> None:
    _, start = begin(THREE_THIRTEEN, 3, 3, 4)
    for state in states(THREE_THIRTEEN, start, bot.choose):
        if state.phase is Phase.OVER:
            continue
        view = THREE_THIRTEEN.view(state, state.turn)
        assert bot.choose(view, 7) == bot.choose(view, 7)
        with pytest.raises(ValueError, match="not on turn"):
            bot.choose(THREE_THIRTEEN.view(state, (state.turn + 1) % 3))
    with pytest.raises(ValueError, match="spectator"):
        bot.choose(THREE_THIRTEEN.view(start, SPECTATOR))


def test_every_listed_move_is_accepted_and_every_discard_is_listed() -> None:
    for seed in range(6):
        _, start = begin(THREE_THIRTEEN, seed, 2 + seed % 3, 1 + seed, forbid_return_discard=bool(seed % 2))
        stream = Stream(seed.to_bytes(32, "big"), "moves")

        def player(view: object, stream: Stream = stream) -> Command:
            moves = THREE_THIRTEEN.legal_moves(view)  # type: ignore[arg-type]
            return moves[stream.uniform(len(moves))]

        for state in states(THREE_THIRTEEN, start, player):
            view = THREE_THIRTEEN.view(state, state.turn)
            moves = THREE_THIRTEEN.legal_moves(view)
            assert len(set(moves)) == len(moves)
            for move in moves:
                assert not isinstance(THREE_THIRTEEN.decide(state, move), Rejection)
