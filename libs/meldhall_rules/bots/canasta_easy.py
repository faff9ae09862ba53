"""A beginner at Canasta.

He always draws from the stock, opens with the dearest melds that he has, lays naturals and at once any wild
that fits, and discards the cheapest tile of which he has no second. He goes out when it happens.
Source: ``deploy/docs/rules/canasta.md`` 7-26.
"""

from collections.abc import Sequence

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.canasta_shapes import Shape
from meldhall_rules.canasta_tiles import is_wild, number, value
from meldhall_rules.commands import Command, Discard, Draw, LayOpening
from meldhall_rules.games.canasta.moves import use_of
from meldhall_rules.games.canasta.state import shapes, team_of
from meldhall_rules.solve.canasta_cover import Lay, best_cover, task_of
from meldhall_rules.solve.canasta_opening import best_opening
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import Phase, View


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    seat, hand = on_turn(view)
    if view.phase is Phase.DRAW:
        return Draw(seat)
    move = None if view.first_turn else _lay(view, seat, hand)
    return move or Discard(seat, _discard(hand, salt))


def _lay(view: View, seat: int, hand: tuple[int, ...]) -> Command | None:
    team = team_of(seat)
    if view.opened[team] is None:
        opening = best_opening(hand, at_least=view.thresholds[team])
        return LayOpening(seat, opening.melds) if opening else None
    cover = best_cover(task_of(hand, shapes(view.melds, team)), _tiles)
    return use_of(view, seat, cover.lays[0], hand) if cover and cover.lays else None


def _tiles(lay: Lay, _: Shape | None) -> int:
    return lay.size


def _discard(hand: Sequence[int], salt: int) -> int:
    numbers = [number(tile) for tile in hand]

    def worth(tile: int) -> tuple[bool, bool, int, int]:
        single = numbers.count(number(tile)) == 1
        return is_wild(tile), not single, value(tile), (tile * 31 + salt) % SET_SIZE

    return min(hand, key=worth)
