"""The table as a person reads it: seats, stock, discards, melds, the own hand."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from rich.console import Group
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from meldhall.table.v1 import table_moves_pb2 as moves
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.client.translate import rules_view
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import RANKS, Order, Pieces, wild_words
from meldhall_cli.play.refusals import need_words
from meldhall_cli.play.words import KIND_WORDS
from meldhall_rules.canasta_shapes import Shape
from meldhall_rules.games.canasta.melds import table_shape

TITLES: Final = {
    "rummy101": "Rummy 101",
    "rummy": "Basic Rummy",
    "canasta": "Canasta",
    "three_thirteen": "Three-Thirteen",
}
NUMBERS: Final = ("ones", *RANKS[1:10], "elevens", "twelves", "thirteens")
"""The numbers of tiles by name, from 1."""
TOP_DISCARDS: Final = 6
SHORT_FROM: Final = 6
"""A meld of Canasta with so many tiles is shown in short form, rule 11 of its page."""


class Screen:
    """Draws a table for the person who sits at it.

    Args:
        names: who is who.
        pieces: writes the tiles or cards.
    """

    def __init__(self, names: Names, pieces: Pieces) -> None:
        self._names = names
        self._pieces = pieces

    def table(self, view: views.TableView, now_ms: int) -> Group:
        """Draw everything but the hand."""
        return Group(
            self._heading(view, now_ms),
            self._seats(view),
            *self._middle(view),
            *self._melds(view),
        )

    def hand(self, view: views.TableView, order: Order, marked: Collection[int]) -> Group:
        """Draw the own hand, with what came to it in this turn in brackets."""
        hand = list(view.round.own_hand)
        news = [piece for piece in hand if piece in set(marked)]
        heading = f"Your hand ({len(hand)})"
        # Wherever much comes at once, as with a pile, brackets are enough.
        drawn = Text.assemble(", [new] in brackets" if news else "")
        rows = self._pieces.hand(hand, order, news)
        if rows and not rows[0][0]:
            return Group(Text.assemble((heading, "bold"), drawn, ": ", rows[0][1]))
        lines = [Text.assemble(f"  {name:<8}", row) for name, row in rows]
        return Group(Text.assemble((heading, "bold"), drawn, ":"), *lines)

    def _heading(self, view: views.TableView, now_ms: int) -> Rule:
        length = "" if view.format.target else f" of {view.format.rounds}"
        if view.round.round > view.format.rounds:
            length = ""
        title = f"{TITLES.get(view.round.game, view.round.game)} · round {view.round.round}{length}"
        if view.status == views.TABLE_STATUS_PLAYING and view.round.turn == view.own_seat:
            title += f" · your turn{time_left(view.deadline_unix_ms, now_ms)}"
        return Rule(title, align="left", characters="─")

    def _seats(self, view: views.TableView) -> Grid:
        has_opening = bool(view.round.need_points or view.round.thresholds)
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for heading in ("", "seat", "player", self._pieces.alphabet.piece + "s"):
            grid.add_column(heading, justify="right" if heading.endswith("s") else "left")
        if has_opening:
            grid.add_column("opened")
        grid.add_column("total", justify="right")
        for seat in view.seats:
            grid.add_row(*self._seat(view, seat, has_opening=has_opening))
        return grid

    def _seat(self, view: views.TableView, seat: views.SeatView, *, has_opening: bool) -> Iterator[Text]:
        number, round_ = seat.seat, view.round
        style = "bold" if number == self._names.own else ""
        on_turn = view.status == views.TABLE_STATUS_PLAYING and round_.turn == number
        yield Text(">" if on_turn else " ", "bold green")
        yield Text(str(number), style)
        team = f" · team {self._names.side_of(number)}" if self._names.teams else ""
        yield Text(self._names.of_seat(number) + (f" (bot, {seat.bot})" if seat.bot else "") + team, style)
        yield Text(str(round_.hand_sizes[number]), style)
        if has_opening:
            yield Text(_opened(round_.openings[self._names.side_of(number)]), style)
        out = "  out!" if round_.HasField("out") and round_.out == number else ""
        yield Text(f"{view.totals[self._names.side_of(number)]}{out}", style)

    def _middle(self, view: views.TableView) -> Iterator[Text]:
        round_ = view.round
        pile = list(reversed(round_.discards))
        more = f" and {len(pile) - TOP_DISCARDS} more" if len(pile) > TOP_DISCARDS else ""
        line = Text.assemble("Stock ", (str(round_.stock_size), "bold"), " · discards, newest first: ")
        line.append_text(self._pieces.row(pile[:TOP_DISCARDS]) if pile else Text("none"))
        yield line + Text(more)
        if round_.HasField("wild"):
            yield Text(f"Wild in this round: {wild_words(round_.wild)}")
        if round_.need_points and not _has_opened(view, self._names):
            yield Text(need_words(view))
        for team, exposed in enumerate(round_.bonus):
            if exposed.tiles:
                whose = self._names.of_side(team)
                yield Text.assemble(f"Bonus threes of {whose}: ", self._pieces.row(exposed.tiles))

    def _melds(self, view: views.TableView) -> Iterator[Text]:
        if not view.round.melds:
            return
        yield Text("On the table:")
        shapes = [table_shape(meld) for meld in rules_view(view).melds] if self._names.teams else []
        for number, meld in enumerate(view.round.melds):
            whose = f"  ({self._names.of_side(meld.owner)})"
            text = self._canasta(shapes[number], meld) if shapes else self._meld(meld)
            yield Text.assemble((f"  #{number:<2} ", "bold"), text, (whose, "dim"))

    def _meld(self, meld: views.TableMeld) -> Text:
        return Text.assemble(f"{KIND_WORDS[meld.meld.kind]:<4} ", self._laid(meld.meld.tiles))

    def _canasta(self, shape: Shape, meld: views.TableMeld) -> Text:
        wilds = f", {shape.wilds} of them wild" if shape.wilds else ", clean"
        short = f"{number_words(shape.number)}: {shape.size} tiles{wilds}"
        if shape.is_canasta:
            return Text(f"{short} · canasta, {shape.bonus}", "bold red" if not shape.wilds else "bold")
        if shape.size >= SHORT_FROM:
            return Text(f"{short} · one short of a canasta", "bold yellow")
        return Text.assemble(f"{number_words(shape.number)}: ", self._laid(meld.meld.tiles))

    def _laid(self, tiles: Iterable[moves.LaidTile]) -> Text:
        return Text(" ").join(self._pieces.laid(laid.tile, laid.face) for laid in tiles)


def number_words(number: int) -> str:
    """Name the tiles of a number: ``eights``, ``elevens``."""
    return NUMBERS[number - 1]


def time_left(deadline_ms: int, now_ms: int) -> str:
    """Say how long the turn may last, nothing where it has no end."""
    if not deadline_ms:
        return ""
    seconds = max(deadline_ms - now_ms, 0) // 1000
    return f" · {seconds // 60} min left" if seconds >= 120 else f" · {seconds} s left"


def _opened(opening: views.OpeningView) -> str:
    match opening.kind:
        case views.OPENING_KIND_MELDS:
            return f"{opening.value} points"
        case views.OPENING_KIND_PAIRS:
            return f"{opening.value} pairs"
        case _:
            return "not yet"


def _has_opened(view: views.TableView, names: Names) -> bool:
    return bool(view.round.openings[names.side_of(names.own)].kind)
