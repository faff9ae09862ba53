"""A player's wish for a seat and the states that it goes through.

``deploy/docs/matchmaking.md`` has the picture.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final


@unique
class TicketState(StrEnum):
    """What became of a ticket."""

    WAITING = "waiting"
    PROPOSED = "proposed"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"

    @property
    def is_final(self) -> bool:
        """Whether nothing follows."""
        return not _NEXT[self]

    def leads_to(self, following: "TicketState") -> bool:
        """Whether a ticket may go from this state to another one."""
        return following in _NEXT[self]


_NEXT: Final[Mapping[TicketState, frozenset[TicketState]]] = {
    TicketState.WAITING: frozenset({TicketState.PROPOSED, TicketState.CANCELLED, TicketState.EXPIRED}),
    TicketState.PROPOSED: frozenset({TicketState.MATCHED, TicketState.WAITING}),
    TicketState.MATCHED: frozenset(),
    TicketState.CANCELLED: frozenset(),
    TicketState.EXPIRED: frozenset(),
}

ACTIVE: Final = frozenset(state for state in TicketState if not state.is_final)
"""States of which a player has one ticket at most."""


@unique
class EndReason(StrEnum):
    """Why a ticket was cancelled by nobody's wish."""

    NO_COINS = "no_coins"
    """The player, or somebody of the party, did not have the stake any more when it was to be held."""


@unique
class Play(StrEnum):
    """What a table found by matchmaking is for."""

    QUICK = "quick"
    """Whoever waits, soon; bots take the seats for which nobody comes."""

    RANKED = "ranked"
    """People of like rating, whose ratings move by the result. Never a bot."""

    ARENA = "arena"
    """Whoever puts up the same stake; winners take the losers'. Never a bot."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The kind of table that a player wants. Only tickets with equal wishes meet.

    Attributes:
        game: Name of the game.
        options: All of its options in canonical text form, sorted by name.
        seats: Seats of the table.
        rounds: Rounds of the match.
        play: What it is for.
        stake: Coins that each player puts up in the arena, 0 elsewhere.
    """

    game: str
    options: tuple[tuple[str, str], ...]
    seats: int
    rounds: int
    play: Play = Play.QUICK
    stake: int = 0


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket at one moment. Times are Unix times in milliseconds.

    Attributes:
        ticket_id: Sorts by the time at which it was made.
        player_id: Whose it is.
        wish: The table wanted.
        state: What became of it.
        enqueued_at_ms: Its age counts from here, however often a table could not be opened.
        bots_at_ms: When bots fill the table at the latest; without meaning where none may.
        last_seen_ms: When its player was last known to follow it.
        revision: Counts its changes of state from 1, so that old news can be told from new.
        proposal_id: The group that it is or was matched in; empty while it waits.
        table_id: The table found; empty until it is matched.
        table_address: The address of the table service that has it.
        end_reason: Why it was taken back, where its player did not ask for that.
        party_id: The players who came together with this one, and sit at one table; empty for who came alone.
        party_size: How many they are.
        rating: The player's rating in that game when the ticket was made; without meaning but in ranked play.
        latencies: Round-trip times in milliseconds to regions, by name; empty where nobody measured them.
        blocked: Players who are never to be met, whoever of the two wanted that.
        met: The strangers of the player's last ranked match, if that was just now.
    """

    ticket_id: str
    player_id: str
    wish: Wish
    enqueued_at_ms: int
    bots_at_ms: int
    last_seen_ms: int
    state: TicketState = TicketState.WAITING
    revision: int = 1
    proposal_id: str = ""
    table_id: str = ""
    table_address: str = ""
    end_reason: EndReason | None = None
    party_id: str = ""
    party_size: int = 1
    rating: int = 0
    latencies: tuple[tuple[str, int], ...] = ()
    blocked: frozenset[str] = frozenset()
    met: frozenset[str] = frozenset()
