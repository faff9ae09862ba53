"""A hand of Basic Rummy at one moment.

A state is immutable and shares what did not change with the state before it. What no player may see as a
whole is in ``Hidden`` alone. Source: ``deploy/docs/rules/rummy.md`` 1-5, 13, 15.
"""

from dataclasses import dataclass
from typing import Final

from meldhall_rules.events import RoundEnded
from meldhall_rules.games.rummy.options import Options
from meldhall_rules.view import Phase, TableMeld

NAME: Final = "rummy"
RULES_VERSION: Final = 1
MIN_SEATS: Final = 2
MAX_SEATS: Final = 6
HAND_SIZE: Final = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}
"""Cards of a dealt hand by the number of players (rule 2)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays as it is for the whole hand."""

    options: Options
    round: int
    seats: int
    starter: int


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
class Laying:
    """Who has put cards on the table: by seat in an earlier turn, and the seat on turn in this one.

    ``new_melds`` are the melds of this turn, lay-offs apart.
    """

    before: tuple[bool, ...]
    now: bool
    new_melds: int


@dataclass(frozen=True, slots=True)
class State:
    """A hand at one moment.

    ``taken`` is the card that the seat on turn took from the discard pile in this turn. ``reshuffles``
    counts how often the stock was rebuilt, ``idle_reshuffles`` how often since a card was laid,
    ``dead_turns`` how many turns in a row, the present one among them, began with a stock that cannot be
    rebuilt and without a card being laid since. ``ending`` is None until the hand is over; then ``phase`` is
    ``OVER``.
    """

    frame: Frame
    turn: int
    phase: Phase
    taken: int | None
    discards: tuple[int, ...]
    melds: tuple[TableMeld, ...]
    laying: Laying
    reshuffles: int
    idle_reshuffles: int
    dead_turns: int
    hidden: Hidden
    ending: RoundEnded | None

    @property
    def hand(self) -> tuple[int, ...]:
        """Return the hand of the seat on turn."""
        return self.hidden.hands[self.turn]


def nothing_to_draw(options: Options, stock_size: int, discards: int, reshuffles: int) -> bool:
    """Tell whether the stock is empty and cannot be rebuilt (rule 15).

    Args:
        options: of the table.
        stock_size: cards in the stock.
        discards: cards in the discard pile.
        reshuffles: how often the stock was rebuilt in this hand.
    """
    if stock_size:
        return False
    used_up = options.max_reshuffles is not None and reshuffles >= options.max_reshuffles
    return discards < 2 or used_up
