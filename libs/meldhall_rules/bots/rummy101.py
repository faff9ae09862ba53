"""A player of Rummy 101: sensible, quick, and blind to what his seat cannot see.

He opens as soon as he can, with as few jokers as will do; takes the discard where it opens or is laid at
once; lays what he can; keeps a joker while nobody threatens to go out; and goes out at the first chance, with
a joker as the last discard where that works. The choice is a function of the view and of ``salt``, which only
breaks ties. Source: ``deploy/docs/rules/rummy101.md`` 6 to 45; ``deploy/docs/solvers.md``.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from meldhall_rules.bots.finish import going_out, without
from meldhall_rules.bots.worth import after_opening, before_opening
from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayMelds,
    LayOff,
    LayOpening,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.games.rummy101.moves import allowed_melds, may_lay, options_of, swaps, takes
from meldhall_rules.games.rummy101.options import ButtonSource
from meldhall_rules.solve.arrange import SHED_ALL, SPARE_JOKERS, arrange
from meldhall_rules.solve.build import fill, value_of
from meldhall_rules.solve.opening import best_opening_value, lay_heaviest
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.tiles import SET_SIZE, is_joker
from meldhall_rules.view import Phase, View

_ANY_JOKER: Final = SET_SIZE + 1000
"""A joker that is not there, to ask what one from the Joker button would bring."""
_TAKES_WEIGHED: Final = 8
_SAFE_HAND: Final = 4
"""An opponent who has opened and holds no more tiles than this may go out soon."""
_PAIRS_FROM: Final = 5
"""A pair opening waits while every seat has this many turns left."""


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    if not isinstance(view.viewer, int) or view.hand is None:
        raise ValueError("a spectator makes no move")
    if view.turn != view.viewer or view.phase is Phase.OVER:
        raise ValueError(f"seat {view.viewer} is not on turn")
    seat, hand = view.viewer, view.hand
    opened = view.opened[seat] is not None
    if view.phase is Phase.DRAW:
        return _acquire_opened(view, seat, hand) if opened else _acquire(view, seat, hand)
    move: Command | None = None
    if may_lay(view):
        move = _lay(view, seat, hand) if opened else _open(view, seat, hand)
    return move or Discard(seat, _discard(view, seat, hand, salt))


def _acquire(view: View, seat: int, hand: Sequence[int]) -> Command:
    """Acquire before the opening: the discard, or a joker of the button, if it opens; else the stock."""
    for take in takes(view):
        if isinstance(take.use, LayOpening) and (not _is_pairs(take.use) or _pairs_will_do(view)):
            return take
    if _button(view, seat):
        points = best_opening_value((*hand, _ANY_JOKER), at_least=view.need[0])
        if points is not None:
            return PressJokerButton(seat)
    return Draw(seat)


def _acquire_opened(view: View, seat: int, hand: Sequence[int]) -> Command:
    """Acquire after the opening: a joker to go out, a discard that is laid at no cost, else the stock."""
    if _button(view, seat) and going_out(view, seat, (*hand, _ANY_JOKER), ()) is not None:
        return PressJokerButton(seat)
    now = _left_after(view, seat, hand)
    best: tuple[int, int] | None = None
    chosen: TakeDiscard | None = None
    for take in sorted(takes(view), key=_by_tiles)[:_TAKES_WEIGHED]:
        left = _left_after(view, seat, (*hand, view.discards[-1]), take)
        rank = (left, _by_tiles(take)[0])
        if left <= now and (best is None or rank < best):
            best, chosen = rank, take
    return chosen or Draw(seat)


def _left_after(view: View, seat: int, hand: Sequence[int], take: TakeDiscard | None = None) -> int:
    """Count the tiles that stay if a player lays all he can, after a take and its use if there is one."""
    used: tuple[int, ...] = ()
    match take.use if take else None:
        case LayMelds(melds=melds):
            used = tuple(placed.tile for spec in melds for placed in spec.tiles)
        case LayOff(tiles=tiles):
            used = tuple(placed.tile for placed in tiles)
        case SwapJoker(tile=tile):
            used = (tile,)
    rest = without(hand, *used)
    gained = 1 if take and isinstance(take.use, SwapJoker) else 0
    return len(arrange(seat, rest, view.melds, allowed_melds(view), weights=SPARE_JOKERS).left) + gained


def _by_tiles(take: TakeDiscard) -> tuple[int, int]:
    """Order takes: few jokers first, then those that lay many tiles."""
    match take.use:
        case LayMelds(melds=melds):
            tiles = [placed.tile for spec in melds for placed in spec.tiles]
        case LayOff(tiles=placed_off):
            tiles = [placed.tile for placed in placed_off]
        case _:
            tiles = []
    return sum(map(is_joker, tiles)), -len(tiles)


def _open(view: View, seat: int, hand: Sequence[int]) -> Command | None:
    """Open: in one turn with everything if that goes, else by points, else by pairs if time runs out."""
    points, pairs = view.need
    most = best_opening_value(hand, at_least=points)
    if most is None:
        by_pairs = best_pairs(hand)
        if by_pairs is None or by_pairs.value < pairs or not _pairs_will_do(view):
            return None
        return LayOpening(seat, by_pairs.melds)
    everything = lay_heaviest(hand, SHED_ALL, keep=1, must=None)
    laid = sum(len(slots) for _, slots in everything or ())
    if everything and laid == len(hand) - 1 and value_of(everything) >= points:
        return LayOpening(seat, fill(everything, hand))
    naturals = [tile for tile in hand if not is_joker(tile)]
    jokers = [tile for tile in hand if is_joker(tile)]
    for spent in range(len(jokers)):
        opening = best_opening_value(naturals + jokers[:spent], keep=0, at_least=points)
        if opening is not None:
            return LayOpening(seat, opening.melds)
    return LayOpening(seat, most.melds)


def _lay(view: View, seat: int, hand: Sequence[int]) -> Command | None:
    """Lay the next thing after the opening; None when it is time to discard."""
    jokers = swaps(view)
    out = going_out(view, seat, hand, jokers)
    if out is not None:
        return out
    spare = arrange(seat, hand, view.melds, allowed_melds(view), weights=SPARE_JOKERS)
    if spare.moves:
        return spare.moves[0]
    if jokers:
        return jokers[0]
    if _threatened(view, hand):
        shed = arrange(seat, hand, view.melds, allowed_melds(view), weights=SHED_ALL)
        if shed.moves:
            return shed.moves[0]
    return None


def _discard(view: View, seat: int, hand: Sequence[int], salt: int) -> int:
    """Choose the tile to discard: the least useful natural; a joker only if there is nothing else."""
    worth: Mapping[int, int]
    if view.opened[seat] is not None:
        worth = after_opening(view, hand)
    else:
        best = best_opening_value(hand)
        used = {placed.tile for spec in best.melds for placed in spec.tiles} if best else set()
        worth = before_opening(view, hand, used) or dict.fromkeys(filter(_natural, hand), 0)
    if not worth:
        return min(hand)
    return min(worth, key=lambda tile: (worth[tile], (tile * 31 + salt) % 104 if salt else tile))


def _natural(tile: int) -> bool:
    return not is_joker(tile)


def _button(view: View, seat: int) -> bool:
    """Tell whether a press is sure to give a joker; one out of the stock may not be there."""
    if not view.jokers or view.button_used[seat] or not view.stock_size:
        return False
    return options_of(view).joker_button_source is ButtonSource.EXTRA


def _is_pairs(opening: LayOpening) -> bool:
    return all(len(spec.tiles) == 2 for spec in opening.melds)


def _pairs_will_do(view: View) -> bool:
    """Tell whether to open by pairs, which doubles the penalty: only when there is little time left."""
    return view.stock_size <= _PAIRS_FROM * view.seats or _opponent_close(view)


def _opponent_close(view: View) -> bool:
    return any(
        opening is not None and size <= _SAFE_HAND and seat != view.viewer
        for seat, (opening, size) in enumerate(zip(view.opened, view.hand_sizes, strict=True))
    )


def _threatened(view: View, hand: Sequence[int]) -> bool:
    """Tell whether the round may end before the next turn, or jokers pile up in the hand."""
    jokers = sum(map(is_joker, hand))
    return jokers > 1 or view.stock_size < view.seats or _opponent_close(view)
