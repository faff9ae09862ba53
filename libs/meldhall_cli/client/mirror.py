"""A client's copy of a table: a snapshot, kept up to date by events.

This is what every client does, in any language: take the snapshot of a Watch, apply each event, and never
miss a version. It knows no rules; each event says what changed on the screen.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from meldhall.table.v1 import table_events_pb2 as events
from meldhall.table.v1 import table_moves_pb2 as moves
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.client.lobby_mirror import LOBBY, is_own, see_seats
from meldhall_rules.tiles import SET_SIZE

CARD_GAMES: Final = frozenset({"rummy", "three_thirteen"})
"""Games in which a card taken from the discard pile may be kept, and is marked until the turn ends."""


class MissedVersion(Exception):
    """An event is not the next one: the client has to watch again."""


class TableMirror:
    """A table as one viewer sees it, at the version of the last event applied.

    Args:
        snapshot: where the copy begins.
        player: whose copy it is; needed only by a player who watches before he sits down.
    """

    def __init__(self, snapshot: views.TableView, player: str = "") -> None:
        self.view = views.TableView()
        self.view.CopyFrom(snapshot)
        self._player = player

    @property
    def version(self) -> int:
        """Version of the table that the copy shows."""
        return self.view.version

    def apply(self, event: views.TableEvent) -> bool:
        """Apply the next event.

        Returns:
            False for an event that the copy shows already; it changes nothing.

        Raises:
            MissedVersion: the event is not the next one.
        """
        if event.version <= self.view.version:
            return False
        if event.version != self.view.version + 1:
            raise MissedVersion(f"event {event.version} follows version {self.view.version}")
        kind = event.WhichOneof("event")
        if kind is not None:
            change = _CHANGES.get(kind)
            if change is not None:
                change(self.view, getattr(event, kind))
        if kind in LOBBY or kind == "deadline_moved":
            see_seats(self.view, self._player)
        self.view.version = event.version
        return True


def _hold(round_: views.RoundView, seat: int, by: int) -> None:
    round_.hand_sizes[seat] += by


def _side_of(view: views.TableView, seat: int) -> int:
    """Return the side that a seat plays for; there are as many sides as totals."""
    return seat % len(view.totals) if view.totals else seat


def _see_need(view: views.TableView) -> None:
    """Where teams have thresholds of their own: what the viewer's team needs, or the one on turn."""
    thresholds = view.round.thresholds
    if thresholds:
        seat = view.own_seat if view.HasField("own_seat") else view.round.turn
        view.round.need_points = thresholds[_side_of(view, seat)]


def _gain(view: views.TableView, seat: int, tile: int) -> None:
    _hold(view.round, seat, 1)
    if is_own(view, seat):
        _set_hand(view, [*view.round.own_hand, tile])


def _lose(view: views.TableView, seat: int, tiles: Sequence[int]) -> None:
    _hold(view.round, seat, -len(tiles))
    if is_own(view, seat):
        gone = set(tiles)
        _set_hand(view, [tile for tile in view.round.own_hand if tile not in gone])


def _set_hand(view: views.TableView, tiles: Sequence[int]) -> None:
    del view.round.own_hand[:]
    view.round.own_hand.extend(sorted(tiles))


def _round_started(view: views.TableView, event: events.RoundStarted) -> None:
    view.status = views.TABLE_STATUS_PLAYING
    for seat in view.seats:
        seat.ready = False
    view.deadlines.CopyFrom(
        views.TableDeadlines(round_unix_ms=event.deadline_unix_ms, match_unix_ms=event.match_deadline_unix_ms)
    )
    seats, sides = len(event.players), len(view.totals) or len(event.players)
    view.round.CopyFrom(
        views.RoundView(
            round=event.round,
            starter=event.starter,
            turn=event.starter,
            hand_sizes=event.hand_sizes,
            stock_size=event.stock_size,
            discards=event.discards,
            openings=[views.OpeningView() for _ in range(sides)],
            need_points=event.need_points,
            need_pairs=event.need_pairs,
            button_used=[False] * seats,
            game=event.game,
            rules_version=event.rules_version,
            wild=event.wild if event.HasField("wild") else None,
            thresholds=event.thresholds,
            bonus=event.bonus,
        )
    )


