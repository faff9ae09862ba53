"""The one timer of a live table: it does what the table does by itself, when it is due.

What takes time (asking for jokers, a bot's thinking) is done here, outside of the mailbox, so that a table
answers meanwhile; what comes of it is decided inside, and only if the same thing is still due.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from meldhall_rules.commands import Command
from meldhall_table.domain import between, bots, lobby, play
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.domain.timing import Due, What, due
from meldhall_table.owner.alarms import Alarm
from meldhall_table.owner.errors import OwnerError
from meldhall_table.owner.mailbox import Mailbox
from meldhall_table.owner.tools import Tools

RETRY_SECONDS: Final = 2.0
"""Time after which something due is tried again when it could not be done."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What was prepared outside.

    Spare jokers by seat for a deal, a move for a bot (None: it failed), the table of a rematch.
    """

    jokers: tuple[int, ...] = ()
    move: Command | None = None
    next_table_id: str = ""


class Timer:
    """Watches over what is due at one table. It has a task only while something is being done.

    Args:
        mailbox: of the table.
        tools: what it works with.
        open_next: opens the table of a rematch, if it is not open yet, and returns its id.
    """

    def __init__(self, mailbox: Mailbox, tools: Tools, open_next: Callable[[Table], Awaitable[str]]) -> None:
        self._mailbox = mailbox
        self._tools = tools
        self._open_next = open_next
        self._armed: Due | None = None
        self._alarm: Alarm | None = None
        self._fired: set[asyncio.Task[None]] = set()
        self._cancelled = False
        mailbox.after_step = self.arm

    def arm(self, table: Table) -> None:
        """Set the alarm for what is due next; it stays where that has not changed."""
        wanted = due(table)
        if wanted == self._armed:
            return
        self._disarm()
        if wanted is not None and not self._cancelled:
            self._set(wanted, wanted.at_ms)

    def cancel(self) -> None:
        """Do nothing more."""
        self._cancelled = True
        self._disarm()
        for task in self._fired:
            task.cancel()

    def _set(self, wanted: Due, at_ms: int) -> None:
        self._armed = wanted
        self._alarm = self._tools.alarms.set(at_ms, lambda: self._ring(wanted))

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._armed = None, None

    def _ring(self, wanted: Due) -> None:
        self._alarm = None
        task = asyncio.create_task(self._fire(wanted), name=f"timer {self._mailbox.table.table_id}")
        self._fired.add(task)
        task.add_done_callback(self._fired.discard)

    async def _fire(self, wanted: Due) -> None:
        try:
            self._tools.shards.check(self._mailbox.table.table_id, self._mailbox.epoch)
            prepared = await self._prepare(wanted)
            await self._mailbox.submit(lambda: self._do(wanted, prepared), inner=True)
        except OwnerError:
            # The table is being dropped, or its lease may have run out, which may yet turn out well.
            self._try_again()
        except Exception:
            self._tools.logger.exception(
                "table_timer_failed", table_id=self._mailbox.table.table_id, what=wanted.what.value
            )
            self._try_again()

    def _try_again(self) -> None:
        wanted = due(self._mailbox.table)
        if self._alarm is None and wanted is not None and not self._cancelled:
            retry = self._tools.clock.now_ms() + int(RETRY_SECONDS * 1000)
            self._set(wanted, max(wanted.at_ms, retry))

    async def _prepare(self, wanted: Due) -> _Prepared:
        table = self._mailbox.table
        if wanted.what is What.DEAL:
            return _Prepared(jokers=await self._reserve(table))
        if wanted.what is What.BOT_MOVE:
            return _Prepared(move=await self._think(table))
        if wanted.what is What.NEXT_TABLE:
            return _Prepared(next_table_id=await self._open_next(table))
        return _Prepared()

    async def _reserve(self, table: Table) -> tuple[int, ...]:
        people = {number: seat.player for number, seat in enumerate(table.seats) if seat.person}
        number = table.round.number + 1 if table.round else 1
        held = await self._tools.purse.reserve(table.table_id, number, people) if people else frozenset()
        return tuple(1 if seat in held and seat in people else 0 for seat in range(len(table.seats)))

    async def _think(self, table: Table) -> Command | None:
        """Ask the policy, in a thread: it may take more than a moment. It is given its seat's view only."""
        if table.round is None:
            return None
        seat = table.round.turn
        view, policy = table.view(seat), bots.policy(table.game, table.seats[seat].bot)
        if view is None or policy is None:
            self._fault(table, "no such policy")
            return None
        try:
            return await asyncio.to_thread(policy, view, table.version)
        except Exception as error:  # noqa: BLE001 - a bot must not hold a table up, whatever ails it
            self._fault(table, type(error).__name__)
            return None

    def _fault(self, table: Table, what: str) -> None:
        self._tools.metrics.bot_faults.inc()
        self._tools.logger.error("bot_failed", table_id=table.table_id, version=table.version, what=what)

    async def _do(self, wanted: Due, prepared: _Prepared) -> None:
        table = self._mailbox.table
        if due(table) != wanted:
            self.arm(table)
            return
        # What comes of it sets the next alarm, also where the very same thing is due again.
        self._disarm()
        now = self._tools.clock.now_ms()
        new = self._decide(table, wanted, prepared, now)
        if new:
            await self._mailbox.commit(new, at_ms=now)

    def _decide(self, table: Table, wanted: Due, prepared: _Prepared, now: int) -> tuple[Event, ...]:
        match wanted.what:
            case What.DEAL:
                return play.deal(table, prepared.jokers, now)
            case What.AUTOMATIC_TURN:
                return play.automatic(table, now)
            case What.WAITING_OVER:
                return lobby.waiting_over(table, now)
            case What.ROUND_LIMIT:
                return play.round_limit(table, now)
            case What.MATCH_LIMIT:
                return play.match_limit(table, now)
            case What.NEXT_TABLE:
                return between.rematch_began(table, prepared.next_table_id)
            case What.REMATCH_OVER:
                return between.rematch_over(table)
            case What.BOT_MOVE:
                return self._bot_move(table, prepared.move, now)

    def _bot_move(self, table: Table, chosen: Command | None, now: int) -> tuple[Event, ...]:
        if chosen is not None and table.round is not None:
            answer = play.move(table, play.reseat(chosen, table.round.turn), now)
            if not isinstance(answer, Refusal):
                return answer
            self._fault(table, answer.code)
        return play.rest_of_turn(table, now)
