"""What every game offers to those who run it, and the registry of games.

Everybody above the rules (table engine, scenario runner, simulator, commands) works through ``Game`` alone,
so that a new game is a new package under ``games/`` and nothing else. A state is whatever the game needs;
callers keep it, hand it back and never look inside.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from meldhall_rules.alphabet import Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundDealt
from meldhall_rules.hints import Hints
from meldhall_rules.match import MatchRules
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import View, Viewer


@dataclass(frozen=True, slots=True)
class RoundSetup:
    """What has to be known to deal a round.

    ``shuffle_key`` is the 32-byte key of ``deploy/docs/shuffle.md``; ``starter`` the seat that begins.
    ``totals`` are the match totals by side before the round, for games in which they matter to it; empty
    stands for zeros.
    """

    round: int
    seats: int
    starter: int
    shuffle_key: bytes
    spare_jokers: tuple[int, ...]
    totals: tuple[int, ...] = ()


class Game(Protocol):
    """The rules of one game at one version: pure functions of their arguments.

    ``state_type`` is the frozen dataclass that a state is, for those who store one.
    """

    name: str
    rules_version: int
    state_type: type
    min_seats: int
    max_seats: int
    alphabet: Alphabet

    def parse_options(self, given: Mapping[str, object]) -> Mapping[str, str] | Rejection:
        """Check options by name and value; return all of them, defaults filled in, in canonical text form."""

    def match_rules(self, options: Mapping[str, str]) -> MatchRules:
        """Say what a match of this game is, with these options."""

    def deal(self, options: Mapping[str, str], setup: RoundSetup) -> RoundDealt:
        """Shuffle by the key and return the deal. Same arguments, same deal, on any machine."""

    def decide(self, state: Any, command: Command) -> tuple[Event, ...] | Rejection:
        """Answer a command: the events that it causes, at least one, or why it is refused."""

    def evolve(self, state: Any, event: Event) -> Any:
        """Fold one event. ``state`` is None before ``RoundDealt``. Never refuses and never decides."""

    def view(self, state: Any, viewer: Viewer) -> View:
        """Show a state to a seat, a spectator or an operator; nothing hidden from them is in it."""

    def legal_moves(self, view: View) -> tuple[Command, ...]:
        """List moves that the viewing seat could make now; empty when it is not on turn."""

    def hints(self, view: View) -> Hints | None:
        """Return hints for the viewing seat, on turn or not; None for a spectator and after the round."""
