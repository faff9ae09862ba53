"""Between the contract's messages and the rules' values: a client in Python thinks with the rules library."""

from meldhall.table.v1 import table_view_pb2 as views
from meldhall_contracts.moves import KIND_OF, move_of
from meldhall_contracts.options import canonical_of
from meldhall_rules.events import Laid
from meldhall_rules.view import SPECTATOR, Opening, Phase, TableMeld, View

__all__ = ["move_of", "rules_view"]

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
    return TableMeld(owner=meld.owner, kind=KIND_OF[meld.meld.kind], tiles=tiles)
