"""The tables that this process owns: made, read back from the log, kept, dropped."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from meldhall_eventlog.errors import DuplicateCommand, EventLogError, Fenced, WrongVersion
from meldhall_eventlog.types import Append, Position
from meldhall_table.domain.events import Event
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import resume
from meldhall_table.owner.commands import TableCommand, response_of
from meldhall_table.owner.errors import (
    CommandReused,
    Draining,
    NotOwner,
    OwnerError,
    TableLost,
    TableUnknown,
    TooManyTables,
)
from meldhall_table.owner.mailbox import Mailbox, Tools
from meldhall_table.owner.timer import Timer
from meldhall_table.store.stream import CATEGORY, Step, fold, replay, shard_of, to_append

ALIVE: Final = "table-engine/alive"
"""Checkpoint that holds when this engine was last known to run, Unix milliseconds."""

BEAT_SECONDS: Final = 2.0
IDLE_SECONDS: Final = 30.0
"""Time after which a closed table that nobody asks for is dropped from memory."""

PAGE: Final = 500
ACTIVATIONS: Final = 16
"""Tables that are read back at the same time when the engine starts."""

RETRY_MOST_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class _Live:
    mailbox: Mailbox
    timer: Timer


class Tables:
    """Every table of this process. One event loop, no locks.

    Args:
        tools: what tables work with.
        most: how many open tables there may be.
    """

    def __init__(self, tools: Tools, most: int) -> None:
        self._tools = tools
        self._most = most
        self._live: dict[str, _Live] = {}
        self._activating: dict[str, asyncio.Task[Mailbox]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._alive_ms = 0
        self._starting = True
        self._draining = False

    @property
    def open_count(self) -> int:
        """Return how many open tables are in memory."""
        return sum(live.mailbox.table.status is not Status.CLOSED for live in self._live.values())

    async def start(self) -> None:
        """Take up every open table: claim it, read it back, let its timers go on.

        A table that cannot be read back is logged and left alone; the others go on.
        """
        log = self._tools.log
        self._alive_ms = (await log.load_checkpoint(ALIVE)).seq
        after, gate = "", asyncio.Semaphore(ACTIVATIONS)
        while True:
            page = await log.streams(CATEGORY, after=after, limit=PAGE, open_only=True)
            await asyncio.gather(*(self._take_up(info.stream_id, gate) for info in page))
            if len(page) < PAGE:
                break
            after = page[-1].stream_id
        self._starting = False
        await self.beat()

    async def beat(self) -> None:
        """Note that the engine runs, and drop closed tables that nobody asks for."""
        now = self._tools.clock.now_ms()
        try:
            await self._tools.log.save_checkpoint(ALIVE, Position(0, now))
        except EventLogError as error:
            self._tools.logger.warning("heartbeat_failed", error=type(error).__name__)
        else:
            self._alive_ms = now
        self._drop_idle()
        self._tools.metrics.live.set(self.open_count)

    async def keep_beating(self) -> None:
        """Beat for ever."""
        while True:
            await self._tools.clock.sleep(BEAT_SECONDS)
            await self.beat()

    async def create(self, table_id: str, new: Sequence[Event], command: TableCommand) -> bytes:
        """Open a table, or return the first answer where the same command opened it before.

        Raises:
            CommandReused: the command id opened another table.
            TooManyTables, Draining, TableLost: as they say.
        """
        if self._draining:
            raise Draining(table_id)
        if table_id in self._live or self.open_count >= self._most:
            first = await self._first_answer(table_id, command)
            if first is None:
                raise TooManyTables(table_id)
            return first
        now = self._tools.clock.now_ms()
        steps = fold(None, new, now)
        response = command.render(steps[-1].table, steps)
        try:
            await self._append_first(table_id, steps, command, response)
        except (DuplicateCommand, WrongVersion):
            first = await self._first_answer(table_id, command)
            if first is None:
                raise CommandReused(table_id) from None
            await self.mailbox(table_id)
            return first
        except EventLogError as error:
            raise TableLost(table_id) from error
        self._keep(steps[-1].table, frozenset({command.command_id}))
        self._tools.metrics.commands.labels("accepted").inc()
        return response

    async def mailbox(self, table_id: str) -> Mailbox:
        """Return the mailbox of a table, which is read back from the log if it has to be.

        Raises:
            TableUnknown, NotOwner, Draining, TableLost: as they say.
        """
        if self._draining:
            raise Draining(table_id)
        live = self._live.get(table_id)
        if live is not None:
            return live.mailbox
        task = self._activating.get(table_id)
        if task is None:
            task = asyncio.create_task(self._activate(table_id), name=f"activate {table_id}")
            self._activating[table_id] = task
            task.add_done_callback(lambda done: self._activated(table_id, done))
        # Several callers may wait for it; one that goes away must not take it along.
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Take no more commands, finish those in hand, end all watches, note the time."""
        self._draining = True
        for task in tuple(self._tasks):
            task.cancel()
        if self._activating:
            await asyncio.wait(self._activating.values())
        lives = tuple(self._live.values())
        self._live.clear()
        for live in lives:
            live.timer.cancel()
        await asyncio.gather(*(live.mailbox.stop(Draining(live.mailbox.table.table_id)) for live in lives))
        await self.beat()

    async def _take_up(self, table_id: str, gate: asyncio.Semaphore) -> None:
        async with gate:
            try:
                await self.mailbox(table_id)
            except OwnerError as error:
                self._tools.logger.warning(
                    "table_not_taken_up", table_id=table_id, error=type(error).__name__
                )
            except Exception:
                self._tools.logger.exception("table_not_readable", table_id=table_id)

    async def _activate(self, table_id: str) -> Mailbox:
        """Claim the stream, and only then read it: a late append of another owner is seen or fails."""
        tools, outcomes = self._tools, self._tools.metrics.activations
        try:
            info = await tools.log.info(table_id)
            if info is None or info.category != CATEGORY:
                raise TableUnknown(table_id)
            if not info.closed:
                await tools.log.claim(table_id, tools.epoch)
            found = await replay(tools.log, table_id)
            if found is None:
                raise TableUnknown(table_id)
            if found.table.status is Status.CLOSED and not info.closed:
                await tools.log.close_stream(table_id, tools.epoch)
        except Fenced as error:
            outcomes.labels("fenced").inc()
            raise NotOwner(table_id) from error
        except EventLogError as error:
            outcomes.labels("failed").inc()
            raise TableLost(table_id) from error
        outcomes.labels("ok").inc()
        mailbox = self._keep(found.table, found.commands)
        await self._make_good(mailbox)
        return mailbox

    def _activated(self, table_id: str, done: asyncio.Task[Mailbox]) -> None:
        self._activating.pop(table_id, None)
        if not done.cancelled():
            # Whoever waited may be gone; an error that nobody reads is not a fault of the loop.
            done.exception()

    async def _make_good(self, mailbox: Mailbox) -> None:
        """Move what is due by the time that the engine was away."""
        now = self._tools.clock.now_ms()
        outage = now - max(self._alive_ms, mailbox.table.last_at_ms)
        if outage < (1 if self._starting else 2 * BEAT_SECONDS * 1000):
            return

        async def work() -> None:
            new = resume(mailbox.table, outage)
            if new:
                await mailbox.commit(new, at_ms=now)

        await mailbox.submit(work, inner=True)

    async def _append_first(
        self, table_id: str, steps: Sequence[Step], command: TableCommand, response: bytes
    ) -> None:
        append = Append(
            stream_id=table_id,
            category=CATEGORY,
            shard=shard_of(table_id),
            expected_version=0,
            epoch=self._tools.epoch,
            events=to_append([step.event for step in steps], self._tools.event_id),
            recorded_at_ms=steps[0].at_ms,
            command_id=command.command_id,
            response=command.digest + response,
            meta=command.meta,
        )
        with self._tools.metrics.append_seconds.time():
            await self._tools.log.append(append)

    async def _first_answer(self, table_id: str, command: TableCommand) -> bytes | None:
        try:
            receipt = await self._tools.log.receipt(table_id, command.command_id)
        except EventLogError as error:
            raise TableLost(table_id) from error
        if receipt is None:
            return None
        response = response_of(receipt.response, command.digest)
        if response is None:
            raise CommandReused(table_id)
        self._tools.metrics.commands.labels("repeated").inc()
        return response

    def _keep(self, table: Table, commands: frozenset[str]) -> Mailbox:
        mailbox = Mailbox(table, commands, self._tools, self._lost)
        timer = Timer(mailbox, self._tools)
        self._live[table.table_id] = _Live(mailbox, timer)
        timer.arm(table)
        return mailbox

    def _lost(self, mailbox: Mailbox, why: OwnerError) -> None:
        """Forget a table that was dropped; read it back later, unless somebody else owns it now."""
        table_id = mailbox.table.table_id
        live = self._live.get(table_id)
        if live is not None and live.mailbox is mailbox:
            del self._live[table_id]
            live.timer.cancel()
        if not isinstance(why, NotOwner) and not self._draining:
            self._spawn(self._bring_back(table_id))

    async def _bring_back(self, table_id: str) -> None:
        wait = 0.2
        while not self._draining:
            await self._tools.clock.sleep(wait)
            try:
                await self.mailbox(table_id)
            except TableLost:
                wait = min(wait * 2, RETRY_MOST_SECONDS)
            except OwnerError:
                return
            except Exception:
                self._tools.logger.exception("table_not_readable", table_id=table_id)
                return
            else:
                return

    def _drop_idle(self) -> None:
        now = self._tools.clock.monotonic()
        for table_id, live in tuple(self._live.items()):
            mailbox = live.mailbox
            if mailbox.table.status is not Status.CLOSED or not mailbox.idle:
                continue
            if now - mailbox.last_used >= IDLE_SECONDS:
                del self._live[table_id]
                live.timer.cancel()
                self._spawn(mailbox.stop(TableLost(table_id)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
