"""Playing cards: four suits of thirteen ranks, in one deck or two, without jokers.

A card is an integer with identity, so that the two sevens of hearts of two decks are two cards:

    face = suit * 13 + rank - 1        0 … 51; suits in the order spades, hearts, diamonds, clubs
    id   = deck * 52 + face            0 … 51 in one deck, 0 … 103 in two

Ranks are 1 (ace) to 13 (king). The order of the suits is that in which the rules settle equal choices.
Source: ``deploy/docs/rules/three_thirteen.md`` 1, 14, 18; ``deploy/docs/rules/rummy.md`` 1, 12, 17.
"""

from typing import Final

SUITS: Final = "SHDC"
"""Suit letters in rule order: spades, hearts, diamonds, clubs."""

RANKS: Final = "A23456789TJQK"
"""Rank letters from 1 to 13."""

HIGHEST_RANK: Final = 13
FACES: Final = 52
DECK_SIZE: Final = 52

_COURT_VALUE: Final = 10


def face_of(card: int) -> int:
    """Return what a card shows, 0 … 51."""
    return card % DECK_SIZE


def face(suit: int, rank: int) -> int:
    """Return the face of a suit (0 … 3) and a rank (1 … 13)."""
    return suit * HIGHEST_RANK + rank - 1


def suit_of(card: int) -> int:
    """Return the suit, 0 … 3, of a card or a face."""
    return card % DECK_SIZE // HIGHEST_RANK


def rank_of(card: int) -> int:
    """Return the rank, 1 … 13, of a card or a face."""
    return card % HIGHEST_RANK + 1


def value_of(card: int) -> int:
    """Return the points of a card or a face: ace 1, court cards 10, the others their number."""
    return min(rank_of(card), _COURT_VALUE)


def card_name(card: int) -> str:
    """Write a card or a face as rank and suit, ``7H``."""
    return f"{RANKS[rank_of(card) - 1]}{SUITS[suit_of(card)]}"
