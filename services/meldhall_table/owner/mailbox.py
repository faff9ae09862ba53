"""The mailbox of one live table.

Everything that touches a table goes through its mailbox and is done one after another:

    decide -> append (durable) -> fold -> send to the watchers -> answer

so nobody sees what is not durable. There is a task only while there is work. What the outcome of an append
leaves in doubt is never patched up here: the table is dropped from memory and read back from the log.
Source: ``deploy/docs/tables.md``.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from meldhall_eventlog.errors import DuplicateCommand, EventLogError, Fenced
from meldhall_eventlog.types import Append, Meta
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import due
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.errors import NotOwner, Overloaded, OwnerError, TableLost
from meldhall_table.owner.receipts import first_answer, repeated
from meldhall_table.owner.tools import Tools
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import CATEGORY, Step, fold, shard_of, to_append

T = TypeVar("T")

QUEUE_LIMIT: Final = 64
"""Calls that may wait for one table."""

WATCH_LIMIT: Final = 256
"""Steps that may wait for one watcher."""

MOVE_SECONDS: Final = 1.0
"""Longest wait, at the end of a watch, until it is known where a table has moved to."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Awaitable[Any]]
    answer: asyncio.Future[Any]


class Mailbox:
    """The queue of a live table, and the task that works it off.

    Args:
        table: the table as the log has it.
        epoch: the epoch on its stream.
        tools: what it works with.
        lost: called once when the table must be dropped, with the reason.

    Attributes:
        shard: the table's shard.
        unsaved: events since the last snapshot, as far as this engine knows.
        after_step: told the table after each step.
    """

    def __init__(
        self, table: Table, epoch: int, tools: Tools, lost: Callable[["Mailbox", OwnerError], None]
    ) -> None:
        self.table = table
        self.epoch = epoch
        self.shard = shard_of(table.table_id)
        self.unsaved = 0
        self.last_used = tools.clock.monotonic()
        self._tools = tools
        self._lost = lost
        self._jobs: deque[_Job] = deque()
        self._watchers: set[Watcher] = set()
        self._worker: asyncio.Task[None] | None = None
        self._gone: OwnerError | None = None
        self.after_step: Callable[[Table], None] = lambda _table: None

    @property
    def idle(self) -> bool:
        """Tell whether nobody waits for the table and nobody watches it."""
        return self._worker is None and not self._watchers

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
            raise self._refusal(self._gone)
        if not inner and len(self._jobs) >= QUEUE_LIMIT:
            raise Overloaded(self.table.table_id)
        job = _Job(work, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._worker is None:
            self._worker = asyncio.create_task(self._run(), name=f"table {self.table.table_id}")
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
            watcher = Watcher(WATCH_LIMIT, self._forget, self._new_address)
            self._watchers.add(watcher)
            self._tools.metrics.watchers.inc()
            if self.table.status is Status.CLOSED:
                watcher.end(End.TABLE_CLOSED)
            return self.table, watcher

        return await self.submit(work)

    async def commit(self, new: Sequence[Event], *, at_ms: int) -> None:
        """Append events that no caller's command caused, and show them. Only from within the mailbox."""
        await self._commit(fold(self.table, new, at_ms), None, b"", Meta(actor="table"))

    async def stop(self, why: OwnerError, end: End) -> None:
        """Finish the work in hand, refuse what waits, end the watches."""
        self.drop(why, end)
        if self._worker is not None:
            await asyncio.wait({self._worker})

    def drop(self, why: OwnerError, end: End) -> None:
        """Refuse what waits and what comes, and end the watches. The work in hand goes on to its end."""
        if self._gone is not None:
            return
        self._gone = why
        while self._jobs:
            _fail(self._jobs.popleft(), self._refusal(why))
        if self._worker is None:
            self._end_watches(end)
        else:
            # The work in hand may still have something to show.
            self._worker.add_done_callback(lambda _done: self._end_watches(end))

    def _end_watches(self, end: End) -> None:
        for watcher in tuple(self._watchers):
            watcher.end(end)

    def _forget(self, watcher: Watcher) -> None:
        if watcher in self._watchers:
            self._watchers.discard(watcher)
            self._tools.metrics.watchers.dec()

    async def _new_address(self) -> str:
        return await self._tools.shards.new_address(self.shard, MOVE_SECONDS)

    async def _run(self) -> None:
        try:
            while self._jobs:
                job = self._jobs.popleft()
                if not job.answer.done():
                    await self._do(job)
        finally:
            self._worker = None
            self.last_used = self._tools.clock.monotonic()

    async def _do(self, job: _Job) -> None:
        try:
            self._tools.shards.check(self.table.table_id, self.epoch)
            result = await job.work()
        except OwnerError as error:
            _fail(job, error)
        except Exception as error:  # noqa: BLE001 - whatever it was, memory may differ from the log now
            self._give_up(job, error)
        else:
            if not job.answer.done():
                job.answer.set_result(result)

    def _give_up(self, job: _Job, error: Exception) -> None:
        """Drop the table: an append failed, so that memory may differ from the log."""
        table_id = self.table.table_id
        fenced = isinstance(error, Fenced)
        why = self._tools.shards.not_owner(table_id) if fenced else TableLost(table_id)
        why.__cause__ = error
        self._tools.logger.warning(
            "table_dropped", table_id=table_id, version=self.table.version, error=type(error).__name__
        )
        _fail(job, why)
        if self._gone is None:
            self.drop(why, End.MOVED if fenced else End.LOST)
            self._lost(self, why)

    def _refusal(self, why: OwnerError) -> OwnerError:
        """Return the error anew: where the table is may have become known since."""
        table_id = self.table.table_id
        return self._tools.shards.not_owner(table_id) if isinstance(why, NotOwner) else type(why)(table_id)

    async def _answer(self, command: TableCommand) -> bytes | Refusal:
        now, outcomes = self._tools.clock.now_ms(), self._tools.metrics.commands
        new = command.decide(self.table, now)
        if isinstance(new, Refusal) or not new:
            # It may be a repeat of one that was in order at the time.
            first = await first_answer(self._tools, self.table.table_id, command)
            if first is not None:
                return first
            outcomes.labels("refused" if isinstance(new, Refusal) else "nothing").inc()
            return new if isinstance(new, Refusal) else command.render(self.table, ())
        steps = fold(self.table, new, now)
        response = command.render(steps[-1].table, steps)
        try:
            await self._commit(steps, command.command_id, command.digest + response, command.meta)
        except DuplicateCommand as error:
            return repeated(self._tools, error.receipt, command)
        except EventLogError:
            outcomes.labels("failed").inc()
            raise
        outcomes.labels("accepted").inc()
        return response

    async def _commit(
        self, steps: Sequence[Step], command_id: str | None, response: bytes, meta: Meta
    ) -> None:
        tools, before, after = self._tools, self.table, steps[-1].table
        wanted = due(after)
        append = Append(
            stream_id=before.table_id,
            category=CATEGORY,
            shard=self.shard,
            expected_version=before.version,
            epoch=self.epoch,
            events=to_append([step.event for step in steps], tools.event_id),
            recorded_at_ms=steps[0].at_ms,
            command_id=command_id,
            response=response,
            meta=meta,
            wake_at_ms=wanted.at_ms if wanted else None,
        )
        with tools.metrics.append_seconds.time():
            await tools.log.append(append)
        self.table = after
        self._show(steps)
        self.unsaved += len(steps)
        tools.snapshots.after_step(self)
        if after.status is Status.CLOSED:
            await tools.log.close_stream(before.table_id, self.epoch)

    def _show(self, steps: Sequence[Step]) -> None:
        for step in steps:
            for watcher in tuple(self._watchers):
                watcher.offer(step)
            if isinstance(step.event, events.AutomaticTurn):
                self._tools.metrics.automatic_turns.labels(step.event.reason.value).inc()
        if self.table.status is Status.CLOSED:
            self._end_watches(End.TABLE_CLOSED)
        self.after_step(self.table)


def _fail(job: _Job, why: Exception) -> None:
    if not job.answer.done():
        job.answer.set_exception(why)
        # Whoever asked may be gone; an error that nobody reads is not a fault of the loop.
        job.answer.exception()
