"""A round of Canasta at one moment.

As in every game a state is immutable and shares what did not change with the state before it. What no player
may see as a whole is in ``Hidden`` alone. Seats 0 and 2 are team 0, seats 1 and 3 team 1.
Source: ``deploy/docs/rules/canasta.md`` 1-6, 15, 30.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_rules.canasta_shapes import Shape
from meldhall_rules.events import RoundEnded
from meldhall_rules.games.canasta.melds import table_shape
from meldhall_rules.games.canasta.options import Options
from meldhall_rules.view import Opening, Phase, TableMeld

NAME: Final = "canasta"
RULES_VERSION: Final = 1
SEATS: Final = 4
TEAMS: Final = 2
HAND_SIZE: Final = 14
"""Tiles of a hand after the deal; the starter has one more."""

MELDS: Final = "melds"
"""The way of every opening."""

_THRESHOLDS: Final = ((7000, 150), (3000, 120), (1500, 90), (0, 50))
_BELOW_ZERO: Final = 15


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays as it is for the whole round. ``totals`` are the match totals by team before it."""

    options: Options
    round: int
    starter: int
    totals: tuple[int, ...]

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Return by team what its opening has to be worth."""
        return tuple(map(threshold, self.totals))


@dataclass(frozen=True, slots=True)
class Hidden:
    """What nobody sees as a whole: the hands, the stock and the key that shuffled them.

    ``order`` is a sequence of tiles whose part from ``next_draw`` on is the stock. Hands are sorted by id.
    ``drawn`` is the tile that the seat on turn drew from the stock in this turn, None if it drew none.
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
    """What lies on the table: melds in the order laid, and by team its opening and its bonus threes."""

    melds: tuple[TableMeld, ...]
    opened: tuple[Opening | None, ...]
    bonus: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Jokers:
    """The Joker button: spare jokers by seat, who pressed it in this round, how many tiles more it issued."""

    spare: tuple[int, ...]
    used: tuple[bool, ...]
    issued: int


@dataclass(frozen=True, slots=True)
class State:
    """A round at one moment. ``ending`` is None until the round is over; then ``phase`` is ``OVER``."""

    frame: Frame
    turn: int
    phase: Phase
    first_turn: bool
    discards: tuple[int, ...]
    table: Table
    jokers: Jokers
    hidden: Hidden
    ending: RoundEnded | None

    @property
    def hand(self) -> tuple[int, ...]:
        """Return the hand of the seat on turn."""
        return self.hidden.hands[self.turn]

    @property
    def team(self) -> int:
        """Return the team on turn."""
        return team_of(self.turn)


def team_of(seat: int) -> int:
    """Return the team of a seat (rule 1)."""
    return seat % TEAMS


def threshold(total: int) -> int:
    """Return what the opening of a team has to be worth that began the round with this total (rule 15)."""
    return next((needed for least, needed in _THRESHOLDS if total >= least), _BELOW_ZERO)


def shapes(melds: Sequence[TableMeld], team: int) -> dict[int, Shape]:
    """Return the shapes of the melds of a team by number."""
    found = (table_shape(meld) for meld in melds if meld.owner == team)
    return {shape.number: shape for shape in found}


def meld_number(melds: Sequence[TableMeld], team: int, number: int) -> int | None:
    """Return which meld of the table is the team's of a number of tiles, None if it has none."""
    for at, meld in enumerate(melds):
        if meld.owner == team and table_shape(meld).number == number:
            return at
    return None
