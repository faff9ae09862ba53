"""One task that owns one live table.

Everything that touches a table goes through its mailbox and is done one after another:

    decide -> append (durable) -> fold -> send to the watchers -> answer

so nobody sees what is not durable. What the outcome of an append leaves in doubt is never patched up here:
the table is dropped from memory and read back from the log. Source: ``deploy/docs/tables.md``.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import EventLogError, Fenced
from meldhall_eventlog.store import EventLog
from meldhall_eventlog.types import Append, Meta
from meldhall_runtime.clock import Clock
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.metrics import TableMetrics
from meldhall_table.owner.commands import TableCommand, response_of
from meldhall_table.owner.errors import CommandReused, NotOwner, Overloaded, OwnerError, TableLost
from meldhall_table.owner.purse import JokerPurse
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import CATEGORY, Step, fold, shard_of, to_append

T = TypeVar("T")

QUEUE_LIMIT: Final = 64
"""Calls that may wait for one table."""

WATCH_LIMIT: Final = 256
"""Steps that may wait for one watcher."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What every live table works with."""

    log: EventLog
    clock: Clock
    event_id: Callable[[], UUID]
    epoch: int
    purse: JokerPurse
    metrics: TableMetrics
    logger: BoundLogger


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Awaitable[Any]]
    answer: asyncio.Future[Any]


