"""Moves between their messages and the rules' commands.

What a caller sends is checked by the service that takes it; here moves are written by those who have a
command in hand, and read back where they come from the service.
"""

from collections.abc import Iterable

from meldhall.table.v1 import table_moves_pb2 as pb
from meldhall_rules import commands
from meldhall_rules.commands import Command, MeldKind, MeldSpec, Placed

_KIND_TO_PROTO = {
    MeldKind.RUN: pb.MELD_KIND_RUN,
    MeldKind.SET: pb.MELD_KIND_SET,
    MeldKind.PAIR: pb.MELD_KIND_PAIR,
}
KIND_OF = {number: kind for kind, number in _KIND_TO_PROTO.items()}

_Use = commands.LayOpening | commands.LayMelds | commands.LayOff | commands.SwapJoker


def move_of(command: Command) -> pb.Move:
    """Write a command as a move.

    Raises:
        ValueError: for a command that a client cannot send, such as the automatic turn.
    """
    match command:
        case commands.Draw():
            return pb.Move(draw=pb.Draw())
        case commands.PressJokerButton():
            return pb.Move(press_joker_button=pb.PressJokerButton())
        case commands.LayOpening(melds=melds):
            return pb.Move(lay_opening=pb.LayOpening(melds=specs(melds)))
        case commands.LayMelds(melds=melds):
            return pb.Move(lay_melds=pb.LayMelds(melds=specs(melds)))
        case commands.LayOff():
            return pb.Move(lay_off=_lay_off(command))
        case commands.SwapJoker(meld=meld, tile=tile):
            return pb.Move(swap_joker=pb.SwapJoker(meld=meld, tile=tile))
        case commands.TakeDiscard():
            return pb.Move(take_discard=_take(command))
        case commands.Discard(tile=tile):
            return pb.Move(discard=pb.Discard(tile=tile))
        case commands.GoOut(melds=melds, discard=tile):
            return pb.Move(go_out=pb.GoOut(melds=specs(melds), discard=tile))
        case _:
            raise ValueError(f"{type(command).__name__} is not a move that a client can make")


def command_of(seat: int, move: pb.Move) -> Command:
    """Read a move of a seat.

    Raises:
        ValueError: the move, or the kind of a meld, is missing or not known.
    """
    match move.WhichOneof("move"):
        case "draw":
            return commands.Draw(seat)
        case "press_joker_button":
            return commands.PressJokerButton(seat)
        case "discard":
            return commands.Discard(seat, move.discard.tile)
        case "go_out":
            discard = move.go_out.discard if move.go_out.HasField("discard") else None
            return commands.GoOut(seat, melds_of(move.go_out.melds), discard)
        case "take_discard":
            kind = move.take_discard.WhichOneof("use")
            return commands.TakeDiscard(seat, None if kind is None else _use(seat, move.take_discard, kind))
        case "lay_opening" | "lay_melds" | "lay_off" | "swap_joker" as kind:
            return _use(seat, move, kind)
        case _:
            raise ValueError("the move is missing or not known")


def specs(melds: Iterable[MeldSpec]) -> list[pb.MeldSpec]:
    """Write melds as a player submits them."""
    return [pb.MeldSpec(kind=_KIND_TO_PROTO[meld.kind], tiles=_placed(meld.tiles)) for meld in melds]


def melds_of(melds: Iterable[pb.MeldSpec]) -> tuple[MeldSpec, ...]:
    """Read melds as a player submits them.

    Raises:
        ValueError: the kind of one is missing or not known.
    """
    return tuple(_meld(meld) for meld in melds)


def _meld(meld: pb.MeldSpec) -> MeldSpec:
    kind = KIND_OF.get(meld.kind)
    if kind is None:
        raise ValueError(f"there is no kind of meld {meld.kind}")
    return MeldSpec(kind, _tiles(meld.tiles))


def _tiles(placed: Iterable[pb.PlacedTile]) -> tuple[Placed, ...]:
    return tuple(Placed(one.tile, one.stands_for if one.HasField("stands_for") else None) for one in placed)


def _placed(tiles: Iterable[Placed]) -> list[pb.PlacedTile]:
    return [pb.PlacedTile(tile=placed.tile, stands_for=placed.stands_for) for placed in tiles]


def _lay_off(command: commands.LayOff) -> pb.LayOff:
    return pb.LayOff(meld=command.meld, tiles=_placed(command.tiles))


def _take(command: commands.TakeDiscard) -> pb.TakeDiscard:
    match command.use:
        case commands.LayOpening(melds=melds):
            return pb.TakeDiscard(lay_opening=pb.LayOpening(melds=specs(melds)))
        case commands.LayMelds(melds=melds):
            return pb.TakeDiscard(lay_melds=pb.LayMelds(melds=specs(melds)))
        case commands.LayOff() as lay_off:
            return pb.TakeDiscard(lay_off=_lay_off(lay_off))
        case commands.SwapJoker(meld=meld, tile=tile):
            return pb.TakeDiscard(swap_joker=pb.SwapJoker(meld=meld, tile=tile))
        case None:
            return pb.TakeDiscard()


def _use(seat: int, holder: pb.Move | pb.TakeDiscard, kind: str) -> _Use:
    match kind:
        case "lay_opening":
            return commands.LayOpening(seat, melds_of(holder.lay_opening.melds))
        case "lay_melds":
            return commands.LayMelds(seat, melds_of(holder.lay_melds.melds))
        case "lay_off":
            return commands.LayOff(seat, holder.lay_off.meld, _tiles(holder.lay_off.tiles))
        case _:
            return commands.SwapJoker(seat, holder.swap_joker.meld, holder.swap_joker.tile)
