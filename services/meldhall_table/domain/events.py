"""What happens at a table. Past tense; decided once, folded for ever.

Moves of a round are the events of ``meldhall_rules.events`` as they are; the events here are those of the
table around it. Where the table adds something to an event of the rules (the next opening's need, the end
of a round with its totals), the event here takes its place in the stream and the fold hands the rules their
own part.
"""

from dataclasses import dataclass, field
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

from meldhall_rules import events as rules
from meldhall_rules.match import MatchFormat
from meldhall_rules.view import Phase

Options = tuple[tuple[str, str], ...]
"""A game's options in canonical text form, sorted by name."""

LATER: Final = MappingProxyType({"later": True})
"""Marks a field that joined when logs had been written without it.

A log that knows nothing of it leaves it at its default. Whoever hashes states leaves it out there, so that
the hash of an old log stays what it was.
"""


@unique
class CloseReason(StrEnum):
    """Why a table takes no more commands."""

    MATCH_OVER = "match_over"
    EMPTY = "empty"
    NOT_FILLED = "not_filled"
    ABANDONED = "abandoned"
    TIME_UP = "time_up"


@unique
class AutomaticReason(StrEnum):
    """Why a turn was played automatically."""

    TIME_UP = "time_up"
    LEFT = "left"


@unique
class Limit(StrEnum):
    """What can have a limit of time beside a turn."""

    ROUND = "round"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class Limits:
    """Times of a table in milliseconds; ``deploy/docs/tables.md`` says what each of them ends.

    Of the later ones 0 stands for no limit, and for a table without rematches.
    """

    turn_ms: int
    break_ms: int
    join_ms: int
    bot_move_ms: int
    fill_ms: int = field(default=0, metadata=LATER)
    round_ms: int = field(default=0, metadata=LATER)
    match_ms: int = field(default=0, metadata=LATER)
    rematch_ms: int = field(default=0, metadata=LATER)


@dataclass(frozen=True, slots=True)
class TableCreated:
    """A table was opened.

    ``reserved_for`` has a name by seat, empty where the seat is open. ``spectator_delay_ms`` is how far
    behind the table spectators are, None where there are none. ``previous_table_id`` names the table whose
    match is played again here. ``host`` is who runs the table before the match, empty for nobody, and
    ``invited_only`` whether only who was admitted may sit down.
    """

    table_id: str
    game: str
    options: Options
    form: MatchFormat
    limits: Limits
    reserved_for: tuple[str, ...]
    commitment: bytes
    created_by: str
    spectator_delay_ms: int | None = None
    previous_table_id: str = ""
    host: str = ""
    invited_only: bool = False


@dataclass(frozen=True, slots=True)
class SecretsDrawn:
    """The tip of the chain of secrets. Never shown."""

    tip: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player or a bot sat down, or a player who had left came back.

    ``bot`` names the policy, empty for a person.
    """

    seat: int
    player: str
    seed: bytes
    bot: str


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player left. Before the match the seat is free again; afterwards it is played automatically."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """Before the match a player moved to another seat."""

    old: int
    new: int
    player: str


@dataclass(frozen=True, slots=True)
class PlayerAdmitted:
    """A player may take a seat at a table that is for the invited only."""

    player: str


@dataclass(frozen=True, slots=True)
class PlayerBarred:
    """The host sent a player away: he may take no seat any more."""

    player: str


@dataclass(frozen=True, slots=True)
class TableLocked:
    """The host locked the table, or opened it again."""

    locked: bool


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Somebody else runs the table, since the host has left."""

    player: str


