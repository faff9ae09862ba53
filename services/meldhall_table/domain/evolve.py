"""Folding a table's stream. Never refuses and never decides: what the log holds has happened."""

from dataclasses import replace

from meldhall_rules import events as rules
from meldhall_rules import registry
from meldhall_rules.match import MatchState, after_round, new_match
from meldhall_table.domain import events
from meldhall_table.domain.state import Round, Seat, Status, Table


class FoldError(Exception):
    """The stream is not the stream of a table: an event stands where it cannot."""


def evolve(table: Table | None, event: events.Event, at_ms: int) -> Table:
    """Fold one event.

    Args:
        table: the state before it, None before the first event.
        event: what happened.
        at_ms: when it was recorded, Unix milliseconds.

    Raises:
        FoldError: the first event is not ``TableCreated``, or a later one is, or a move stands outside of a
            round.
    """
    if table is None:
        if not isinstance(event, events.TableCreated):
            raise FoldError(f"a stream begins with TableCreated, not {type(event).__name__}")
        return _created(event, at_ms)
    if isinstance(event, events.TableCreated):
        raise FoldError(f"table {table.table_id} was created twice")
    return _fold(replace(table, version=table.version + 1, last_at_ms=at_ms), event)


def _created(event: events.TableCreated, at_ms: int) -> Table:
    return Table(
        table_id=event.table_id,
        version=1,
        status=Status.WAITING,
        game=event.game,
        options=event.options,
        form=event.form,
        limits=event.limits,
        seats=tuple(Seat(reserved_for=name) for name in event.reserved_for),
        commitment=event.commitment,
        created_by=event.created_by,
        last_at_ms=at_ms,
        deadline_ms=at_ms + event.limits.join_ms,
        last_secret=event.commitment,
        fill_deadline_ms=at_ms + event.limits.fill_ms if event.limits.fill_ms else 0,
        spectator_delay_ms=event.spectator_delay_ms,
        previous_table_id=event.previous_table_id,
        host=event.host,
        invited_only=event.invited_only,
    )


def _fold(table: Table, event: events.Event) -> Table:
    match event:
        case events.SecretsDrawn(tip):
            return replace(table, tip=tip)
        case events.SeatTaken():
            return _seat_taken(table, event)
        case events.SeatLeft():
            return _seat_left(table, event)
        case events.SeatChanged(old, new, _):
            return _seat_changed(table, old, new)
        case events.PlayerAdmitted(player):
            return replace(table, admitted=(*table.admitted, player))
        case events.PlayerBarred(player):
            return _barred(table, player)
        case events.TableLocked(locked):
            return replace(table, locked=locked)
        case events.HostChanged(player):
            return replace(table, host=player)
        case events.StartCalled():
            return replace(table, started=True)
        case events.RoundStarted():
            return _round_started(table, event)
        case rules.RoundDealt():
            return _dealt(table, event)
        case events.TurnBegan(seat, deadline_ms, _, _):
            return replace(table, round=replace(_round(table), turn=seat), deadline_ms=deadline_ms)
        case events.RoundEnded():
            return _round_ended(table, event)
        case events.BreakBegan(deadline_ms):
            return replace(table, status=Status.BREAK, deadline_ms=deadline_ms)
        case events.SeatReady(seat):
            return _with_seat(table, seat, replace(table.seats[seat], ready=True))
        case events.LimitReached(limit):
            return replace(table, cut_short=limit is events.Limit.MATCH)
        case events.MatchEnded():
            return replace(table, match_end=event, match_deadline_ms=0)
        case events.RematchOffered(deadline_ms):
            return replace(table, status=Status.OVER, deadline_ms=deadline_ms)
        case events.RematchWanted(seat):
            return _with_seat(table, seat, replace(table.seats[seat], rematch=True))
        case events.RematchBegan(next_table_id):
            return replace(table, next_table_id=next_table_id)
        case events.TableClosed(reason):
            return _closed(table, reason)
        case events.DeadlineMoved():
            return _deadlines_moved(table, event)
        case events.SeatOpened(laid, _):
            return _moved(table, laid)
        case events.AutomaticTurn() | events.JokerSpent() | events.TableCreated():
            return table
        case _:
            return _moved(table, event)


