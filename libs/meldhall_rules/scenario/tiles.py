"""Tiles and melds of a case in one written form, so that two of them can be compared and shown.

A hand is written sorted, whatever its order was; the tiles of a meld are sorted too, and every joker is
written with what it stands for.
"""

from collections.abc import Callable, Iterable, Sequence

from meldhall_rules.alphabet import TILES, Alphabet
from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import Laid, MeldLaid
from meldhall_rules.melds import MeldLike, read_meld
from meldhall_rules.notation import NotationError, parse_meld, parse_tiles, write_laid, write_tiles
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.values import shown, text
from meldhall_rules.tiles import is_joker


def hand_text(place: str, value: object, alphabet: Alphabet = TILES) -> str:
    """Read a list of tiles or cards, in any order."""
    try:
        faces = parse_tiles(text(place, value), alphabet)
    except NotationError as error:
        raise Fault(place, error.reason) from None
    joker = alphabet.first_joker or 0
    return written_hand((joker if face is None else alphabet.copies[face][0] for face in faces), alphabet)


def written_hand(tiles: Iterable[int], alphabet: Alphabet = TILES) -> str:
    """Write tiles or cards sorted."""
    return write_tiles(alphabet.in_order(tiles), alphabet)


def tile_text(place: str, value: object, alphabet: Alphabet = TILES) -> str:
    """Read one tile or card."""
    written = hand_text(place, value, alphabet)
    if len(written.split()) != 1:
        raise Fault(place, f"{shown(value)} is not one {alphabet.piece}")
    return written


def owned_meld(place: str, value: object, seats: int) -> tuple[int, str]:
    """Read ``"OWNER kind:tiles"``: the owner, and the meld as it is written."""
    owner, _, meld = text(place, value).strip().partition(" ")
    if not owner.isdecimal() or int(owner) >= seats:
        raise Fault(place, f"{shown(value)} does not begin with a seat from 0 to {seats - 1}")
    return int(owner), meld.strip()


def meld_of(
    place: str,
    written: str,
    holding: Sequence[int] | None = None,
    reader: Callable[[MeldSpec], MeldLaid | Rejection] = read_meld,
    alphabet: Alphabet = TILES,
) -> MeldLaid:
    """Read a meld and what its jokers stand for, its tiles chosen among those held, or among all.

    Raises:
        Fault: for what is no meld.
    """
    try:
        meld = reader(parse_meld(written, holding, alphabet))
    except NotationError as error:
        raise Fault(place, error.reason) from None
    if isinstance(meld, Rejection):
        raise Fault(place, f"{written} is no meld: {meld.detail}")
    return meld


def names_in(place: str, written: str, alphabet: Alphabet = TILES) -> tuple[str, ...]:
    """Return the names of the tiles of a meld, without what they stand for."""
    try:
        spec = parse_meld(written, None, alphabet)
    except NotationError as error:
        raise Fault(place, error.reason) from None
    return tuple(alphabet.name_of(placed.tile) for placed in spec.tiles)


def written_meld(owner: int, meld: MeldLike) -> str:
    """Write a meld with its owner, its tiles sorted."""

    def order(laid: Laid) -> tuple[int, bool]:
        return laid.face, is_joker(laid.tile)

    return f"{owner} {meld.kind}:{','.join(map(write_laid, sorted(meld.tiles, key=order)))}"
