"""The questions of the solvers as integer programs for CP-SAT, to be compared with in value and in time.

Written from the rules and from nothing of the solvers. A sort of meld (the red run 4 to 7, the sets of nines)
is a variable that counts how often it is laid, with one variable for the natural pieces in each of its
places. That naturals and melds are only counted loses nothing: with at most as many naturals in a place as
there are melds of the sort, and as many in all as melds, they can be dealt so that each meld has one.
Needs OR-tools, which is there for development only.
Source: ``deploy/docs/rules/rummy101.md`` 17-20, 23-25; ``deploy/docs/rules/three_thirteen.md`` 7-11, 14.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from ortools.sat.python.cp_model import OPTIMAL, CpModel, CpSolver, IntVar, LinearExpr

HIGHEST: Final = 13
FIRST_JOKER: Final = 104

Place = tuple[int, int]
"""A colour or suit, and a number or rank."""


class Model:
    """A program whose best value is asked for."""

    def __init__(self) -> None:
        self.cp = CpModel()
        self.seconds = 0.0

    def count(self, most: int) -> IntVar:
        """Return a new variable from 0 to ``most``."""
        return self.cp.new_int_var(0, max(most, 0), "")

    def best(self) -> int:
        """Solve it to the end, on one core, and keep how long that took.

        Raises:
            ValueError: nothing fulfils it.
        """
        solver = CpSolver()
        solver.parameters.num_workers = 1
        if solver.solve(self.cp) != OPTIMAL:
            raise ValueError("the program has no best answer")
        self.seconds = solver.wall_time
        return round(solver.objective_value)


def opening_model(hand: Sequence[int], keep: int = 0) -> Model:
    """Ask for the most points of runs and sets in a hand of tiles, ``keep`` of which have to stay."""
    held = Counter((tile // 26, tile // 2 % HIGHEST + 1) for tile in hand if tile < FIRST_JOKER)
    jokers = sum(tile >= FIRST_JOKER for tile in hand)
    model = Model()
    used: dict[Place, list[IntVar]] = {place: [] for place in held}
    spent: list[LinearExpr] = []
    points: list[LinearExpr] = []
    for shape in (*_runs(), *_tile_sets()):
        if sum(place not in held for place in shape) > min(jokers, len(shape) - 1):
            continue
        laid = model.count(len(hand) // len(shape))
        naturals = _naturals(model, shape, laid, held, used)
        spent.append(laid * len(shape) - sum(naturals))
        points.append(laid * sum(number for _, number in shape))
    for place, count in held.items():
        model.cp.add(sum(used[place]) <= count)
    model.cp.add(sum(spent) <= jokers)
    laid_tiles = sum(sum(found) for found in used.values()) + sum(spent)
    model.cp.add(laid_tiles <= max(len(hand) - keep, 0))
    model.cp.maximize(sum(points))
    return model


def pairs_model(hand: Sequence[int], keep: int = 0) -> Model:
    """Ask for the most pairs in a hand of tiles, ``keep`` of which have to stay."""
    held = Counter(tile // 2 for tile in hand if tile < FIRST_JOKER)
    jokers = sum(tile >= FIRST_JOKER for tile in hand)
    model = Model()
    twins = {shown: model.count(1) for shown in held}
    with_joker = {shown: model.count(count) for shown, count in held.items()}
    for shown, count in held.items():
        model.cp.add(2 * twins[shown] + with_joker[shown] <= count)
    model.cp.add(sum(with_joker.values()) <= jokers)
    pairs = sum(twins.values()) + sum(with_joker.values())
    model.cp.add(2 * pairs <= max(len(hand) - keep, 0))
    model.cp.maximize(pairs)
    return model


def penalty_model(hand: Sequence[int], wild: int, *, all_wild: bool = False) -> Model:
    """Ask for the least cost of a hand of cards where a rank is wild."""
    held = Counter((card % 52 // HIGHEST, card % HIGHEST + 1) for card in hand)
    wilds = sum(count for (_, rank), count in held.items() if rank == wild)
    held = Counter({place: count for place, count in held.items() if place[1] != wild})
    model = Model()
    used: dict[Place, list[IntVar]] = {place: [] for place in held}
    spent: list[LinearExpr] = []
    for shape in _runs():
        if sum(place not in held for place in shape) <= min(wilds, len(shape) - 1):
            laid = model.count(len(hand) // len(shape))
            naturals = _naturals(model, shape, laid, held, used)
            spent.append(laid * len(shape) - sum(naturals))
    spent.extend(_card_set(model, rank, held, used, wilds) for rank in {rank for _, rank in held})
    if all_wild:
        laid, alone = model.count(1), model.count(wilds)
        model.cp.add(alone >= 3 * laid)
        model.cp.add(alone <= wilds * laid)
        spent.append(alone + 0)
    for place, count in held.items():
        model.cp.add(sum(used[place]) <= count)
    model.cp.add(sum(spent) <= wilds)
    left = [(count - sum(used[place])) * min(place[1], 10) for place, count in held.items()]
    model.cp.minimize(sum(left) + (wilds - sum(spent)) * min(wild, 10))
    return model


def _naturals(
    model: Model,
    shape: Iterable[Place],
    laid: IntVar,
    held: Counter[Place],
    used: dict[Place, list[IntVar]],
) -> list[IntVar]:
    """Say which places of a sort of meld natural pieces fill: in each meld one at least."""
    naturals = []
    for place in shape:
        if place in held:
            natural = model.count(held[place])
            model.cp.add(natural <= laid)
            used[place].append(natural)
            naturals.append(natural)
    model.cp.add(sum(naturals) >= laid)
    return naturals


def _card_set(
    model: Model, rank: int, held: Counter[Place], used: dict[Place, list[IntVar]], wilds: int
) -> LinearExpr:
    """Say what a set of a rank has; there is no limit to it, so one is enough. Returns its wilds."""
    laid, joined = model.count(1), model.count(wilds)
    naturals = []
    for suit in range(4):
        if (suit, rank) in held:
            natural = model.count(held[suit, rank])
            model.cp.add(natural <= held[suit, rank] * laid)
            used[suit, rank].append(natural)
            naturals.append(natural)
    model.cp.add(joined <= wilds * laid)
    model.cp.add(sum(naturals) >= laid)
    model.cp.add(sum(naturals) + joined >= 3 * laid)
    return joined + 0


def _runs() -> Iterator[tuple[Place, ...]]:
    for colour in range(4):
        for low in range(1, HIGHEST - 1):
            for high in range(low + 2, HIGHEST + 1):
                yield tuple((colour, number) for number in range(low, high + 1))


def _tile_sets() -> Iterator[tuple[Place, ...]]:
    for number in range(1, HIGHEST + 1):
        for size in (3, 4):
            for colours in combinations(range(4), size):
                yield tuple((colour, number) for colour in colours)
