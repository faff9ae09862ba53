"""Three-Thirteen as a ``Game``.

Source: ``deploy/docs/rules/three_thirteen.md``.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.alphabet import CARDS, Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundDealt
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.three_thirteen import state as facts
from meldhall_rules.games.three_thirteen.decide import decide
from meldhall_rules.games.three_thirteen.evolve import evolve
from meldhall_rules.games.three_thirteen.hints import common_hints
from meldhall_rules.games.three_thirteen.moves import legal_moves
from meldhall_rules.games.three_thirteen.options import from_canonical, parse
from meldhall_rules.games.three_thirteen.state import State
from meldhall_rules.games.three_thirteen.view import view
from meldhall_rules.hints import Hints
from meldhall_rules.match import MatchRules, Tie
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import DEAL, permutation
from meldhall_rules.view import View, Viewer

_MATCH: Final = MatchRules(
    lowest_wins=True,
    dealer=True,
    tie=Tie.ROUNDS_PLAYED,
    single_winner_in=frozenset(),
    scores_pay=False,
    length=facts.ROUNDS,
)


class ThreeThirteen:
    """The rules of Three-Thirteen, version 1. Holds nothing; every call is a function of its arguments."""

    __slots__ = ()

    name: str = facts.NAME
    rules_version: int = facts.RULES_VERSION
    state_type: type = State
    min_seats: int = facts.MIN_SEATS
    max_seats: int = facts.MAX_SEATS
    alphabet: Alphabet = CARDS

    def parse_options(self, given: Mapping[str, object]) -> Mapping[str, str] | Rejection:
        """Check options by name and value; return all of them in canonical text form."""
        options = parse(given)
        return options if isinstance(options, Rejection) else options.canonical()

    def match_rules(self, options: Mapping[str, str]) -> MatchRules:  # noqa: ARG002 - no option matters to it
        """Say what a match is: eleven rounds, the lowest total wins, ties shared or decided by the rounds."""
        return _MATCH

    def deal(self, options: Mapping[str, str], setup: RoundSetup) -> RoundDealt:
        """Shuffle one deck or two by the key; first the hands from the starter on, then the card turned up.

        Raises:
            ValueError: for a round, a number of seats or a starter that cannot be.
        """
        if not facts.MIN_SEATS <= setup.seats <= facts.MAX_SEATS:
            raise ValueError(
                f"three_thirteen is for {facts.MIN_SEATS} to {facts.MAX_SEATS}, not {setup.seats}"
            )
        if not 0 <= setup.starter < setup.seats:
            raise ValueError(f"a round of {setup.seats} has no starter {setup.starter}")
        if not 1 <= setup.round <= facts.ROUNDS:
            raise ValueError(f"three_thirteen has {facts.ROUNDS} rounds, and no round {setup.round}")
        return RoundDealt(
            game=self.name,
            rules_version=self.rules_version,
            options=tuple(from_canonical(options).canonical().items()),
            round=setup.round,
            seats=setup.seats,
            starter=setup.starter,
            order=permutation(setup.shuffle_key, DEAL, facts.deck_size(setup.seats)),
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
