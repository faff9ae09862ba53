"""What a player of Canasta could be told about his own hand.

A hint knows what the seat's view shows and nothing more. Source: ``deploy/docs/rules/canasta.md`` 8 to 26.
"""

from dataclasses import dataclass

from meldhall_rules.commands import LayMelds, LayOff, LayOpening, MeldSpec, TakeDiscard
from meldhall_rules.games.canasta.moves import takes, use_of
from meldhall_rules.games.canasta.state import shapes, team_of
from meldhall_rules.hints import Hints as CommonHints
from meldhall_rules.hints import OpeningHint
from meldhall_rules.solve.canasta_cover import best_cover, points, task_of
from meldhall_rules.solve.canasta_opening import best_opening
from meldhall_rules.view import Phase, View


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one hand.

    ``need`` is what an opening of the team has to be worth, 0 once it has opened; ``best_value`` the most
    that new melds of the hand could be worth by the value of their tiles, with a discard left, and
    ``opening`` these melds, whether they reach the need or not. ``can_open`` tells whether they do. ``takes``
    are the ways to take the pile as it lies. ``plan`` is what brings the team most after its opening, canasta
    bonuses included, in this order; ``loose`` the tiles that no plan or opening uses, ``goes_out`` whether
    the one tile that is left then would be the last discard.
    """

    need: int
    can_open: bool
    best_value: int
    opening: tuple[MeldSpec, ...]
    takes: tuple[TakeDiscard, ...]
    plan: tuple[LayMelds | LayOff, ...]
    loose: tuple[int, ...]
    goes_out: bool


def hints(view: View) -> Hints | None:
    """Return the hints of a seat; None for a spectator and when the round is over."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.phase is Phase.OVER:
        return None
    opened = view.opened[team_of(seat)] is not None
    need = 0 if opened else view.thresholds[team_of(seat)]
    best = best_opening(hand)
    opening = best.melds if best and not opened else ()
    plan = plan_of(view, seat, hand) if opened else ()
    used = {placed.tile for spec in opening for placed in spec.tiles} | {
        tile for move in plan for tile in tiles_of(move)
    }
    loose = tuple(tile for tile in hand if tile not in used)
    return Hints(
        need=need,
        can_open=not opened and best is not None and bool(best.melds) and best.value >= need,
        best_value=best.value if best and not opened else 0,
        opening=opening,
        takes=takes(view) if view.phase is Phase.DRAW and view.turn == seat else (),
        plan=plan,
        loose=loose,
        goes_out=opened and len(loose) == 1,
    )


def common_hints(view: View) -> CommonHints | None:
    """Return the hints of a seat in the form that all games share; None where ``hints`` is."""
    found, seat = hints(view), view.viewer
    if found is None or not isinstance(seat, int):
        return None
    ways = (LayOpening(seat, found.opening),) if found.can_open else ()
    opening = OpeningHint(found.need, 0, found.best_value, 0, ways)
    return CommonHints(
        loose=found.loose,
        melds=found.opening,
        plan=found.plan,
        takes=found.takes,
        opening=opening if view.opened[team_of(seat)] is None else None,
        goes_out=found.goes_out,
    )


def plan_of(view: View, seat: int, hand: tuple[int, ...]) -> tuple[LayMelds | LayOff, ...]:
    """Return the moves of a team that has opened that bring it most points."""
    cover = best_cover(task_of(hand, shapes(view.melds, team_of(seat))), points)
    moves: list[LayMelds | LayOff] = []
    left = hand
    for lay in cover.lays if cover else ():
        move = use_of(view, seat, lay, left)
        laid = tiles_of(move)
        left = tuple(tile for tile in left if tile not in laid)
        moves.append(move)
    return tuple(moves)


def tiles_of(move: LayMelds | LayOff) -> tuple[int, ...]:
    """Return the tiles that a move lays."""
    if isinstance(move, LayOff):
        return tuple(placed.tile for placed in move.tiles)
    return tuple(placed.tile for spec in move.melds for placed in spec.tiles)
