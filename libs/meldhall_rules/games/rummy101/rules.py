"""Rummy 101 as a ``Game``.

Source: ``deploy/docs/rules/rummy101.md``.
"""

from collections.abc import Mapping

from meldhall_rules.alphabet import TILES, Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundDealt
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101 import state as facts
from meldhall_rules.games.rummy101.decide import decide
from meldhall_rules.games.rummy101.evolve import evolve
from meldhall_rules.games.rummy101.hints import common_hints
from meldhall_rules.games.rummy101.moves import legal_moves
from meldhall_rules.games.rummy101.options import from_canonical, parse
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.games.rummy101.view import view
from meldhall_rules.hints import Hints
from meldhall_rules.match import DEFAULT, MatchRules
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import DEAL, permutation
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import View, Viewer


class Rummy101:
    """The rules of Rummy 101, version 1. Holds nothing; every call is a function of its arguments."""

    __slots__ = ()

    name: str = facts.NAME
    rules_version: int = facts.RULES_VERSION
    state_type: type = State
    min_seats: int = facts.MIN_SEATS
    max_seats: int = facts.MAX_SEATS
    alphabet: Alphabet = TILES

    def parse_options(self, given: Mapping[str, object]) -> Mapping[str, str] | Rejection:
        """Check options by name and value; return all of them in canonical text form."""
        options = parse(given)
        return options if isinstance(options, Rejection) else options.canonical()

    def match_rules(self, options: Mapping[str, str]) -> MatchRules:  # noqa: ARG002 - no option matters to it
        """Say what a match is: all for themselves, the highest total wins, each result moves the account."""
        return DEFAULT

    def deal(self, options: Mapping[str, str], setup: RoundSetup) -> RoundDealt:
        """Shuffle all 106 tiles by the key; the first 22 are the starter's, then 21 for each next seat.

        Raises:
            ValueError: for a number of seats, a starter or spare jokers that cannot be.
        """
        if not facts.MIN_SEATS <= setup.seats <= facts.MAX_SEATS:
            raise ValueError(f"rummy101 is for {facts.MIN_SEATS} to {facts.MAX_SEATS}, not {setup.seats}")
        if not 0 <= setup.starter < setup.seats:
            raise ValueError(f"a round of {setup.seats} has no starter {setup.starter}")
        if len(setup.spare_jokers) != setup.seats or min(setup.spare_jokers) < 0:
            raise ValueError(f"spare jokers {setup.spare_jokers} of {setup.seats} seats")
        return RoundDealt(
            game=self.name,
            rules_version=self.rules_version,
            options=tuple(from_canonical(options).canonical().items()),
            round=setup.round,
            seats=setup.seats,
            starter=setup.starter,
            order=permutation(setup.shuffle_key, DEAL, SET_SIZE),
            shuffle_key=setup.shuffle_key,
            spare_jokers=setup.spare_jokers,
        )

    def decide(self, state: State, command: Command) -> tuple[Event, ...] | Rejection:
        """Answer a command: its events, at least one, or why it is refused."""
        return decide(state, command)

    def evolve(self, state: State | None, event: Event) -> State:
        """Fold one event; ``state`` is None before ``RoundDealt``."""
        return evolve(state, event)

    def view(self, state: State, viewer: Viewer) -> View:
        """Show a state to a seat or a spectator."""
        return view(state, viewer)

    def legal_moves(self, view: View) -> tuple[Command, ...]:
        """List moves that the viewing seat could make now; empty when it is not on turn."""
        return legal_moves(view)

    def hints(self, view: View) -> Hints | None:
        """Return hints for the viewing seat; None for a spectator and when the round is over."""
        return common_hints(view)
