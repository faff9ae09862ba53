"""Watching a table: who may, and the stream of what they see."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_eventlog.store import EventLog
from meldhall_runtime.errors import unavailable
from meldhall_table.api.errors import refused
from meldhall_table.api.views import NOBODY, table_event, table_view
from meldhall_table.domain import events
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Table
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import Step, read_steps

VERSION_AHEAD: Final = "VERSION_AHEAD"
"""The viewer claims to have seen a version that the table does not have."""

RETRY_MS: Final = {End.SHUTDOWN: 500, End.MOVED: 100, End.TOO_SLOW: 1_000, End.TABLE_CLOSED: 0}
"""How long to wait before watching again, by why the stream ended."""

GO_AWAY_REASON: Final = {
    End.SHUTDOWN: pb.GO_AWAY_REASON_SHUTDOWN,
    End.MOVED: pb.GO_AWAY_REASON_MOVED,
    End.TOO_SLOW: pb.GO_AWAY_REASON_TOO_SLOW,
    End.TABLE_CLOSED: pb.GO_AWAY_REASON_TABLE_CLOSED,
}


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who watches.

    A player by id, or ``NOBODY`` for a service or an operator, who see what a spectator sees.
    """

    player: str

    def admitted(self, table: Table) -> Refusal | None:
        """Refuse a player who neither sits at the table nor has a seat kept."""
        if self.player == NOBODY or table.seated(self.player) is not None:
            return None
        if any(seat.reserved_for == self.player and not seat.player for seat in table.seats):
            return None
        return Refusal(TableCode.NOT_AT_TABLE, "the player neither sits at this table nor has a seat kept")


def admission(viewer: Viewer, after: int | None) -> Callable[[Table], Refusal | None]:
    """Return the question that is asked before anything is subscribed."""

    def admit(table: Table) -> Refusal | None:
        refusal = viewer.admitted(table)
        if refusal is not None or after is None or after <= table.version:
            return refusal
        return ahead(table.version, after)

    return admit


def ahead(version: int, after: int) -> Refusal:
    """Refuse a viewer who claims to have seen more than there is."""
    facts = (("current_version", str(version)),)
    return Refusal(VERSION_AHEAD, f"the table is at version {version}, not at {after}", facts)


async def stream(
    log: EventLog, table: Table, watcher: Watcher, viewer: Viewer, after: int | None
) -> AsyncGenerator[pb.WatchResponse, None]:
    """Send a snapshot or what was missed, then everything, then where to go on.

    Args:
        log: where what was missed is read.
        table: the table when the watch began; the watcher's steps follow from it.
        watcher: what comes from then on.
        viewer: who is told.
        after: the version after which events are wanted; None: a snapshot comes first.
    """
    if after is None:
        yield pb.WatchResponse(snapshot=table_view(table, viewer.player))
    else:
        async with aclosing(missed(log, table, after)) as steps:
            async for step in steps:
                yield pb.WatchResponse(event=table_event(step, viewer.player))
    sent = table.version
    while not isinstance(news := await watcher.next(), End):
        yield pb.WatchResponse(event=table_event(news, viewer.player))
        sent = news.version
        refusal = expelled(news, viewer)
        if refusal is not None:
            raise refused(refusal)
    yield pb.WatchResponse(go_away=await farewell(news, watcher, sent))


async def missed(log: EventLog, table: Table, after: int) -> AsyncGenerator[Step, None]:
    """Read what happened after a version, up to the table as it was when the watch began."""
    if after >= table.version:
        return
    async with aclosing(read_steps(log, table.table_id, after=after, up_to=table.version)) as steps:
        async for step in steps:
            yield step


def expelled(step: Step, viewer: Viewer) -> Refusal | None:
    """Refuse a viewer who may see nothing after this step."""
    if isinstance(step.event, (events.SeatLeft, events.SeatTaken)):
        return viewer.admitted(step.table)
    return None


async def farewell(end: End, watcher: Watcher, sent: int) -> pb.GoAway:
    """Return the last message of a stream.

    Args:
        end: why the stream ends.
        watcher: knows where the table has moved to, or will in a moment.
        sent: the last version that was sent.

    Raises:
        ServiceError: UNAVAILABLE: there is nowhere to send the viewer to; the table has to be read back.
    """
    if end is End.LOST:
        raise unavailable("TABLE_RELOADING", "the table is being read back from the log")
    address = await watcher.new_address() if end is End.MOVED else ""
    return pb.GoAway(
        resume_version=sent, retry_after_ms=RETRY_MS[end], reason=GO_AWAY_REASON[end], address=address
    )
