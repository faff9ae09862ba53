"""What a table does by itself, and when. Times are Unix milliseconds and come in from outside."""

from dataclasses import dataclass
from enum import StrEnum, unique

from meldhall_table.domain import events
from meldhall_table.domain.state import Status, Table


@unique
class What(StrEnum):
    """What is due."""

    DEAL = "deal"
    BOT_MOVE = "bot_move"
    AUTOMATIC_TURN = "automatic_turn"
    WAITING_OVER = "waiting_over"


@dataclass(frozen=True, slots=True)
class Due:
    """The next thing that a table does by itself."""

    what: What
    at_ms: int


def due(table: Table) -> Due | None:
    """Return what is due next; None while the table waits for people only, and for a closed one."""
    if table.status is Status.WAITING:
        return _due_waiting(table)
    if table.status is Status.BREAK:
        return Due(What.DEAL, table.deadline_ms)
    if table.status is Status.PLAYING and table.round is not None:
        seat = table.seats[table.round.turn]
        soon = min(table.deadline_ms, table.last_at_ms + table.limits.bot_move_ms)
        if seat.bot:
            return Due(What.BOT_MOVE, soon)
        return Due(What.AUTOMATIC_TURN, soon if seat.left else table.deadline_ms)
    return None


def _due_waiting(table: Table) -> Due | None:
    if table.full:
        return Due(What.DEAL, table.last_at_ms)
    kept = any(seat.reserved_for and not seat.player for seat in table.seats)
    nobody = not any(seat.person for seat in table.seats)
    return Due(What.WAITING_OVER, table.deadline_ms) if kept or nobody else None


def deadline(table: Table) -> int:
    """Return the moment that a viewer is shown, 0 where nothing ends by itself."""
    if table.status is Status.WAITING:
        found = _due_waiting(table)
        return found.at_ms if found is not None and found.what is What.WAITING_OVER else 0
    return table.deadline_ms


def resume(table: Table, outage_ms: int) -> tuple[events.Event, ...]:
    """Move a running deadline by the time that the engine was away."""
    if outage_ms <= 0 or not deadline(table):
        return ()
    return (events.DeadlineMoved(table.deadline_ms + outage_ms, outage_ms),)