def _own_hand_dealt(view: views.TableView, event: views.OwnHandDealt) -> None:
    _set_hand(view, event.tiles)
    view.round.own_spare_jokers = event.spare_jokers


def _turn_began(view: views.TableView, event: views.TurnBegan) -> None:
    view.round.turn = event.seat
    view.round.phase = event.phase
    view.round.first_turn = event.phase == views.PHASE_PLAY
    view.round.ClearField("taken")
    view.round.new_melds = 0
    del view.round.laid[:]
    view.round.laid.extend(event.laid)
    _see_need(view)
    view.deadline_unix_ms = event.deadline_unix_ms


def _drawn(view: views.TableView, seat: int) -> None:
    view.round.stock_size -= 1
    view.round.phase = views.PHASE_PLAY
    _hold(view.round, seat, 1)


def _tile_drawn(view: views.TableView, event: views.TileDrawn) -> None:
    _drawn(view, event.seat)


def _own_tile_drawn(view: views.TableView, event: views.OwnTileDrawn) -> None:
    _drawn(view, view.own_seat)
    _set_hand(view, [*view.round.own_hand, event.tile])


def _discard_taken(view: views.TableView, event: views.DiscardTaken) -> None:
    view.round.discards.pop()
    view.round.phase = views.PHASE_PLAY
    if view.round.game in CARD_GAMES:
        view.round.taken = event.tile
    _gain(view, event.seat, event.tile)


def _joker_issued(view: views.TableView, event: views.JokerIssued) -> None:
    view.round.phase = views.PHASE_PLAY
    view.round.button_used[event.seat] = True
    if event.tile < SET_SIZE:
        # One of the set's jokers, taken out of the stock.
        view.round.stock_size -= 1
    if is_own(view, event.seat):
        view.round.own_spare_jokers -= 1
    _gain(view, event.seat, event.tile)


def _lay(view: views.TableView, seat: int, melds: Sequence[moves.LaidMeld]) -> None:
    for meld in melds:
        view.round.melds.append(views.TableMeld(owner=_side_of(view, seat), meld=meld))
        _lose(view, seat, [laid.tile for laid in meld.tiles])


def _opening_laid(view: views.TableView, event: views.OpeningLaid) -> None:
    opening = views.OpeningView(kind=event.kind, value=event.value)
    view.round.openings[_side_of(view, event.seat)].CopyFrom(opening)
    view.round.need_points, view.round.need_pairs = event.need_points, event.need_pairs
    _see_need(view)
    _lay(view, event.seat, event.melds)


def _melds_laid(view: views.TableView, event: views.MeldsLaid) -> None:
    if view.round.laid:
        view.round.new_melds += len(event.melds)
    _lay(view, event.seat, event.melds)


def _laid_off(view: views.TableView, event: views.LaidOff) -> None:
    meld = view.round.melds[event.meld].meld
    del meld.tiles[:]
    meld.tiles.extend(event.result)
    _lose(view, event.seat, [laid.tile for laid in event.tiles])


def _joker_swapped(view: views.TableView, event: views.JokerSwapped) -> None:
    for laid in view.round.melds[event.meld].meld.tiles:
        if laid.tile == event.joker:
            laid.tile = event.tile
    _lose(view, event.seat, [event.tile])
    _gain(view, event.seat, event.joker)


def _stock_rebuilt(view: views.TableView, event: views.StockRebuilt) -> None:
    top = view.round.discards[-1]
    del view.round.discards[:]
    view.round.discards.append(top)
    view.round.stock_size = event.stock_size
    view.round.reshuffles += 1


def _went_out(view: views.TableView, event: views.WentOut) -> None:
    if not view.round.HasField("out"):
        view.round.out = event.seat
    _lay(view, event.seat, event.melds)
    _throw(view, event.seat, event.discard)


