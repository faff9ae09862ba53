"""What happened in a round. Past tense; decided once, folded for ever.

An event says the outcome, never the request, so that folding a log decides nothing again. Names and fields
are stored: an event is never renamed and a field never changes its meaning. Games share this vocabulary.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from meldhall_rules.commands import MeldKind


@unique
class Finish(StrEnum):
    """How a round ended."""

    NORMAL = "normal"
    JOKER = "joker"
    ONE_TURN = "one_turn"
    ONE_TURN_JOKER = "one_turn_joker"
    EXHAUSTED = "exhausted"
    RUMMY = "rummy"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Laid:
    """A tile on the table and the face that it shows there: its own, or for a joker the one it stands for.

    A joker that stands for a number and for no tile (Canasta) shows ``tiles.NO_FACE``.
    """

    tile: int
    face: int


@dataclass(frozen=True, slots=True)
class MeldLaid:
    """A new meld, its tiles in table order."""

    kind: MeldKind
    tiles: tuple[Laid, ...]


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """The deal: everything that a fold of the round needs.

    ``order`` is the whole dealt order of tile ids, ``shuffle_key`` the 32 bytes that made it (and make
    reshuffles), ``spare_jokers`` the jokers by seat that the account holds ready for the Joker button,
    ``options`` the game's options in their canonical text form. ``totals`` are the match totals by side
    before the round in games where they matter to it, empty in others. Secret until the round is over.
    """

    game: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    round: int
    seats: int
    starter: int
    order: tuple[int, ...]
    shuffle_key: bytes
    spare_jokers: tuple[int, ...]
    totals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StockDrawn:
    """A seat drew the top of the stock. The tile is secret."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class DiscardTaken:
    """A seat took the top of the discard pile."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class JokerIssued:
    """The Joker button issued a joker to a seat."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class OpeningLaid:
    """A player or team opened.

    ``by`` is ``melds`` or ``pairs``, ``value`` the points of the opening or its number of pairs.
    """

    seat: int
    by: str
    value: int
    melds: tuple[MeldLaid, ...]


@dataclass(frozen=True, slots=True)
class MeldsLaid:
    """Further melds were laid."""

    seat: int
    melds: tuple[MeldLaid, ...]


@dataclass(frozen=True, slots=True)
class LaidOff:
    """Tiles were added to a meld, which now stands as ``result``, in table order."""

    seat: int
    meld: int
    tiles: tuple[Laid, ...]
    result: tuple[Laid, ...]


@dataclass(frozen=True, slots=True)
class JokerSwapped:
    """A tile took the place of a joker, which went to the hand."""

    seat: int
    meld: int
    tile: int
    joker: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """A tile was discarded and the turn ended."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class StockReshuffled:
    """The discards but the top one became the new stock. ``order`` is its drawing order and secret."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat laid its whole hand as melds and discarded the last card; its turn ended."""

    seat: int
    melds: tuple[MeldLaid, ...]
    discard: int


@dataclass(frozen=True, slots=True)
class PileTaken:
    """A seat took the whole discard pile (Canasta). ``tiles`` are in the order of the pile, the top last."""

    seat: int
    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BonusExposed:
    """The top of the stock was a bonus three: a seat exposed it for its team (Canasta), and draws again."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The round is over. ``winner`` is a seat (Canasta: a team) or None, ``scores`` are by seat (team)."""

    finish: Finish
    winner: int | None
    scores: tuple[int, ...]


Event = (
    RoundDealt
    | StockDrawn
    | DiscardTaken
    | JokerIssued
    | OpeningLaid
    | MeldsLaid
    | LaidOff
    | JokerSwapped
    | Discarded
    | StockReshuffled
    | WentOut
    | PileTaken
    | BonusExposed
    | RoundEnded
)
