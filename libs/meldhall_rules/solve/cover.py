"""The heaviest set of disjoint runs and sets in a hand: exact, by a sweep over the numbers 1 to 13.

The sweep goes number by number and, inside a number, colour by colour. A state says what the tiles laid so
far oblige later numbers to: the open runs of each colour, by length capped at three, and the jokers left.
States that agree are merged and the heavier one stays. Nothing later depends on more than that, so the sweep
loses nothing.

Jokers would make the states many. Three exchanges, none of which makes a cover lighter, keep them few:

* A run that begins with a joker and does not end at 13 may pass that joker to its upper end. So a run begins
  with a natural tile, or it begins with jokers and is bound to reach 13 (a *bound* run).
* A natural tile left over beside a joker that stands for it may take the joker's place; one left over beside
  a run that it would lengthen may lengthen it.
* A run that ends where another of its colour begins with a natural tile may be joined to it.

Any number of runs of one colour may lie over a number: with jokers a third one can pay. Sets of a number are
counted, not formed: naturals, at most ``k`` of a colour and ``k`` or more together, make ``k`` sets with
jokers exactly if there are ``3k`` to ``4k`` tiles, since dealing the colours round the sets one after the
other keeps the sizes level.
Source: ``deploy/docs/solvers.md``; ``deploy/docs/rules/rummy101.md`` 17, 18, 20 and 23.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from meldhall_rules.tiles import HIGHEST_NUMBER, face

_BITS: Final = 3
_WIDTH: Final = 5 * _BITS
_MASK: Final = (1 << _WIDTH) - 1
_JOKER_SHIFT: Final = 4 * _WIDTH
_SIDE_SHIFT: Final = _JOKER_SHIFT + 4
"""Where a state counts the colours that put one, and two, naturals aside for sets of a number."""
_WITHOUT_SIDE: Final = (1 << _SIDE_SHIFT) - 1
_SIDE: Final = (0, 1, 1 << _BITS)
_REMEMBERED: Final = 1 << 16
SETS: Final = 4
"""The colour of a step that is not about a colour but about the sets of a number."""


class Cell(NamedTuple):
    """What happens to one colour at one number.

    ``after`` are the open runs then; ``longer`` tells how many runs of three or more go on, ``naturals`` and
    ``jokers`` what continues runs, ``starts`` how many runs begin, ``bound`` the leading jokers of each bound
    run that begins, and ``aside`` how many naturals go to sets.
    """

    after: int
    longer: int
    naturals: int
    jokers: int
    starts: int
    bound: tuple[int, ...]
    aside: int


class Step(NamedTuple):
    """A cell of the sweep, or if ``colour`` is ``SETS`` how many sets of a number, with how many jokers."""

    number: int
    colour: int
    cell: Cell | None
    sets: int
    jokers: int


Path = tuple["Path", Step] | None
_Table = dict[int, tuple[int, Path]]


@dataclass(frozen=True, slots=True)
class Weights:
    """What a natural tile and a joker weigh by the number that they show; index 0 is not used.

    Joker weights must not fall with the number.
    """

    natural: tuple[int, ...]
    joker: tuple[int, ...]

    def naturals_first(self) -> bool:
        """Tell whether a natural tile never weighs less than a joker in its place."""
        return all(n >= j for n, j in zip(self.natural, self.joker, strict=True))


FACE_VALUE: Final = Weights(tuple(range(HIGHEST_NUMBER + 1)), tuple(range(HIGHEST_NUMBER + 1)))
"""The points of rule 23: a joker in a meld counts as the tile that it stands for."""


@dataclass(frozen=True, slots=True)
class Task:
    """A hand to cover.

    ``counts`` are the naturals by face, ``must_face`` and ``must_joker`` ask for a cover with that tile in
    it, and covers lighter than ``at_least`` are not looked for.
    """

    counts: tuple[int, ...]
    jokers: int
    weights: Weights = FACE_VALUE
    must_face: int | None = None
    must_joker: bool = False
    at_least: int = 0


def pack(lengths: Sequence[int]) -> int:
    """Pack the number of open runs of length 1, 2, 3 and more, and of bound runs of length 2, 3 and more."""
    packed = 0
    for place, count in enumerate(lengths):
        packed |= count << (place * _BITS)
    return packed


def unpack(state: int) -> tuple[int, int, int, int, int]:
    """Undo ``pack``."""
    return state & 7, state >> 3 & 7, state >> 6 & 7, state >> 9 & 7, state >> 12 & 7


def heaviest(task: Task) -> tuple[int, tuple[Step, ...]] | None:
    """Find a heaviest cover: its weight and the steps that make it, or None if nothing fulfils the task.

    The empty cover weighs 0. Equal covers are told apart by the order of the sweep, so the same hand always
    has the same answer.
    """
    return _Sweep(task).run()


class _Sweep:
    """One sweep over a hand."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._thrifty = not task.must_joker and task.weights.naturals_first()
        self._needs: dict[int, int] = {}
        self._colours = [0] + [
            sum(1 for colour in range(4) if task.counts[face(colour, number)])
            for number in range(1, HIGHEST_NUMBER + 1)
        ]
        self._rest = self._suffix_weights()
        self._joker_best = max(0, task.weights.joker[HIGHEST_NUMBER])

    def _suffix_weights(self) -> list[int]:
        rest = [0] * (HIGHEST_NUMBER + 2)
        for number in range(HIGHEST_NUMBER, 0, -1):
            tiles = sum(self._task.counts[face(colour, number)] for colour in range(4))
            rest[number] = rest[number + 1] + tiles * self._task.weights.natural[number]
        return rest

    def run(self) -> tuple[int, tuple[Step, ...]] | None:
        table: _Table = {self._task.jokers << _JOKER_SHIFT: (0, None)}
        for number in range(1, HIGHEST_NUMBER + 1):
            for colour in range(4):
                table = self._sweep_colour(table, number, colour)
            table = self._sweep_sets(table, number)
        found: tuple[int, Path] | None = None
        for state, entry in table.items():
            unused_jokers = state >> _JOKER_SHIFT
            if self._task.must_joker and unused_jokers == self._task.jokers:
                continue
            if entry[0] >= self._task.at_least and (found is None or entry[0] > found[0]):
                found = entry
        return None if found is None else (found[0], _unwind(found[1]))

    def _sweep_colour(self, table: _Table, number: int, colour: int) -> _Table:
        shown = face(colour, number)
        copies = self._task.counts[shown]
        must = self._task.must_face == shown
        shift = colour * _WIDTH
        if not copies and not any(state >> shift & _MASK for state in table):
            return table
        known: dict[tuple[int, int], list[tuple[int, int, Step]]] = {}
        swept: _Table = {}
        for state, (weight, path) in table.items():
            runs = state >> shift & _MASK
            jokers = state >> _JOKER_SHIFT & 15
            moves = known.get((runs, jokers))
            if moves is None:
                moves = self._moves(runs, copies, number, colour, jokers, must=must)
                known[runs, jokers] = moves
            for change, gain, step in moves:
                after = state + change
                total = weight + gain
                old = swept.get(after)
                if old is None or total > old[0]:
                    swept[after] = (total, (path, step))
        return swept

    def _moves(
        self, runs: int, copies: int, number: int, colour: int, jokers: int, *, must: bool
    ) -> list[tuple[int, int, Step]]:
        """List the cells that can follow, each as a change of the state, a gain and a step."""
        weights = self._task.weights
        moves = []
        sets = self._colours[number] + self._task.jokers >= 3
        for cell in _cells(runs, copies, number, jokers, sets=sets, thrifty=self._thrifty):
            laid = cell.naturals + cell.starts + len(cell.bound)
            if must and not laid + cell.aside:
                continue
            spent = cell.jokers + sum(cell.bound)
            if self._need(cell.after, number, colour) > jokers - spent:
                continue
            gain = (laid + cell.aside) * weights.natural[number] + cell.jokers * weights.joker[number]
            for leading in cell.bound:
                gain += sum(weights.joker[number - leading : number])
            change = (cell.after - runs << colour * _WIDTH) - (spent << _JOKER_SHIFT)
            change += _SIDE[cell.aside] << _SIDE_SHIFT
            moves.append((change, gain, Step(number, colour, cell, 0, 0)))
        return moves

    def _need(self, runs: int, number: int, colour: int) -> int:
        """Count the jokers without which the open runs of a colour cannot be finished after a number."""
        if not runs:
            return 0
        key = (runs * 16 + number) * 4 + colour
        need = self._needs.get(key)
        if need is None:
            one, two, _, bound_two, bound_three = unpack(runs)
            bound = bound_two + bound_three
            need = 0
            for at in range(number + 1, HIGHEST_NUMBER + 1):
                wanted = bound + (one + two if at == number + 1 else one if at == number + 2 else 0)
                if not wanted:
                    break
                need += max(0, wanted - self._task.counts[face(colour, at)])
            self._needs[key] = need
        return need

    def _sweep_sets(self, table: _Table, number: int) -> _Table:
        joker_weight = self._task.weights.joker[number]
        lowest = self._task.at_least - self._rest[number + 1]
        swept: _Table = {}
        for state, (weight, path) in table.items():
            left = state & _WITHOUT_SIDE
            jokers = left >> _JOKER_SHIFT
            for spent, sets in _sets(state >> _SIDE_SHIFT, jokers):
                total = weight + spent * joker_weight
                if total + (jokers - spent) * self._joker_best < lowest:
                    continue
                after = left - (spent << _JOKER_SHIFT)
                old = swept.get(after)
                if (old is None or total > old[0]) and self._can_finish(after, number):
                    swept[after] = (total, (path, Step(number, SETS, None, sets, spent)) if sets else path)
        return swept

    def _can_finish(self, state: int, number: int) -> bool:
        jokers = state >> _JOKER_SHIFT
        for colour in range(4):
            jokers -= self._need(state >> colour * _WIDTH & _MASK, number, colour)
        return jokers >= 0


