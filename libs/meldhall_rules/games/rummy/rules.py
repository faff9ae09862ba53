"""Basic Rummy as a ``Game``.

Source: ``deploy/docs/rules/rummy.md``.
"""

from collections.abc import Mapping

from meldhall_rules.alphabet import CARDS, Alphabet
from meldhall_rules.cards import DECK_SIZE
from meldhall_rules.commands import Command
from meldhall_rules.events import Event, RoundDealt
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy import state as facts
from meldhall_rules.games.rummy.decide import decide
from meldhall_rules.games.rummy.evolve import evolve
from meldhall_rules.games.rummy.hints import common_hints
from meldhall_rules.games.rummy.moves import legal_moves
from meldhall_rules.games.rummy.options import from_canonical, parse
from meldhall_rules.games.rummy.state import State
from meldhall_rules.games.rummy.view import view
from meldhall_rules.hints import Hints
from meldhall_rules.match import MatchRules
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import DEAL, permutation
from meldhall_rules.view import View, Viewer


class BasicRummy:
    """The rules of Basic Rummy, version 1. Holds nothing; every call is a function of its arguments."""

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

    def match_rules(self, options: Mapping[str, str]) -> MatchRules:
        """Say what a match is: the highest total after some hands or at a target; no points move."""
        winner_deals = from_canonical(options).two_player_winner_deals
        return MatchRules(scores_pay=False, targets=True, dealer=True, winner_deals=winner_deals)

    def deal(self, options: Mapping[str, str], setup: RoundSetup) -> RoundDealt:
        """Shuffle the deck by the key; first the hands from the starter on, then the card turned up.

        Raises:
            ValueError: for a number of seats or a starter that cannot be.
        """
        if not facts.MIN_SEATS <= setup.seats <= facts.MAX_SEATS:
            raise ValueError(f"rummy is for {facts.MIN_SEATS} to {facts.MAX_SEATS}, not {setup.seats}")
        if not 0 <= setup.starter < setup.seats:
            raise ValueError(f"a round of {setup.seats} has no starter {setup.starter}")
        return RoundDealt(
            game=self.name,
            rules_version=self.rules_version,
            options=tuple(from_canonical(options).canonical().items()),
            round=setup.round,
            seats=setup.seats,
            starter=setup.starter,
            order=permutation(setup.shuffle_key, DEAL, DECK_SIZE),
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