@dataclass(frozen=True, slots=True)
class StartCalled:
    """The host began the match."""


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round began; what everybody sees of the deal.

    ``deadline_ms`` is when the round is ended at the latest, ``match_deadline_ms`` when the match is decided
    (Unix milliseconds, 0: no such limit).
    """

    round: int
    starter: int
    game: str
    rules_version: int
    players: tuple[str, ...]
    hand_sizes: tuple[int, ...]
    stock_size: int
    discards: tuple[int, ...]
    need: tuple[int, int]
    wild: int | None = None
    thresholds: tuple[int, ...] = ()
    bonus: tuple[tuple[int, ...], ...] = ()
    deadline_ms: int = 0
    match_deadline_ms: int = 0


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn began, in this phase, and is played automatically at the deadline (Unix milliseconds).

    ``laid`` tells by seat whether it has put anything on the table, in games where that matters.
    """

    seat: int
    deadline_ms: int
    phase: Phase
    laid: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class AutomaticTurn:
    """What follows in this turn was not the player's doing."""

    seat: int
    reason: AutomaticReason


@dataclass(frozen=True, slots=True)
class SeatOpened:
    """A seat opened; ``need`` is what the next opening needs: (points, pairs)."""

    laid: rules.OpeningLaid
    need: tuple[int, int]


@dataclass(frozen=True, slots=True)
class JokerSpent:
    """The Joker button took a joker from a player's account."""

    round: int
    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round is over and everything in it public.

    ``left`` is what the hands held, ``left_melds`` the melds that they were counted in where the game looks
    for them, else empty; ``account_changes`` what the round moves by seat, ``secret`` the
    round's 32 bytes of the chain.
    """

    table_id: str
    game: str
    form: MatchFormat
    round: int
    ending: rules.RoundEnded
    totals: tuple[int, ...]
    left: tuple[tuple[int, ...], ...]
    players: tuple[str, ...]
    bots: tuple[bool, ...]
    account_changes: tuple[int, ...]
    secret: bytes
    left_melds: tuple[tuple[rules.MeldLaid, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class BreakBegan:
    """A pause between two rounds began; the next one is dealt at the deadline (Unix milliseconds)."""

    deadline_ms: int


@dataclass(frozen=True, slots=True)
class SeatReady:
    """A player is ready for the next round."""

    seat: int


@dataclass(frozen=True, slots=True)
class LimitReached:
    """The time for the round or for the match was up; what follows is not the players' doing."""

    limit: Limit


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over.

    ``stake_changes`` is what its end moves by seat in coins, ``account_changes`` in account points.
    """

    table_id: str
    game: str
    form: MatchFormat
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    rounds: int
    players: tuple[str, ...]
    bots: tuple[bool, ...]
    stake_changes: tuple[int, ...]
    account_changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RematchOffered:
    """After the match another one may be asked for, until the deadline (Unix milliseconds)."""

    deadline_ms: int


@dataclass(frozen=True, slots=True)
class RematchWanted:
    """A player wants another match."""

    seat: int


@dataclass(frozen=True, slots=True)
class RematchBegan:
    """All players wanted another match; its table is open."""

    next_table_id: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table takes no more commands."""

    reason: CloseReason


@dataclass(frozen=True, slots=True)
class DeadlineMoved:
    """The engine was away for ``outage_ms``; everything that was due moved by as long.

    ``deadline_ms`` is when the turn, the break or the waiting ends now.
    """

    deadline_ms: int
    outage_ms: int


RoundMove = (
    rules.StockDrawn
    | rules.DiscardTaken
    | rules.JokerIssued
    | rules.MeldsLaid
    | rules.LaidOff
    | rules.JokerSwapped
    | rules.Discarded
    | rules.StockReshuffled
    | rules.WentOut
    | rules.PileTaken
    | rules.BonusExposed
)
"""Events of the rules that lie in a table's stream as they are, beside the deal."""

Event = (
    TableCreated
    | SecretsDrawn
    | SeatTaken
    | SeatLeft
    | SeatChanged
    | PlayerAdmitted
    | PlayerBarred
    | TableLocked
    | HostChanged
    | StartCalled
    | RoundStarted
    | rules.RoundDealt
    | TurnBegan
    | AutomaticTurn
    | SeatOpened
    | JokerSpent
    | RoundEnded
    | BreakBegan
    | SeatReady
    | LimitReached
    | MatchEnded
    | RematchOffered
    | RematchWanted
    | RematchBegan
    | TableClosed
    | DeadlineMoved
    | RoundMove
)
