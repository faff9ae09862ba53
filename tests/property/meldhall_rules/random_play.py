"""Rounds of Rummy 101 played by chance from a seed, through ``Game`` alone.

``digest`` stands for every event, view and refusal of some rounds, to compare processes with each other.
"""

import hashlib
from collections.abc import Iterator

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
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.events import Event
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.registry import game
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import Stream
from meldhall_rules.view import SPECTATOR, Phase

RUMMY101 = game("rummy101")
EAGER = (LayOpening, LayMelds, LayOff, SwapJoker, TakeDiscard)


def begin(seed: int, seats: int, spare: int = 3, opening: str = "rising") -> tuple[Event, State]:
    setup = RoundSetup(1, seats, seed % seats, seed.to_bytes(32, "big"), (spare,) * seats)
    dealt = RUMMY101.deal({"opening": opening}, setup)
    state: State = RUMMY101.evolve(None, dealt)
    return dealt, state


def choose(stream: Stream, state: State) -> Command:
    """Choose a legal move, mostly one that puts tiles on the table, seldom the automatic turn."""
    moves = RUMMY101.legal_moves(RUMMY101.view(state, state.turn))
    if stream.uniform(12) == 0:
        return AutoTurn(state.turn)
    eager = [move for move in moves if isinstance(move, EAGER)]
    if eager and stream.uniform(4):
        return eager[stream.uniform(len(eager))]
    return moves[stream.uniform(len(moves))]


def step(state: State, command: Command) -> tuple[tuple[Event, ...], State]:
    answer = RUMMY101.decide(state, command)
    assert not isinstance(answer, Rejection), f"{command} is listed as legal and refused: {answer}"
    for event in answer:
        state = RUMMY101.evolve(state, event)
    return answer, state


def play_round(seed: int, seats: int, most: int = 1000) -> Iterator[tuple[tuple[Event, ...], State]]:
    """Play a round to its end; yields the events and the state after every move."""
    dealt, state = begin(seed, seats)
    yield (dealt,), state
    stream = Stream(seed.to_bytes(32, "big"), "moves")
    for _ in range(most):
        if state.phase is Phase.OVER:
            return
        events, state = step(state, choose(stream, state))
        yield events, state
    raise AssertionError(f"no end after {most} moves: seed {seed}, {seats} seats")


def nonsense(seat: int) -> tuple[Command, ...]:
    """Return commands that are illegal at any time."""
    gap = MeldSpec(MeldKind.RUN, (Placed(0), Placed(2), Placed(6)))
    return Discard(seat, 999), Draw(seat + 1), LayOpening(seat, (gap,)), LayMelds(seat, (gap,))


def digest(seeds: range) -> str:
    found = hashlib.sha256()
    for seed in seeds:
        for events, state in play_round(seed, 2 + seed % 3):
            views = [RUMMY101.view(state, viewer) for viewer in (*range(state.frame.seats), SPECTATOR)]
            refusals = [RUMMY101.decide(state, command) for command in nonsense(state.turn)]
            found.update(repr((events, views, refusals)).encode())
    return found.hexdigest()


def all_tiles(state: State) -> list[int]:
    """Return every tile of a round, wherever it is."""
    hidden = state.hidden
    tiles = [tile for hand in hidden.hands for tile in hand]
    tiles += hidden.order[hidden.next_draw :]
    tiles += state.discards
    tiles += [laid.tile for meld in state.table.melds for laid in meld.tiles]
    return tiles
