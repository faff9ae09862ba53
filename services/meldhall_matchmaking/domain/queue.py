"""Who is put together with whom: everybody who waits, and the clock, give groups for tables.

``propose`` is the whole of it as a plain function. ``Queue`` keeps an index between two looks, so that a look
costs what has changed and not what waits. Both are deterministic: no chance, no order of sets, no clock of
their own. ``deploy/docs/matchmaking.md`` says what holds of the groups.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_matchmaking.domain.entry import Age, Entry
from meldhall_matchmaking.domain.pool import Pool
from meldhall_matchmaking.domain.ticket import Ticket, Wish
from meldhall_matchmaking.domain.windows import widen

WORK: Final = 20_000
"""How many candidates one tick tries, more or less; what is left is taken up by the next."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """People for one table, the oldest ticket first. Seats beyond theirs are for bots."""

    wish: Wish
    tickets: tuple[Ticket, ...]


def propose(waiting: Iterable[Ticket], now_ms: int) -> tuple[Proposal, ...]:
    """Group waiting tickets as far as possible.

    The answer depends on what is in ``waiting`` and not on its order.

    Args:
        waiting: Tickets that may be matched now. Of a player with several only the newest counts.
        now_ms: Unix time in milliseconds.

    Returns:
        Proposals without a ticket in common, the one with the oldest ticket first.
    """
    queue = Queue()
    for ticket in sorted(waiting, key=_age):
        queue.add(ticket, now_ms)
    return queue.tick(now_ms)


class Queue:
    """Everybody who waits, by kind of table. Times are Unix times in milliseconds and never go back."""

    def __init__(self) -> None:
        self._pools: dict[Wish, Pool] = {}
        self._tickets: dict[str, Ticket] = {}
        self._by_player: dict[str, str] = {}
        self._entries: dict[str, Entry] = {}
        self._parties: dict[str, dict[str, Ticket]] = {}
        self._due: dict[int, list[Entry]] = {}
        self._due_times: list[int] = []

    def __len__(self) -> int:
        """Return how many tickets there are, those of parties that are not complete included."""
        return len(self._tickets)

    def __contains__(self, ticket_id: object) -> bool:
        """Whether a ticket is in here."""
        return ticket_id in self._tickets

    def __iter__(self) -> Iterator[Ticket]:
        """Go through all tickets."""
        return iter(self._tickets.values())

    def pools(self) -> Iterator[Pool]:
        """Go through the pools that somebody waits in."""
        return (pool for pool in self._pools.values() if pool.people)

    def place_of(self, ticket_id: str) -> tuple[Entry, Pool] | None:
        """Return as whom a ticket waits, and where; None while its party is not complete."""
        entry = self._entries.get(ticket_id)
        return None if entry is None else (entry, self._pools[entry.tickets[0].wish])

    def add(self, ticket: Ticket, now_ms: int) -> None:
        """Let a ticket wait; a party's tickets take part once all of them are here.

        A player has one ticket: a newer one takes the place of the one before.
        """
        before = self._by_player.get(ticket.player_id)
        if before is not None:
            self.remove(before)
        self._tickets[ticket.ticket_id] = ticket
        self._by_player[ticket.player_id] = ticket.ticket_id
        if not ticket.party_id:
            self._enter((ticket,), now_ms)
            return
        party = self._parties.setdefault(ticket.party_id, {})
        party[ticket.ticket_id] = ticket
        if len(party) == ticket.party_size:
            self._enter(sorted(party.values(), key=_age), now_ms)

    def remove(self, ticket_id: str) -> Ticket | None:
        """Take a ticket out, if it is here. The others of its party wait for it to come back."""
        ticket = self._tickets.pop(ticket_id, None)
        if ticket is None:
            return None
        del self._by_player[ticket.player_id]
        entry = self._entries.pop(ticket_id, None)
        if entry is not None:
            self._pools[ticket.wish].remove(entry)
            for one in entry.tickets:
                self._entries.pop(one.ticket_id, None)
        party = self._parties.get(ticket.party_id)
        if party is not None:
            del party[ticket_id]
            if not party:
                del self._parties[ticket.party_id]
        return ticket

    def tick(
        self,
        now_ms: int,
        *,
        most: int | None = None,
        work: int | None = None,
        held: Callable[[Wish], bool] = lambda _: False,
    ) -> tuple[Proposal, ...]:
        """Return groups, the one with the oldest ticket first, and take their tickets out of the queue.

        Args:
            now_ms: The time.
            most: Groups at most; the others are found by the next tick.
            work: Candidates to be tried at most, more or less; nobody is forgotten by it.
            held: Kinds of tables to be left alone now.
        """
        self._widen(now_ms)
        waiting: list[tuple[Age, int, Pool]] = []
        for number, pool in enumerate(self._pools.values()):
            seed = pool.oldest_fresh()
            if seed is not None and not held(pool.wish):
                waiting.append((seed.age, number, pool))
        heapq.heapify(waiting)
        found: list[Proposal] = []
        while waiting and (most is None or len(found) < most) and (work is None or work > 0):
            _, number, pool = waiting[0]
            before = pool.work
            group = pool.look(now_ms)
            if work is not None:
                work -= pool.work - before
            if group:
                found.append(self._proposal(pool.wish, group))
            seed = pool.oldest_fresh()
            if seed is None:
                heapq.heappop(waiting)
            else:
                heapq.heapreplace(waiting, (seed.age, number, pool))
        self._forget_empty_pools()
        found.sort(key=lambda one: _age(one.tickets[0]))
        return tuple(found)

    def _enter(self, tickets: Sequence[Ticket], now_ms: int) -> None:
        entry = Entry(tickets)
        for one in tickets:
            self._entries[one.ticket_id] = entry
        wish = tickets[0].wish
        pool = self._pools.get(wish)
        if pool is None:
            pool = self._pools[wish] = Pool(wish)
        self._schedule(entry, now_ms)
        pool.add(entry)

    def _schedule(self, entry: Entry, now_ms: int) -> None:
        """Bring an entry to a time, and see to it that it is looked at when something changes for it."""
        widens = widen(entry, now_ms)
        moments = [at for at in (widens, entry.bots_at_ms) if at is not None and at > now_ms]
        if not moments:
            return
        at = min(moments)
        entries = self._due.get(at)
        if entries is None:
            self._due[at] = [entry]
            heapq.heappush(self._due_times, at)
        else:
            entries.append(entry)

    def _widen(self, now_ms: int) -> None:
        while self._due_times and self._due_times[0] <= now_ms:
            for entry in self._due.pop(heapq.heappop(self._due_times)):
                if not entry.alive:
                    continue
                was_overdue = entry.overdue
                self._schedule(entry, now_ms)
                pool = self._pools[entry.tickets[0].wish]
                if entry.overdue and not was_overdue:
                    pool.add_overdue(entry)
                pool.freshen(entry)

    def _proposal(self, wish: Wish, group: Sequence[Entry]) -> Proposal:
        tickets = sorted((one for entry in group for one in entry.tickets), key=_age)
        for one in tickets:
            del self._tickets[one.ticket_id]
            del self._by_player[one.player_id]
            del self._entries[one.ticket_id]
            if one.party_id:
                self._parties.pop(one.party_id, None)
        return Proposal(wish, tuple(tickets))

    def _forget_empty_pools(self) -> None:
        for wish in [wish for wish, pool in self._pools.items() if not pool.people]:
            del self._pools[wish]


def _age(ticket: Ticket) -> tuple[int, str]:
    return ticket.enqueued_at_ms, ticket.ticket_id
