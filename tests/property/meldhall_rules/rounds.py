"""Whole rounds of Rummy 101, played by a function that sees only the view of its seat."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from meldhall_rules.commands import Command
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase, View

Player = Callable[[View], Command]
MOST_MOVES = 1000


def dealt(number: int, seats: int, *, opening: str = "fixed", spare: int = 0) -> State:
    options = RUMMY101.parse_options({"opening": opening})
    assert not isinstance(options, Rejection)
    key = sha256(f"{number} {seats} {opening}".encode()).digest()
    setup = RoundSetup(1, seats, number % seats, key, (spare,) * seats)
    return RUMMY101.evolve(None, RUMMY101.deal(options, setup))


def played(state: State, command: Command) -> State:
    """Play a command that must be accepted."""
    answer = RUMMY101.decide(state, command)
    assert not isinstance(answer, Rejection), (answer, command)
    for event in answer:
        state = RUMMY101.evolve(state, event)
    return state


def states(state: State, player: Player) -> Iterator[State]:
    """Yield every state of a round until it is over, the last one too."""
    for _ in range(MOST_MOVES):
        yield state
        if state.phase is Phase.OVER:
            return
        state = played(state, player(RUMMY101.view(state, state.turn)))
    raise AssertionError(f"no end after {MOST_MOVES} moves")
