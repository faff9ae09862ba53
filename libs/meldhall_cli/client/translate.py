"""Between the contract's messages and the rules' values: a client in Python thinks with the rules library."""

from meldhall.table.v1 import table_moves_pb2 as moves
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_contracts.options import canonical_of
from meldhall_rules import commands
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import Laid
from meldhall_rules.view import SPECTATOR, Opening, Phase, TableMeld, View

_KIND_TO_PROTO = {
    MeldKind.RUN: moves.MELD_KIND_RUN,
    MeldKind.SET: moves.MELD_KIND_SET,
    MeldKind.PAIR: moves.MELD_KIND_PAIR,
}
_KIND_FROM_PROTO = {number: kind for kind, number in _KIND_TO_PROTO.items()}
_PHASES = {views.PHASE_DRAW: Phase.DRAW, views.PHASE_PLAY: Phase.PLAY, views.PHASE_OVER: Phase.OVER}
_OPENED_BY = {views.OPENING_KIND_MELDS: "melds", views.OPENING_KIND_PAIRS: "pairs"}


def rules_view(table: views.TableView) -> View:
    """Return the round that a client sees as a view of the rules library, for bots and hints."""
    round_ = table.round
    seated = table.HasField("own_seat")
    return View(
        game=round_.game,
        options=canonical_of(table.options)[1],
        viewer=table.own_seat if seated else SPECTATOR,
        round=round_.round,
        seats=len(round_.hand_sizes),
        starter=round_.starter,
        turn=round_.turn,
        phase=_PHASES[round_.phase],
        first_turn=round_.first_turn,
        hand=tuple(round_.own_hand) if seated else None,
        hand_sizes=tuple(round_.hand_sizes),
        stock_size=round_.stock_size,
        discards=tuple(round_.discards),
        melds=tuple(_table_meld(meld) for meld in round_.melds),
        opened=tuple(
            Opening(by=_OPENED_BY[opening.kind], value=opening.value) if opening.kind in _OPENED_BY else None
            for opening in round_.openings
        ),
        need=(round_.need_points, round_.need_pairs),
        jokers=round_.own_spare_jokers if seated else None,
        button_used=tuple(round_.button_used),
        finish=None,
        winner=None,
        scores=None,
        wild=round_.wild if round_.HasField("wild") else None,
        out=round_.out if round_.HasField("out") else None,
        taken=round_.taken if round_.HasField("taken") else None,
        reshuffles=round_.reshuffles,
        laid=tuple(round_.laid),
        new_melds=round_.new_melds,
        thresholds=tuple(round_.thresholds),
        bonus=tuple(tuple(exposed.tiles) for exposed in round_.bonus),
    )


def _table_meld(meld: views.TableMeld) -> TableMeld:
    tiles = tuple(Laid(tile=laid.tile, face=laid.face) for laid in meld.meld.tiles)
    return TableMeld(owner=meld.owner, kind=_KIND_FROM_PROTO[meld.meld.kind], tiles=tiles)


def _specs(melds: tuple[MeldSpec, ...]) -> list[moves.MeldSpec]:
    return [moves.MeldSpec(kind=_KIND_TO_PROTO[meld.kind], tiles=_placed(meld.tiles)) for meld in melds]


def _placed(tiles: tuple[Placed, ...]) -> list[moves.PlacedTile]:
    return [moves.PlacedTile(tile=placed.tile, stands_for=placed.stands_for) for placed in tiles]


def _lay_off(command: commands.LayOff) -> moves.LayOff:
    return moves.LayOff(meld=command.meld, tiles=_placed(command.tiles))


def _take(command: commands.TakeDiscard) -> moves.TakeDiscard:
    match command.use:
        case commands.LayOpening(melds=melds):
            return moves.TakeDiscard(lay_opening=moves.LayOpening(melds=_specs(melds)))
        case commands.LayMelds(melds=melds):
            return moves.TakeDiscard(lay_melds=moves.LayMelds(melds=_specs(melds)))
        case commands.LayOff() as lay_off:
            return moves.TakeDiscard(lay_off=_lay_off(lay_off))
        case commands.SwapJoker(meld=meld, tile=tile):
            return moves.TakeDiscard(swap_joker=moves.SwapJoker(meld=meld, tile=tile))
        case None:
            return moves.TakeDiscard()


def move_of(command: commands.Command) -> moves.Move:
    """Return a command of the rules library as a move of the contract.

    Raises:
        ValueError: for a command that a client cannot send, such as the automatic turn.
    """
    match command:
        case commands.Draw():
            return moves.Move(draw=moves.Draw())
        case commands.PressJokerButton():
            return moves.Move(press_joker_button=moves.PressJokerButton())
        case commands.LayOpening(melds=melds):
            return moves.Move(lay_opening=moves.LayOpening(melds=_specs(melds)))
        case commands.LayMelds(melds=melds):
            return moves.Move(lay_melds=moves.LayMelds(melds=_specs(melds)))
        case commands.LayOff():
            return moves.Move(lay_off=_lay_off(command))
        case commands.SwapJoker(meld=meld, tile=tile):
            return moves.Move(swap_joker=moves.SwapJoker(meld=meld, tile=tile))
        case commands.TakeDiscard():
            return moves.Move(take_discard=_take(command))
        case commands.Discard(tile=tile):
            return moves.Move(discard=moves.Discard(tile=tile))
        case commands.GoOut(melds=melds, discard=tile):
            return moves.Move(go_out=moves.GoOut(melds=_specs(melds), discard=tile))
        case _:
            raise ValueError(f"{type(command).__name__} is not a move that a client can make")
