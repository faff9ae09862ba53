"""What can be asked of a tournament. Time and chance come with the command."""

from dataclasses import dataclass

from meldhall_tournament.domain.events import SideResult, Source
from meldhall_tournament.domain.plan import Plan


@dataclass(frozen=True, slots=True)
class Announce:
    """Announce a tournament; ``seed`` is what its lots are drawn from, 32 random bytes."""

    tournament_id: str
    plan: Plan
    seed: bytes
    by: str


@dataclass(frozen=True, slots=True)
class Register:
    """Enter, with a partner where partners are chosen."""

    player: str
    partner: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFee:
    """Say what the ledger made of an entry's fee; an empty ``code`` is that it is held."""

    entry: int
    code: str = ""


@dataclass(frozen=True, slots=True)
class CheckIn:
    """Say that one is there."""

    player: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Go."""

    player: str


@dataclass(frozen=True, slots=True)
class Start:
    """Make entrants of entries; ``seed`` is the one of the announcement."""

    seed: bytes


@dataclass(frozen=True, slots=True)
class PairRound:
    """Pair a round. Pairing one that is paired is no change."""

    round: int


@dataclass(frozen=True, slots=True)
class NoteTable:
    """Say which table a pairing has."""

    round: int
    table: int
    attempt: int
    table_id: str


@dataclass(frozen=True, slots=True)
class LoseTable:
    """Say that a pairing's table closed before anybody could come."""

    round: int
    table: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Record:
    """Say how a pairing ended. ``attempt`` is that of the table which it comes from."""

    round: int
    table: int
    sides: tuple[SideResult, ...]
    source: Source
    attempt: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True)
class Void:
    """Take a result back, for a reason."""

    round: int
    table: int
    replay: bool
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Disqualify:
    """Put an entrant out, for a reason."""

    entrant: int
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Begin nothing more, for a reason."""

    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on."""

    by: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Call it off, for a reason."""

    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Close:
    """End it after its last round."""


@dataclass(frozen=True, slots=True)
class NoteMoney:
    """Say that the ledger carried out an order."""

    key: str


Command = (
    Announce
    | Register
    | AnswerFee
    | CheckIn
    | Withdraw
    | Start
    | PairRound
    | NoteTable
    | LoseTable
    | Record
    | Void
    | Disqualify
    | Pause
    | Resume
    | Cancel
    | Close
    | NoteMoney
)
