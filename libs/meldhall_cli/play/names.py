"""Who is who at the table: the person is "you", and bots go by a first name."""

from dataclasses import dataclass
from typing import Final

from meldhall.table.v1 import table_view_pb2 as views

BOT_NAMES: Final = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Fred")

_ENDINGS: Final = {"have": "has", "do": "does", "are": "is", "press": "presses", "go": "goes"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the seats of a table, as the person in ``own`` reads them.

    ``sides`` is how many sides there are: as many as seats, or two teams.
    """

    names: tuple[str, ...]
    own: int
    sides: int

    @classmethod
    def of(cls, view: views.TableView) -> "Names":
        """Name the seats of a table."""
        names = (
            BOT_NAMES[seat.seat % len(BOT_NAMES)] if seat.bot else seat.player_id or "nobody"
            for seat in view.seats
        )
        return cls(tuple(names), view.own_seat, len(view.totals) or len(view.seats))

    def of_seat(self, seat: int) -> str:
        """Return a name to be read within a sentence."""
        return "you" if seat == self.own else self.names[seat]

    def does(self, seat: int, verb: str) -> str:
        """Begin a sentence about a seat: ``You draw``, ``Ben draws``."""
        if seat == self.own:
            return f"You {verb}"
        return f"{self.names[seat]} {_ENDINGS.get(verb) or f'{verb}s'}"

    def side_of(self, seat: int) -> int:
        """Return the side that a seat plays for."""
        return seat % self.sides

    @property
    def teams(self) -> bool:
        """Tell whether seats play in teams."""
        return self.sides < len(self.names)

    def of_side(self, side: int) -> str:
        """Name a side to be read within a sentence: a seat, or a team by its players."""
        if not self.teams:
            return self.of_seat(side)
        members = [seat for seat in range(len(self.names)) if seat % self.sides == side]
        return " and ".join(map(self.of_seat, sorted(members, key=lambda seat: seat != self.own)))

    def side_does(self, side: int, verb: str) -> str:
        """Begin a sentence about a side: ``You and Cleo have``, ``Ben has``."""
        if not self.teams:
            return self.does(side, verb)
        named = self.of_side(side)
        return f"{named[0].upper()}{named[1:]} {verb}"
