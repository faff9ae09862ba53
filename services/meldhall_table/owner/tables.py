"""The tables of this engine that are in memory: made, read back from the log, kept, dropped.

Which shards it may have tables of is in ``meldhall_table.owner.shards``; taking and giving up shards is the
work of ``meldhall_table.owner.claims``.
"""

import asyncio
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.types import StreamInfo
from meldhall_table.domain.events import Event
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import due
from meldhall_table.owner.activation import make_good, read_back
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.errors import Draining, NotOwner, OwnerError, TableLost, TooManyTables
from meldhall_table.owner.mailbox import Mailbox
from meldhall_table.owner.opening import open_table
from meldhall_table.owner.receipts import first_answer
from meldhall_table.owner.rematches import Rematches
from meldhall_table.owner.shards import Shards, Tenure
from meldhall_table.owner.sleepers import Sleepers
from meldhall_table.owner.timer import Timer
from meldhall_table.owner.tools import Tools
from meldhall_table.owner.watchers import End
from meldhall_table.store.stream import CATEGORY, SHARDS, shard_of

TIDY_SECONDS: Final = 2.0
"""Time between two looks for tables that nobody asks for."""

PAGE: Final = 500
ACTIVATIONS: Final = 16
"""Tables that are woken at the same time when shards are taken."""

RETRY_MOST_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class _Live:
    mailbox: Mailbox
    timer: Timer


