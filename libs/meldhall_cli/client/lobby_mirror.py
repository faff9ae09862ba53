"""The part of a client's copy that changes before the match: who sits where, and who runs the table."""

from collections.abc import Callable
from typing import Any, Final

from meldhall.table.v1 import table_events_pb2 as events
from meldhall.table.v1 import table_view_pb2 as views


def is_own(view: views.TableView, seat: int) -> bool:
    """Tell whether a seat is the viewer's."""
    return view.HasField("own_seat") and view.own_seat == seat


def see_seats(view: views.TableView, player: str) -> None:
    """After seats changed: the viewer's own seat, and until when a waiting table waits.

    Args:
        view: the copy.
        player: whose it is; empty for one that belongs to nobody.
    """
    for seat in view.seats:
        if seat.player_id == player != "" and not seat.bot:
            view.own_seat = seat.seat
    if _is_waiting(view):
        full = all(seat.player_id for seat in view.seats)
        kept = any(seat.reserved_for and not seat.player_id for seat in view.seats)
        people = any(seat.player_id and not seat.bot for seat in view.seats)
        begins = full and (view.host.started or not view.HasField("host"))
        ends = [view.deadlines.fill_unix_ms, view.deadlines.join_unix_ms if kept or not people else 0]
        view.deadline_unix_ms = 0 if begins else min(filter(None, ends), default=0)


def _is_waiting(view: views.TableView) -> bool:
    return view.status == views.TABLE_STATUS_WAITING


def _seat_taken(view: views.TableView, event: events.SeatTaken) -> None:
    seat = view.seats[event.seat]
    seat.player_id, seat.bot, seat.client_seed = event.player_id, event.bot, event.client_seed
    seat.left = False


def _seat_left(view: views.TableView, event: events.SeatLeft) -> None:
    seat = view.seats[event.seat]
    if _is_waiting(view):
        seat.player_id, seat.bot, seat.client_seed = "", "", b""
        if view.HasField("host"):
            view.host.started = False
        if is_own(view, event.seat):
            view.ClearField("own_seat")
    else:
        seat.left = True
        seat.ready = False


def _seat_changed(view: views.TableView, event: events.SeatChanged) -> None:
    old, new = view.seats[event.from_seat], view.seats[event.to_seat]
    new.player_id, new.client_seed = old.player_id, old.client_seed
    own = is_own(view, event.from_seat)
    old.CopyFrom(views.SeatView(seat=event.from_seat))
    if own:
        view.own_seat = event.to_seat


def _player_barred(view: views.TableView, event: events.PlayerBarred) -> None:
    for seat in view.seats:
        if seat.reserved_for == event.player_id:
            seat.reserved_for = ""


def _table_locked(view: views.TableView, event: events.TableLocked) -> None:
    view.host.locked = event.locked


def _host_changed(view: views.TableView, event: events.HostChanged) -> None:
    view.host.player_id = event.player_id


def _start_called(view: views.TableView, _event: events.StartCalled) -> None:
    view.host.started = True


LOBBY: Final[dict[str, Callable[[views.TableView, Any], None]]] = {
    "seat_taken": _seat_taken,
    "seat_left": _seat_left,
    "seat_changed": _seat_changed,
    "player_barred": _player_barred,
    "table_locked": _table_locked,
    "host_changed": _host_changed,
    "start_called": _start_called,
}
"""What each event changes on the screen."""
