"""Moves of the wire as commands of the rules."""

from collections.abc import Iterable, Iterator
from typing import Final

from meldhall.table.v1 import table_moves_pb2 as pb
from meldhall_rules import commands
from meldhall_rules.commands import Command, MeldSpec, Placed
from meldhall_table.api.errors import invalid
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.store.words import MELD_KIND_OF

FACES: Final = 52
MOST_TILES: Final = 200
"""Tiles that one move may name, more than any hand has."""

_NOBODY: Final = -1
"""Stands for the seat until the table says which seat the caller has."""

_Use = commands.LayOpening | commands.LayMelds | commands.LayOff | commands.SwapJoker


def to_command(move: pb.Move) -> Command:
    """Translate a move; the seat is filled in by the table.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    kind = move.WhichOneof("move")
    match kind:
        case "draw":
            command: Command = commands.Draw(_NOBODY)
        case "press_joker_button":
            command = commands.PressJokerButton(_NOBODY)
        case "discard":
            command = commands.Discard(_NOBODY, move.discard.tile)
        case "go_out":
            command = _go_out(move.go_out)
        case "take_discard":
            command = commands.TakeDiscard(_NOBODY, _use_of(move.take_discard))
        case "lay_opening" | "lay_melds" | "lay_off" | "swap_joker":
            command = _use(move, kind, f"move.{kind}")
        case _:
            raise invalid("move", "is missing")
    if sum(1 for _ in tiles_of(command)) > MOST_TILES:
        raise invalid(f"move.{kind}", f"names more than {MOST_TILES} tiles")
    return command


def unknown_tile(command: Command, tiles: int) -> Refusal | None:
    """Refuse a move that names a tile which a game with ids below ``tiles`` does not have."""
    for field, tile in tiles_of(command):
        if tile >= tiles:
            name = f"move.{field}"
            detail = f"{name} is {tile}, which is no tile of this game"
            return Refusal(TableCode.UNKNOWN_TILE, detail, (("field", name),))
    return None


def tiles_of(command: Command) -> Iterator[tuple[str, int]]:
    """Yield every tile that a command names, with the field that names it."""
    match command:
        case commands.Discard(_, tile):
            yield "discard.tile", tile
        case commands.GoOut(_, melds, discard):
            yield from _in_melds("go_out", melds)
            if discard is not None:
                yield "go_out.discard", discard
        case commands.SwapJoker(_, _, tile):
            yield "swap_joker.tile", tile
        case commands.LayOff(_, _, placed):
            yield from (("lay_off.tiles", one.tile) for one in placed)
        case commands.LayOpening(_, melds):
            yield from _in_melds("lay_opening", melds)
        case commands.LayMelds(_, melds):
            yield from _in_melds("lay_melds", melds)
        case commands.TakeDiscard(_, use) if use is not None:
            yield from ((f"take_discard.{field}", tile) for field, tile in tiles_of(use))
        case _:
            return


def _in_melds(kind: str, melds: Iterable[MeldSpec]) -> Iterator[tuple[str, int]]:
    for number, meld in enumerate(melds):
        for placed in meld.tiles:
            yield f"{kind}.melds[{number}].tiles", placed.tile


def _go_out(move: pb.GoOut) -> commands.GoOut:
    discard = move.discard if move.HasField("discard") else None
    return commands.GoOut(_NOBODY, _melds(move.melds, "move.go_out"), discard)


def _use_of(take: pb.TakeDiscard) -> _Use | None:
    kind = take.WhichOneof("use")
    return None if kind is None else _use(take, kind, f"move.take_discard.{kind}")


def _use(holder: pb.Move | pb.TakeDiscard, kind: str, field: str) -> _Use:
    match kind:
        case "lay_opening":
            return commands.LayOpening(_NOBODY, _melds(holder.lay_opening.melds, field))
        case "lay_melds":
            return commands.LayMelds(_NOBODY, _melds(holder.lay_melds.melds, field))
        case "lay_off":
            placed = _placed(holder.lay_off.tiles, f"{field}.tiles")
            return commands.LayOff(_NOBODY, holder.lay_off.meld, placed)
        case _:
            return commands.SwapJoker(_NOBODY, holder.swap_joker.meld, holder.swap_joker.tile)


def _melds(melds: Iterable[pb.MeldSpec], field: str) -> tuple[MeldSpec, ...]:
    found = tuple(_meld(meld, f"{field}.melds[{number}]") for number, meld in enumerate(melds))
    if not found:
        raise invalid(f"{field}.melds", "is empty")
    return found


def _meld(meld: pb.MeldSpec, field: str) -> MeldSpec:
    kind = MELD_KIND_OF.get(meld.kind)
    if kind is None:
        raise invalid(f"{field}.kind", "is missing or unknown")
    return MeldSpec(kind, _placed(meld.tiles, f"{field}.tiles"))


def _placed(tiles: Iterable[pb.PlacedTile], field: str) -> tuple[Placed, ...]:
    found = tuple(_tile(tile, f"{field}[{number}]") for number, tile in enumerate(tiles))
    if not found:
        raise invalid(field, "is empty")
    return found


def _tile(placed: pb.PlacedTile, field: str) -> Placed:
    if not placed.HasField("stands_for"):
        return Placed(placed.tile)
    if placed.stands_for >= FACES:
        raise invalid(f"{field}.stands_for", f"is {placed.stands_for}, not 0 to {FACES - 1}")
    return Placed(placed.tile, placed.stands_for)
