"""The best way to lay tiles of a Canasta hand onto the table of its team. Exact.

Colours do not matter, so a hand is a count of naturals by number, of twos and of jokers, and what goes to
one meld is a ``Lay``. The melds are gone through number by number; of all ways so far only the best is kept
for each number of twos and jokers spent, of tiles kept back (two or more are the same), and whether there is
a canasta. That is at most some two hundred states, whatever the hand.
Source: ``deploy/docs/rules/canasta.md`` 7-12, 18, 21; ``deploy/docs/solvers.md``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from meldhall_rules.canasta_shapes import MOST_WILDS, Shape, fault_of
from meldhall_rules.canasta_tiles import JOKER, NATURALS, TWO, VALUES, number
from meldhall_rules.commands import MeldKind, MeldSpec, Placed

SAFE: Final = 2
"""Tiles that a hand has to keep while its team has no canasta; more are no better."""
LEAST_WITH_TOP: Final = 3
"""Naturals that lie with the top of the pile, itself among them."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Tiles of a hand for one meld, a new one or one on the table; in the twos meld the twos are naturals."""

    number: int
    naturals: int
    twos: int
    jokers: int

    @property
    def size(self) -> int:
        """Return the number of tiles."""
        return self.naturals + self.twos + self.jokers

    @property
    def value(self) -> int:
        """Return the points of the tiles."""
        spent = self.naturals * VALUES[self.number] + self.twos * VALUES[TWO]
        return spent + self.jokers * VALUES[JOKER]

    def onto(self, before: Shape | None) -> Shape:
        """Return the meld that it makes out of one on the table, or by itself."""
        if before is None:
            return Shape(self.number, self.naturals, self.twos, self.jokers)
        return replace(
            before,
            naturals=before.naturals + self.naturals,
            twos=before.twos + self.twos,
            jokers=before.jokers + self.jokers,
        )


Worth = Callable[[Lay, Shape | None], int]
"""Rates a lay by the meld on the table that it goes to, None for a new one."""


def points(lay: Lay, before: Shape | None) -> int:
    """Rate a lay by what the team gains: its tiles and the change of the canasta bonus."""
    return lay.value + lay.onto(before).bonus - (before.bonus if before else 0)


@dataclass(frozen=True, slots=True)
class Task:
    """A hand and a table.

    Attributes:
        naturals: how many tiles of each ordinary number the hand has.
        twos: its twos.
        jokers: its jokers.
        spare: its tiles that fit nowhere, and tiles that come to it behind the lay.
        table: the melds of the team by number.
        top: the number of the top of the pile, counted among the naturals, which has to be laid with two
            more of the hand; None without a take.
    """

    naturals: Mapping[int, int]
    twos: int
    jokers: int
    spare: int
    table: Mapping[int, Shape]
    top: int | None = None

    @property
    def has_canasta(self) -> bool:
        """Tell whether the team has a canasta already."""
        return any(shape.is_canasta for shape in self.table.values())


@dataclass(frozen=True, slots=True)
class Cover:
    """Lays that can be made together, what they are worth, and how many tiles stay in the hand."""

    worth: int
    lays: tuple[Lay, ...]


def task_of(hand: Sequence[int], table: Mapping[int, Shape], top: int | None = None, below: int = 0) -> Task:
    """Count a hand.

    Args:
        hand: tile ids, no two equal.
        table: the melds of the team by number.
        top: the tile on top of the pile, if the pile is to be taken; not in the hand.
        below: tiles of the pile below it.
    """
    numbers = [number(tile) for tile in (*hand, *(() if top is None else (top,)))]
    naturals = {one: numbers.count(one) for one in NATURALS}
    twos, jokers = numbers.count(TWO), numbers.count(JOKER)
    spare = len(numbers) - sum(naturals.values()) - twos - jokers + below
    return Task(naturals, twos, jokers, spare, table, None if top is None else number(top))


