"""Rounds of Canasta played by chance from a seed, or by a function that sees only the view of its seat."""

import hashlib
from collections.abc import Callable, Iterator

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
    TakeDiscard,
)
from meldhall_rules.events import Event
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta.state import State
from meldhall_rules.registry import game
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import Stream
from meldhall_rules.view import SPECTATOR, Phase, View

CANASTA = game("canasta")
EAGER = (LayOpening, LayMelds, LayOff, TakeDiscard)
Player = Callable[[View], Command]


def begin(
    seed: int, source: str = "stock", spare: int = 1, totals: tuple[int, ...] = (-5, 1500)
) -> tuple[Event, State]:
    key = hashlib.sha256(seed.to_bytes(32, "big")).digest()
    setup = RoundSetup(1, 4, seed % 4, key, (spare,) * 4, totals)
    dealt = CANASTA.deal({"joker_button_source": source}, setup)
    state: State = CANASTA.evolve(None, dealt)
    return dealt, state


def choose(stream: Stream, state: State) -> Command:
    """Choose a listed move, mostly one that puts tiles on the table, seldom the automatic turn."""
    moves = CANASTA.legal_moves(CANASTA.view(state, state.turn))
    if stream.uniform(15) == 0:
        return AutoTurn(state.turn)
    eager = [move for move in moves if isinstance(move, EAGER)]
    if eager and stream.uniform(4):
        return eager[stream.uniform(len(eager))]
    return moves[stream.uniform(len(moves))]


def step(state: State, command: Command) -> tuple[tuple[Event, ...], State]:
    """Make a move that must be accepted; the button alone may find no joker, and then the seat draws."""
    answer = CANASTA.decide(state, command)
    if isinstance(command, PressJokerButton) and isinstance(answer, Rejection):
        assert answer.code is Code.NO_JOKER
        answer = CANASTA.decide(state, Draw(command.seat))
    assert not isinstance(answer, Rejection), f"{command} is listed as legal and refused: {answer}"
    for event in answer:
        state = CANASTA.evolve(state, event)
    return answer, state


def play_round(
    seed: int, source: str = "stock", most: int = 2000
) -> Iterator[tuple[tuple[Event, ...], State]]:
    """Play a round to its end; yields the events and the state after every move."""
    dealt, state = begin(seed, source)
    yield (dealt,), state
    stream = Stream(seed.to_bytes(32, "big"), "moves")
    for _ in range(most):
        if state.phase is Phase.OVER:
            return
        events, state = step(state, choose(stream, state))
        yield events, state
    raise AssertionError(f"no end after {most} moves: seed {seed}")


def states(state: State, player: Player, most: int = 2000) -> Iterator[State]:
    """Yield every state of a round that a player plays for all seats; no move of his may be refused."""
    for _ in range(most):
        yield state
        if state.phase is Phase.OVER:
            return
        command = player(CANASTA.view(state, state.turn))
        answer = CANASTA.decide(state, command)
        assert not isinstance(answer, Rejection), (answer, command)
        for event in answer:
            state = CANASTA.evolve(state, event)
    raise AssertionError(f"no end after {most} moves")


def nonsense(seat: int) -> tuple[Command, ...]:
    """Return commands that are illegal at any time."""
    gap = MeldSpec(MeldKind.SET, (Placed(0), Placed(2), Placed(6)))
    return Discard(seat, 999), Draw(seat + 1), LayOpening(seat, (gap,)), LayMelds(seat, (gap,))


def digest(seeds: range) -> str:
    """Return one value for every event, view and refusal of some rounds, to compare processes with it."""
    found = hashlib.sha256()
    for seed in seeds:
        for events, state in play_round(seed):
            views = [CANASTA.view(state, viewer) for viewer in (*range(4), SPECTATOR)]
            refusals = [CANASTA.decide(state, command) for command in nonsense(state.turn)]
            found.update(repr((events, views, refusals)).encode())
    return found.hexdigest()


def all_tiles(state: State) -> list[int]:
    """Return every tile of a round, wherever it is."""
    tiles = [tile for hand in state.hidden.hands for tile in hand]
    tiles += [*state.hidden.stock, *state.discards]
    tiles += [laid.tile for meld in state.table.melds for laid in meld.tiles]
    tiles += [tile for team in state.table.bonus for tile in team]
    return tiles
