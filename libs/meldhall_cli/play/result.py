"""How each score of a round came about, line by line, by the rules of its game.

The numbers are worked out here again from what everybody can see after a round. Where they do not come to the
score that the table gave, the rest has a line of its own. Source: ``deploy/docs/rules/rummy101.md`` 40-45,
``rummy.md`` 12-15, ``canasta.md`` 12-14, 24-28, ``three_thirteen.md`` 14, 17.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from meldhall.table.v1 import table_events_pb2 as events
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.client.translate import rules_view
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import Pieces
from meldhall_rules import cards
from meldhall_rules.canasta_tiles import hand_value as canasta_value
from meldhall_rules.games.canasta.melds import meld_value, table_shape
from meldhall_rules.games.rummy.score import hand_value as rummy_value
from meldhall_rules.games.rummy101.score import NOT_OPENED, WIN
from meldhall_rules.games.rummy101.score import hand_value as rummy101_value

_JOKER: Final = frozenset({events.FINISH_JOKER, events.FINISH_ONE_TURN_JOKER})
_ONE_TURN: Final = frozenset({events.FINISH_ONE_TURN, events.FINISH_ONE_TURN_JOKER})
_BONUS_THREE: Final = 100
_GOING_OUT: Final = 100


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a score: what it is for, and its points."""

    points: int
    why: Text


@dataclass(frozen=True, slots=True)
class Explained:
    """The score of a side and the items that it is made of."""

    side: int
    score: int
    items: tuple[Item, ...]


class Explainer:
    """Explains the scores of a finished round.

    Args:
        view: the table after the round, with its last result.
        names: who is who.
        pieces: writes the tiles or cards.
    """

    def __init__(self, view: views.TableView, names: Names, pieces: Pieces) -> None:
        self._view = view
        self._result = view.last_result
        self._names = names
        self._pieces = pieces
        self._options = dict(rules_view(view).options)

    def ending(self) -> str:
        """Say how the round ended."""
        result = self._result
        if result.finish == events.FINISH_VOID:
            return "The hand led nowhere: nobody scores, and it is dealt again."
        if not result.HasField("winner"):
            return "The stock is used up: nobody went out."
        who = self._names.of_seat(self._out(result.winner))
        how = f"{who[0].upper()}{who[1:]} went out"
        if result.finish in _ONE_TURN:
            how += ", all in one turn"
        if result.finish in _JOKER:
            how += ", with a joker as the last discard"
        if result.finish == events.FINISH_RUMMY:
            how += " and rummy: all cards in one turn"
        return f"{how}."

    def scores(self) -> list[Explained]:
        """Explain the score of every side."""
        games: dict[str, Callable[[int], list[Item]]] = {
            "rummy101": self._rummy101,
            "rummy": self._rummy,
            "canasta": self._canasta,
            "three_thirteen": self._three_thirteen,
        }
        items_of = games[self._view.round.game]
        found = []
        for side, score in enumerate(self._result.scores):
            items = [] if self._result.finish == events.FINISH_VOID else items_of(side)
            rest = score - sum(item.points for item in items)
            if rest:
                items.append(Item(rest, Text("by the options of this table, such as fines for discards")))
            found.append(Explained(side, score, tuple(items)))
        return found

    def _out(self, side: int) -> int:
        """Return the seat of a side that went out: of a team, the one without a tile."""
        seats = range(side, len(self._names.names), self._names.sides)
        return next((seat for seat in seats if not self._left(seat)), side)

    def _left(self, seat: int) -> list[int]:
        return list(self._result.left[seat].tiles) if seat < len(self._result.left) else []

    def _holding(self, seat: int, value: int) -> Text:
        left = self._pieces.alphabet.in_order(self._left(seat))
        return Text.assemble("left in the hand: ", self._pieces.row(left), f" = {value}")

    def _is_winner(self, side: int) -> bool:
        return self._result.HasField("winner") and self._result.winner == side

    def _rummy101(self, seat: int) -> list[Item]:
        joker = 2 if self._result.finish in _JOKER else 1
        one_turn = 2 if self._result.finish in _ONE_TURN else 1
        doubled = (", doubled by the joker" if joker > 1 else "") + (
            ", doubled for one turn" if one_turn > 1 else ""
        )
        if self._is_winner(seat):
            return [Item(WIN * joker * one_turn, Text(f"for going out: {WIN}{doubled}"))]
        opening = self._view.round.openings[seat].kind
        if not opening:
            return [Item(-NOT_OPENED * joker * one_turn, Text(f"not opened: {NOT_OPENED}{doubled}"))]
        value = rummy101_value(self._left(seat))
        by_pairs = opening == views.OPENING_KIND_PAIRS
        text = self._holding(seat, value)
        text.append(", doubled for opening with pairs" if by_pairs else "")
        text.append(", doubled by the joker" if joker > 1 else "")
        return [Item(-value * (2 if by_pairs else 1) * joker, text)]

    def _rummy(self, seat: int) -> list[Item]:
        if not self._is_winner(seat):
            return []
        times = 2 if self._result.finish == events.FINISH_RUMMY else 1
        ace_high = self._options.get("ace_high_low") == "true"
        items = []
        for other in range(len(self._names.names)):
            value = rummy_value(self._left(other), ace_high=ace_high)
            if other == seat:
                continue
            whose = Text(f"{self._names.of_seat(other)}, ")
            text = whose + self._holding(other, value) + Text(", doubled for the rummy" if times > 1 else "")
            items.append(Item(value * times, text))
        return items

    def _canasta(self, team: int) -> list[Item]:
        items = []
        for number, meld in enumerate(rules_view(self._view).melds):
            if meld.owner != team:
                continue
            shape, value = table_shape(meld), meld_value(meld)
            bonus = f" + {shape.bonus} for the canasta" if shape.bonus else ""
            text = f"meld #{number}, {shape.size} tiles: {value}{bonus}"
            items.append(Item(value + shape.bonus, Text(text)))
        threes = len(self._view.round.bonus[team].tiles) if self._view.round.bonus else 0
        if threes:
            opened = bool(self._view.round.openings[team].kind)
            sign = 1 if opened else -1
            why = "" if opened else ", against a team that has not opened"
            items.append(Item(sign * threes * _BONUS_THREE, Text(f"bonus threes: {threes}{why}")))
        if self._is_winner(team):
            items.append(Item(_GOING_OUT, Text("for going out")))
        for seat in range(team, len(self._names.names), self._names.sides):
            value = sum(map(canasta_value, self._left(seat)))
            if self._left(seat):
                items.append(
                    Item(-value, Text(f"{self._names.of_seat(seat)}, ") + self._holding(seat, value))
                )
        return items

    def _three_thirteen(self, seat: int) -> list[Item]:
        left = self._result.left[seat]
        melded = {laid.tile for meld in left.melds for laid in meld.tiles}
        loose = [card for card in left.tiles if card not in melded]
        if not left.tiles:
            return [Item(0, Text("went out"))]
        text = Text()
        for meld in left.melds:
            text += Text("melded ") + self._pieces.row(laid.tile for laid in meld.tiles) + Text("; ")
        value = sum(map(cards.value_of, loose))
        text += Text("in no meld: ") + (self._pieces.row(loose) if loose else Text("nothing"))
        return [Item(value, text + Text(f" = {value}"))]
