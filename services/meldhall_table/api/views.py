"""A table and its events as one viewer sees them.

Every message for a client is made here, from the rules' view of the viewer's seat: no other hand, no order
of the stock and no secret is ever in reach of this module's output.
"""

from typing import Any, Final

from meldhall.table.v1 import table_events_pb2 as public_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_view_pb2 as pb
from meldhall_contracts import options
from meldhall_rules import events as rules
from meldhall_rules.view import SPECTATOR, View
from meldhall_table.domain import events
from meldhall_table.domain.state import Round, Status, Table
from meldhall_table.domain.timing import deadline
from meldhall_table.store import encode, words
from meldhall_table.store.encode import laid_tiles
from meldhall_table.store.stream import Step

NOBODY: Final = ""
"""A viewer without a seat: services, operators, players who have not sat down."""

_STATUS: Final = {
    Status.WAITING: pb.TABLE_STATUS_WAITING,
    Status.PLAYING: pb.TABLE_STATUS_PLAYING,
    Status.BREAK: pb.TABLE_STATUS_BREAK,
    Status.OVER: pb.TABLE_STATUS_OVER,
    Status.CLOSED: pb.TABLE_STATUS_CLOSED,
}

_OWN: Final = (rules.RoundDealt, rules.StockDrawn)
"""Events of which a seat sees what the others do not. All others look the same to everybody."""

_FIELD_OF: Final = {
    field.message_type.full_name: field.name
    for field in pb.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields
    if field.message_type is not None
}
"""Stored message to the field of ``TableEvent`` that shows it to everybody."""


def table_view(table: Table, player: str) -> pb.TableView:
    """Show a table to a player, or to ``NOBODY``."""
    seat = table.seat_of(player)
    view = pb.TableView(
        table_id=table.table_id,
        version=table.version,
        status=_STATUS[table.status],
        options=options.to_message(table.game, dict(table.options)),
        format=encode.match_format(table.form),
        limits=encode.limits(table.limits),
        seats=[_seat(table, number) for number in range(len(table.seats))],
        own_seat=seat,
        totals=table.totals,
        deadline_unix_ms=deadline(table),
        commitment=table.commitment,
        last_secret=table.last_secret,
        deadlines=_deadlines(table),
        spectators=encode.spectators(table.spectator_delay_ms),
        previous_table_id=table.previous_table_id,
        next_table_id=table.next_table_id,
    )
    if table.host:
        view.host.CopyFrom(
            pb.HostView(
                player_id=table.host,
                invited_only=table.invited_only,
                locked=table.locked,
                started=table.started,
            )
        )
    seen = table.view(SPECTATOR if seat is None else seat)
    if seen is not None and table.round is not None:
        view.round.CopyFrom(_round(seen, table.round))
    if table.last_end is not None:
        view.last_result.CopyFrom(encode.round_result(table.last_end))
    if table.match_end is not None:
        view.match_result.CopyFrom(encode.match_result(table.match_end))
    return view


def table_event(step: Step, player: str) -> pb.TableEvent:
    """Show an event to a player, or to ``NOBODY``: something for every version, if only that it is hidden.

    The message belongs to everybody who sees the same; put it into others, and leave it as it is.
    """
    seat = step.table.seat_of(player) if isinstance(step.event, _OWN) else None
    shown: pb.TableEvent | None = step.shown.get(seat)
    if shown is None:
        shown = step.shown[seat] = _event(step, seat)
    return shown


def _event(step: Step, seat: int | None) -> pb.TableEvent:
    shown = pb.TableEvent(version=step.version, at_unix_ms=step.at_ms)
    match step.event:
        case events.SecretsDrawn():
            shown.hidden.SetInParent()
        case rules.RoundDealt():
            _show_deal(shown, step.table, seat)
        case rules.StockDrawn(drawer, tile):
            if drawer == seat:
                shown.own_tile_drawn.tile = tile
            else:
                shown.tile_drawn.seat = drawer
        case rules.StockReshuffled(order):
            shown.stock_rebuilt.stock_size = len(order)
        case event:
            message: Any = encode.encode(event)
            getattr(shown, _FIELD_OF[message.DESCRIPTOR.full_name]).CopyFrom(message)
    return shown


def _show_deal(shown: pb.TableEvent, table: Table, seat: int | None) -> None:
    seen = None if seat is None else table.view(seat)
    if seen is None:
        shown.hidden.SetInParent()
        return
    shown.own_hand_dealt.tiles.extend(seen.hand or ())
    shown.own_hand_dealt.spare_jokers = seen.jokers or 0


def _deadlines(table: Table) -> pb.TableDeadlines:
    return pb.TableDeadlines(
        join_unix_ms=table.deadline_ms if table.status is Status.WAITING else 0,
        fill_unix_ms=table.fill_deadline_ms,
        round_unix_ms=table.round_deadline_ms,
        match_unix_ms=table.match_deadline_ms,
    )


def _seat(table: Table, number: int) -> pb.SeatView:
    seat = table.seats[number]
    bot = bool(seat.bot)
    return pb.SeatView(
        seat=number,
        player_id=seat.player,
        reserved_for=seat.reserved_for,
        bot=seat.bot,
        left=seat.left,
        client_seed=seat.seed,
        ready=table.status is Status.BREAK and (bot or seat.ready),
        rematch=table.status is Status.OVER and (bot or seat.rematch),
    )


def _round(seen: View, current: Round) -> pb.RoundView:
    return pb.RoundView(
        round=seen.round,
        starter=seen.starter,
        # As the events tell it: after the last discard no turn begins, and nobody is to act.
        turn=current.turn,
        phase=words.PHASE[seen.phase],
        first_turn=seen.first_turn,
        own_hand=seen.hand or (),
        hand_sizes=seen.hand_sizes,
        stock_size=seen.stock_size,
        discards=seen.discards,
        melds=[
            pb.TableMeld(
                owner=meld.owner,
                meld=moves_pb.LaidMeld(kind=words.MELD_KIND[meld.kind], tiles=laid_tiles(meld.tiles)),
            )
            for meld in seen.melds
        ],
        openings=[
            pb.OpeningView(kind=words.OPENING_KIND[opening.by], value=opening.value)
            if opening
            else pb.OpeningView()
            for opening in seen.opened
        ],
        need_points=seen.need[0],
        need_pairs=seen.need[1],
        own_spare_jokers=seen.jokers or 0,
        button_used=seen.button_used,
        game=seen.game,
        rules_version=current.rules_version,
        wild=seen.wild,
        out=seen.out,
        taken=seen.taken,
        reshuffles=seen.reshuffles,
        laid=seen.laid,
        new_melds=seen.new_melds,
        thresholds=seen.thresholds,
        bonus=[public_pb.TilesExposed(tiles=tiles) for tiles in seen.bonus],
    )
