"""A case while it is played: a round, its match, and the moves made in them.

Everything is asked of the rules library, through ``Game`` and ``match``; the state of the round stays closed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import Event, Finish, MeldLaid, RoundEnded
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.match import MatchFormat, MatchState, account_changes, after_round, refuse_deal
from meldhall_rules.melds import read_meld
from meldhall_rules.notation import parse_move, seat_of
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario.position import case_key
from meldhall_rules.view import SPECTATOR, View

NEXT: Final = "next"
"""The move that deals the next round of the match."""

MeldReader = Callable[[View, MeldSpec], MeldLaid | Rejection]
"""Reads a meld as the rules would at a table."""


def read_tile_meld(_: View, spec: MeldSpec) -> MeldLaid | Rejection:
    """Read a meld of tiles, which is the same at every table."""
    return read_meld(spec)


@dataclass(slots=True)
class Session:
    """A round of a match.

    ``account`` is what the last round that ended moved, by seat; ``redeals`` how often a void round was dealt
    again.
    """

    game: Game
    options: Mapping[str, str]
    seed: int
    form: MatchFormat
    match: MatchState
    account: tuple[int, ...]
    state: Any
    read_meld: MeldReader = read_tile_meld
    redeals: int = 0

    def table(self) -> View:
        """Return what everybody sees."""
        return self.game.view(self.state, SPECTATOR)

    def hand(self, seat: int) -> tuple[int, ...]:
        """Return the hand of a seat, sorted by id."""
        return self.game.view(self.state, seat).hand or ()

    def spare_jokers(self) -> tuple[int, ...]:
        """Return the spare jokers for the Joker button, by seat."""
        seats = range(self.table().seats)
        return tuple(self.game.view(self.state, seat).jokers or 0 for seat in seats)

    def fingerprint(self) -> str:
        """Return all that a refused move must leave alone, as text, so that no shared part hides a change."""
        return repr((self.state, self.match, self.account))

    def move(self, text: str) -> Rejection | None:
        """Make a move; a refused one changes nothing.

        Raises:
            NotationError: for a text that is no move.
        """
        if text == NEXT:
            return self._next()
        seat = seat_of(text)
        table = self.table()
        # A seat that is not there holds nothing; the rules answer that it is not on turn.
        holding = self.hand(seat) if seat < table.seats else ()
        command = parse_move(
            text, holding, table.discards[-1] if table.discards else None, self.game.alphabet
        )
        answer = self.game.decide(self.state, command)
        if isinstance(answer, Rejection):
            return answer
        for event in answer:
            self._fold(event)
        return None

    def _fold(self, event: Event) -> None:
        self.state = self.game.evolve(self.state, event)
        if isinstance(event, RoundEnded):
            self.match = after_round(self.match, event.scores, winner=event.winner, finish=event.finish)
            self.account = account_changes(self.form, self.match, event.scores)

    def _next(self) -> Rejection | None:
        table = self.table()
        refused = refuse_deal(self.form, self.match, round_over=table.finish is not None)
        if refused is not None:
            return refused
        again = table.finish is Finish.VOID
        number = table.round if again else table.round + 1
        self.redeals += again
        setup = RoundSetup(
            round=number,
            seats=table.seats,
            starter=self.match.starter,
            shuffle_key=case_key(self.seed, number, self.redeals),
            spare_jokers=self.spare_jokers(),
            totals=self.match.totals,
        )
        self.state = self.game.evolve(None, self.game.deal(self.options, setup))
        return None
