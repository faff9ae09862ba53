"""A strong player of Basic Rummy.

He lays at once what leaves him the cheapest hand and goes out as soon as he can. He counts the cards that he
has not seen: a loose card is worth the live cards that would make a meld of it and another one, or link it to
a sequence on the table. He takes the top discard where it can be laid now.
Source: ``deploy/docs/rules/rummy.md`` 4-13; ``deploy/docs/bots.md``.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.bots.three_thirteen_strong import completing
from meldhall_rules.cards import DECK_SIZE, face, rank_of, suit_of
from meldhall_rules.commands import Command, Discard, Draw, MeldKind, TakeDiscard
from meldhall_rules.games.rummy.hints import plan_of
from meldhall_rules.games.rummy.moves import may_draw
from meldhall_rules.games.rummy.options import from_canonical
from meldhall_rules.games.rummy.score import card_value
from meldhall_rules.view import Phase, View

_SURE: Final = 100.0
"""What a card is worth in points, against its cost, that any draw would make a meld of."""


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
        return TakeDiscard(seat) if _takes(view, hand) else Draw(seat)
    plan = plan_of(view, hand, view.taken)
    if plan.moves:
        return plan.moves[0]
    return Discard(seat, _discard(view, hand, salt))


def _takes(view: View, hand: Sequence[int]) -> bool:
    """Tell whether the top discard would be laid at once, with what is held."""
    if not may_draw(view):
        return True
    if not view.discards:
        return False
    top = view.discards[-1]
    return top not in plan_of(view, (*hand, top), top).left


def _live(view: View, hand: Sequence[int]) -> list[int]:
    """Tell by card, as 1 or 0, whether it is in no place that the seat sees."""
    live = [1] * DECK_SIZE
    for card in (*hand, *view.discards, *(laid.tile for meld in view.melds for laid in meld.tiles)):
        live[card] = 0
    return live


def _discard(view: View, hand: Sequence[int], salt: int) -> int:
    """Choose the card whose cost is high and whose loss takes away little promise."""
    ace_high = from_canonical(dict(view.options)).ace_high_low
    live = _live(view, hand)
    unseen = max(sum(live), 1)

    def worth(card: int) -> tuple[float, int]:
        promised = sum(live[shown] for other in hand if other != card for shown in completing(card, other))
        promised += sum(live[shown] for shown in _linking(view, card))
        cost = card_value(card, ace_high=ace_high)
        return _SURE * promised / unseen - cost, (card * 31 + salt) % DECK_SIZE

    return min((card for card in hand if card != view.taken), key=worth)


def _linking(view: View, card: int) -> Iterator[int]:
    """Yield the cards that lie between this one and the end of a sequence on the table."""
    suit, rank = suit_of(card), rank_of(card)
    for meld in view.melds:
        if meld.kind is not MeldKind.RUN or suit_of(meld.tiles[0].tile) != suit:
            continue
        ranks = [rank_of(laid.tile) for laid in meld.tiles]
        if rank == max(ranks) + 2:
            yield face(suit, rank - 1)
        if rank == min(ranks) - 2:
            yield face(suit, rank + 1)
