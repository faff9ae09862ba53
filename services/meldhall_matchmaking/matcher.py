"""The matcher: looks at who waits, claims groups, opens their tables.

A group is claimed before its table is asked for, and its proposal stays open in the database until the
table's id or the failure is written. Each look takes up every open proposal that nobody here works on, so
that what a crash or a database that was away left behind goes on by the same path as everything else.

What goes wrong with one group, whatever it is, is that group's: it is logged and counted, and its kind of
table is left alone for a while.

One matcher works on a database.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking.domain.queue import Proposal, abandoned, propose
from meldhall_matchmaking.domain.ticket import Ticket, Wish
from meldhall_matchmaking.holdoff import HoldOff
from meldhall_matchmaking.hub import TicketHub
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.store import OpenProposal, TicketStore
from meldhall_matchmaking.tables import NotOpened, Opened, TableOpener, Why
from meldhall_runtime import Clock, Ids
from meldhall_runtime.failpoints import failpoint

OPENING: Final = 128
"""Tables that are being opened at the same time at most."""

TELL_SECONDS: Final = 0.5
"""How often followers hear of how many wait."""

PURGE_SECONDS: Final = 30.0

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
        keep_ms: What has ended is forgotten after this.
    """

    poll: float
    abandon_ms: int
    keep_ms: int


@dataclass(frozen=True, slots=True)
class Tools:
    """What the matcher works with."""

    store: TicketStore
    hub: TicketHub
    opener: TableOpener
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
        self._since_ms = tools.clock.now_ms()
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
                try:
                    await self._look(group)
                except LogUnavailable as error:
                    self._tools.log.warning("matching_postponed", reason=str(error))
            ticking.cancel()

    async def _tick(self) -> None:
        while True:
            self._wake.set()
            await self._tools.clock.sleep(self._times.poll)

    async def _look(self, group: asyncio.TaskGroup) -> None:
        busy = frozenset(self._opening)
        for proposal in await self._tools.store.open_proposals():
            # What was busy before the read may have ended since.
            if proposal.proposal_id in busy or self._is_held_off(proposal.wish):
                continue
            if len(self._opening) < OPENING:
                self._start(group, proposal)
        waiting = await self._expire(await self._tools.store.waiting())
        self._tell(waiting)
        for proposal in await self._claim(self._choose(waiting)):
            self._start(group, proposal)
        await self._keep_house()

    async def _expire(self, waiting: Sequence[Ticket]) -> Sequence[Ticket]:
        """End what nobody follows, and return the rest."""
        now, store = self._tools.clock.now_ms(), self._tools.store
        before = now - self._times.abandon_ms
        if before < self._since_ms:
            # After a start everybody has that time to come back, however long the service was away.
            return waiting
        gone = abandoned(waiting, seen=self._tools.hub.seen(), before_ms=before)
        if not gone:
            return waiting
        expired = await store.expire([ticket.ticket_id for ticket in gone], before, now)
        self._tools.hub.publish(expired)
        self._tools.metrics.count_ended(expired, now)
        self._tools.log.info("tickets_expired", tickets=len(expired))
        left = {ticket.ticket_id for ticket in gone}
        return [ticket for ticket in waiting if ticket.ticket_id not in left]

    def _choose(self, waiting: Sequence[Ticket]) -> Sequence[Proposal]:
        """Propose groups of those who were seen since the start: who went away with it gets no seat."""
        clock, seen = self._tools.clock, self._tools.hub.seen()
        here = [
            ticket for ticket in waiting if ticket.ticket_id in seen or ticket.last_seen_ms >= self._since_ms
        ]
        free = max(0, OPENING - len(self._opening))
        ready = [one for one in propose(here, clock.now_ms()) if not self._is_held_off(one.wish)]
        return ready[:free]

    async def _claim(self, proposals: Sequence[Proposal]) -> Sequence[OpenProposal]:
        if not proposals:
            return ()
        self._before_claim()
        now = self._tools.clock.now_ms()
        # Together, so that they share a commit.
        answers = await asyncio.gather(*(self._claim_one(one, now) for one in proposals))
        claimed = [one for one in answers if one is not None]
        if len(claimed) < len(answers):
            # Somebody cancelled in between; the others of that group are looked at again at once.
            self._wake.set()
        for one in claimed:
            self._tools.hub.publish(one.tickets)
        return claimed

    async def _claim_one(self, proposal: Proposal, now_ms: int) -> OpenProposal | None:
        try:
            return await self._tools.store.claim(self._tools.ids.table_id(), proposal.tickets, now_ms)
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
        tools.metrics.table_service_up.set(1 if answer.why is Why.REFUSED else 0)
        tools.metrics.proposal_failures.labels(answer.why.value).inc()
        self._hold_off.failed(proposal.wish, tools.clock.monotonic())
        tools.hub.publish(await tools.store.release(proposal.proposal_id, tools.clock.now_ms()))
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
        tools = self._tools
        try:
            tools.hub.publish(await tools.store.release(proposal.proposal_id, tools.clock.now_ms()))
        except Exception:
            tools.log.exception("proposal_kept", proposal_id=proposal.proposal_id)

    def _broke(self, wish: Wish, error: Exception) -> None:
        """Note what should not have happened, and leave that kind of table alone for a while."""
        self._tools.metrics.proposal_failures.labels(BROKEN).inc()
        self._hold_off.failed(wish, self._tools.clock.monotonic())
        self._tools.log.error("proposal_broken", game=wish.game, seats=wish.seats, exc_info=error)

    def _is_held_off(self, wish: Wish) -> bool:
        return self._hold_off.holds(wish, self._tools.clock.monotonic())

    def _tell(self, waiting: Sequence[Ticket]) -> None:
        self._tools.metrics.waiting.set(len(waiting))
        if self._is_due("tell", TELL_SECONDS):
            self._tools.hub.tell_waiting(Counter(ticket.wish for ticket in waiting))

    async def _keep_house(self) -> None:
        store, now = self._tools.store, self._tools.clock.now_ms()
        if self._is_due("touch", self._times.abandon_ms / 4000):
            await store.touch(self._tools.hub.take_seen(), now)
        if self._is_due("purge", PURGE_SECONDS):
            forgotten = await store.purge(now - self._times.keep_ms)
            if forgotten:
                # More may be left: a batch a look until there is none.
                self._due["purge"] = self._tools.clock.monotonic()

    def _is_due(self, what: str, seconds: float) -> bool:
        """Whether the time for something has come; if so, the next is that many seconds away."""
        now = self._tools.clock.monotonic()
        if now < self._due.get(what, now):
            return False
        self._due[what] = now + seconds
        return True
