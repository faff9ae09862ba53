"""Seeing a way to go out in this turn.

Of the ways to go out the one with a joker as the last discard is looked for first: it doubles the gain.
Source: ``deploy/docs/rules/rummy101.md`` 37, 41, 42.
"""

from collections.abc import Sequence

from meldhall_rules.commands import Discard, LayMelds, LayOff, SwapJoker
from meldhall_rules.events import MeldLaid
from meldhall_rules.games.rummy101.moves import allowed_melds
from meldhall_rules.melds import MeldLike, joker_place, swapped
from meldhall_rules.solve.arrange import Arrangement, arrange
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import View

Step = LayMelds | LayOff | SwapJoker | Discard


def going_out(view: View, seat: int, hand: Sequence[int], swaps: Sequence[SwapJoker]) -> Step | None:
    """Return the first step of a way to go out with a hand after the opening, None if none is seen."""
    jokers = [tile for tile in hand if is_joker(tile)]
    if jokers:
        rest = without(hand, jokers[-1])
        plan = arrange(seat, rest, view.melds, allowed_melds(view), keep=0)
        if not plan.left:
            return plan.moves[0] if plan.moves else Discard(seat, jokers[-1])
    for swap in swaps:
        if not _after_swap(view, seat, hand, swap).left:
            return swap
    plan = arrange(seat, hand, view.melds, allowed_melds(view))
    if len(plan.left) == 1:
        return plan.moves[0] if plan.moves else Discard(seat, plan.left[0])
    return None


def without(hand: Sequence[int], *tiles: int) -> tuple[int, ...]:
    """Return a hand less some of its tiles."""
    return tuple(tile for tile in hand if tile not in tiles)


def _after_swap(view: View, seat: int, hand: Sequence[int], swap: SwapJoker) -> Arrangement:
    """Arrange the rest of the hand after a swap, with the joker set aside for the last discard."""
    table: list[MeldLike] = list(view.melds)
    meld = view.melds[swap.meld]
    place = joker_place(meld, swap.tile, open_sets=True)
    if place is None:
        raise ValueError(f"meld {swap.meld} has no joker for tile {swap.tile}")
    table[swap.meld] = MeldLaid(meld.kind, swapped(meld, place, swap.tile))
    return arrange(seat, without(hand, swap.tile), table, allowed_melds(view), keep=0)
