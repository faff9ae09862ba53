"""The moves that a seat could make, as far as a list can hold them.

Colours do not matter and twins are the same move, so of equal tiles that with the lowest id is named. The
list is complete for the draw, the discard (one of each face) and the addition of a single tile. Of melds it
has:

* before the opening, the opening of the greatest value, where it reaches the threshold;
* after it, every single new meld, by how many naturals, twos and jokers it has.

The pile is listed in the same way: with the best opening, or with every meld or addition for its top. Several
melds at once and additions of several tiles of the hand are not listed; they can be made one after the other.

The Joker button is listed where the seat cannot know that it will be refused: only the stock tells whether a
joker is left in it. Source: ``deploy/docs/rules/canasta.md`` 6, 17 to 26, 30.
"""

from collections.abc import Iterator
from typing import Final

from meldhall_rules.canasta_shapes import fault_of
from meldhall_rules.canasta_tiles import JOKER, NATURALS, TWO, is_three, is_wild, number
from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayMelds,
    LayOff,
    LayOpening,
    Placed,
    PressJokerButton,
    TakeDiscard,
)
from meldhall_rules.games.canasta.options import ButtonSource, from_canonical
from meldhall_rules.games.canasta.state import meld_number, shapes, team_of
from meldhall_rules.solve.canasta_cover import SAFE, Lay, Task, lays, specs_for, task_of, tiles_for
from meldhall_rules.solve.canasta_opening import best_opening
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import Phase, View

JOKERS_OF_THE_SET: Final = 2
"""Jokers that the stock can hold."""


def legal_moves(view: View) -> tuple[Command, ...]:
    """List the moves of the viewing seat, empty when it is not on turn; the module says which."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.turn != seat or view.phase is Phase.OVER:
        return ()
    if view.phase is Phase.DRAW:
        return (*_acquisitions(view, seat), *takes(view))
    uses = () if view.first_turn else _uses(view, seat, hand)
    return (*uses, *_discards(view, seat, hand))


def takes(view: View) -> tuple[TakeDiscard, ...]:
    """List the ways to take the pile: with the best opening, or with every meld for its top."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or not view.discards or not view.stock_size:
        return ()
    team, top = team_of(seat), view.discards[-1]
    if is_wild(top) or is_three(top):
        return ()
    if view.opened[team] is None:
        opening = best_opening(hand, at_least=view.thresholds[team], pile=view.discards)
        return () if opening is None else (TakeDiscard(seat, LayOpening(seat, opening.melds)),)
    task = task_of(hand, shapes(view.melds, team), top, len(view.discards) - 1)
    size = len(hand) + len(view.discards)
    return tuple(
        TakeDiscard(seat, use_of(view, seat, lay, hand, top))
        for lay in lays(task, number(top))
        if _leaves_a_discard(task, lay, size)
    )


def use_of(
    view: View, seat: int, lay: Lay, hand: tuple[int, ...], top: int | None = None
) -> LayMelds | LayOff:
    """Write a lay as a command: a new meld, or an addition to the team's meld of that number."""
    target = meld_number(view.melds, team_of(seat), lay.number)
    if target is None:
        return LayMelds(seat, specs_for((lay,), hand, top))
    return LayOff(seat, target, tuple(map(Placed, tiles_for(lay, hand, top))))


def button_may_work(view: View, seat: int) -> bool:
    """Tell whether the Joker button may be pressed, as far as the seat can know."""
    if not view.jokers or view.button_used[seat] or not view.stock_size:
        return False
    if from_canonical(dict(view.options)).joker_button_source is ButtonSource.EXTRA:
        return True
    seen = [*(view.hand or ()), *view.discards, *(laid.tile for meld in view.melds for laid in meld.tiles)]
    return sum(map(is_joker, seen)) < JOKERS_OF_THE_SET


def _acquisitions(view: View, seat: int) -> Iterator[Command]:
    if view.stock_size:
        yield Draw(seat)
    if button_may_work(view, seat):
        yield PressJokerButton(seat)


def _uses(view: View, seat: int, hand: tuple[int, ...]) -> Iterator[Command]:
    team = team_of(seat)
    if view.opened[team] is None:
        opening = best_opening(hand, at_least=view.thresholds[team])
        if opening is not None:
            yield LayOpening(seat, opening.melds)
        return
    task = task_of(hand, shapes(view.melds, team))
    for wanted in (*NATURALS, TWO):
        found = _single_additions(task, wanted) if wanted in task.table else lays(task, wanted)
        for lay in found:
            if _leaves_a_discard(task, lay, len(hand)):
                yield use_of(view, seat, lay, hand)


def _single_additions(task: Task, wanted: int) -> Iterator[Lay]:
    """Yield the tiles that can be added alone to the team's meld of a number."""
    natural = task.twos if wanted == TWO else task.naturals[wanted]
    singles = [
        (natural, Lay(wanted, 1, 0, 0)),
        (0 if wanted == TWO else task.twos, Lay(wanted, 0, 1, 0)),
        (task.jokers, Lay(wanted, 0, 0, 1)),
    ]
    for held, lay in singles:
        if held and fault_of(lay.onto(task.table[wanted])) is None:
            yield lay


def _leaves_a_discard(task: Task, lay: Lay, size: int) -> bool:
    made = lay.onto(task.table.get(lay.number)).is_canasta
    return size - lay.size >= (1 if made or task.has_canasta else SAFE)


def _discards(view: View, seat: int, hand: tuple[int, ...]) -> Iterator[Discard]:
    """Yield one tile of each face, and one joker; the last tile only with a canasta."""
    if len(hand) == 1 and not any(shape.is_canasta for shape in shapes(view.melds, team_of(seat)).values()):
        return
    seen = set()
    for tile in sorted(hand):
        shown = None if number(tile) == JOKER else tile // 2
        if shown not in seen:
            seen.add(shown)
            yield Discard(seat, tile)
