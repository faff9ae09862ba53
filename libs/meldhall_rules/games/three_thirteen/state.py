"""A round of Three-Thirteen at one moment.

A state is immutable and shares what did not change with the state before it. What no player may see as a
whole is in ``Hidden`` alone. Source: ``deploy/docs/rules/three_thirteen.md`` 1-5, 13, 17.
"""

from dataclasses import dataclass
from typing import Final

from meldhall_rules.cards import DECK_SIZE
from meldhall_rules.events import RoundEnded
from meldhall_rules.games.three_thirteen.options import Options
from meldhall_rules.view import Phase, TableMeld

NAME: Final = "three_thirteen"
RULES_VERSION: Final = 1
MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
ROUNDS: Final = 11
"""Rounds of a match, and the highest number of a round."""

_MORE_THAN_ROUND: Final = 2


def hand_size(round_number: int) -> int:
    """Return how many cards a hand of a round has between turns (rule 2)."""
    return round_number + _MORE_THAN_ROUND


def wild_rank(round_number: int) -> int:
    """Return the rank that is wild in a round: that of the number of its cards (rule 2)."""
    return round_number + _MORE_THAN_ROUND


def deck_size(seats: int) -> int:
    """Return the number of cards: one deck for two players, two for more (rule 1)."""
    return DECK_SIZE if seats == MIN_SEATS else 2 * DECK_SIZE


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays as it is for the whole round."""

    options: Options
    round: int
    seats: int
    starter: int

    @property
    def wild(self) -> int:
        """Return the wild rank."""
        return wild_rank(self.round)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What nobody sees as a whole: the hands, the stock and the key that shuffled them.

    ``stock`` is a sequence of cards whose part from ``next_draw`` on is left. Hands are sorted by id.
    ``drawn`` is the card that the seat on turn drew from the stock in this turn, None if it drew none.
    """

    stock: tuple[int, ...]
    next_draw: int
    hands: tuple[tuple[int, ...], ...]
    drawn: int | None
    shuffle_key: bytes

    @property
    def stock_size(self) -> int:
        """Return how many cards are left to draw."""
        return len(self.stock) - self.next_draw


@dataclass(frozen=True, slots=True)
class State:
    """A round at one moment.

    ``taken`` is the card that the seat on turn took from the discard pile in this turn. ``out`` is the seat
    that went out first, None before; ``melds`` are those of the seats that went out. ``reshuffles`` counts
    how often the stock was rebuilt, ``dead_turns`` how many turns in a row, the present one among them,
    began with nothing to draw. ``ending`` is None until the round is over; then ``phase`` is ``OVER``.
    """

    frame: Frame
    turn: int
    phase: Phase
    taken: int | None
    discards: tuple[int, ...]
    melds: tuple[TableMeld, ...]
    out: int | None
    reshuffles: int
    dead_turns: int
    hidden: Hidden
    ending: RoundEnded | None

    @property
    def hand(self) -> tuple[int, ...]:
        """Return the hand of the seat on turn."""
        return self.hidden.hands[self.turn]


def nothing_to_draw(stock_size: int, discards: int) -> bool:
    """Tell whether the stock is empty and cannot be rebuilt, of sizes of stock and pile (rule 17)."""
    return not stock_size and discards < 2
