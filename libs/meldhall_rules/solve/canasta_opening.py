"""The best opening of a Canasta hand, from the hand alone or with the pile. Exact.

Source: ``deploy/docs/rules/canasta.md`` 15-21; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence
from dataclasses import replace

from meldhall_rules.canasta_tiles import is_three, is_wild
from meldhall_rules.solve.canasta_cover import Lay, best_cover, specs_for, task_of
from meldhall_rules.solve.opening import Opening


def best_opening(hand: Sequence[int], *, at_least: int = 0, pile: Sequence[int] = ()) -> Opening | None:
    """Find new melds of the greatest total value that leave a discard.

    Args:
        hand: tile ids, no two equal.
        at_least: points below which an answer is of no use.
        pile: the discard pile, top last, if the opening is to take it; then its top lies with two naturals
            of the hand, and the rest of it comes to the hand afterwards.

    Returns:
        The opening, an empty one if there is no meld, or None if the pile cannot be taken or ``at_least`` not
        be reached.
    """
    top = pile[-1] if pile else None
    if top is not None and (is_wild(top) or is_three(top)):
        return None
    found = best_cover(task_of(hand, {}, top, max(len(pile) - 1, 0)), _value, at_least)
    return None if found is None else Opening(found.worth, specs_for(found.lays, hand, top))


def thrifty_opening(hand: Sequence[int], at_least: int, *, pile: Sequence[int] = ()) -> Opening | None:
    """Find an opening that reaches a value with as few wilds as will do; jokers are spared before twos.

    The arguments are those of ``best_opening``, as is the answer.
    """
    top = pile[-1] if pile else None
    if top is not None and (is_wild(top) or is_three(top)):
        return None
    task = task_of(hand, {}, top, max(len(pile) - 1, 0))
    offers = sorted(
        (2 * jokers + twos, jokers, twos)
        for jokers in range(task.jokers + 1)
        for twos in range(task.twos + 1)
    )
    for _, jokers, twos in offers:
        withheld = task.jokers - jokers + task.twos - twos
        offer = replace(task, jokers=jokers, twos=twos, spare=task.spare + withheld)
        found = best_cover(offer, _value, at_least)
        if found is not None:
            return Opening(found.worth, specs_for(found.lays, hand, top))
    return None


def _value(lay: Lay, _: object) -> int:
    return lay.value
