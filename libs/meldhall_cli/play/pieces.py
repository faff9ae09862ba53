"""Tiles and cards as coloured text, and in which order a hand is shown.

Colour is never the only sign: every piece is written by its name in the notation.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Final

from rich.text import Text

from meldhall_rules import cards
from meldhall_rules.alphabet import TILES, Alphabet
from meldhall_rules.canasta_tiles import is_wild as is_canasta_wild
from meldhall_rules.tiles import NO_FACE, colour_of, is_joker, number_of

TILE_STYLES: Final = ("bold red", "bold yellow", "bold", "bold blue")
"""Red, yellow, black, blue. Black is the terminal's own colour, so that it can be read on any ground."""
CARD_STYLES: Final = ("bold", "bold red", "bold bright_red", "bold green")
"""Spades, hearts, diamonds, clubs."""
JOKER_STYLE: Final = "bold magenta"

TILE_ROWS: Final = ("red", "yellow", "black", "blue", "jokers")
CARD_ROWS: Final = ("spades", "hearts", "diamonds", "clubs")
RANKS: Final = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "sevens"),
    *("eights", "nines", "tens", "jacks", "queens", "kings"),
)
"""The ranks of cards by name, from 1."""
LONG_HAND: Final = 15
"""A hand of more pieces than this has a row for every colour."""


class Order(StrEnum):
    """How a hand is sorted."""

    COLOUR = "colour"
    NUMBER = "number"


class Pieces:
    """Writes the pieces of one round.

    Args:
        alphabet: their names.
        game: name of the game.
        wild: the rank that is wild in this round, None where there is none.
    """

    def __init__(self, alphabet: Alphabet, game: str, wild: int | None = None) -> None:
        self.alphabet = alphabet
        self._game = game
        self._wild = wild

    def style(self, piece: int) -> str:
        """Return how a piece looks."""
        if self.alphabet.is_joker(piece):
            return JOKER_STYLE
        shown = self.alphabet.faces[piece]
        return TILE_STYLES[colour_of(shown)] if self._tiles else CARD_STYLES[cards.suit_of(shown)]

    def is_wild(self, piece: int) -> bool:
        """Tell whether a piece may stand for others in this game and round."""
        if self._game == "canasta":
            return is_canasta_wild(piece)
        if self.alphabet.is_joker(piece):
            return True
        return self._wild is not None and cards.rank_of(piece) == self._wild

    def one(self, piece: int, *, marked: bool = False) -> Text:
        """Write a piece; one that is marked stands in brackets."""
        style = self.style(piece) + (" underline" if self.is_wild(piece) and not is_joker(piece) else "")
        name = Text(self.alphabet.name_of(piece), style)
        return Text.assemble("[", name, "]") if marked else name

    def row(self, pieces: Iterable[int], marked: Iterable[int] = ()) -> Text:
        """Write pieces in a row."""
        news = set(marked)
        return Text(" ").join(self.one(piece, marked=piece in news) for piece in pieces)

    def laid(self, piece: int, face: int) -> Text:
        """Write a piece on the table; a joker or wild with what it stands for."""
        own = self.alphabet.name_of(piece)
        shown = own if face == NO_FACE else self.alphabet.names[face]
        return Text(own if own == shown else f"{own}={shown}", self.style(piece))

    def hand(self, hand: Sequence[int], order: Order, marked: Iterable[int] = ()) -> list[tuple[str, Text]]:
        """Write a hand sorted: rows with their headings, an empty one where a hand is a single row."""
        if order is Order.COLOUR and len(hand) > LONG_HAND:
            rows = [(name, self._of_row(hand, at)) for at, name in enumerate(self._rows)]
            return [(name, self.row(found, marked)) for name, found in rows if found]
        key: Callable[[int], tuple[int, ...]] = self._by_number if order is Order.NUMBER else self._by_colour
        return [("", self.row(sorted(hand, key=key), marked))]

    @property
    def _tiles(self) -> bool:
        return self.alphabet is TILES

    @property
    def _rows(self) -> tuple[str, ...]:
        return TILE_ROWS if self._tiles else CARD_ROWS

    def _of_row(self, hand: Sequence[int], row: int) -> list[int]:
        return sorted((piece for piece in hand if self._by_colour(piece)[0] == row), key=self._by_colour)

    def _by_colour(self, piece: int) -> tuple[int, ...]:
        if self.alphabet.is_joker(piece):
            return (len(TILE_STYLES), piece)
        shown = self.alphabet.faces[piece]
        if self._tiles:
            return colour_of(shown), number_of(shown), piece
        return cards.suit_of(shown), cards.rank_of(shown), piece

    def _by_number(self, piece: int) -> tuple[int, ...]:
        found = self._by_colour(piece)
        return (14, piece) if len(found) == 2 else (found[1], found[0], piece)


def wild_words(wild: int) -> str:
    """Name the wild cards of a round: ``threes``, ``kings``."""
    return RANKS[wild - 1]
