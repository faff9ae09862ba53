"""Reading a meld of Three-Thirteen: what its cards are and what its wilds stand for.

A wild whose place is open stands for itself where that fits, fills gaps first, then lengthens the run upward,
then downward; in a set it takes the first suit that is missing. What a wild stands for changes nothing later
on, for nobody lays anything on a meld. Source: ``deploy/docs/rules/three_thirteen.md`` 7-11.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meldhall_rules.cards import HIGHEST_RANK, SUITS, card_name, face, face_of, rank_of, suit_of
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.rejections import Code, Rejection

_SMALLEST_MELD = 3


@dataclass(frozen=True, slots=True)
class WildRule:
    """What is wild in a round: the rank, and whether wilds alone may be a set."""

    rank: int
    all_wild: bool

    def is_wild(self, card: int) -> bool:
        """Tell whether a card is of the wild rank."""
        return rank_of(card) == self.rank


def read_meld(spec: MeldSpec, rule: WildRule) -> MeldLaid | Rejection:
    """Read the cards of a meld and give every wild its identity.

    Args:
        spec: kind and cards as the player named them, in any order. Whether he holds them is not asked here.
        rule: what is wild.

    Returns:
        The meld, a run in rising order; or ``INVALID_MELD`` with the reason, ``TILE_NOT_HELD`` for a card
        named twice.
    """
    cards = [placed.tile for placed in spec.tiles]
    if len(set(cards)) < len(cards):
        return Rejection(Code.TILE_NOT_HELD, "a card is named twice")
    if spec.kind is MeldKind.PAIR:
        return _invalid("this game has no pairs")
    if len(cards) < _SMALLEST_MELD:
        return _invalid(f"a {spec.kind} of {len(cards)} cards")
    for placed in spec.tiles:
        if not rule.is_wild(placed.tile) and placed.stands_for not in {None, face_of(placed.tile)}:
            return _invalid(f"{card_name(placed.tile)} is not wild and stands for itself")
    naturals = [card for card in cards if not rule.is_wild(card)]
    if not naturals and not (rule.all_wild and spec.kind is MeldKind.SET):
        return _invalid(f"a {spec.kind} without a natural card")
    wilds = [placed for placed in spec.tiles if rule.is_wild(placed.tile)]
    laid = _set(naturals, wilds) if spec.kind is MeldKind.SET else _run(naturals, wilds)
    return laid if isinstance(laid, Rejection) else MeldLaid(spec.kind, laid)


def _invalid(reason: str) -> Rejection:
    return Rejection(Code.INVALID_MELD, reason)


def _set(naturals: Sequence[int], wilds: Sequence[Placed]) -> tuple[Laid, ...] | Rejection:
    rank = rank_of(naturals[0] if naturals else wilds[0].tile)
    for card in naturals:
        if rank_of(card) != rank:
            return _invalid(f"ranks differ: {card_name(naturals[0])} and {card_name(card)}")
    laid = [Laid(card, face_of(card)) for card in naturals]
    for wild in wilds:
        if wild.stands_for is not None and rank_of(wild.stands_for) != rank:
            return _invalid(f"{card_name(wild.stands_for)} is not of the rank of the set")
    taken = {suit_of(one.face) for one in laid}
    taken |= {suit_of(wild.stands_for) for wild in wilds if wild.stands_for is not None}
    missing = iter([suit for suit in range(len(SUITS)) if suit not in taken])
    for wild in wilds:
        shown = wild.stands_for
        if shown is None:
            own = rank_of(wild.tile) == rank
            shown = face_of(wild.tile) if own else face(next(missing, 0), rank)
        laid.append(Laid(wild.tile, shown))
    return tuple(laid)


def _run(naturals: Sequence[int], wilds: Sequence[Placed]) -> tuple[Laid, ...] | Rejection:
    suit = suit_of(naturals[0])
    known = [Laid(card, face_of(card)) for card in naturals]
    known += [Laid(wild.tile, wild.stands_for) for wild in wilds if wild.stands_for is not None]
    by_rank: dict[int, Laid] = {}
    for laid in known:
        if suit_of(laid.face) != suit:
            return _invalid(f"suits differ: {card_name(known[0].face)} and {card_name(laid.face)}")
        if by_rank.setdefault(rank_of(laid.face), laid) is not laid:
            return _invalid(f"rank repeated: {card_name(laid.face)}")
    free = [wild.tile for wild in wilds if wild.stands_for is None]
    gaps = [rank for rank in range(min(by_rank), max(by_rank)) if rank not in by_rank]
    if len(gaps) > len(free):
        return _invalid(f"gap at {card_name(face(suit, gaps[len(free)]))}")
    if len(known) + len(free) > HIGHEST_RANK:
        return _invalid("no place for a wild: the run reaches from ace to king")
    _place(suit, gaps, by_rank, free)
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def _place(suit: int, gaps: Sequence[int], by_rank: dict[int, Laid], free: list[int]) -> None:
    """Give every free wild a rank: its own where it can be, then gaps, then upward, then downward."""

    def put(rank: int, card: int) -> None:
        free.remove(card)
        by_rank[rank] = Laid(card, face(suit, rank))

    def itself(rank: int) -> int | None:
        return next((card for card in free if face_of(card) == face(suit, rank)), None)

    for rank in gaps:
        own = itself(rank)
        if own is not None:
            put(rank, own)
    for rank in gaps:
        if rank not in by_rank:
            put(rank, free[0])
    while free:
        ends = [rank for rank in (max(by_rank) + 1, min(by_rank) - 1) if 1 <= rank <= HIGHEST_RANK]
        fitting = [rank for rank in ends if itself(rank) is not None]
        rank = (fitting or ends)[0]
        own = itself(rank)
        put(rank, free[0] if own is None else own)
