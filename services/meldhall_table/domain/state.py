"""A table at one version. Immutable; a state shares what did not change with the state before it."""

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Any

from meldhall_rules import registry
from meldhall_rules.game import Game
from meldhall_rules.match import MatchFormat, MatchState
from meldhall_rules.view import View, Viewer
from meldhall_table.domain.events import LATER, CloseReason, Limits, MatchEnded, Options, RoundEnded


@unique
class Status(StrEnum):
    """Where a table stands."""

    WAITING = "waiting"
    PLAYING = "playing"
    BREAK = "break"
    OVER = "over"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat.

    Who sits there, whom it is kept for, which bot plays it, whether the player left in a running match; in a
    break whether he is ready for the next round, after the match whether he wants another one.
    """

    player: str = ""
    reserved_for: str = ""
    bot: str = ""
    left: bool = False
    seed: bytes = b""
    ready: bool = field(default=False, metadata=LATER)
    rematch: bool = field(default=False, metadata=LATER)

    @property
    def person(self) -> bool:
        """Tell whether a person sits here and has not left."""
        return bool(self.player) and not self.bot and not self.left


@dataclass(frozen=True, slots=True)
class Round:
    """The round being played, or the last one. ``tiles`` bounds the tile ids that it can have."""

    number: int
    starter: int
    turn: int
    rules_version: int
    tiles: int
    state: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A table at one version.

    ``deadline_ms`` is when what runs now ends by itself (waiting for players, a turn, a break, the time for a
    rematch; Unix milliseconds, 0: it does not), ``last_at_ms`` when the last event was recorded, ``tip`` the
    secret end of the chain of secrets, ``last_secret`` the last secret that was published, at first the
    commitment. The other deadlines are those of waiting for all seats to be taken, of the round and of the
    match. ``cut_short`` tells that the match's own was reached. ``host`` runs the table before the match,
    and ``started`` tells that he began it; ``admitted`` and ``barred`` are the players who may and who may
    not sit down where that has been said.
    """

    table_id: str
    version: int
    status: Status
    game: str
    options: Options
    form: MatchFormat
    limits: Limits
    seats: tuple[Seat, ...]
    commitment: bytes
    created_by: str
    last_at_ms: int
    deadline_ms: int
    last_secret: bytes
    tip: bytes = field(default=b"", repr=False)
    round: Round | None = None
    match: MatchState | None = None
    last_end: RoundEnded | None = None
    match_end: MatchEnded | None = None
    close_reason: CloseReason | None = None
    fill_deadline_ms: int = field(default=0, metadata=LATER)
    round_deadline_ms: int = field(default=0, metadata=LATER)
    match_deadline_ms: int = field(default=0, metadata=LATER)
    cut_short: bool = field(default=False, metadata=LATER)
    spectator_delay_ms: int | None = field(default=None, metadata=LATER)
    previous_table_id: str = field(default="", metadata=LATER)
    next_table_id: str = field(default="", metadata=LATER)
    host: str = field(default="", metadata=LATER)
    invited_only: bool = field(default=False, metadata=LATER)
    locked: bool = field(default=False, metadata=LATER)
    admitted: tuple[str, ...] = field(default=(), metadata=LATER)
    barred: tuple[str, ...] = field(default=(), metadata=LATER)
    started: bool = field(default=False, metadata=LATER)

    @property
    def players(self) -> tuple[str, ...]:
        """Return the players by seat, empty names for free seats."""
        return tuple(seat.player for seat in self.seats)

    @property
    def bots(self) -> tuple[bool, ...]:
        """Tell by seat whether a bot plays it."""
        return tuple(bool(seat.bot) for seat in self.seats)

    @property
    def totals(self) -> tuple[int, ...]:
        """Return the match totals by side, zeros before the first round."""
        if self.match is not None:
            return self.match.totals
        return (0,) * (len(self.seats) // self.rules().match_rules(dict(self.options)).team_size)

    @property
    def full(self) -> bool:
        """Tell whether every seat is taken."""
        return all(seat.player for seat in self.seats)

    @property
    def may_begin(self) -> bool:
        """Tell whether the first round can be dealt: all seats are taken, and a host has said so."""
        return self.full and (self.started or not self.host)

    def seat_of(self, player: str) -> int | None:
        """Return the seat that belongs to a player, also one who left a running match; never a bot's."""
        for number, seat in enumerate(self.seats):
            if seat.player == player and player and not seat.bot:
                return number
        return None

    def seated(self, player: str) -> int | None:
        """Return the seat in which a player sits now."""
        number = self.seat_of(player)
        return number if number is not None and self.seats[number].person else None

    def rules(self) -> Game:
        """Return the game at the version that the round is pinned to, the latest before the first round."""
        return registry.game(self.game, self.round.rules_version if self.round else None)

    def view(self, viewer: Viewer) -> View | None:
        """Show the round to a viewer, None before the first."""
        return self.rules().view(self.round.state, viewer) if self.round else None
