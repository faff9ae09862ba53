"""Keeps a leader's queue in step with the database.

Who came is found by reading those of the last moments again and again, whichever process took them in; what
else happened elsewhere, such as a cancellation, is found when a claim of the ticket fails, or by a sweep over
all ids. Everything runs in the matcher's one task, so that no news overtakes another.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from meldhall_matchmaking.domain.queue import Queue
from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.hub import TicketHub
from meldhall_matchmaking.store import TicketStore, part_of
from meldhall_runtime import Clock

OVERLAP_MS: Final = 3_000
"""How far back those who came are read again: longer than an enqueue takes to commit, clocks being apart."""

SWEEP_SECONDS: Final = 10.0
"""How often all ids are compared."""

SEEN_SECONDS: Final = 0.5
"""How often it is asked who of the absent came back."""


class Roster:
    """Who waits in the parts that are led.

    A ticket takes part once its player was seen since the leader before was surely gone: who went away with
    that process gets no seat.

    Args:
        store: Where all tickets are.
        hub: Who is followed here.
        clock: Times of tickets.
        grace_ms: How long before the lead began nobody led: less than a lease lasts.

    Attributes:
        queue: Those who may be matched.
    """

    def __init__(self, store: TicketStore, hub: TicketHub, clock: Clock, grace_ms: int) -> None:
        self.queue = Queue()
        self._grace_ms = grace_ms
        self._born_ms = clock.now_ms()
        self._store = store
        self._hub = hub
        self._clock = clock
        self._led: dict[int, int] = {}
        self._since_ms: dict[int, int] = {}
        self._absent: dict[str, Ticket] = {}
        self._returned: set[str] = set()
        self._cursor_ms = 0
        self._sweep_at = 0.0
        self._seen_at = 0.0

    def led_for(self, wait_ms: int) -> tuple[int, ...]:
        """Return the parts that have been led for so long at least."""
        now = self._clock.now_ms()
        return tuple(part for part, since in self._since_ms.items() if now - since >= wait_ms)

    def __len__(self) -> int:
        """Return how many wait, those included who have not come back yet."""
        return len(self.queue) + len(self._absent)

    def bring_back(self, tickets: Iterable[Ticket]) -> None:
        """Read tickets again at the next ``sync``: they wait on, or something happened to them elsewhere."""
        self._returned.update(ticket.ticket_id for ticket in tickets)

    def drop(self, tickets: Iterable[Ticket]) -> None:
        """Take out tickets that do not wait any more."""
        for ticket in tickets:
            self._forget(ticket.ticket_id)

    async def sync(self, led: Mapping[int, int]) -> None:
        """Bring the queue up to date, for the parts that are led now, by their epochs.

        Raises:
            LogUnavailable: the database does not answer; the next call goes on from there.
        """
        self._leave({part for part, epoch in self._led.items() if led.get(part) != epoch})
        if not led:
            return
        new = tuple(part for part in led if part not in self._led)
        now, started = self._clock.monotonic(), self._clock.now_ms()
        sweeping = bool(new) or now >= self._sweep_at
        ids = await self._store.waiting_ids(tuple(led), 0 if sweeping else self._cursor_ms - OVERLAP_MS)
        if sweeping:
            self._sweep(ids)
            self._sweep_at = now + SWEEP_SECONDS
        wanted = {one for one in ids if one not in self.queue and one not in self._absent} | self._returned
        for part in new:
            self._led[part] = led[part]
            self._since_ms[part] = max(self._born_ms, started - self._grace_ms)
        self._returned -= wanted
        try:
            await self._load(wanted)
            await self._look_for_absent(now)
        except BaseException:
            self._returned |= wanted
            raise
        self._cursor_ms = started

    async def _load(self, wanted: Collection[str]) -> None:
        if not wanted:
            return
        for ticket in await self._store.load(wanted, self._clock.now_ms()):
            self._forget(ticket.ticket_id)
            part = part_of(ticket.wish)
            if part not in self._led:
                continue
            if self._hub.has_seen(ticket.ticket_id) or ticket.last_seen_ms >= self._since_ms[part]:
                self.queue.add(ticket, self._clock.now_ms())
            else:
                self._absent[ticket.ticket_id] = ticket

    async def _look_for_absent(self, now: float) -> None:
        """Let those take part who are followed here, or were seen elsewhere, since the lead began."""
        if not self._absent:
            return
        back = {one for one in self._absent if self._hub.has_seen(one)}
        if now >= self._seen_at:
            self._seen_at = now + SEEN_SECONDS
            since = min(self._since_ms.values())
            back |= self._absent.keys() & await self._store.seen_ids(tuple(self._led), since)
        await self._load(back)

    def _sweep(self, ids: Collection[str]) -> None:
        for ticket_id in [ticket.ticket_id for ticket in self.queue if ticket.ticket_id not in ids]:
            self._forget(ticket_id)
        self._absent = {one: ticket for one, ticket in self._absent.items() if one in ids}

    def _leave(self, parts: Collection[int]) -> None:
        if not parts:
            return
        for part in parts:
            del self._led[part], self._since_ms[part]
        self.drop([ticket for ticket in self.queue if part_of(ticket.wish) in parts])
        self.drop([ticket for ticket in self._absent.values() if part_of(ticket.wish) in parts])

    def _forget(self, ticket_id: str) -> None:
        self.queue.remove(ticket_id)
        self._absent.pop(ticket_id, None)
