"""A round of Rummy 101 at one moment.

A state is immutable and shares what did not change with the state before it: the parts that a draw or a
discard touches are small, the dealt order is one tuple for the whole round and the stock an index into it.
What no player may see as a whole is in ``Hidden`` alone.
Source: ``deploy/docs/rules/rummy101.md`` 1-6, 10, 30, 38.
"""

from dataclasses import dataclass
from typing import Final

from meldhall_rules.events import RoundEnded
from meldhall_rules.games.rummy101.options import Options
from meldhall_rules.view import Opening, Phase, TableMeld

NAME: Final = "rummy101"
RULES_VERSION: Final = 1
MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
HAND_SIZE: Final = 21
"""Tiles of a hand after the deal; the starter has one more."""

STARTING_NEED: Final = (101, 5)
"""What the first opening of a round needs: points in melds, or pairs."""

MELDS: Final = "melds"
PAIRS: Final = "pairs"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays as it is for the whole round."""

    options: Options
    round: int
    seats: int
    starter: int


@dataclass(frozen=True, slots=True)
class Hidden:
    """What nobody sees as a whole: the hands, the stock and the key that shuffled them.

    ``order`` is a sequence of tiles whose part from ``next_draw`` on is the stock; what came before is
    history. Hands are sorted by id. ``drawn`` is the tile that the seat on turn drew from the stock in
    this turn, None if it drew none.
    """

    order: tuple[int, ...]
    next_draw: int
    hands: tuple[tuple[int, ...], ...]
    drawn: int | None
    shuffle_key: bytes

    @property
    def stock_size(self) -> int:
        """Return how many tiles are left to draw."""
        return len(self.order) - self.next_draw

    @property
    def stock(self) -> tuple[int, ...]:
        """Return the tiles left to draw, the next one first."""
        return self.order[self.next_draw :]


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the table and how it came there.

    ``need`` is what the next opening needs: (points, pairs). ``opened_before`` tells whether any player
    had opened before the turn began that is being played (rule 41).
    """

    melds: tuple[TableMeld, ...]
    opened: tuple[Opening | None, ...]
    need: tuple[int, int]
    opened_before: bool


@dataclass(frozen=True, slots=True)
class Jokers:
    """The Joker button: spare jokers by seat, who pressed it in this round, how many tiles more it issued."""

    spare: tuple[int, ...]
    used: tuple[bool, ...]
    issued: int


@dataclass(frozen=True, slots=True)
class State:
    """A round at one moment.

    ``fines`` are the points that discards have cost each seat so far (rule 10). ``ending`` is None until the
    round is over; then ``phase`` is ``OVER``.
    """

    frame: Frame
    turn: int
    phase: Phase
    first_turn: bool
    discards: tuple[int, ...]
    table: Table
    jokers: Jokers
    hidden: Hidden
    fines: tuple[int, ...]
    ending: RoundEnded | None

    @property
    def hand(self) -> tuple[int, ...]:
        """Return the hand of the seat on turn."""
        return self.hidden.hands[self.turn]


def need_after(need: tuple[int, int], opening: Opening) -> tuple[int, int]:
    """Return what the next opening needs after this one in the rising mode, in two tracks (rule 30)."""
    points, pairs = need
    if opening.by == PAIRS:
        return points, max(pairs, opening.value + 1)
    return max(points, opening.value + 1), pairs
