"""From the steps of a cover to melds of tiles with their ids.

Source: ``deploy/docs/solvers.md``.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.solve.cover import Cell, Step
from meldhall_rules.tiles import FACES, HIGHEST_NUMBER, colour_of, face, face_of, is_joker, number_of

Slot = tuple[int, bool]
"""A place in a meld: the face that it shows and whether a joker shows it."""
Form = tuple[MeldKind, tuple[Slot, ...]]
"""A meld without tiles: its kind and places."""


def counts_of(hand: Iterable[int]) -> tuple[tuple[int, ...], int]:
    """Count the naturals of a hand by face, and its jokers."""
    counts = [0] * FACES
    jokers = 0
    for tile in hand:
        if is_joker(tile):
            jokers += 1
        else:
            counts[face_of(tile)] += 1
    return tuple(counts), jokers


class _Colour:
    """The runs of one colour while the numbers go by."""

    def __init__(self, colour: int) -> None:
        self.done: list[list[Slot]] = []
        self._colour = colour
        self._plain: list[list[Slot]] = []
        self._bound: list[list[Slot]] = []

    def advance(self, number: int, cell: Cell) -> None:
        """Let a cell happen: runs of three or more may end, the others go on, and runs begin."""
        long = [run for run in self._plain if len(run) >= 3]
        self.done.extend(long[cell.longer :])
        self._plain = [run for run in self._plain if len(run) < 3] + long[: cell.longer]
        shown = face(self._colour, number)
        for place, run in enumerate(chain(self._plain, self._bound)):
            run.append((shown, place >= cell.naturals))
        self._plain.extend([(shown, False)] for _ in range(cell.starts))
        for leading in cell.bound:
            jokers: list[Slot] = [(shown - back, True) for back in range(leading, 0, -1)]
            self._bound.append([*jokers, (shown, False)])
        if number == HIGHEST_NUMBER:
            self.done.extend(self._plain)
            self.done.extend(self._bound)


def forms_of(steps: Sequence[Step]) -> tuple[Form, ...]:
    """Form the runs and sets that the steps of a cover tell, runs first."""
    colours = tuple(_Colour(colour) for colour in range(4))
    aside: dict[int, list[int]] = {}
    sets: list[Form] = []
    for step in steps:
        if step.cell is None:
            sets.extend(_sets_of(step, aside[step.number]))
        else:
            colours[step.colour].advance(step.number, step.cell)
            aside.setdefault(step.number, []).extend([step.colour] * step.cell.aside)
    runs = chain.from_iterable(colour.done for colour in colours)
    return tuple((MeldKind.RUN, tuple(run)) for run in runs) + tuple(sets)


def _sets_of(step: Step, colours: Sequence[int]) -> list[Form]:
    """Deal the naturals put aside, in order of colour, round the sets, then the jokers to the smallest."""
    dealt: list[list[Slot]] = [[] for _ in range(step.sets)]
    for place, colour in enumerate(colours):
        dealt[place % step.sets].append((face(colour, step.number), False))
    for _ in range(step.jokers):
        smallest = min(dealt, key=len)
        held = {colour_of(shown) for shown, _ in smallest}
        missing = next(colour for colour in range(4) if colour not in held)
        smallest.append((face(missing, step.number), True))
    return [(MeldKind.SET, tuple(sorted(slots))) for slots in dealt]


def value_of(forms: Iterable[Form]) -> int:
    """Add up the points of melds; a joker counts as the tile that it stands for."""
    return sum(number_of(shown) for _, slots in forms for shown, _ in slots)


def fill(forms: Iterable[Form], hand: Iterable[int], must: int | None = None) -> tuple[MeldSpec, ...]:
    """Put tiles of a hand into forms: of twins, and of jokers, the lowest id first, but ``must`` before all.

    Raises:
        IndexError: if the hand has not the tiles for it.
    """
    naturals: dict[int, list[int]] = {}
    jokers: list[int] = []
    for tile in sorted(hand, key=lambda tile: (tile != must, tile)):
        (jokers if is_joker(tile) else naturals.setdefault(face_of(tile), [])).append(tile)
    melds = []
    for kind, slots in forms:
        placed = tuple(
            Placed(jokers.pop(0), shown) if joker else Placed(naturals[shown].pop(0))
            for shown, joker in slots
        )
        melds.append(MeldSpec(kind, placed))
    return tuple(melds)
