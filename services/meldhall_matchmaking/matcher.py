"""The matcher: looks at who waits, claims groups, opens their tables.

A group is claimed before its table is asked for, and its proposal stays open in the database until the
table's id or the failure is written. Each look takes up every open proposal that nobody here works on, so
that what a crash or a database that was away left behind goes on by the same path as everything else.

What goes wrong with one group, whatever it is, is that group's: it is logged and counted, and its kind of
table is left alone for a while.

A matcher works on the parts that its process leads (``leadership.py``), and its queue is kept in step with
the database by ``roster.py``.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking.domain.outlook import Outlook, Waits, marks
from meldhall_matchmaking.domain.queue import WORK, Proposal
from meldhall_matchmaking.domain.ticket import Play, Wish
from meldhall_matchmaking.holdoff import HoldOff
from meldhall_matchmaking.hub import TicketHub
from meldhall_matchmaking.leadership import Leadership
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.roster import Roster
from meldhall_matchmaking.stakes import Stakes
from meldhall_matchmaking.store import OpenProposal, TicketStore, part_of
from meldhall_matchmaking.store.owing import LATE_MS
from meldhall_matchmaking.tables import NotOpened, Opened, TableOpener, Why, table_of
from meldhall_matchmaking.upkeep import STALE_MS
from meldhall_runtime import Clock, Ids
from meldhall_runtime.failpoints import failpoint

OPENING: Final = 128
"""Tables that are being opened at the same time at most."""

TELL_SECONDS: Final = 0.5
"""How often followers in this process hear of their pools."""

WRITE_SECONDS: Final = 1.0
"""How often pools are written down for the followers in other processes, where they have changed."""

OWED_SECONDS: Final = 5.0
"""How often stakes that may still be held for tables that were not opened are given back."""

REST_SECONDS: Final = 0.01
"""Shortest pause between two looks, however many come."""

BROKEN: Final = "broken"
"""Why there is no table, in the metric, where it is nothing that the table service said."""

BEFORE_CLAIM: Final = "matchmaking.before_claim"
"""Failpoint: a group was found and nothing written."""

AFTER_CLAIM: Final = "matchmaking.after_claim"
"""Failpoint: the group is claimed, its table not asked for."""

AFTER_TABLE: Final = "matchmaking.after_table"
"""Failpoint: the table is open, its players not told."""


@dataclass(frozen=True, slots=True)
class Times:
    """What the matcher is told of time.

    Attributes:
        poll: Seconds between two looks when nobody calls for one.
        abandon_ms: A ticket that nobody follows expires after this.
        lease_ms: How long a leader leads after its last sign.
    """

    poll: float
    abandon_ms: int
    lease_ms: int


@dataclass(frozen=True, slots=True)
class Tools:
    """What the matcher works with."""

    store: TicketStore
    hub: TicketHub
    leadership: Leadership
    opener: TableOpener
    stakes: Stakes
    told_address: str
    clock: Clock
    ids: Ids
    metrics: MatchmakingMetrics
    log: BoundLogger


class Matcher:
    """See the module. Made once and run once."""

    def __init__(self, tools: Tools, times: Times) -> None:
        self._tools = tools
        self._times = times
        self._wake = asyncio.Event()
        self._stopping = False
        self._opening: set[str] = set()
        self._hold_off = HoldOff()
        self._roster = Roster(tools.store, tools.hub, tools.clock, times.lease_ms // 2)
        self._waits = Waits()
        self._written: dict[Wish, tuple[Outlook, int]] = {}
        self._due: dict[str, float] = {}
        self._before_claim = failpoint(BEFORE_CLAIM)
        self._after_claim = failpoint(AFTER_CLAIM)
        self._after_table = failpoint(AFTER_TABLE)

    def wake(self) -> None:
        """Look now: somebody has come."""
        self._wake.set()

    def stop(self) -> None:
        """Let ``run`` return once the tables that are being opened are open."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        """Match until ``stop``. Cancelled, it leaves open what it was at, for the next start."""
        async with asyncio.TaskGroup() as group:
            ticking = group.create_task(self._tick())
            while not self._stopping:
                await self._wake.wait()
                self._wake.clear()
                began = self._tools.clock.monotonic()
                try:
                    await self._look(group)
                except LogUnavailable as error:
                    self._tools.log.warning("matching_postponed", reason=str(error))
                # As long as the look took: players are served by the same process.
                took = self._tools.clock.monotonic() - began
                await asyncio.sleep(min(self._times.poll, max(REST_SECONDS, took)))
            ticking.cancel()

    async def _tick(self) -> None:
        while True:
            self._wake.set()
            await self._tools.clock.sleep(self._times.poll)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        led = self._tools.leadership.led()
        if led:
            busy = frozenset(self._opening)
            for proposal in await self._tools.store.open_proposals(tuple(led)):
                # What was busy before the read may have ended since.
                if proposal.proposal_id in busy or self._is_held_off(proposal.wish):
                    continue
                self._start(group, proposal)
        await self._roster.sync(led)
        await self._expire()
        for claimed in await self._claim(self._choose()):
            self._start(group, claimed)
        await self._tell(led)
        await self._settle_owed(led)

    async def _expire(self) -> None:
        """End the tickets that nobody has followed for too long.

        After a change of leaders everybody has that time to come back, however long nobody led.
        """
        tools, wait = self._tools, self._times.abandon_ms
        parts = self._roster.led_for(wait)
        if not parts or not self._is_due("expire", wait / 20_000):
            return
        now = tools.clock.now_ms()
        unseen = await tools.store.unseen_ids(parts, now - wait)
        gone = [ticket_id for ticket_id in unseen if not tools.hub.has_seen(ticket_id)]
        expired = await tools.store.expire(gone, now - wait, now)
        if not expired:
            return
        self._roster.drop(expired)
        tools.hub.publish(expired)
        tools.metrics.count_ended(expired, now)
        tools.log.info("tickets_expired", tickets=len(expired))

    def _choose(self) -> Sequence[Proposal]:
        free = OPENING - len(self._opening)
        if free <= 0:
            return ()
        return self._roster.queue.tick(
            self._tools.clock.now_ms(), most=free, work=WORK, held=self._is_held_off
        )

    async def _claim(self, proposals: Sequence[Proposal]) -> Sequence[OpenProposal]:
        if not proposals:
            return ()
        self._before_claim()
        now = self._tools.clock.now_ms()
        try:
            # Together, so that they share a commit.
            answers = await asyncio.gather(*(self._claim_one(one, now) for one in proposals))
        except LogUnavailable:
            for one in proposals:
                self._roster.bring_back(one.tickets)
            raise
        claimed = [one for one in answers if one is not None]
        for proposal, answer in zip(proposals, answers, strict=True):
            if answer is None:
                # Somebody cancelled in between; the others of that group are looked at again at once.
                self._roster.bring_back(proposal.tickets)
                self._wake.set()
        for group in claimed:
            self._tools.hub.publish(group.tickets)
        return claimed

    async def _claim_one(self, proposal: Proposal, now_ms: int) -> OpenProposal | None:
        tools, fence = self._tools, self._tools.leadership.fence(part_of(proposal.wish))
        try:
            proposal_id = tools.ids.table_id()
            stakes_of = table_of(proposal_id) if proposal.wish.play is Play.ARENA else None
            return await tools.store.claim(proposal_id, proposal.tickets, now_ms, fence, stakes_of)
        except LogUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - one kind of table must not stop the others
            self._broke(proposal.wish, error)
            return None

    def _start(self, group: asyncio.TaskGroup, proposal: OpenProposal) -> None:
        self._opening.add(proposal.proposal_id)
        group.create_task(self._open(proposal))

    async def _open(self, proposal: OpenProposal) -> None:
        try:
            self._after_claim()
            answer = await self._tools.opener.open(proposal)
            match answer:
                case Opened():
                    self._after_table()
                    await self._match(proposal, answer.table_id)
                case NotOpened():
                    await self._release(proposal, answer)
        except LogUnavailable as error:
            self._tools.log.warning("proposal_postponed", proposal_id=proposal.proposal_id, reason=str(error))
        except Exception as error:  # noqa: BLE001 - one kind of table must not stop the others
            self._broke(proposal.wish, error)
            await self._give_up(proposal)
        finally:
            if len(self._opening) >= OPENING:
                # Somebody may have waited for this place.
                self._wake.set()
            self._opening.discard(proposal.proposal_id)

    async def _match(self, proposal: OpenProposal, table_id: str) -> None:
        tools = self._tools
        tools.metrics.table_service_up.set(1)
        now = tools.clock.now_ms()
        matched = await tools.store.match(proposal.proposal_id, table_id, tools.told_address, now)
        self._hold_off.succeeded(proposal.wish)
        self._waits.add(matched, now)
        tools.hub.publish(matched)
        tools.metrics.count_ended(matched, now)
        tools.log.info(
            "proposal_matched",
            proposal_id=proposal.proposal_id,
            table_id=table_id,
            people=len(matched),
            bots=proposal.wish.seats - len(matched),
        )

    async def _release(self, proposal: OpenProposal, answer: NotOpened) -> None:
        tools = self._tools
        if answer.why is not Why.STAKES:
            tools.metrics.table_service_up.set(1 if answer.why is Why.REFUSED else 0)
        tools.metrics.proposal_failures.labels(answer.why.value).inc()
        if not answer.poor:
            self._hold_off.failed(proposal.wish, tools.clock.monotonic())
        await self._let_go(proposal, answer.poor)
        tools.log.warning(
            "proposal_dropped",
            proposal_id=proposal.proposal_id,
            why=answer.why.value,
            detail=answer.detail,
            people=len(proposal.tickets),
        )

    async def _give_up(self, proposal: OpenProposal) -> None:
        """Let the tickets of a broken proposal wait on; where that fails too, it is taken up again later.

        If it has a table already, nobody is told of it and it closes after its joining time.
        """
        try:
            await self._let_go(proposal)
        except Exception:
            self._tools.log.exception("proposal_kept", proposal_id=proposal.proposal_id)

    async def _let_go(self, proposal: OpenProposal, poor: frozenset[str] = frozenset()) -> None:
        tools, now = self._tools, self._tools.clock.now_ms()
        released = await tools.store.release(proposal.proposal_id, now)
        tools.hub.publish(released)
        if released and proposal.wish.play is Play.ARENA:
            # By who dropped it only: another leader may have opened it. And before anybody is put together
            # again, so that nobody needs two stakes.
            await tools.stakes.give_back(table_of(proposal.proposal_id))
        if poor:
            ids = [ticket.ticket_id for ticket in released if ticket.player_id in poor]
            gone = await tools.store.take_back_poor(ids, now)
            tools.hub.publish(gone)
            tools.metrics.count_ended(gone, now)
        self._roster.bring_back(released)
        self._wake.set()

    async def _settle_owed(self, led: Mapping[int, int]) -> None:
        """Give back the stakes of tables that were not opened, again until no late call can hold any."""
        if not led or not self._is_due("owed", OWED_SECONDS):
            return
        tools = self._tools
        for one in await tools.store.owed():
            if not await tools.stakes.give_back(one.table_id):
                return
            if tools.clock.now_ms() - one.dropped_at_ms > LATE_MS:
                await tools.store.given_back(one.proposal_id)

    def _broke(self, wish: Wish, error: Exception) -> None:
        """Note what should not have happened, and leave that kind of table alone for a while."""
        self._tools.metrics.proposal_failures.labels(BROKEN).inc()
        self._hold_off.failed(wish, self._tools.clock.monotonic())
        self._tools.log.error("proposal_broken", game=wish.game, seats=wish.seats, exc_info=error)

    def _is_held_off(self, wish: Wish) -> bool:
        return self._hold_off.holds(wish, self._tools.clock.monotonic())

    async def _tell(self, led: Mapping[int, int]) -> None:
        tools = self._tools
        tools.metrics.waiting.set(len(self._roster))
        telling, writing = self._is_due("tell", TELL_SECONDS), self._is_due("write", WRITE_SECONDS)
        if not led or not (telling or writing):
            return
        now = tools.clock.now_ms()
        outlooks = self._outlooks(now)
        if telling:
            tools.hub.tell(outlooks)
        if writing:
            news = {
                wish: outlook
                for wish, outlook in outlooks.items()
                if part_of(wish) in led and self._is_news(wish, outlook, now)
            }
            await tools.store.write_outlooks(news, led, now)
            self._written |= {wish: (outlook, now) for wish, outlook in news.items()}

    def _outlooks(self, now_ms: int) -> dict[Wish, Outlook]:
        """Return the pools that somebody waits in, and those that somebody waited in a moment ago."""
        found = {wish: Outlook(0, (), self._waits.typical_ms(wish, now_ms)) for wish in self._waits.wishes()}
        for pool in self._roster.queue.pools():
            came = [one.enqueued_at_ms for entry in pool for one in entry.tickets]
            found[pool.wish] = Outlook(
                pool.people,
                marks(came),
                self._waits.typical_ms(pool.wish, now_ms),
                self._is_held_off(pool.wish),
            )
        return found

    def _is_news(self, wish: Wish, outlook: Outlook, now_ms: int) -> bool:
        """Whether a pool is to be written down: it has changed, or the last note is getting old."""
        before, at = self._written.get(wish, (None, 0))
        return outlook != before or (outlook.waiting > 0 and now_ms - at > STALE_MS // 2)

    def _is_due(self, what: str, seconds: float) -> bool:
        """Whether the time for something has come; if so, the next is that many seconds away."""
        now = self._tools.clock.monotonic()
        if now < self._due.get(what, now):
            return False
        self._due[what] = now + seconds
        return True
