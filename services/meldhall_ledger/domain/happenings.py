"""What a table's events mean to the ledger."""

from dataclasses import dataclass

from meldhall_ledger.domain.accounts import Unit, of_player
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Fault
from meldhall_ledger.domain.results import ACTOR
from meldhall_ledger.domain.rounds import RoundEnded
from meldhall_ledger.domain.transfers import Cause, Kind, Transfer, derived_id, movement


@dataclass(frozen=True, slots=True)
class JokerSpent:
    """A seat pressed the Joker button; ``table_id`` is the stream's."""

    table_id: str
    round: int
    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """A table takes no more commands, with or without a match that ended."""

    table_id: str


@dataclass(frozen=True, slots=True)
class ArenaOpened:
    """A table was opened whose match is played for stakes, in coins; ``rake_bps`` is what the house keeps."""

    table_id: str
    stake: int
    rake_bps: int
    seats: int


@dataclass(frozen=True, slots=True)
class NothingToPost:
    """An event that moves nothing; only its number counts."""


Happening = ArenaOpened | RoundEnded | MatchEnded | JokerSpent | TableClosed | NothingToPost


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event with its place among its stream's public events: 1, 2, 3, … without holes.

    ``at_ms`` is when it was recorded, Unix milliseconds.
    """

    stream_id: str
    sequence: int
    happening: Happening | Fault
    at_ms: int = 0

    @property
    def ends_play(self) -> bool:
        """Whether no further round will be played at the table."""
        return isinstance(self.happening, MatchEnded | TableClosed)


def spend(spent: JokerSpent) -> Transfer:
    """Return the transfer that takes a held joker back to issue."""
    debit, credit, amount = movement(of_player(Unit.JOKERS, spent.player_id), -1)
    kind = Kind.JOKER_SPENT
    return Transfer(
        id=derived_id(spent.table_id, spent.round, kind, spent.seat),
        debit=debit,
        credit=credit,
        amount=amount,
        kind=kind,
        actor=ACTOR,
        cause=Cause(spent.table_id, spent.round, spent.seat),
    )
