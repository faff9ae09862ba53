"""Watching without a seat: what lies open, some time later. Source: ``deploy/docs/tables.md``, spectators.

A spectator never comes near a live table: what he sees is read from the log and shown as to somebody without
a seat, whoever he is. So a slow spectator holds nothing up, and a player who has left sees no hand of his.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_eventlog.store import EventLog
from meldhall_runtime.clock import Clock
from meldhall_runtime.errors import resource_exhausted
from meldhall_table.api.errors import refused
from meldhall_table.api.views import NOBODY, table_event, table_view
from meldhall_table.api.watching import GO_AWAY_REASON, RETRY_MS, ahead
from meldhall_table.domain.state import Status
from meldhall_table.owner.watchers import End
from meldhall_table.store.delayed import delayed_steps, ripe_table

MOST_SPECTATORS: Final = 1_000
"""Spectators of one engine at the same time."""


class SpectatorDesk:
    """Serves spectators, each from the log.

    Args:
        log: where tables lie.
        clock: for the delay.
    """

    def __init__(self, log: EventLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._present = 0
        self._stopped = asyncio.Event()

    async def stop(self) -> None:
        """End all streams with SHUTDOWN."""
        self._stopped.set()

    async def stream(
        self, table_id: str, delay_ms: int, after: int | None
    ) -> AsyncGenerator[pb.WatchResponse, None]:
        """Send the table as it was, then every event when its time has come.

        Args:
            table_id: the table.
            delay_ms: how far behind it the spectator is.
            after: the version after which events are wanted; None: a snapshot comes first.

        Raises:
            ServiceError: FAILED_PRECONDITION, ``VERSION_AHEAD``; RESOURCE_EXHAUSTED, ``TOO_MANY_SPECTATORS``.
        """
        if self._present >= MOST_SPECTATORS:
            raise resource_exhausted("TOO_MANY_SPECTATORS", "no further spectator can be served now")
        self._present += 1
        try:
            async with aclosing(self._messages(table_id, delay_ms, after)) as messages:
                async for message in messages:
                    yield message
        finally:
            self._present -= 1

    async def _messages(
        self, table_id: str, delay_ms: int, after: int | None
    ) -> AsyncGenerator[pb.WatchResponse, None]:
        sent, log, clock = after, self._log, self._clock
        by = clock.now_ms() - delay_ms
        table = await ripe_table(log, table_id, at_most=after, recorded_by_ms=by)
        steps = delayed_steps(log, table_id, table, delay_ms=delay_ms, clock=clock, rest=self._rest)
        async with aclosing(steps):
            async for step in steps:
                if step is not None:
                    table = step.table
                    if sent is not None and step.version > sent:
                        yield pb.WatchResponse(event=table_event(step, NOBODY))
                        sent = step.version
                    continue
                version = table.version if table else 0
                if sent is not None and sent > version:
                    raise refused(ahead(version, sent))
                if table is not None and sent is None:
                    yield pb.WatchResponse(snapshot=table_view(table, NOBODY))
                    sent = version
                if table is not None and table.status is Status.CLOSED:
                    yield _farewell(End.TABLE_CLOSED, version)
                    return
        yield _farewell(End.SHUTDOWN, sent or 0)

    async def _rest(self, milliseconds: int) -> bool:
        """Wait, and tell whether the service goes on."""
        waiting = {
            asyncio.create_task(self._clock.sleep(milliseconds / 1000)),
            asyncio.create_task(self._stopped.wait()),
        }
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        return not self._stopped.is_set()


def _farewell(end: End, sent: int) -> pb.WatchResponse:
    """Return the last message; spectators of a table that moves need not move along."""
    away = pb.GoAway(resume_version=sent, retry_after_ms=RETRY_MS[end], reason=GO_AWAY_REASON[end])
    return pb.WatchResponse(go_away=away)
