"""Whole rounds of card games: what holds after every move, whatever is played; shared by the games."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from meldhall_rules.commands import (
    AutoTurn,
    Command,
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
from meldhall_rules.events import Event, RoundEnded
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import Stream, permutation
from meldhall_rules.view import SPECTATOR, Phase, View

Player = Callable[[View], Command]
MOST_MOVES = 4000
EAGER = (GoOut, LayMelds, LayOff, TakeDiscard)

cards = st.integers(0, 105)
placed = st.builds(Placed, cards, st.none() | st.integers(0, 51))
specs = st.builds(MeldSpec, st.sampled_from(MeldKind), st.lists(placed, max_size=5).map(tuple))
melds = st.lists(specs, max_size=3).map(tuple)
seats = st.integers(-1, 6)
lays = st.builds(LayMelds, seats, melds) | st.builds(
    LayOff, seats, st.integers(-1, 6), st.lists(placed, max_size=3).map(tuple)
)
anything: st.SearchStrategy[Command] = (
    lays
    | st.builds(LayOpening, seats, melds)
    | st.builds(SwapJoker, seats, st.integers(-1, 6), cards)
    | st.builds(GoOut, seats, melds, st.none() | cards)
    | st.builds(TakeDiscard, seats, st.none() | lays)
    | st.builds(Draw, seats)
    | st.builds(PressJokerButton, seats)
    | st.builds(Discard, seats, cards)
    | st.builds(AutoTurn, seats)
)


def begin(game: Game, seed: int, seats: int, number: int = 1, **options: object) -> tuple[Event, Any]:
    parsed = game.parse_options(options)
    assert not isinstance(parsed, Rejection), parsed
    key = sha256(f"{seed} {seats} {number}".encode()).digest()
    dealt = game.deal(parsed, RoundSetup(number, seats, seed % seats, key, (0,) * seats))
    return dealt, game.evolve(None, dealt)


def step(game: Game, state: Any, command: Command) -> tuple[tuple[Event, ...], Any]:
    """Play a command that must be accepted."""
    answer = game.decide(state, command)
    assert not isinstance(answer, Rejection), f"{command} is listed as legal and refused: {answer}"
    assert answer
    for event in answer:
        state = game.evolve(state, event)
    return answer, state


def choose(game: Game, stream: Stream, state: Any) -> Command:
    """Choose a listed move, often one that lays cards, seldom the automatic turn."""
    moves = game.legal_moves(game.view(state, state.turn))
    if stream.uniform(12) == 0:
        return AutoTurn(state.turn)
    eager = [move for move in moves if isinstance(move, EAGER)]
    if eager and stream.uniform(3):
        return eager[stream.uniform(len(eager))]
    return moves[stream.uniform(len(moves))]


def states(game: Game, state: Any, player: Player) -> Iterator[Any]:
    """Yield every state of a round until it is over, the last one too."""
    for _ in range(MOST_MOVES):
        yield state
        if state.phase is Phase.OVER:
            return
        state = step(game, state, player(game.view(state, state.turn)))[1]
    raise AssertionError(f"no end after {MOST_MOVES} moves")


def all_cards(state: Any) -> list[int]:
    """Return every card of a round, wherever it is."""
    hidden = state.hidden
    found = [card for hand in hidden.hands for card in hand]
    found += hidden.stock[hidden.next_draw :]
    found += state.discards
    found += [laid.tile for meld in state.melds for laid in meld.tiles]
    return found


def hidden_otherwise(state: Any, viewer: int | None, key: bytes) -> Any:
    """Deal again everything that a viewer cannot see: other hands, the stock, the drawn card and the key."""
    hidden = state.hidden
    unseen = [card for seat, hand in enumerate(hidden.hands) if seat != viewer for card in hand]
    unseen += hidden.stock[hidden.next_draw :]
    again = [unseen[at] for at in permutation(key, "again", len(unseen))]
    hands = []
    for seat, hand in enumerate(hidden.hands):
        if seat == viewer:
            hands.append(hand)
            continue
        hands.append(tuple(sorted(again[: len(hand)])))
        again = again[len(hand) :]
    changed = replace(hidden, hands=tuple(hands), stock=(*hidden.stock[: hidden.next_draw], *again))
    return replace(state, hidden=replace(changed, drawn=None, shuffle_key=key))


class CardRounds(RuleBasedStateMachine):
    """Plays a round by listed moves, automatic turns and nonsense, and folds its log again at the end."""

    game: Game
    options: st.SearchStrategy[dict[str, object]]
    rounds: st.SearchStrategy[int]
    state: Any
    log: list[Event]

    @initialize(data=st.data(), seed=st.integers(0, 2**32))
    def deal(self, data: st.DataObject, seed: int) -> None:
        players = data.draw(st.integers(self.game.min_seats, self.game.max_seats))
        dealt, self.state = begin(self.game, seed, players, data.draw(self.rounds), **data.draw(self.options))
        self.log = [dealt]
        self.everything = sorted(all_cards(self.state))

    @rule(choice=st.integers(0, 2**32), moves=st.integers(1, 30))
    def play_listed_moves(self, choice: int, moves: int) -> None:
        stream = Stream(choice.to_bytes(32, "big"), "moves")
        for _ in range(moves):
            if self.state.phase is not Phase.OVER:
                self.make(choose(self.game, stream, self.state))

    @rule(command=anything)
    def try_anything(self, command: Command) -> None:
        before = repr(self.state)
        answer = self.game.decide(self.state, command)
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
        moves = self.game.legal_moves(self.game.view(self.state, self.state.turn))
        other = (self.state.turn + 1) % self.state.frame.seats
        answer = self.game.decide(self.state, replace(moves[pick % len(moves)], seat=other))
        assert isinstance(answer, Rejection)
        assert answer.code is Code.NOT_YOUR_TURN
        assert self.game.legal_moves(self.game.view(self.state, other)) == ()

    def make(self, command: Command) -> None:
        events, self.state = step(self.game, self.state, command)
        self.log += events

    @invariant()
    def every_card_is_in_one_place(self) -> None:
        assert sorted(all_cards(self.state)) == self.everything

    @invariant()
    def hands_are_sorted(self) -> None:
        for hand in self.state.hidden.hands:
            assert list(hand) == sorted(hand)

    @invariant()
    def views_show_nothing_hidden(self) -> None:
        if self.state.phase is Phase.OVER:
            return
        key = len(self.log).to_bytes(32, "big")
        for viewer in (*range(self.state.frame.seats), None):
            seat = SPECTATOR if viewer is None else viewer
            other = hidden_otherwise(self.state, viewer, key)
            assert self.game.view(self.state, seat) == self.game.view(other, seat)

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
                folded = self.game.evolve(folded, event)
            assert folded == self.state


SETTINGS = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
