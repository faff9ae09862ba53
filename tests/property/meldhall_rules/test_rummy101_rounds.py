"""Whole rounds of Rummy 101: what holds after every move, whatever is played."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.property.meldhall_rules.random_play import (
    RUMMY101,
    all_tiles,
    begin,
    choose,
    digest,
    play_round,
    step,
)

from meldhall_rules.commands import (
    AutoTurn,
    Command,
    Discard,
    Draw,
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
from meldhall_rules.events import Event, RoundEnded
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import Stream, permutation
from meldhall_rules.view import SPECTATOR, Phase

ROOT = Path(__file__).parents[3]

MODES = st.sampled_from(["fixed", "rising"])
tiles = st.integers(0, 109)
placed = st.builds(Placed, tiles, st.none() | st.integers(0, 51))
specs = st.builds(MeldSpec, st.sampled_from(MeldKind), st.lists(placed, max_size=5).map(tuple))
melds = st.lists(specs, max_size=3).map(tuple)
seats = st.integers(-1, 4)
lays = (
    st.builds(LayOpening, seats, melds)
    | st.builds(LayMelds, seats, melds)
    | st.builds(LayOff, seats, st.integers(-1, 6), st.lists(placed, max_size=3).map(tuple))
    | st.builds(SwapJoker, seats, st.integers(-1, 6), tiles)
)
anything: st.SearchStrategy[Command] = (
    lays
    | st.builds(TakeDiscard, seats, st.none() | lays)
    | st.builds(Draw, seats)
    | st.builds(PressJokerButton, seats)
    | st.builds(Discard, seats, tiles)
    | st.builds(AutoTurn, seats)
)


def hidden_otherwise(state: State, viewer: int | None, key: bytes) -> State:
    """Deal again everything that a viewer cannot see: other hands, the stock, the drawn tile and the key."""
    hidden = state.hidden
    unseen = [tile for seat, hand in enumerate(hidden.hands) if seat != viewer for tile in hand]
    unseen += hidden.order[hidden.next_draw :]
    again = [unseen[at] for at in permutation(key, "again", len(unseen))]
    hands = []
    for seat, hand in enumerate(hidden.hands):
        if seat == viewer:
            hands.append(hand)
            continue
        hands.append(tuple(sorted(again[: len(hand)])))
        again = again[len(hand) :]
    changed = replace(hidden, hands=tuple(hands), order=(*hidden.order[: hidden.next_draw], *again))
    return replace(state, hidden=replace(changed, drawn=None, shuffle_key=key))


class Rounds(RuleBasedStateMachine):
    """Plays a round by listed moves, automatic turns and nonsense, and folds its log again at the end."""

    state: State
    log: list[Event]

    @initialize(
        seed=st.integers(0, 2**32), seats=st.integers(2, 4), opening=st.sampled_from(["fixed", "rising"])
    )
    def deal(self, seed: int, seats: int, opening: str) -> None:
        dealt, self.state = begin(seed, seats, opening=opening)
        self.log = [dealt]

    @rule(choice=st.integers(0, 2**32), moves=st.integers(1, 12))
    def play_listed_moves(self, choice: int, moves: int) -> None:
        stream = Stream(choice.to_bytes(32, "big"), "moves")
        for _ in range(moves):
            if self.state.phase is not Phase.OVER:
                self.make(choose(stream, self.state))

    @rule(command=anything)
    def try_anything(self, command: Command) -> None:
        before = repr(self.state)
        answer = RUMMY101.decide(self.state, command)
        assert repr(self.state) == before, "deciding changes nothing"
        if isinstance(answer, Rejection):
            assert answer.detail
            assert (answer.code is Code.ROUND_OVER) == (self.state.phase is Phase.OVER)
        else:
            self.make(command)

    @rule(pick=st.integers(0, 200))
    def try_it_out_of_turn(self, pick: int) -> None:
        if self.state.phase is Phase.OVER:
            return
        moves = RUMMY101.legal_moves(RUMMY101.view(self.state, self.state.turn))
        other = (self.state.turn + 1) % self.state.frame.seats
        answer = RUMMY101.decide(self.state, replace(moves[pick % len(moves)], seat=other))
        assert isinstance(answer, Rejection)
        assert answer.code is Code.NOT_YOUR_TURN
        assert RUMMY101.legal_moves(RUMMY101.view(self.state, other)) == ()

    def make(self, command: Command) -> None:
        events, self.state = step(self.state, command)
        self.log += events

    @invariant()
    def every_tile_is_in_one_place(self) -> None:
        assert sorted(all_tiles(self.state)) == list(range(106 + self.state.jokers.issued))

    @invariant()
    def nobody_plays_without_a_tile(self) -> None:
        for hand in self.state.hidden.hands:
            assert hand or self.state.phase is Phase.OVER
            assert list(hand) == sorted(hand)

    @invariant()
    def views_show_nothing_hidden(self) -> None:
        key = len(self.log).to_bytes(32, "big")
        for seat in range(self.state.frame.seats):
            other = hidden_otherwise(self.state, seat, key)
            assert RUMMY101.view(self.state, seat) == RUMMY101.view(other, seat)
        assert RUMMY101.view(self.state, SPECTATOR) == RUMMY101.view(
            hidden_otherwise(self.state, None, key), SPECTATOR
        )

    @invariant()
    def a_round_is_over_when_it_has_a_result(self) -> None:
        ended = [event for event in self.log if isinstance(event, RoundEnded)]
        assert ended == ([] if self.state.ending is None else [self.state.ending])
        assert (self.state.phase is Phase.OVER) == bool(ended)
        assert not ended or self.log[-1] is ended[0]

    def teardown(self) -> None:
        if hasattr(self, "log"):
            folded = None
            for event in self.log:
                folded = RUMMY101.evolve(folded, event)
            assert folded == self.state


TestRounds = Rounds.TestCase
TestRounds.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_rounds_end_in_every_way_and_spend_what_they_should(seats: int) -> None:
    finishes = Counter[str]()
    for seed in range(30):
        for events, state in play_round(seed, seats):
            if state.ending is None:
                continue
            finishes[state.ending.finish] += 1
            assert isinstance(events[-1], RoundEnded)
            assert state.ending.scores[state.ending.winner or 0] >= 101 or state.ending.winner is None
            assert sum(state.jokers.spare) + state.jokers.issued == 3 * seats
    assert finishes.total() == 30
    assert len(finishes) >= 2


def test_absent_players_play_until_the_stock_is_empty() -> None:
    for seats, turns in ((2, 64), (3, 43), (4, 22)):
        _, state = begin(5, seats)
        count = 0
        while state.phase is not Phase.OVER:
            _, state = step(state, AutoTurn(state.turn))
            count += 1
        assert count == turns, "the starter's turn without a draw, then one for each tile of the stock"
        assert state.ending is not None
        assert state.ending.scores == (-202,) * seats


def test_fault_15_the_same_is_played_and_refused_in_every_process() -> None:
    script = "from tests.property.meldhall_rules.random_play import digest; print(digest(range(6)))"
    found = set()
    for flags, hash_seed in (([], "0"), (["-O"], "1"), (["-OO"], "4242")):
        path = f"{ROOT / 'libs'}:{ROOT}"
        run = subprocess.run(
            [sys.executable, *flags, "-c", script],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout.strip())
    assert found == {digest(range(6))}
