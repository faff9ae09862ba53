"""The moves that a seat could make.

The list is complete for the draw, the take, the discard, single melds and lay-offs on one meld; several
melds in one command are not listed, as they can be laid one after the other. Source:
``deploy/docs/rules/rummy.md`` 4-11.
"""

from collections.abc import Iterator

from meldhall_rules.commands import Command, Discard, Draw, LayMelds, LayOff, Placed, TakeDiscard
from meldhall_rules.games.rummy.laying import dead_end
from meldhall_rules.games.rummy.options import Options, from_canonical
from meldhall_rules.games.rummy.state import nothing_to_draw
from meldhall_rules.solve.lay import melds_of, offs_of
from meldhall_rules.view import Phase, View


def legal_moves(view: View) -> tuple[Command, ...]:
    """List the moves of the viewing seat, empty when it is not on turn; the module says which."""
    seat, hand = view.viewer, view.hand
    if not isinstance(seat, int) or hand is None or view.turn != seat or view.phase is Phase.OVER:
        return ()
    options = from_canonical(dict(view.options))
    if view.phase is Phase.DRAW:
        return tuple(_acquisitions(view, seat, options))
    discards = (Discard(seat, card) for card in hand if card != view.taken)
    return (*_lays(view, seat, hand, options), *discards)


def may_draw(view: View) -> bool:
    """Tell whether a draw is not refused, whether it brings a card or ends a void hand."""
    options = from_canonical(dict(view.options))
    return not nothing_to_draw(options, view.stock_size, len(view.discards), view.reshuffles)


def new_melds_left(view: View) -> int | None:
    """Return how many new melds the seat on turn may still lay in this turn, None for any number."""
    limit = from_canonical(dict(view.options)).max_melds_per_turn
    return None if limit is None else max(limit - view.new_melds, 0)


def _acquisitions(view: View, seat: int, options: Options) -> Iterator[Command]:
    if not nothing_to_draw(options, view.stock_size, len(view.discards), view.reshuffles):
        yield Draw(seat)
    if view.discards:
        yield TakeDiscard(seat)


def _lays(view: View, seat: int, hand: tuple[int, ...], options: Options) -> Iterator[LayMelds | LayOff]:
    if new_melds_left(view) != 0:
        for spec in melds_of(hand, ace_high=options.ace_high_low):
            if _keeps_on(view, hand, spec.tiles, options):
                yield LayMelds(seat, (spec,))
    for meld, cards in offs_of(hand, view.melds, ace_high=options.ace_high_low):
        placed = tuple(map(Placed, cards))
        if _keeps_on(view, hand, placed, options):
            yield LayOff(seat, meld, placed)


def _keeps_on(view: View, hand: tuple[int, ...], placed: tuple[Placed, ...], options: Options) -> bool:
    cards = {one.tile for one in placed}
    return dead_end(options, [card for card in hand if card not in cards], view.taken) is None