class Tables:
    """Every table of this engine. One event loop, no locks.

    Args:
        tools: what tables work with.
        most: how many open tables may be in memory before no more are opened.
        idle_seconds: time after which a table is dropped from memory that nobody watches, nobody asks for
            and at which nothing is due soon.
    """

    def __init__(self, tools: Tools, most: int, idle_seconds: float) -> None:
        self._tools = tools
        self._most = most
        self._idle_seconds = idle_seconds
        self._live: dict[str, _Live] = {}
        self._activating: dict[str, asyncio.Task[Mailbox]] = {}
        self._owed: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(ACTIVATIONS)
        self._draining = False
        self._rematches = Rematches(self.create)
        self._sleepers = Sleepers(tools, self._rouse)

    @property
    def shards(self) -> Shards:
        """Return the shards of this engine, and who owns the others."""
        return self._tools.shards

    @property
    def open_count(self) -> int:
        """Return how many open tables are in memory."""
        return sum(live.mailbox.table.status is not Status.CLOSED for live in self._live.values())

    def epoch_of(self, table_id: str) -> int:
        """Return the epoch under which this engine serves a table, be it there yet or not.

        Raises:
            NotOwner, Draining: it does not.
        """
        return self._tenure(table_id).epoch

    async def create(self, table_id: str, new: Sequence[Event], command: TableCommand) -> bytes:
        """Open a table, or return the first answer where the same command opened it before.

        Raises:
            CommandReused: the command id opened another table.
            NotOwner, TooManyTables, Draining, TableLost: as they say.
        """
        tenure = self._tenure(table_id)
        if table_id in self._live or (len(self._live) >= self._most and self.open_count >= self._most):
            first = await first_answer(self._tools, table_id, command)
            if first is None:
                raise TooManyTables(table_id)
            return first
        response, table = await open_table(self._tools, table_id, tenure.epoch, new, command)
        if table is not None and self._still(table_id, tenure) and table_id not in self._live:
            self._keep(table, tenure)
        return response

    async def mailbox(self, table_id: str) -> Mailbox:
        """Return the mailbox of a table, which is read back from the log if it has to be.

        Raises:
            NotOwner, TableUnknown, Draining, TableLost: as they say.
        """
        tenure = self._tenure(table_id)
        live = self._live.get(table_id)
        if live is not None:
            return live.mailbox
        task = self._activating.get(table_id)
        if task is None:
            task = asyncio.create_task(self._activate(table_id, tenure), name=f"activate {table_id}")
            self._activating[table_id] = task
            task.add_done_callback(lambda done: self._activated(table_id, done))
        # Several callers may wait for it; one that goes away must not take it along.
        return await asyncio.shield(task)

    def wake(self, shards: Mapping[int, Tenure]) -> None:
        """Read back, in the background, the tables of shards just taken that have something to do."""
        self._spawn(self._wake(dict(shards)))

    def by_use(self, shards: Iterable[int]) -> list[int]:
        """Sort shards, those with the fewest tables in memory first."""
        counts = dict.fromkeys(shards, 0)
        for live in self._live.values():
            if live.mailbox.shard in counts:
                counts[live.mailbox.shard] += 1
        return sorted(counts, key=lambda shard: counts[shard])

    def occupied(self) -> frozenset[int]:
        """Return the shards of which tables are in memory or on their way there."""
        live = (one.mailbox.shard for one in self._live.values())
        return frozenset(live) | frozenset(map(shard_of, self._activating))

    async def save(self, shards: Collection[int]) -> None:
        """Keep the states of the tables of shards that will be given up, so that others soon have them."""
        live = tuple(self._live.values())
        await self._tools.snapshots.keep_all(one.mailbox for one in live if one.mailbox.shard in shards)

    async def let_go(self, shards: Collection[int]) -> None:
        """Drop the tables of shards that were given up: finish what is in hand, send viewers after them."""
        activating = [task for table_id, task in self._activating.items() if shard_of(table_id) in shards]
        if activating:
            await asyncio.wait(activating)
        mailboxes = self._forget(shards)
        await asyncio.gather(
            *(box.stop(self.shards.not_owner(box.table.table_id), End.MOVED) for box in mailboxes)
        )

    def lose(self, shards: Collection[int]) -> None:
        """Drop the tables of shards that somebody else may own by now; nothing is finished."""
        for box in self._forget(shards):
            box.drop(self.shards.not_owner(box.table.table_id), End.MOVED)

    async def stop(self) -> None:
        """Take no more commands, finish those in hand, end all watches: nobody goes on with the tables."""
        self._draining = True
        for task in tuple(self._tasks):
            task.cancel()
        if self._activating:
            await asyncio.wait(self._activating.values())
        mailboxes = self._forget(range(SHARDS))
        await asyncio.gather(*(box.stop(Draining(box.table.table_id), End.SHUTDOWN) for box in mailboxes))
        self._tools.alarms.close()
        await self._tools.snapshots.keep_all(mailboxes)
        await self._tools.snapshots.close()

    async def keep_tidy(self) -> None:
        """Drop tables that nobody asks for, for ever."""
        while True:
            await self._tools.clock.sleep(TIDY_SECONDS)
            self._drop_idle()
            self._tools.metrics.live.set(self.open_count)

    def _tenure(self, table_id: str) -> Tenure:
        if self._draining:
            raise Draining(table_id)
        tenure = self.shards.tenure(shard_of(table_id))
        if tenure is None:
            raise self.shards.not_owner(table_id)
        return tenure

    def _still(self, table_id: str, tenure: Tenure) -> bool:
        return not self._draining and self.shards.serves(shard_of(table_id), tenure.epoch)

    async def _wake(self, shards: dict[int, Tenure]) -> None:
        after, wait = "", 0.2
        while shards := {shard: own for shard, own in shards.items() if self.shards.held.get(shard) == own}:
            try:
                page = await self._tools.log.waking(CATEGORY, tuple(shards), after=after, limit=PAGE)
            except EventLogError as error:
                self._tools.logger.warning("waking_failed", error=type(error).__name__)
                await self._tools.clock.sleep(wait)
                wait = min(wait * 2, RETRY_MOST_SECONDS)
                continue
            soon = [info.stream_id for info in page if not self._let_sleep(info)]
            await asyncio.gather(*map(self._take_up, soon))
            if len(page) < PAGE:
                return
            after = page[-1].stream_id

    def _let_sleep(self, info: StreamInfo) -> bool:
        """Let a table sleep if nothing is due for long; tell whether it does, or is here already."""
        if info.stream_id in self._live:
            return True
        if not info.wake_at_ms or not self._sleepers.may_sleep(info.wake_at_ms):
            return False
        self._sleepers.put(info.stream_id, info.wake_at_ms)
        return True

    async def _take_up(self, table_id: str) -> None:
        async with self._gate:
            try:
                await self.mailbox(table_id)
            except TableLost:
                self._spawn(self._bring_back(table_id))
            except OwnerError as error:
                self._tools.logger.warning(
                    "table_not_taken_up", table_id=table_id, error=type(error).__name__
                )
            except Exception:
                self._tools.logger.exception("table_not_readable", table_id=table_id)

    async def _activate(self, table_id: str, tenure: Tenure) -> Mailbox:
        found = await read_back(self._tools, table_id, tenure.epoch)
        if not self._still(table_id, tenure):
            raise Draining(table_id) if self._draining else self.shards.not_owner(table_id)
        opened = self._live.get(table_id)
        if opened is not None:
            # It was opened by a call that had not been answered when this began.
            return opened.mailbox
        if found.first and tenure.outage_ms:
            self._owed[table_id] = tenure.outage_ms
        mailbox = self._keep(found.table, tenure)
        mailbox.unsaved = found.events
        if table_id in self._owed:
            await make_good(self._tools, mailbox, self._owed[table_id])
            self._owed.pop(table_id, None)
        return mailbox

    def _activated(self, table_id: str, done: asyncio.Task[Mailbox]) -> None:
        self._activating.pop(table_id, None)
        if not done.cancelled():
            # Whoever waited may be gone; an error that nobody reads is not a fault of the loop.
            done.exception()

    def _keep(self, table: Table, tenure: Tenure) -> Mailbox:
        mailbox = Mailbox(table, tenure.epoch, self._tools, self._lost)
        self._sleepers.take(table.table_id)
        timer = Timer(mailbox, self._tools, self._rematches.open)
        self._live[table.table_id] = _Live(mailbox, timer)
        timer.arm(table)
        return mailbox

    def _forget(self, shards: Collection[int]) -> list[Mailbox]:
        self._sleepers.take_all(shards)
        gone = [live for live in self._live.values() if live.mailbox.shard in shards]
        for live in gone:
            del self._live[live.mailbox.table.table_id]
            live.timer.cancel()
        self._owed = {table: owed for table, owed in self._owed.items() if shard_of(table) not in shards}
        return [live.mailbox for live in gone]

    def _lost(self, mailbox: Mailbox, why: OwnerError) -> None:
        """Forget a table that was dropped; read it back later, unless somebody else owns it now."""
        table_id = mailbox.table.table_id
        live = self._live.get(table_id)
        if live is not None and live.mailbox is mailbox:
            del self._live[table_id]
            live.timer.cancel()
        if isinstance(why, NotOwner):
            # One table of a shard is never owned by itself.
            self.shards.drop((mailbox.shard,))
            self.lose((mailbox.shard,))
        elif not self._draining:
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
            box = live.mailbox
            if not box.idle or now - box.last_used < self._idle_seconds:
                continue
            wanted = due(box.table)
            if not self._sleepers.may_sleep(wanted.at_ms if wanted else None):
                continue
            del self._live[table_id]
            live.timer.cancel()
            box.drop(TableLost(table_id), End.LOST)
            if wanted is not None:
                self._sleepers.put(table_id, wanted.at_ms)
            self._tools.snapshots.keep_soon(box)
            self._tools.metrics.evictions.inc()

    def _rouse(self, table_id: str) -> None:
        self._spawn(self._take_up(table_id))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
