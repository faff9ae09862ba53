"""What a seat can ask for. Imperative names; the answer is events or a ``Rejection``.

Games share this vocabulary; each game refuses what it does not have with ``UNKNOWN_MOVE``. Tiles and cards
are named by id, melds on the table by their number in the order laid, from 0.
"""

from dataclasses import dataclass
from enum import StrEnum


class MeldKind(StrEnum):
    """The kinds of meld over all games."""

    RUN = "run"
    SET = "set"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile in a meld or lay-off and, for a joker or wild, the face that it is declared to stand for."""

    tile: int
    stands_for: int | None = None


@dataclass(frozen=True, slots=True)
class MeldSpec:
    """A meld as a player submits it: kind and tiles in order."""

    kind: MeldKind
    tiles: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw the top of the stock."""

    seat: int


@dataclass(frozen=True, slots=True)
class PressJokerButton:
    """Take a joker from the account instead of drawing from the stock."""

    seat: int


@dataclass(frozen=True, slots=True)
class LayOpening:
    """Lay the first melds of the player or team, all in one command."""

    seat: int
    melds: tuple[MeldSpec, ...]


@dataclass(frozen=True, slots=True)
class LayMelds:
    """Lay further melds."""

    seat: int
    melds: tuple[MeldSpec, ...]


@dataclass(frozen=True, slots=True)
class LayOff:
    """Add tiles to a meld on the table."""

    seat: int
    meld: int
    tiles: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class SwapJoker:
    """Put a tile where a joker stands for it and take the joker."""

    seat: int
    meld: int
    tile: int


@dataclass(frozen=True, slots=True)
class TakeDiscard:
    """Take the discard, or the pile, and use it by the same command.

    ``use`` is None in card games, where the card may be kept.
    """

    seat: int
    use: "LayOpening | LayMelds | LayOff | SwapJoker | None" = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard a tile and end the turn."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class GoOut:
    """Lay the whole hand as melds and discard the last card (Three-Thirteen).

    ``discard`` is None where the player names none; the rules refuse that.
    """

    seat: int
    melds: tuple[MeldSpec, ...]
    discard: int | None


@dataclass(frozen=True, slots=True)
class AutoTurn:
    """Play the turn, or the rest of it, of a player who is absent."""

    seat: int


@dataclass(frozen=True, slots=True)
class EndRound:
    """End the round, whose time is up: ``seat`` finishes a turn that it has begun, and nobody has another."""

    seat: int


Command = (
    Draw
    | PressJokerButton
    | LayOpening
    | LayMelds
    | LayOff
    | SwapJoker
    | TakeDiscard
    | Discard
    | GoOut
    | AutoTurn
    | EndRound
)
