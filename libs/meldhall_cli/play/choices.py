"""What the person can do now, in words: from the hints of the table."""

from collections.abc import Sequence
from typing import Final

from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_contracts.moves import command_of, melds_of
from meldhall_rules.alphabet import Alphabet
from meldhall_rules.notation import write_move, write_spec, write_tiles

SHOWN: Final = 3
"""Moves of a sort that are written out; `moves` writes them all."""


def notation(move: moves_pb.Move, seat: int, alphabet: Alphabet) -> str:
    """Write a move as it is typed, without the seat."""
    return write_move(command_of(seat, move), alphabet).partition(" ")[2]


class Choices:
    """The moves of one moment in words.

    Args:
        hints: what the table said.
        view: the table at that moment.
        alphabet: the names of the pieces.
    """

    def __init__(self, hints: hints_pb.Hints, view: views.TableView, alphabet: Alphabet) -> None:
        self._hints = hints
        self._view = view
        self._alphabet = alphabet

    def lines(self) -> list[str]:
        """Say what is legal now, a line for each sort of move."""
        sorts: dict[str, list[moves_pb.Move]] = {}
        for move in self._hints.legal_moves:
            sorts.setdefault(str(move.WhichOneof("move")), []).append(move)
        drawing = self._view.round.phase == views.PHASE_DRAW
        return [*(self._acquire(sorts) if drawing else ()), *(() if drawing else self._lay(sorts))]

    def all(self) -> list[str]:
        """Write all moves that the table lists, as they are typed."""
        more = ["… and more"] if self._hints.more_legal_moves else []
        return [*map(self._write, self._hints.legal_moves), *more]

    def hint(self) -> list[str]:
        """Say what the hand is good for, and the suggested move last."""
        found = self._hints
        lines = [*self._opening()]
        if found.melds:
            lines.append("Melds in your hand: " + " ".join(map(self._specs, [found.melds])))
        if found.plan:
            lines.append("You could lay: " + "; ".join(map(self._write, found.plan)))
        if found.swaps:
            lines.append("Jokers to be had: " + "; ".join(map(self._write, found.swaps)))
        if found.loose:
            lines.append("In no meld: " + write_tiles(found.loose, self._alphabet))
        if found.HasField("points_left"):
            lines.append(f"Left in your hand it would count {found.points_left}.")
        if found.discards:
            best = write_tiles(found.discards[:1], self._alphabet)
            lines.append(f"Best to discard now: {best}")
        if found.goes_out:
            lines.append("You can go out!")
        if found.HasField("suggested"):
            lines.append(f"Suggested: {self._write(found.suggested)}")
        return lines

    def _write(self, move: moves_pb.Move) -> str:
        return notation(move, self._view.own_seat, self._alphabet)

    def _specs(self, melds: Sequence[moves_pb.MeldSpec]) -> str:
        return " ".join(write_spec(spec, self._alphabet) for spec in melds_of(melds))

    def _some(self, moves: Sequence[moves_pb.Move]) -> str:
        shown = " · ".join(map(self._write, moves[:SHOWN]))
        more = len(moves) - SHOWN
        return f"{shown} · {more} more (type `moves`)" if more > 0 else shown

    def _opening(self) -> list[str]:
        if not self._hints.HasField("opening"):
            return []
        opening = self._hints.opening
        if opening.ways:
            return [f"You can open: {self._write(way)}" for way in opening.ways]
        pairs = f" or {opening.best_pairs} of {opening.need_pairs} pairs" if opening.need_pairs else ""
        return [
            f"You cannot open yet: you have {opening.best_points} of {opening.need_points} points{pairs}."
        ]

    def _acquire(self, sorts: dict[str, list[moves_pb.Move]]) -> list[str]:
        piece, stock = self._alphabet.piece, self._view.round.stock_size
        lines = []
        if "draw" in sorts:
            lines.append(f"draw     a {piece} from the stock ({stock} there)")
        top = write_tiles(self._view.round.discards[-1:], self._alphabet)
        takes = sorts.get("take_discard", [])
        if takes and takes[0].take_discard.WhichOneof("use") is None:
            lines.append(f"take     {top} from the discards into your hand")
        elif takes:
            lines.append(f"take     {top} from the discards and use it at once: {self._some(takes)}")
        elif top:
            lines.append(f"         ({top} cannot be taken: you could not use it at once)")
        if "press_joker_button" in sorts:
            spare = self._view.round.own_spare_jokers
            lines.append(f"button   a joker from your account instead (you have {spare})")
        return lines

    def _lay(self, sorts: dict[str, list[moves_pb.Move]]) -> list[str]:
        labels = {
            "go_out": "out",
            "lay_opening": "open",
            "lay_melds": "meld",
            "lay_off": "add",
            "swap_joker": "swap",
        }
        lines = [f"{label:<8} {self._some(sorts[kind])}" for kind, label in labels.items() if kind in sorts]
        discard_only = self._view.round.first_turn and self._view.round.game == "canasta"
        if "lay_opening" not in sorts and not discard_only:
            lines.extend(f"         ({line})" for line in self._opening())
        discards = sorts.get("discard", [])
        if discards:
            example = self._write(discards[0])
            lines.append(f"discard  one {self._alphabet.piece}, for example `{example}`: that ends your turn")
        return lines