@lru_cache(maxsize=_REMEMBERED)
def _sets(side: int, jokers: int) -> tuple[tuple[int, int], ...]:
    """List (jokers, sets) that use up the naturals put aside at a number."""
    if not side:
        return ((0, 0),)
    ones, twos = side & 7, side >> _BITS
    naturals = ones + 2 * twos
    fewest = 2 if twos else 1
    return tuple(
        (spent, sets)
        for spent in range(jokers + 1)
        for sets in range(fewest, naturals + 1)
        if 3 * sets <= naturals + spent <= 4 * sets
    )


@lru_cache(maxsize=_REMEMBERED)
def _cells(
    runs: int, copies: int, number: int, jokers: int, *, sets: bool, thrifty: bool
) -> tuple[Cell, ...]:
    """List what may happen to a colour with ``copies`` naturals at a number, up to the three exchanges.

    ``thrifty`` allows the exchange of a joker for a natural tile that is left over.
    """
    one, two, three, bound_two, bound_three = unpack(runs)
    cells = []
    for starts, bound in _beginnings(copies, number, jokers):
        free = copies - starts - len(bound)
        for longer in range(three if starts else 0, three + 1):
            going_on = one + two + bound_two + bound_three + longer
            after = _after((starts, one, two + longer, bound_two + bound_three), bound, number)
            for naturals in range(min(free, going_on) + 1):
                spent = going_on - naturals
                if spent + sum(bound) > jokers:
                    continue
                for aside in range(free - naturals + 1 if sets else 1):
                    left_over = free - naturals - aside
                    if left_over and (longer < three or (thrifty and spent)):
                        continue
                    cells.append(Cell(after, longer, naturals, spent, starts, bound, aside))
    return tuple(cells)


