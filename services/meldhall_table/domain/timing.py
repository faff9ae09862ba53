"""What a table does by itself, and when. Times are Unix milliseconds and come in from outside."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique

from meldhall_table.domain import between, events
from meldhall_table.domain.state import Status, Table


@unique
class What(StrEnum):
    """What is due."""

    DEAL = "deal"
    BOT_MOVE = "bot_move"
    AUTOMATIC_TURN = "automatic_turn"
    WAITING_OVER = "waiting_over"
    ROUND_LIMIT = "round_limit"
    MATCH_LIMIT = "match_limit"
    NEXT_TABLE = "next_table"
    REMATCH_OVER = "rematch_over"


@dataclass(frozen=True, slots=True)
class Due:
    """The next thing that a table does by itself."""

    what: What
    at_ms: int


def due(table: Table) -> Due | None:
    """Return what is due next; None while the table waits for people only, and for a closed one.

    Of what is due at the same moment a limit comes first.
    """
    return min(_all_due(table), key=lambda one: one.at_ms, default=None)


def _all_due(table: Table) -> Iterator[Due]:
    match table.status:
        case Status.WAITING:
            yield from _due_waiting(table)
        case Status.PLAYING:
            yield from _due_limits(table)
            yield from _due_turn(table)
        case Status.BREAK:
            yield from _due_limits(table)
            yield Due(What.DEAL, table.last_at_ms if between.all_ready(table) else table.deadline_ms)
        case Status.OVER if between.all_want_rematch(table):
            yield Due(What.NEXT_TABLE, table.last_at_ms)
        case Status.OVER:
            yield Due(What.REMATCH_OVER, table.deadline_ms)
        case Status.CLOSED:
            return


def _due_waiting(table: Table) -> Iterator[Due]:
    if table.may_begin:
        yield Due(What.DEAL, table.last_at_ms)
        return
    kept = any(seat.reserved_for and not seat.player for seat in table.seats)
    nobody = not any(seat.person for seat in table.seats)
    if kept or nobody:
        yield Due(What.WAITING_OVER, table.deadline_ms)
    if table.fill_deadline_ms:
        yield Due(What.WAITING_OVER, table.fill_deadline_ms)


def _due_limits(table: Table) -> Iterator[Due]:
    if table.match_deadline_ms:
        yield Due(What.MATCH_LIMIT, table.match_deadline_ms)
    if table.round_deadline_ms:
        yield Due(What.ROUND_LIMIT, table.round_deadline_ms)


def _due_turn(table: Table) -> Iterator[Due]:
    if table.round is None:
        return
    seat = table.seats[table.round.turn]
    soon = min(table.deadline_ms, table.last_at_ms + table.limits.bot_move_ms)
    if seat.bot:
        yield Due(What.BOT_MOVE, soon)
    else:
        yield Due(What.AUTOMATIC_TURN, soon if seat.left else table.deadline_ms)


def deadline(table: Table) -> int:
    """Return the moment that a viewer is shown, 0 where nothing ends by itself."""
    if table.status is Status.WAITING:
        found = due(table)
        return found.at_ms if found is not None and found.what is What.WAITING_OVER else 0
    return table.deadline_ms


def resume(table: Table, outage_ms: int) -> tuple[events.Event, ...]:
    """Move running deadlines by the time that the engine was away."""
    running = deadline(table) or table.round_deadline_ms or table.match_deadline_ms
    if outage_ms <= 0 or not running:
        return ()
    moved = table.deadline_ms + outage_ms if table.deadline_ms else 0
    return (events.DeadlineMoved(moved, outage_ms),)
