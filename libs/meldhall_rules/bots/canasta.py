"""A player of Canasta: sensible, quick, and blind to what his seat cannot see.

He opens as soon as his team can, with as few wilds as will do; takes the pile where its tiles are worth the
threes in it; lays his naturals, saves his wilds for the meld that they make a canasta, and spends them all
when the round is about to end; goes out when his team has a canasta; discards what is least use to anybody.
The choice is a function of the view and of ``salt``, which only breaks ties.
Source: ``deploy/docs/rules/canasta.md``; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence
from typing import Final

from meldhall_rules.canasta_shapes import Shape
from meldhall_rules.canasta_tiles import TWO, hand_value, is_dark_three, is_wild, number, value
from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayMelds,
    LayOff,
    LayOpening,
    PressJokerButton,
    TakeDiscard,
)
from meldhall_rules.games.canasta.hints import tiles_of
from meldhall_rules.games.canasta.moves import button_may_work, takes, use_of
from meldhall_rules.games.canasta.options import ButtonSource, from_canonical
from meldhall_rules.games.canasta.state import TEAMS, shapes, team_of
from meldhall_rules.solve.canasta_cover import Cover, Lay, best_cover, points, task_of
from meldhall_rules.solve.canasta_opening import best_opening, thrifty_opening
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import Phase, View

_TILE: Final = 1000
_BIG_PILE: Final = 12
"""What a tile of the pile is reckoned to bring, melded later."""
_CLOSE: Final = 3
"""An opponent with no more tiles than this may go out soon."""
_ANY_JOKER: Final = SET_SIZE + 1000
"""A joker that is not there, to ask what one from the Joker button would bring."""
_SPENT_WILD: Final = 60
"""What a wild has to bring beyond its own points to be laid."""


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None:
        raise ValueError("a spectator makes no move")
    if view.turn != seat or view.phase is Phase.OVER:
        raise ValueError(f"seat {seat} is not on turn")
    if view.phase is Phase.DRAW:
        return _acquire(view, seat, hand)
    move = None if view.first_turn else _lay(view, seat, hand)
    return move or Discard(seat, _discard(view, seat, hand, salt))


def _acquire(view: View, seat: int, hand: tuple[int, ...]) -> Command:
    """Take the pile if that is good, press the button if it is sure and opens or goes out, else draw."""
    found = _best_take(view, seat, hand)
    if found is not None:
        return found
    # A joker out of the stock may not be there, and a refusal teaches nothing: the extra one is sure.
    sure = from_canonical(dict(view.options)).joker_button_source is ButtonSource.EXTRA
    if sure and button_may_work(view, seat) and _joker_helps(view, seat, hand):
        return PressJokerButton(seat)
    return Draw(seat)


def _best_take(view: View, seat: int, hand: tuple[int, ...]) -> TakeDiscard | None:
    """Return the take that keeps most wilds and lays most naturals, if the pile is worth it."""
    team = team_of(seat)
    if view.opened[team] is None:
        found = thrifty_opening(hand, view.thresholds[team], pile=view.discards) if view.discards else None
        return TakeDiscard(seat, LayOpening(seat, found.melds)) if found else None
    gain = sum(
        -hand_value(tile) if is_dark_three(tile) else _BIG_PILE + value(tile) for tile in view.discards
    )
    if gain < 0 or (_ending(view, seat) and len(view.discards) > len(hand)):
        return None
    return min(takes(view), key=_by_wilds, default=None)


def _by_wilds(take: TakeDiscard) -> tuple[int, int]:
    tiles = tiles_of(take.use) if isinstance(take.use, LayMelds | LayOff) else ()
    return sum(map(is_wild, tiles)), -len(tiles)


def _joker_helps(view: View, seat: int, hand: tuple[int, ...]) -> bool:
    team = team_of(seat)
    if view.opened[team] is None:
        need = view.thresholds[team]
        return best_opening((*hand, _ANY_JOKER), at_least=need) is not None
    return _going_out(view, seat, (*hand, _ANY_JOKER)) is not None


def _lay(view: View, seat: int, hand: tuple[int, ...]) -> Command | None:
    """Lay the next thing; None when it is time to discard."""
    team = team_of(seat)
    if view.opened[team] is None:
        found = thrifty_opening(hand, view.thresholds[team])
        return LayOpening(seat, found.melds) if found else None
    cover = _going_out(view, seat, hand)
    if cover is None:
        rate = points if _ending(view, seat) else _sparing
        cover = best_cover(task_of(hand, shapes(view.melds, team)), rate)
    return use_of(view, seat, cover.lays[0], hand) if cover and cover.lays else None


def _going_out(view: View, seat: int, hand: tuple[int, ...]) -> Cover | None:
    """Return lays after which one tile is left, for the last discard; None if there are none."""
    cover = best_cover(task_of(hand, shapes(view.melds, team_of(seat))), _shedding)
    laid = sum(lay.size for lay in cover.lays) if cover else 0
    return cover if laid == len(hand) - 1 and laid else None


def _shedding(lay: Lay, before: Shape | None) -> int:
    return _TILE * _TILE * lay.size + points(lay, before)


def _sparing(lay: Lay, before: Shape | None) -> int:
    """Rate a lay: naturals gladly, wilds only for a canasta that they complete and do not spoil."""
    wilds = lay.jokers if lay.number == TWO else lay.twos + lay.jokers
    if wilds and before and before.is_canasta:
        return -_TILE
    return points(lay, before) - _SPENT_WILD * wilds


def _ending(view: View, seat: int) -> bool:
    """Tell whether the round may end before the seat's next turn."""
    opponents = [size for at, size in enumerate(view.hand_sizes) if team_of(at) != team_of(seat)]
    their_canasta = any(
        shape.is_canasta for shape in shapes(view.melds, (team_of(seat) + 1) % TEAMS).values()
    )
    return view.stock_size < view.seats or (their_canasta and min(opponents) <= _CLOSE)


def _discard(view: View, seat: int, hand: Sequence[int], salt: int) -> int:
    """Choose the tile to discard: a black or blue three, else what is least use here and to the opponents."""
    team = team_of(seat)
    theirs = shapes(view.melds, (team + 1) % TEAMS)
    ours = shapes(view.melds, team)
    numbers = [number(tile) for tile in hand]

    def order(tile: int) -> tuple[int, int, int, int]:
        if is_dark_three(tile):
            return 0, 0, 0, tile
        if is_wild(tile):
            return 2, 0, value(tile), tile
        shown = number(tile)
        use = 3 * (numbers.count(shown) - 1) + 4 * (shown in theirs) + 2 * (shown in ours)
        return 1, use, value(tile), (tile * 31 + salt) % SET_SIZE if salt else tile

    return min(hand, key=order)