def _beginnings(copies: int, number: int, jokers: int) -> list[tuple[int, tuple[int, ...]]]:
    """List how many plain runs may begin at a number, and the leading jokers of those bound for 13."""
    least = 2 if number == HIGHEST_NUMBER else 1
    most = min(jokers, number - 1)
    bounds: list[tuple[int, ...]] = [()]
    for leading in range(least, most + 1):
        bounds.append((leading,))
        bounds.extend((leading, other) for other in range(leading, most + 1) if leading + other <= jokers)
    plain = copies if number <= HIGHEST_NUMBER - 2 else 0
    return [
        (starts, bound)
        for bound in bounds
        if len(bound) <= copies
        for starts in range(min(plain, copies - len(bound)) + 1)
    ]


def _after(open_runs: tuple[int, int, int, int], bound: tuple[int, ...], number: int) -> int:
    """Return the open runs of a colour after a number; 13 closes them all."""
    if number == HIGHEST_NUMBER:
        return 0
    short = sum(1 for leading in bound if leading == 1)
    one, two, three, bound_on = open_runs
    return pack((one, two, three, short, bound_on + len(bound) - short))


def _unwind(path: Path) -> tuple[Step, ...]:
    steps = []
    while path is not None:
        path, step = path
        steps.append(step)
    return tuple(reversed(steps))
