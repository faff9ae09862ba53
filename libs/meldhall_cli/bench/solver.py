"""`meldhall bench solver`: how long the exact solvers take, alone and against CP-SAT on the same hands."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from types import ModuleType

from meldhall_cli.faults import CommandFault
from meldhall_rules.shuffle import Stream
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.penalty import least_penalty

SEED = bytes(32)
HANDS = 400
"""Of each kind, for the times of the solvers."""
COMPARED = 60
"""Of each kind, the first ones: CP-SAT is given as many at most, and no more than there is time for."""

CARDS, TILES, JOKERS = 13, 22, 2
TWO_DECKS, NATURALS = 104, 104


@dataclass(frozen=True, slots=True)
class _Kind:
    """A question, hands for it, and both ways to answer them: ours, and CP-SAT's with the seconds it took."""

    hands: Sequence[tuple[tuple[int, ...], int]]
    ours: Callable[[tuple[int, ...], int], int]
    cpsat: Callable[[tuple[int, ...], int], tuple[int, float]]


def measure_solver(seconds: float) -> dict[str, float]:
    """Return times in milliseconds and the smaller of the two ratios to CP-SAT.

    Of CP-SAT only the search is timed, not the making of the program.

    Args:
        seconds: how long CP-SAT may take all in all, as far as whole hands go.

    Raises:
        CommandFault: OR-tools is not installed, or an answer differs from CP-SAT's.
    """
    penalty, opening = _kinds(_models())
    result: dict[str, float] = {}
    ratios = []
    for name, kind in (("penalty", penalty), ("opening", opening)):
        times = [_timed(kind, number)[1] for number in range(len(kind.hands))]
        result[f"{name}_ms_median"] = median(times) * 1000
        result[f"{name}_ms_max"] = max(times) * 1000
        ratios.append(_ratio(kind, seconds / 2))
    return {**result, "cpsat_ratio": min(ratios)}


def _models() -> ModuleType:
    try:
        from meldhall_cli.bench import cpsat  # noqa: PLC0415 - a development dependency, asked for here alone
    except ModuleNotFoundError as error:
        raise CommandFault(
            "bench solver compares with OR-tools, a development dependency that is missing: run make setup"
        ) from error
    return cpsat


def _kinds(cpsat: ModuleType) -> tuple[_Kind, _Kind]:
    def opening_value(hand: tuple[int, ...], _: int) -> int:
        found = best_opening_value(hand, keep=0)
        return found.value if found else 0

    def solved_penalty(hand: tuple[int, ...], wild: int) -> tuple[int, float]:
        model = cpsat.penalty_model(hand, wild)
        return model.best(), model.seconds

    def solved_opening(hand: tuple[int, ...], _: int) -> tuple[int, float]:
        model = cpsat.opening_model(hand)
        return model.best(), model.seconds

    stream = Stream(SEED, "bench solver")
    cards = [(_drawn(stream, TWO_DECKS, CARDS), 3 + stream.uniform(11)) for _ in range(HANDS)]
    jokers = tuple(range(NATURALS, NATURALS + JOKERS))
    tiles = [((*_drawn(stream, NATURALS, TILES - JOKERS), *jokers), 0) for _ in range(HANDS)]
    return (
        _Kind(cards, lambda hand, wild: least_penalty(hand, wild).value, solved_penalty),
        _Kind(tiles, opening_value, solved_opening),
    )


def _drawn(stream: Stream, of: int, count: int) -> tuple[int, ...]:
    left = list(range(of))
    return tuple(left.pop(stream.uniform(len(left))) for _ in range(count))


def _timed(kind: _Kind, number: int) -> tuple[int, float]:
    hand, wild = kind.hands[number]
    started = time.perf_counter()
    value = kind.ours(hand, wild)
    return value, time.perf_counter() - started


def _ratio(kind: _Kind, seconds: float) -> float:
    """Return how many times as long CP-SAT takes for some hands as we do in the same moment."""
    ours = theirs = 0.0
    started = time.perf_counter()
    for number in range(COMPARED):
        value, spent = _timed(kind, number)
        hand, wild = kind.hands[number]
        expected, searched = kind.cpsat(hand, wild)
        if value != expected:
            raise CommandFault(f"CP-SAT finds {expected}, the solver {value}, for {hand} and {wild}")
        ours, theirs = ours + spent, theirs + searched
        if time.perf_counter() - started >= seconds:
            break
    return theirs / ours
