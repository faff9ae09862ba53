"""What somebody may see of a round.

A seat's view has one hand: its own. There is no field for another hand, for the order of the stock or for a
secret, so no caller can leak one by filling a view in wrongly. Bots, hints and the legal-move list work on
views, never on states.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

from meldhall_rules.commands import MeldKind
from meldhall_rules.events import Finish, Laid, MeldLaid


class Phase(StrEnum):
    """Where the turn stands."""

    DRAW = "draw"
    PLAY = "play"
    OVER = "over"


class Onlooker(Enum):
    """A viewer who holds no hand."""

    SPECTATOR = "spectator"


SPECTATOR: Final = Onlooker.SPECTATOR

Viewer = int | Onlooker
"""A seat number, or a spectator."""


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table. ``owner`` is the seat (Canasta: the team) that laid it first."""

    owner: int
    kind: MeldKind
    tiles: tuple[Laid, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """How a player opened: ``by`` is ``melds`` or ``pairs``, ``value`` its points or its number of pairs."""

    by: str
    value: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A hand that everybody sees after the round, and the melds by which it was scored."""

    hand: tuple[int, ...]
    melds: tuple[MeldLaid, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A round as one viewer sees it.

    ``hand`` is the viewing seat's own, sorted by id, None for a spectator. ``discards`` is the whole pile,
    the top last. ``need`` is what an opening needs now: (points, pairs). ``jokers`` is the number of spare
    jokers that the viewing seat has for the Joker button, None for a spectator; ``button_used`` tells who
    pressed it in this round.

    What only some games have, and everybody may know: ``wild`` is the rank that is wild in this round,
    ``out`` the seat that went out first while others have final turns, ``taken`` the card that the seat on
    turn took from the discard pile in this turn, ``reshuffles`` how often the stock was rebuilt in this
    round, ``laid`` by seat whether it put anything on the table in an earlier turn, ``new_melds`` how many
    melds the seat on turn has laid in this turn. ``shown`` are the hands by seat when the round is over,
    empty before.

    In Canasta ``opened``, ``winner`` and ``scores`` are by team, and so are ``thresholds``, what an opening
    of each team has to be worth in this round, and ``bonus``, the bonus threes that it has exposed; ``need``
    is that of the viewer's team, for a spectator of the team on turn, with no pairs.
    """

    game: str
    options: tuple[tuple[str, str], ...]
    viewer: Viewer
    round: int
    seats: int
    starter: int
    turn: int
    phase: Phase
    first_turn: bool
    hand: tuple[int, ...] | None
    hand_sizes: tuple[int, ...]
    stock_size: int
    discards: tuple[int, ...]
    melds: tuple[TableMeld, ...]
    opened: tuple[Opening | None, ...]
    need: tuple[int, int]
    jokers: int | None
    button_used: tuple[bool, ...]
    finish: Finish | None
    winner: int | None
    scores: tuple[int, ...] | None
    wild: int | None = None
    out: int | None = None
    taken: int | None = None
    reshuffles: int = 0
    laid: tuple[bool, ...] = ()
    new_melds: int = 0
    shown: tuple[Shown, ...] = ()
    thresholds: tuple[int, ...] = ()
    bonus: tuple[tuple[int, ...], ...] = ()