class Mailbox:
    """The queue of a live table and the task that works it off.

    Args:
        table: the table as the log has it.
        commands: ids of the commands that the log has receipts for.
        tools: what it works with.
        lost: called once when the table must be dropped, with the reason.
    """

    def __init__(
        self,
        table: Table,
        commands: frozenset[str],
        tools: Tools,
        lost: Callable[["Mailbox", OwnerError], None],
    ) -> None:
        self.table = table
        self.last_used = tools.clock.monotonic()
        self._commands = set(commands)
        self._tools = tools
        self._lost = lost
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._watchers: set[Watcher] = set()
        self._busy = False
        self._gone: OwnerError | None = None
        self._task = asyncio.create_task(self._run(), name=f"table {table.table_id}")
        self.after_step: Callable[[Table], None] = lambda _table: None

    @property
    def idle(self) -> bool:
        """Tell whether nobody waits for the table and nobody watches it."""
        return not self._busy and self._jobs.empty() and not self._watchers

    async def submit(self, work: Callable[[], Awaitable[T]], *, inner: bool = False) -> T:
        """Have work done when its turn comes, and return what it returns.

        Args:
            work: runs alone at this table.
            inner: comes from the table's own timers, which never are too many.

        Raises:
            Overloaded: too many calls wait.
            TableLost, NotOwner, Draining: the table was dropped before the work was done.
        """
        if self._gone is not None:
            raise type(self._gone)(self.table.table_id)
        if not inner and self._jobs.qsize() >= QUEUE_LIMIT:
            raise Overloaded(self.table.table_id)
        job = _Job(work, asyncio.get_running_loop().create_future())
        self._jobs.put_nowait(job)
        self.last_used = self._tools.clock.monotonic()
        answer: T = await job.answer
        return answer

    async def command(self, command: TableCommand) -> bytes | Refusal:
        """Answer a command: the serialised response, or why it is refused.

        Raises:
            CommandReused: the id belongs to another request.
            Overloaded, TableLost, NotOwner, Draining: as ``submit``.
        """
        return await self.submit(lambda: self._answer(command))

    async def look(self) -> Table:
        """Return the table as it is when its turn comes, after all that was asked of it before.

        Raises:
            Overloaded, TableLost, NotOwner, Draining: as ``submit``.
        """

        async def work() -> Table:
            return self.table

        return await self.submit(work)

    async def watch(self, admit: Callable[[Table], Refusal | None]) -> tuple[Table, Watcher] | Refusal:
        """Take a snapshot and begin to watch, in one step: events follow from the snapshot's next version.

        Args:
            admit: refuses who may not watch; nothing is subscribed then.
        """

        async def work() -> tuple[Table, Watcher] | Refusal:
            refused = admit(self.table)
            if refused is not None:
                return refused
            watcher = Watcher(WATCH_LIMIT, self._forget)
            self._watchers.add(watcher)
            self._tools.metrics.watchers.inc()
            if self.table.status is Status.CLOSED:
                watcher.end(End.TABLE_CLOSED)
            return self.table, watcher

        return await self.submit(work)

    async def commit(self, new: Sequence[Event], *, at_ms: int) -> None:
        """Append events that no caller's command caused, and show them. Only from within the mailbox."""
        await self._commit(fold(self.table, new, at_ms), None, b"", Meta(actor="table"))

    async def stop(self, why: OwnerError) -> None:
        """Finish the work in hand, refuse what waits, end the watches with SHUTDOWN."""
        if self._gone is None:
            self._drop(why, End.SHUTDOWN)
        await asyncio.wait({self._task})

    def _forget(self, watcher: Watcher) -> None:
        if watcher in self._watchers:
            self._watchers.discard(watcher)
            self._tools.metrics.watchers.dec()

    async def _run(self) -> None:
        while self._gone is None:
            job = await self._jobs.get()
            if job is None or job.answer.cancelled():
                continue
            self._busy = True
            await self._do(job)
            self._busy = False

    async def _do(self, job: _Job) -> None:
        try:
            result = await job.work()
        except (CommandReused, Overloaded) as error:
            _fail(job, error)
        except Exception as error:  # noqa: BLE001 - whatever it was, memory may differ from the log now
            self._give_up(job, error)
        else:
            if not job.answer.done():
                job.answer.set_result(result)

    def _give_up(self, job: _Job, error: Exception) -> None:
        """Drop the table: an append failed, so that memory may differ from the log."""
        table_id = self.table.table_id
        why = NotOwner(table_id) if isinstance(error, Fenced) else TableLost(table_id)
        why.__cause__ = error
        self._tools.logger.warning(
            "table_dropped", table_id=table_id, version=self.table.version, error=type(error).__name__
        )
        _fail(job, why)
        if self._gone is None:
            self._drop(why, End.LOST)
            self._lost(self, why)

    def _drop(self, why: OwnerError, end: End) -> None:
        self._gone = why
        for watcher in tuple(self._watchers):
            watcher.end(end)
        while not self._jobs.empty():
            job = self._jobs.get_nowait()
            if job is not None:
                _fail(job, why)
        self._jobs.put_nowait(None)

    async def _answer(self, command: TableCommand) -> bytes | Refusal:
        if command.command_id in self._commands:
            return await self._repeat(command)
        now = self._tools.clock.now_ms()
        outcomes = self._tools.metrics.commands
        new = command.decide(self.table, now)
        if isinstance(new, Refusal):
            outcomes.labels("refused").inc()
            return new
        if not new:
            outcomes.labels("nothing").inc()
            return command.render(self.table, ())
        steps = fold(self.table, new, now)
        response = command.render(steps[-1].table, steps)
        try:
            await self._commit(steps, command.command_id, command.digest + response, command.meta)
        except EventLogError:
            outcomes.labels("failed").inc()
            raise
        outcomes.labels("accepted").inc()
        return response

    async def _repeat(self, command: TableCommand) -> bytes:
        receipt = await self._tools.log.receipt(self.table.table_id, command.command_id)
        if receipt is None:
            raise TableLost(self.table.table_id)
        response = response_of(receipt.response, command.digest)
        if response is None:
            raise CommandReused(self.table.table_id)
        self._tools.metrics.commands.labels("repeated").inc()
        return response

    async def _commit(
        self, steps: Sequence[Step], command_id: str | None, response: bytes, meta: Meta
    ) -> None:
        tools, before = self._tools, self.table
        append = Append(
            stream_id=before.table_id,
            category=CATEGORY,
            shard=shard_of(before.table_id),
            expected_version=before.version,
            epoch=tools.epoch,
            events=to_append([step.event for step in steps], tools.event_id),
            recorded_at_ms=steps[0].at_ms,
            command_id=command_id,
            response=response,
            meta=meta,
        )
        with tools.metrics.append_seconds.time():
            await tools.log.append(append)
        self.table = steps[-1].table
        if command_id is not None:
            self._commands.add(command_id)
        self._show(steps)
        if self.table.status is Status.CLOSED:
            await tools.log.close_stream(before.table_id, tools.epoch)

    def _show(self, steps: Sequence[Step]) -> None:
        for step in steps:
            for watcher in tuple(self._watchers):
                watcher.offer(step)
            if isinstance(step.event, events.AutomaticTurn):
                self._tools.metrics.automatic_turns.labels(step.event.reason.value).inc()
        if self.table.status is Status.CLOSED:
            for watcher in tuple(self._watchers):
                watcher.end(End.TABLE_CLOSED)
        self.after_step(self.table)


def _fail(job: _Job, why: Exception) -> None:
    if not job.answer.done():
        job.answer.set_exception(why)
        # Whoever asked may be gone; an error that nobody reads is not a fault of the loop.
        job.answer.exception()
