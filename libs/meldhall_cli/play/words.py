"""What happens at the table, told line by line."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rich.text import Text

from meldhall.table.v1 import table_moves_pb2 as moves
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import Pieces, wild_words

KIND_WORDS: Final = {moves.MELD_KIND_RUN: "run", moves.MELD_KIND_SET: "set", moves.MELD_KIND_PAIR: "pair"}


class Narrator:
    """Tells events as the person at the table would hear them.

    Args:
        names: who is who.
        pieces: writes the tiles or cards.
    """

    def __init__(self, names: Names, pieces: Pieces) -> None:
        self._names = names
        self._pieces = pieces
        self._tellers: dict[str, Callable[[Any, views.TableView], list[Text]]] = {
            "round_started": self._round_started,
            "own_tile_drawn": self._own_tile_drawn,
            "tile_drawn": self._tile_drawn,
            "discard_taken": self._discard_taken,
            "pile_taken": self._pile_taken,
            "joker_issued": self._joker_issued,
            "bonus_exposed": self._bonus_exposed,
            "opening_laid": self._opening_laid,
            "melds_laid": self._melds_laid,
            "laid_off": self._laid_off,
            "joker_swapped": self._joker_swapped,
            "discarded": self._discarded,
            "went_out": self._went_out,
            "automatic_turn": self._automatic_turn,
            "stock_rebuilt": self._stock_rebuilt,
            "limit_reached": self._limit_reached,
            "seat_left": self._seat_left,
            "deadline_moved": self._deadline_moved,
        }

    def tell(self, event: views.TableEvent, after: views.TableView) -> list[Text]:
        """Return the lines for an event, none where nothing is to be told.

        Args:
            event: what happened.
            after: the table after it.
        """
        kind = event.WhichOneof("event")
        teller = self._tellers.get(kind or "")
        return teller(getattr(event, kind), after) if kind and teller else []

    def _one(self, *parts: str | Text) -> list[Text]:
        return [Text.assemble(*parts)]

    def _does(self, seat: int, verb: str) -> Text:
        return Text(self._names.does(seat, verb), "bold" if seat == self._names.own else "")

    def _melds(self, melds: Sequence[moves.LaidMeld], after: views.TableView) -> list[Text]:
        first = len(after.round.melds) - len(melds)
        return [
            Text.assemble(f"    #{first + at} ", KIND_WORDS[meld.kind], " ", self.laid(meld.tiles))
            for at, meld in enumerate(melds)
        ]

    def laid(self, tiles: Iterable[moves.LaidTile]) -> Text:
        """Write tiles that lie on the table."""
        return Text(" ").join(self._pieces.laid(laid.tile, laid.face) for laid in tiles)

    def _round_started(self, event: Any, _after: views.TableView) -> list[Text]:
        wild = f" {wild_words(event.wild).capitalize()} are wild." if event.HasField("wild") else ""
        return self._one(f"Round {event.round} is dealt. {self._names.does(event.starter, 'begin')}.{wild}")

    def _own_tile_drawn(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(self._does(self._names.own, "draw"), " ", self._pieces.one(event.tile), ".")

    def _tile_drawn(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(self._does(event.seat, "draw"), " from the stock.")

    def _discard_taken(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(
            self._does(event.seat, "take"), " ", self._pieces.one(event.tile), " from the discards."
        )

    def _pile_taken(self, event: Any, _after: views.TableView) -> list[Text]:
        taken = self._pieces.row(reversed(event.tiles))
        count = len(event.tiles)
        return self._one(
            self._does(event.seat, "take"), f" the discard pile ({count}, the top first): ", taken, "."
        )

    def _joker_issued(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(self._does(event.seat, "press"), " the Joker button for a joker.")

    def _bonus_exposed(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(
            self._does(event.seat, "expose"), " the bonus three ", self._pieces.one(event.tile), "."
        )

    def _opening_laid(self, event: Any, after: views.TableView) -> list[Text]:
        unit = "pairs" if event.kind == views.OPENING_KIND_PAIRS else "points"
        head = Text.assemble(self._does(event.seat, "open"), f" with {event.value} {unit}:")
        return [head, *self._melds(event.melds, after)]

    def _melds_laid(self, event: Any, after: views.TableView) -> list[Text]:
        return [Text.assemble(self._does(event.seat, "lay"), " down:"), *self._melds(event.melds, after)]

    def _laid_off(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(
            self._does(event.seat, "add"), " ", self.laid(event.tiles), f" to #{event.meld}: ",
            self.laid(event.result),
        )  # fmt: skip

    def _joker_swapped(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(
            self._does(event.seat, "put"), " ", self._pieces.one(event.tile),
            f" into #{event.meld} for the joker there.",
        )  # fmt: skip

    def _discarded(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(self._does(event.seat, "discard"), " ", self._pieces.one(event.tile), ".")

    def _went_out(self, event: Any, _after: views.TableView) -> list[Text]:
        melds = [
            Text.assemble(f"    {KIND_WORDS[meld.kind]} ", self.laid(meld.tiles)) for meld in event.melds
        ]
        head = Text.assemble(
            self._does(event.seat, "go"), " out with ", self._pieces.one(event.discard),
            " as the last discard:",
        )  # fmt: skip
        last = Text("    Everybody else has one more turn.")
        return [head, *melds, last]

    def _automatic_turn(self, event: Any, _after: views.TableView) -> list[Text]:
        if event.reason == views.AUTOMATIC_REASON_TIME_UP:
            whose = "Your" if event.seat == self._names.own else f"{self._names.of_seat(event.seat)}'s"
            return self._one(f"{whose} time is up: the turn is played automatically.")
        return self._one(f"{self._names.does(event.seat, 'have')} left; the turn is played automatically.")

    def _limit_reached(self, event: Any, _after: views.TableView) -> list[Text]:
        what = "round" if event.limit == views.LIMIT_ROUND else "match"
        return self._one(f"The time for the {what} is up: it ends as it stands.")

    def _stock_rebuilt(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(
            f"The stock was empty: the discards are shuffled into a new one of {event.stock_size}."
        )

    def _seat_left(self, event: Any, _after: views.TableView) -> list[Text]:
        return self._one(f"{self._names.does(event.seat, 'leave')} the table.")

    def _deadline_moved(self, _event: Any, _after: views.TableView) -> list[Text]:
        return self._one("The table was away for a moment; your time was moved by as long.")
