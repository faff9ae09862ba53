"""Reading melds of cards without wilds, those of Basic Rummy, and adding cards to them.

A sequence lies in rising order, an ace above the king last; a group in the order of the suits. An ace on the
table keeps the end at which it lies. Source: ``deploy/docs/rules/rummy.md`` 7-9, 14.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from meldhall_rules.cards import HIGHEST_RANK, card_name, face_of, rank_of, suit_of
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import MeldLike
from meldhall_rules.rejections import Code, Rejection

SMALLEST_MELD: Final = 3
LARGEST_GROUP: Final = 4
"""One card of each suit."""

ACE: Final = 1
HIGH_ACE: Final = HIGHEST_RANK + 1


def read_meld(spec: MeldSpec, *, ace_high: bool) -> MeldLaid | Rejection:
    """Read the cards of a new meld.

    Args:
        spec: kind and cards as the player named them, in any order. Whether he holds them is not asked here.
        ace_high: whether an ace may stand above the king as well.

    Returns:
        The meld in table order; or ``INVALID_MELD`` with the reason, ``TILE_NOT_HELD`` for a card named
        twice.
    """
    refused = _named_wrongly(spec.tiles)
    if refused is not None:
        return refused
    cards = [placed.tile for placed in spec.tiles]
    if spec.kind is MeldKind.PAIR:
        return _invalid("this game has no pairs")
    if len(cards) < SMALLEST_MELD:
        return _invalid(f"a {spec.kind} of {len(cards)} cards")
    order = _group(cards) if spec.kind is MeldKind.SET else _sequence({}, cards, ace_high=ace_high)
    return order if isinstance(order, Rejection) else MeldLaid(spec.kind, _laid(order))


def extend(meld: MeldLike, tiles: Sequence[Placed], *, ace_high: bool) -> tuple[Laid, ...] | Rejection:
    """Lay cards off on a meld, all of them or none.

    Returns:
        All cards of the meld in their new table order; or a refusal as for ``read_meld``.
    """
    refused = _named_wrongly(tiles)
    if refused is not None:
        return refused
    if not tiles:
        return _invalid("no card to lay off")
    new = [placed.tile for placed in tiles]
    old = [laid.tile for laid in meld.tiles]
    if meld.kind is MeldKind.SET:
        order = _group([*old, *new])
    else:
        order = _sequence(places(old), new, ace_high=ace_high)
    return order if isinstance(order, Rejection) else _laid(order)


def places(cards: Sequence[int]) -> dict[int, int]:
    """Return the cards of a sequence on the table by their place, 1 to 13, and 14 for a high ace."""
    found = {rank_of(card): card for card in cards}
    if rank_of(cards[-1]) == ACE:
        found[HIGH_ACE] = found.pop(ACE)
    return found


def _named_wrongly(tiles: Sequence[Placed]) -> Rejection | None:
    if len({placed.tile for placed in tiles}) < len(tiles):
        return Rejection(Code.TILE_NOT_HELD, "a card is named twice")
    for placed in tiles:
        if placed.stands_for not in {None, face_of(placed.tile)}:
            return _invalid(f"{card_name(placed.tile)} stands for itself")
    return None


def _invalid(reason: str) -> Rejection:
    return Rejection(Code.INVALID_MELD, reason)


def _laid(cards: Iterable[int]) -> tuple[Laid, ...]:
    return tuple(Laid(card, face_of(card)) for card in cards)


def _group(cards: Sequence[int]) -> list[int] | Rejection:
    for card in cards:
        if rank_of(card) != rank_of(cards[0]):
            return _invalid(f"ranks differ: {card_name(cards[0])} and {card_name(card)}")
    if len(set(map(suit_of, cards))) < len(cards):
        return _invalid("a group with a card twice")
    return sorted(cards, key=suit_of)


def _sequence(lying: dict[int, int], new: Sequence[int], *, ace_high: bool) -> list[int] | Rejection:
    """Put cards in a row with those that lie there by place; a new ace rather goes below the two."""
    suit = suit_of(next(iter(lying.values()), new[0]))
    for card in new:
        if suit_of(card) != suit:
            return _invalid(f"suits differ: {card_name(suit * HIGHEST_RANK)} and {card_name(card)}")
    by_place = dict(lying)
    aces = [card for card in new if rank_of(card) == ACE]
    for card in new:
        if rank_of(card) != ACE and by_place.setdefault(rank_of(card), card) != card:
            return _invalid(f"rank repeated: {card_name(card)}")
    for ace in aces:
        wanted = [place for place in (ACE, HIGH_ACE) if place == ACE or ace_high]
        free = [place for place in wanted if place not in by_place]
        place = next((one for one in free if _in_a_row([*by_place, one])), None)
        if place is None:
            return _invalid(f"{card_name(ace)} does not fit")
        by_place[place] = ace
    if not _in_a_row(by_place):
        return _invalid(f"a gap in {', '.join(card_name(by_place[place]) for place in sorted(by_place))}")
    return [by_place[place] for place in sorted(by_place)]


def _in_a_row(taken: Iterable[int]) -> bool:
    found = sorted(taken)
    return found[-1] - found[0] == len(found) - 1
