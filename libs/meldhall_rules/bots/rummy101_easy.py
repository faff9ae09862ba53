"""A beginner at Rummy 101.

He always draws from the stock and never presses the Joker button. He lays nothing in the starter's first
turn, opens later with all that he has, jokers included, and then lays melds of his own, but sees no lay-off
and no joker to swap. Of the tiles that his melds do not use he discards the lowest that has no neighbour.
Source: ``deploy/docs/rules/rummy101.md`` 6-45.
"""

from collections.abc import Sequence

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.commands import Command, Discard, Draw, LayMelds, LayOpening
from meldhall_rules.games.rummy101.moves import allowed_melds
from meldhall_rules.solve.arrange import SHED_ALL, arrange
from meldhall_rules.solve.opening import best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.tiles import SET_SIZE, colour_of, is_joker, number_of
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
    opened = view.opened[seat] is not None
    move: Command | None = None
    if not view.first_turn:
        move = _meld(view, seat, hand) if opened else _open(view, seat, hand)
    return move or Discard(seat, _discard(hand, salt, keep_melds=not opened))


def _open(view: View, seat: int, hand: Sequence[int]) -> LayOpening | None:
    points, pairs = view.need
    by_value = best_opening_value(hand, at_least=points)
    if by_value is not None:
        return LayOpening(seat, by_value.melds)
    by_pairs = best_pairs(hand)
    return LayOpening(seat, by_pairs.melds) if by_pairs and by_pairs.value >= pairs else None


def _meld(view: View, seat: int, hand: Sequence[int]) -> LayMelds | None:
    # With no melds on the table to look at, the arrangement is of new melds alone.
    plan = arrange(seat, hand, (), allowed_melds(view), weights=SHED_ALL)
    return next((move for move in plan.moves if isinstance(move, LayMelds)), None)


def _discard(hand: Sequence[int], salt: int, *, keep_melds: bool) -> int:
    """Choose a tile to discard; before the opening none that the best melds of the hand use."""
    best = best_opening_value(hand) if keep_melds else None
    used = {placed.tile for spec in best.melds for placed in spec.tiles} if best else set()
    naturals = [tile for tile in hand if not is_joker(tile)]

    def worth(tile: int) -> tuple[bool, bool, int, int]:
        near = any(_near(tile, other) for other in naturals if other != tile)
        return tile in used, near, number_of(tile // 2), (tile * 31 + salt) % SET_SIZE

    return min(naturals or hand, key=worth)


def _near(one: int, other: int) -> bool:
    """Tell whether two tiles are neighbours in a colour, or of one number and two colours."""
    if colour_of(one // 2) == colour_of(other // 2):
        return abs(number_of(one // 2) - number_of(other // 2)) == 1
    return number_of(one // 2) == number_of(other // 2)