def lays(task: Task, wanted: int) -> Iterator[Lay]:
    """Yield every lay of a number that the rules allow for its meld, by the wilds of the whole hand."""
    before = task.table.get(wanted)
    least = LEAST_WITH_TOP if wanted == task.top else 0
    if wanted == TWO:
        found = (
            Lay(TWO, twos, 0, jokers) for twos in range(task.twos + 1) for jokers in range(task.jokers + 1)
        )
    else:
        found = (
            Lay(wanted, naturals, twos, jokers)
            for naturals in range(least, task.naturals[wanted] + 1)
            for twos in range(min(task.twos, MOST_WILDS) + 1)
            for jokers in range(min(task.jokers, MOST_WILDS) + 1)
        )
    for lay in found:
        if lay.size and fault_of(lay.onto(before)) is None:
            yield lay


_State = tuple[int, int, int, bool]
"""Twos and jokers spent, other tiles kept (at most ``SAFE``), whether there is a canasta."""


def best_cover(task: Task, worth: Worth, at_least: int = 0) -> Cover | None:
    """Find the lays of the greatest worth that leave a discard (rule 21).

    Returns:
        The lays, none if nothing can be laid; None if the top of the pile cannot be laid or ``at_least`` not
        be reached.
    """
    states: dict[_State, Cover] = {(0, 0, min(task.spare, SAFE), task.has_canasta): Cover(0, ())}
    for wanted in (*NATURALS, TWO):
        states = _with(task, wanted, states, worth)
    best: Cover | None = None
    for state, cover in states.items():
        if (
            _leaves_a_discard(task, state)
            and cover.worth >= at_least
            and (best is None or cover.worth > best.worth)
        ):
            best = cover
    return best


def _with(task: Task, wanted: int, states: Mapping[_State, Cover], worth: Worth) -> dict[_State, Cover]:
    """Go on from every state with every lay of a number, or with none where the top does not need one."""
    after: dict[_State, Cover] = {}
    before = task.table.get(wanted)
    held = 0 if wanted == TWO else task.naturals[wanted]
    options = [(lay, worth(lay, before), lay.onto(before).is_canasta) for lay in lays(task, wanted)]
    for (twos, jokers, kept, canasta), cover in states.items():
        if wanted != task.top:
            _keep(after, (twos, jokers, min(kept + held, SAFE), canasta), cover)
        for lay, gain, made in options:
            spent = lay.naturals if wanted == TWO else lay.twos
            if twos + spent > task.twos or jokers + lay.jokers > task.jokers:
                continue
            left = min(kept + (0 if wanted == TWO else held - lay.naturals), SAFE)
            state = (twos + spent, jokers + lay.jokers, left, canasta or made)
            _keep(after, state, Cover(cover.worth + gain, (*cover.lays, lay)))
    return after


def _keep(states: dict[_State, Cover], state: _State, cover: Cover) -> None:
    known = states.get(state)
    if known is None or cover.worth > known.worth:
        states[state] = cover


def _leaves_a_discard(task: Task, state: _State) -> bool:
    twos, jokers, kept, canasta = state
    left = kept + task.twos - twos + task.jokers - jokers
    return left >= (1 if canasta else SAFE)


def tiles_for(lay: Lay, hand: Iterable[int], top: int | None = None) -> tuple[int, ...]:
    """Choose tiles of a hand for a lay, the lowest ids; the top of the pile first where it belongs."""
    by_number: dict[int, list[int]] = {}
    for tile in sorted(hand, reverse=True):
        by_number.setdefault(number(tile), []).append(tile)
    if top is not None and number(top) == lay.number:
        by_number.setdefault(lay.number, []).append(top)
    wanted = (*[lay.number] * lay.naturals, *[TWO] * lay.twos, *[JOKER] * lay.jokers)
    return tuple(by_number[one].pop() for one in wanted)


def specs_for(chosen: Iterable[Lay], hand: Iterable[int], top: int | None = None) -> tuple[MeldSpec, ...]:
    """Write lays as new melds of tiles of a hand, each tile once."""
    left = list(hand)
    specs = []
    for lay in chosen:
        tiles = tiles_for(lay, left, top)
        left = [tile for tile in left if tile not in tiles]
        specs.append(MeldSpec(MeldKind.SET, tuple(map(Placed, tiles))))
    return tuple(specs)
