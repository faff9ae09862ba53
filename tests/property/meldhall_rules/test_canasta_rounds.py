"""Whole rounds of Canasta: what holds after every move, whatever is played."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.property.meldhall_rules.canasta_play import (
    CANASTA,
    all_tiles,
    begin,
    choose,
    digest,
    play_round,
    step,
)

from meldhall_rules.canasta_shapes import fault_of
from meldhall_rules.canasta_tiles import is_bonus, is_three
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
from meldhall_rules.games.canasta.melds import table_shape
from meldhall_rules.games.canasta.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import Stream, permutation
from meldhall_rules.view import SPECTATOR, Phase

ROOT = Path(__file__).parents[3]

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
    unseen += hidden.stock
    again = [unseen[at] for at in permutation(key, "again", len(unseen))]
    hands = []
    for seat, hand in enumerate(hidden.hands):
        if seat == viewer:
            hands.append(hand)
            continue
        hands.append(tuple(sorted(again[: len(hand)])))
        again = again[len(hand) :]
    changed = replace(hidden, hands=tuple(hands), order=tuple(again), next_draw=0)
    return replace(state, hidden=replace(changed, drawn=None, shuffle_key=key))


class Rounds(RuleBasedStateMachine):
    """Plays a round by listed moves, automatic turns and nonsense, and folds its log again at the end."""

    state: State
    log: list[Event]
    source: str

    @initialize(seed=st.integers(0, 2**32), source=st.sampled_from(["stock", "extra"]))
    def deal(self, seed: int, source: str) -> None:
        self.source = source
        dealt, self.state = begin(seed, source)
        self.log = [dealt]

    @rule(choice=st.integers(0, 2**32), moves=st.integers(1, 30))
    def play_listed_moves(self, choice: int, moves: int) -> None:
        stream = Stream(choice.to_bytes(32, "big"), "moves")
        for _ in range(moves):
            if self.state.phase is not Phase.OVER:
                self.make(choose(stream, self.state))

    @rule(command=anything)
    def try_anything(self, command: Command) -> None:
        before = repr(self.state)
        answer = CANASTA.decide(self.state, command)
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
        moves = CANASTA.legal_moves(CANASTA.view(self.state, self.state.turn))
        other = (self.state.turn + 1) % 4
        answer = CANASTA.decide(self.state, replace(moves[pick % len(moves)], seat=other))
        assert isinstance(answer, Rejection)
        assert answer.code is Code.NOT_YOUR_TURN
        assert CANASTA.legal_moves(CANASTA.view(self.state, other)) == ()

    def make(self, command: Command) -> None:
        events, self.state = step(self.state, command)
        self.log += events

    @invariant()
    def every_tile_is_in_one_place(self) -> None:
        assert sorted(all_tiles(self.state)) == list(range(106 + self.state.jokers.issued))
        assert self.source == "extra" or not self.state.jokers.issued

    @invariant()
    def bonus_threes_are_exposed_or_in_the_stock(self) -> None:
        state = self.state
        assert all(is_bonus(tile) for team in state.table.bonus for tile in team)
        assert not any(map(is_bonus, state.discards))
        assert not any(is_bonus(tile) for hand in state.hidden.hands for tile in hand)

    @invariant()
    def melds_are_legal_and_one_a_number(self) -> None:
        numbers = set()
        for meld in self.state.table.melds:
            shape = table_shape(meld)
            assert fault_of(shape) is None
            assert not any(is_three(laid.tile) for laid in meld.tiles)
            assert (meld.owner, shape.number) not in numbers
            assert self.state.table.opened[meld.owner] is not None
            numbers.add((meld.owner, shape.number))

    @invariant()
    def nobody_comes_to_a_dead_end(self) -> None:
        state = self.state
        for hand in state.hidden.hands:
            assert hand or state.phase is Phase.OVER
            assert list(hand) == sorted(hand)
        if state.phase is not Phase.OVER:
            assert CANASTA.legal_moves(CANASTA.view(state, state.turn))
            assert state.phase is Phase.PLAY or state.hidden.stock_size

    @invariant()
    def views_show_nothing_hidden(self) -> None:
        key = len(self.log).to_bytes(32, "big")
        for seat in range(4):
            other = hidden_otherwise(self.state, seat, key)
            assert CANASTA.view(self.state, seat) == CANASTA.view(other, seat)
        assert CANASTA.view(self.state, SPECTATOR) == CANASTA.view(
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
                folded = CANASTA.evolve(folded, event)
            assert folded == self.state


TestRounds = Rounds.TestCase
TestRounds.settings = settings(
    max_examples=60,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_rounds_end_in_both_ways_and_spend_what_they_should() -> None:
    finishes = Counter[str]()
    for seed in range(40):
        source = "extra" if seed % 2 else "stock"
        for events, state in play_round(seed, source):
            if state.ending is None:
                continue
            finishes[state.ending.finish] += 1
            assert isinstance(events[-1], RoundEnded)
            assert sum(state.jokers.spare) == 4 - sum(state.jokers.used)
            assert state.jokers.issued == (sum(state.jokers.used) if source == "extra" else 0)
            assert all(score % 5 == 0 for score in state.ending.scores)
    assert finishes.total() == 40
    assert set(finishes) == {"normal", "exhausted"}


def test_absent_players_play_until_the_stock_is_empty() -> None:
    _, state = begin(5)
    stock, turns = state.hidden.stock, 0
    while state.phase is not Phase.OVER:
        _, state = step(state, AutoTurn(state.turn))
        turns += 1
    draws = sum(not is_bonus(tile) for tile in stock) + is_bonus(stock[-1])
    assert turns == 1 + draws, (
        "the starter's turn without a draw, then one for each tile that is no bonus three"
    )
    assert state.ending is not None
    assert state.ending.winner is None
    assert state.table.melds == ()


def test_the_same_is_played_and_refused_in_every_process() -> None:
    script = "from tests.property.meldhall_rules.canasta_play import digest; print(digest(range(4)))"
    found = set()
    for flags, hash_seed in (([], "0"), (["-O"], "1"), (["-OO"], "4242")):
        run = subprocess.run(
            [sys.executable, *flags, "-c", script],
            env={
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": f"{ROOT / 'libs'}:{ROOT}",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout.strip())
    assert found == {digest(range(4))}