def _pile_taken(view: views.TableView, event: views.PileTaken) -> None:
    del view.round.discards[:]
    view.round.phase = views.PHASE_PLAY
    _hold(view.round, event.seat, len(event.tiles))
    if is_own(view, event.seat):
        _set_hand(view, [*view.round.own_hand, *event.tiles])


def _bonus_exposed(view: views.TableView, event: views.BonusExposed) -> None:
    view.round.stock_size -= 1
    view.round.bonus[_side_of(view, event.seat)].tiles.append(event.tile)


def _discarded(view: views.TableView, event: views.Discarded) -> None:
    _throw(view, event.seat, event.tile)


def _throw(view: views.TableView, seat: int, tile: int) -> None:
    view.round.discards.append(tile)
    # Nobody is to act until the next turn, or the end of the round, is told.
    view.round.phase = views.PHASE_UNSPECIFIED
    _lose(view, seat, [tile])


def _round_ended(view: views.TableView, event: events.RoundEnded) -> None:
    view.round.phase = views.PHASE_OVER
    view.last_result.CopyFrom(event.result)
    view.last_secret = event.round_secret
    view.deadlines.round_unix_ms = 0
    del view.totals[:]
    view.totals.extend(event.result.totals)


def _break_began(view: views.TableView, event: views.BreakBegan) -> None:
    view.status = views.TABLE_STATUS_BREAK
    view.deadline_unix_ms = event.deadline_unix_ms
    for seat in view.seats:
        seat.ready = bool(seat.bot)


def _seat_ready(view: views.TableView, event: views.SeatReady) -> None:
    view.seats[event.seat].ready = True


def _match_ended(view: views.TableView, event: events.MatchEnded) -> None:
    view.match_result.CopyFrom(event.result)
    view.deadlines.match_unix_ms = 0


def _rematch_offered(view: views.TableView, event: views.RematchOffered) -> None:
    view.status = views.TABLE_STATUS_OVER
    view.deadline_unix_ms = event.deadline_unix_ms
    for seat in view.seats:
        seat.ready, seat.rematch = False, bool(seat.bot)


def _rematch_wanted(view: views.TableView, event: views.RematchWanted) -> None:
    view.seats[event.seat].rematch = True


def _rematch_began(view: views.TableView, event: events.RematchBegan) -> None:
    view.next_table_id = event.next_table_id


def _table_closed(view: views.TableView, _event: events.TableClosed) -> None:
    view.status = views.TABLE_STATUS_CLOSED
    view.deadline_unix_ms = 0
    view.deadlines.CopyFrom(views.TableDeadlines())
    for seat in view.seats:
        seat.ready = seat.rematch = False


def _deadline_moved(view: views.TableView, event: views.DeadlineMoved) -> None:
    for field, running in view.deadlines.ListFields():
        setattr(view.deadlines, field.name, running + event.outage_ms)
    view.deadline_unix_ms = event.deadline_unix_ms


# Events that change nothing on the screen (hidden ones, the reason of an automatic turn) are not in it.
_CHANGES: dict[str, Callable[[views.TableView, Any], None]] = {
    **LOBBY,
    "round_started": _round_started,
    "own_hand_dealt": _own_hand_dealt,
    "turn_began": _turn_began,
    "tile_drawn": _tile_drawn,
    "own_tile_drawn": _own_tile_drawn,
    "discard_taken": _discard_taken,
    "joker_issued": _joker_issued,
    "opening_laid": _opening_laid,
    "melds_laid": _melds_laid,
    "laid_off": _laid_off,
    "joker_swapped": _joker_swapped,
    "discarded": _discarded,
    "round_ended": _round_ended,
    "break_began": _break_began,
    "seat_ready": _seat_ready,
    "match_ended": _match_ended,
    "rematch_offered": _rematch_offered,
    "rematch_wanted": _rematch_wanted,
    "rematch_began": _rematch_began,
    "table_closed": _table_closed,
    "deadline_moved": _deadline_moved,
    "stock_rebuilt": _stock_rebuilt,
    "went_out": _went_out,
    "pile_taken": _pile_taken,
    "bonus_exposed": _bonus_exposed,
}
