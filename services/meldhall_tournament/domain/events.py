"""What happened in a tournament. Everything else follows from these, in their order."""

from dataclasses import dataclass
from enum import StrEnum, unique

from meldhall_tournament.domain.plan import Plan


@unique
class Source(StrEnum):
    """Where a result comes from."""

    MATCH = "match"
    """The match that was played."""
    FORFEIT = "forfeit"
    """The table closed before a match was decided, as when players did not come."""
    TIMEOUT = "timeout"
    """The table's time was over."""
    OPERATOR = "operator"
    """Somebody said so."""


@dataclass(frozen=True, slots=True)
class SideResult:
    """What a table gave one side.

    Attributes:
        place: at the table, from 1; equal places are a tie.
        own: the game's own result, turned so that higher is better.
        rounds_won: rounds of the match that the side won.
        came: whether any of the side sat down.
    """

    place: int
    own: int = 0
    rounds_won: int = 0
    came: bool = True


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays: a player or a team. ``number`` is the lowest entry of its members."""

    number: int
    players: tuple[str, ...]
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Announced:
    """A tournament can be entered. ``commitment`` is SHA-256 of the seed that lots are drawn from."""

    tournament_id: str
    plan: Plan
    commitment: bytes
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Registered:
    """A player wants to enter; entries are numbered from 1. It counts once the fee is held."""

    entry: int
    player: str
    partner: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class FeeHeld:
    """The entry counts. A fee of nothing is held at once."""

    entry: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class FeeRefused:
    """The ledger does not hold the fee; the entry is void. ``code`` is the ledger's."""

    entry: int
    code: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class CheckedIn:
    """A player said that he is there: before the start, or again after a table that he did not come to."""

    player: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A player went. Before the start his fee is returned, after it not."""

    entry: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Started:
    """The first round can be paired. Entries that are of no entrant get their fees back."""

    seed: bytes
    entrants: tuple[Entrant, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Admitted:
    """A late entrant plays from the next round on."""

    entrant: Entrant
    at_ms: int


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """A round began. Tables are numbered from 1 in this order; a table of one is a bye.

    In a knock-out the winners of neighbouring tables meet, so a table may have nobody.
    """

    round: int
    tables: tuple[tuple[int, ...], ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A pairing has its table. ``attempt`` is 0, and higher after results that are played again."""

    round: int
    table: int
    attempt: int
    table_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class TableLost:
    """A table closed before its players could know of it. The pairing gets another one."""

    round: int
    table: int
    attempt: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class ResultRecorded:
    """A pairing is decided. ``sides`` are in the order of its entrants."""

    round: int
    table: int
    sides: tuple[SideResult, ...]
    source: Source
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class LateResultNoted:
    """A result came after its table was decided. It changes nothing by itself."""

    round: int
    table: int
    sides: tuple[SideResult, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class ResultVoided:
    """A result counts no more. With ``replay`` the pairing plays again, else nobody gets anything."""

    round: int
    table: int
    replay: bool
    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Disqualified:
    """An entrant is out, and is last at every table that he sat at."""

    entrant: int
    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Paused:
    """No round begins and no table is opened until ``Resumed``."""

    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """It goes on."""

    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Cancelled:
    """It is off. Every fee is returned."""

    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Closed:
    """It is over. Prizes follow."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PrizeDue:
    """A player is to get coins for a place.

    ``revision`` is 0 at the close, and higher after each decision that changed results since. A later
    revision has only the difference; one below zero is an operator's to correct.
    """

    revision: int
    place: int
    player: str
    amount: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class MoneyMoved:
    """The ledger carried out an order. ``key`` says which (``money.py``)."""

    key: str
    at_ms: int


Event = (
    Announced
    | Registered
    | FeeHeld
    | FeeRefused
    | CheckedIn
    | Withdrawn
    | Started
    | Admitted
    | RoundPaired
    | TableOpened
    | TableLost
    | ResultRecorded
    | LateResultNoted
    | ResultVoided
    | Disqualified
    | Paused
    | Resumed
    | Cancelled
    | Closed
    | PrizeDue
    | MoneyMoved
)