def _seat_taken(table: Table, event: events.SeatTaken) -> Table:
    before = table.seats[event.seat]
    taken = replace(before, player=event.player, seed=event.seed, bot=event.bot, left=False)
    return _with_seat(table, event.seat, taken)


def _seat_left(table: Table, event: events.SeatLeft) -> Table:
    before = table.seats[event.seat]
    if table.status is Status.WAITING:
        # Whoever comes instead has not been seen by the host.
        again = replace(table, started=False)
        return _with_seat(again, event.seat, Seat(reserved_for=before.reserved_for))
    return _with_seat(table, event.seat, replace(before, left=True, ready=False))


def _seat_changed(table: Table, old: int, new: int) -> Table:
    moved = replace(table.seats[old], reserved_for=table.seats[new].reserved_for)
    return _with_seat(_with_seat(table, old, Seat()), new, moved)


def _barred(table: Table, player: str) -> Table:
    return replace(
        table,
        barred=(*table.barred, player),
        admitted=tuple(name for name in table.admitted if name != player),
        seats=tuple(
            replace(seat, reserved_for="") if seat.reserved_for == player else seat for seat in table.seats
        ),
    )


def _with_seat(table: Table, number: int, seat: Seat) -> Table:
    return replace(table, seats=(*table.seats[:number], seat, *table.seats[number + 1 :]))


def _round_started(table: Table, event: events.RoundStarted) -> Table:
    return replace(
        table,
        status=Status.PLAYING,
        match=table.match or _new_match(table, event),
        seats=tuple(replace(seat, ready=False) if seat.ready else seat for seat in table.seats),
        fill_deadline_ms=0,
        round_deadline_ms=event.deadline_ms,
        match_deadline_ms=event.match_deadline_ms,
    )


def _closed(table: Table, reason: events.CloseReason) -> Table:
    return replace(
        table,
        status=Status.CLOSED,
        close_reason=reason,
        deadline_ms=0,
        fill_deadline_ms=0,
        round_deadline_ms=0,
        match_deadline_ms=0,
    )


def _deadlines_moved(table: Table, event: events.DeadlineMoved) -> Table:
    def moved(deadline_ms: int) -> int:
        return deadline_ms + event.outage_ms if deadline_ms else 0

    return replace(
        table,
        deadline_ms=event.deadline_ms,
        fill_deadline_ms=moved(table.fill_deadline_ms),
        round_deadline_ms=moved(table.round_deadline_ms),
        match_deadline_ms=moved(table.match_deadline_ms),
    )


def _new_match(table: Table, event: events.RoundStarted) -> MatchState:
    game = registry.game(event.game, event.rules_version)
    return new_match(len(table.seats), event.starter, game.match_rules(dict(table.options)))


def _dealt(table: Table, event: rules.RoundDealt) -> Table:
    game = registry.game(event.game, event.rules_version)
    dealt = Round(
        number=event.round,
        starter=event.starter,
        turn=event.starter,
        rules_version=event.rules_version,
        tiles=len(event.order) + event.seats,
        state=game.evolve(None, event),
    )
    return replace(table, round=dealt)


def _moved(table: Table, event: rules.Event) -> Table:
    current = _round(table)
    return replace(table, round=replace(current, state=table.rules().evolve(current.state, event)))


def _round_ended(table: Table, event: events.RoundEnded) -> Table:
    if table.match is None:
        raise FoldError(f"table {table.table_id}: a round ended before one began")
    return replace(
        _moved(table, event.ending),
        match=after_round(
            table.match, event.ending.scores, winner=event.ending.winner, finish=event.ending.finish
        ),
        last_end=event,
        last_secret=event.secret,
        deadline_ms=0,
        round_deadline_ms=0,
    )


def _round(table: Table) -> Round:
    if table.round is None:
        raise FoldError(f"table {table.table_id}: a move stands before the first deal")
    return table.round
