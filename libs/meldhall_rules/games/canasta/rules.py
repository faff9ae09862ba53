"""Canasta as a ``Game``.

Source: ``deploy/docs/rules/canasta.md``.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.alphabet import TILES, Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundDealt
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta import state as facts
from meldhall_rules.games.canasta.decide import decide
from meldhall_rules.games.canasta.evolve import evolve
from meldhall_rules.games.canasta.hints import common_hints
from meldhall_rules.games.canasta.moves import legal_moves
from meldhall_rules.games.canasta.options import from_canonical, parse
from meldhall_rules.games.canasta.state import State
from meldhall_rules.games.canasta.view import view
from meldhall_rules.hints import Hints
from meldhall_rules.match import MatchRules, Mode
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import DEAL, permutation
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import View, Viewer

MATCH_RULES: Final = MatchRules(
    team_size=facts.SEATS // facts.TEAMS,
    dealer=True,
    single_winner_in=frozenset({Mode.FRIENDS, Mode.QUICK, Mode.ARENA}),
    scores_pay=False,
    round_pays=1000,
    targets=True,
)
"""Teams; a tie is played off wherever something is paid; 1,000 points a round (rules 31 to 33)."""


class Canasta:
    """The rules of Canasta, version 1. Holds nothing; every call is a function of its arguments."""

    __slots__ = ()

    name: str = facts.NAME
    rules_version: int = facts.RULES_VERSION
    state_type: type = State
    min_seats: int = facts.SEATS
    max_seats: int = facts.SEATS
    alphabet: Alphabet = TILES

    def parse_options(self, given: Mapping[str, object]) -> Mapping[str, str] | Rejection:
        """Check options by name and value; return all of them in canonical text form."""
        options = parse(given)
        return options if isinstance(options, Rejection) else options.canonical()

    def match_rules(self, options: Mapping[str, str]) -> MatchRules:  # noqa: ARG002 - no option matters to it
        """Say what a match is: the higher total of two teams, and each winner paid by the rounds played."""
        return MATCH_RULES

    def deal(self, options: Mapping[str, str], setup: RoundSetup) -> RoundDealt:
        """Shuffle all 106 tiles by the key; the first 15 are the starter's, then 14 for each next seat.

        ``totals`` of the setup are by team and decide the thresholds of the round. Bonus threes of the deal
        are exposed and replaced by the fold.

        Raises:
            ValueError: for a number of seats, a starter, spare jokers or totals that cannot be.
        """
        if setup.seats != facts.SEATS:
            raise ValueError(f"canasta is for {facts.SEATS}, not {setup.seats}")
        if not 0 <= setup.starter < facts.SEATS:
            raise ValueError(f"a round of {facts.SEATS} has no starter {setup.starter}")
        if len(setup.spare_jokers) != facts.SEATS or min(setup.spare_jokers) < 0:
            raise ValueError(f"spare jokers {setup.spare_jokers} of {facts.SEATS} seats")
        totals = setup.totals or (0,) * facts.TEAMS
        if len(totals) != facts.TEAMS:
            raise ValueError(f"totals {totals} of {facts.TEAMS} teams")
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
            totals=totals,
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
