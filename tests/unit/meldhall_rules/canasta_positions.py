"""Positions of Canasta written in the notation, and moves played from them."""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundEnded
from meldhall_rules.games.canasta import CANASTA as RULES
from meldhall_rules.games.canasta.state import State
from meldhall_rules.notation import parse_move
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.scenario.canasta import CANASTA
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session

CLEAN: Final = "set:R13,R13,Y13,Y13,K13,K13,B13"
"""A clean canasta of thirteens: 570 points."""
SIX: Final = "set:R13,R13,Y13,Y13,K13,K13"
SMALL: Final = "set:R13,Y13,K13"
FRESH: Final = frozenset({"seed", "dealer", "turn", "totals", "match", "jokers"})
"""What can be said of a fresh deal."""
HANDS: Final = {0: "K11 R4", 1: "R9", 2: "R5", 3: "Y9"}
"""Hands of 15, 5, 5 and 5 points."""


def session(options: Mapping[str, object] | None = None, **given: object) -> Session:
    """Set up the position that ``given`` describes as a scenario would; the stock is twenty tiles."""
    if given.keys() - FRESH:
        given.setdefault("stock", "?20")
    melds = given.get("melds", [])
    assert isinstance(melds, list)
    if melds:
        given.setdefault("opened", {int(text[0]): True for text in melds})
    return CANASTA.begin(Case("-", "canasta", 4, options or {}, given, (), None, {}))


def position(options: Mapping[str, object] | None = None, **given: object) -> State:
    """Set up a position as a state."""
    state = session(options, **given).state
    assert isinstance(state, State)
    return state


def command(state: State, text: str) -> Command:
    """Read a move with the hand of the seat on turn."""
    return parse_move(text, state.hand, state.discards[-1] if state.discards else None)


def events(state: State, move: str | Command) -> tuple[Event, ...]:
    """Make a move that must be accepted and return what happened."""
    answer = RULES.decide(state, command(state, move) if isinstance(move, str) else move)
    assert not isinstance(answer, Rejection), (move, answer)
    return answer


def play(state: State, *moves: str | Command) -> State:
    """Make moves that must be accepted."""
    for move in moves:
        for event in events(state, move):
            state = RULES.evolve(state, event)
    return state


def refused(state: State, move: str | Command) -> Code:
    """Make a move that must be refused, see that it changes nothing, and return the code."""
    before = repr(state)
    answer = RULES.decide(state, command(state, move) if isinstance(move, str) else move)
    assert isinstance(answer, Rejection), (move, answer)
    assert repr(state) == before
    assert answer.detail
    return answer.code


def ending(state: State) -> RoundEnded:
    """Return the result of a round that is over."""
    assert state.ending is not None
    return state.ending


def scores_of(**given: object) -> tuple[int, ...]:
    """Let seat 0 go out from a position by discarding its last tile and return the scores."""
    given.setdefault("phase", "play")
    start = position(None, **given)
    return ending(play(start, f"0 discard {str(given['hands'][0]).split()[-1]}")).scores  # type: ignore[index]
