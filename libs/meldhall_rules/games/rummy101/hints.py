"""What a player could be told about his own hand.

A hint knows what the seat's view shows and nothing more. Source: ``deploy/docs/rules/rummy101.md`` 24 to 36.
"""

from dataclasses import dataclass

from meldhall_rules.commands import LayMelds, LayOff, MeldSpec, SwapJoker
from meldhall_rules.games.rummy101.moves import allowed_melds, may_lay, openings, swaps, takes
from meldhall_rules.hints import Hints as CommonHints
from meldhall_rules.hints import OpeningHint
from meldhall_rules.solve.arrange import arrange
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.view import Phase, View


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one hand.

    ``best_value`` and ``best_pairs`` are the most points and pairs that could be laid at once with a tile
    left for the discard, ``opening`` the melds of the first, whether they reach the need or not. ``can_open``
    tells whether the hand as it is can open. ``plan`` is what to lay after the opening, in this order,
    ``swaps`` the jokers that could be had, ``loose`` the tiles that no plan or opening uses.
    """

    can_open: bool
    best_value: int
    best_pairs: int
    opening: tuple[MeldSpec, ...]
    plan: tuple[LayMelds | LayOff, ...]
    swaps: tuple[SwapJoker, ...]
    loose: tuple[int, ...]


def hints(view: View) -> Hints | None:
    """Return the hints of a seat; None for a spectator and when the round is over."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.phase is Phase.OVER:
        return None
    value, pairs = best_opening_value(hand), best_pairs(hand)
    melds = value.melds if value else ()
    if view.opened[seat] is None:
        laid = {placed.tile for spec in melds for placed in spec.tiles}
        plan: tuple[LayMelds | LayOff, ...] = ()
        loose = tuple(tile for tile in hand if tile not in laid)
        can_open = may_lay(view) and next(openings(view, hand), None) is not None
    else:
        arrangement = arrange(seat, hand, view.melds, allowed_melds(view))
        plan, loose, can_open = arrangement.moves, arrangement.left, False
    return Hints(
        can_open=can_open,
        best_value=value.value if value else 0,
        best_pairs=pairs.value if pairs else 0,
        opening=melds,
        plan=plan,
        swaps=swaps(view),
        loose=loose,
    )


def common_hints(view: View) -> CommonHints | None:
    """Return the hints of a seat in the form that all games share; None where ``hints`` is."""
    found, seat = hints(view), view.viewer
    if found is None or not isinstance(seat, int) or view.hand is None:
        return None
    opened = view.opened[seat] is not None
    ways = tuple(openings(view, view.hand)) if found.can_open else ()
    return CommonHints(
        loose=found.loose,
        melds=() if opened else found.opening,
        plan=found.plan,
        swaps=found.swaps,
        takes=takes(view) if view.phase is Phase.DRAW and view.turn == seat else (),
        opening=None if opened else OpeningHint(*view.need, found.best_value, found.best_pairs, ways),
        goes_out=opened and len(found.loose) == 1,
    )
