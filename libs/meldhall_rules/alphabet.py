"""How the pieces of a game are named: tiles with jokers, or cards.

A piece is an id, what it shows without saying which copy it is a *face*. The notation, the scenarios and
everything else that writes or reads names works through the alphabet of the game.
Source: ``deploy/docs/scenarios.md``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from meldhall_rules import cards, tiles

JOKER: Final = "*"


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The names of the pieces of a game.

    Attributes:
        piece: what a piece is called, ``tile`` or ``card``.
        names: the name of each face.
        faces: the face of each id that is no joker.
        first_joker: the lowest id of a joker, None in games without.
        any_stands: whether any piece, and not a joker only, may be named with what it stands for.
        by_name: the face of each name.
        copies: by face the ids that show it, rising.
    """

    piece: str
    names: tuple[str, ...]
    faces: tuple[int, ...]
    first_joker: int | None
    any_stands: bool
    by_name: Mapping[str, int] = field(init=False, repr=False, compare=False)
    copies: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Turn names and faces round."""
        object.__setattr__(self, "by_name", {name: face for face, name in enumerate(self.names)})
        copies = tuple(
            tuple(piece for piece, shown in enumerate(self.faces) if shown == face)
            for face in range(len(self.names))
        )
        object.__setattr__(self, "copies", copies)

    def is_joker(self, piece: int) -> bool:
        """Tell whether an id is a joker's."""
        return self.first_joker is not None and piece >= self.first_joker

    def face_of(self, piece: int) -> int | None:
        """Return what a piece shows, None for a joker."""
        return None if self.is_joker(piece) else self.faces[piece]

    def name_of(self, piece: int) -> str:
        """Write a piece: the name of its face, or ``*``."""
        shown = self.face_of(piece)
        return JOKER if shown is None else self.names[shown]

    def in_order(self, pieces: Iterable[int]) -> list[int]:
        """Sort pieces by face, jokers last."""
        last = len(self.names)

        def order(piece: int) -> tuple[int, int]:
            shown = self.face_of(piece)
            return last if shown is None else shown, piece

        return sorted(pieces, key=order)


TILES: Final = Alphabet(
    piece="tile",
    names=tuple(
        f"{tiles.COLOURS[tiles.colour_of(face)]}{tiles.number_of(face)}" for face in range(tiles.FACES)
    ),
    faces=tuple(tile // 2 for tile in range(tiles.FIRST_JOKER)),
    first_joker=tiles.FIRST_JOKER,
    any_stands=False,
)

CARDS: Final = Alphabet(
    piece="card",
    names=tuple(map(cards.card_name, range(cards.FACES))),
    faces=tuple(cards.face_of(card) for card in range(2 * cards.DECK_SIZE)),
    first_joker=None,
    any_stands=True,
)
