"""The best opening of a hand by points. Exact.

Source: ``deploy/docs/rules/rummy101.md`` 12, 20, 23 to 27; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from meldhall_rules.commands import MeldSpec
from meldhall_rules.solve.build import Form, counts_of, fill, forms_of, value_of
from meldhall_rules.solve.cover import FACE_VALUE, Step, Task, Weights, heaviest
from meldhall_rules.tiles import FACES, face_of, is_joker, number_of


@dataclass(frozen=True, slots=True)
class Opening:
    """Melds that could be laid together and what they are worth: points, or the number of pairs."""

    value: int
    melds: tuple[MeldSpec, ...]


def best_opening_value(
    hand: Sequence[int], *, keep: int = 1, must: int | None = None, at_least: int = 0
) -> Opening | None:
    """Find runs and sets of the greatest total value.

    Args:
        hand: tile ids, no two equal.
        keep: how many tiles have to stay in the hand; one is the discard.
        must: a tile of the hand that has to be among those laid, such as the discard that was taken.
        at_least: points below which an answer is of no use; a high bound makes the search short.

    Returns:
        The opening, an empty one if there is no meld, or None if ``must`` or ``at_least`` cannot be met.
    """
    forms = lay_heaviest(hand, FACE_VALUE, keep=keep, must=must, at_least=at_least)
    if forms is None:
        return None
    return Opening(value_of(forms), fill(forms, hand, must))


def lay_heaviest(
    hand: Sequence[int], weights: Weights, *, keep: int, must: int | None, at_least: int = 0
) -> tuple[Form, ...] | None:
    """Find the forms of the heaviest runs and sets that leave ``keep`` tiles; see ``best_opening_value``."""
    counts, jokers = counts_of(hand)
    natural = None if must is None or is_joker(must) else face_of(must)
    task = Task(counts, jokers, weights, natural, must is not None and natural is None, at_least)
    found = _leaving(task, keep)
    return None if found is None else forms_of(found[1])


def _leaving(task: Task, keep: int) -> tuple[int, tuple[Step, ...]] | None:
    """Solve a task with ``keep`` tiles left over.

    The heaviest cover nearly always leaves a tile. Where it does not, a tile is withheld: each in turn,
    lightest first, and each time only a cover heavier than those found before is looked for.
    """
    found = heaviest(task)
    if found is None or keep <= 0:
        return found
    size = sum(task.counts) + task.jokers
    laid = sum(len(slots) for _, slots in forms_of(found[1]))
    if size - laid >= keep:
        return found
    best: tuple[int, tuple[Step, ...]] | None = None
    for withheld in _withheld(task):
        attempt = _leaving(
            replace(withheld, at_least=max(task.at_least, best[0] + 1 if best else 0)), keep - 1
        )
        if attempt is not None:
            best = attempt
    return best


def _withheld(task: Task) -> list[Task]:
    """Return the tasks that remain with one tile out of reach: a joker, or a natural, lightest first."""
    tasks = []
    if task.jokers > int(task.must_joker):
        tasks.append(replace(task, jokers=task.jokers - 1))
    for shown in sorted(range(FACES), key=lambda shown: (task.weights.natural[number_of(shown)], shown)):
        if task.counts[shown] > int(task.must_face == shown):
            counts = list(task.counts)
            counts[shown] -= 1
            tasks.append(replace(task, counts=tuple(counts)))
    return tasks
