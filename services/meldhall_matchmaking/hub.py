"""Who follows which ticket in this process, and how they hear of changes."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from meldhall_matchmaking.domain.ticket import Ticket, TicketState, Wish
from meldhall_matchmaking.store import Sight


class HubClosed(Exception):
    """The service is being stopped: whoever followed a ticket here follows it elsewhere."""


class Watcher:
    """One follower of one ticket. What it has not looked at yet is overtaken by what is newer.

    Attributes:
        sight: The newest of the ticket that is known here.
    """

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self._changed = asyncio.Event()
        self._closed = False

    def see(self, sight: Sight) -> None:
        """Take news, unless they are older than what is known."""
        if sight != self.sight and sight.ticket.revision >= self.sight.ticket.revision:
            self.sight = sight
            self._changed.set()

    def close(self) -> None:
        """Wake the follower for the last time."""
        self._closed = True
        self._changed.set()

    async def changed(self) -> None:
        """Wait for news since the last call.

        Raises:
            HubClosed: there will be none here.
        """
        await self._changed.wait()
        self._changed.clear()
        if self._closed:
            raise HubClosed


class TicketHub:
    """Every follower of this process, by ticket."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher]] = {}
        self._left: set[str] = set()
        self._closed = False

    @contextmanager
    def follow(self, sight: Sight) -> Iterator[Watcher]:
        """Follow a ticket for the length of the block.

        Raises:
            HubClosed: the service is being stopped.
        """
        if self._closed:
            raise HubClosed
        watcher = Watcher(sight)
        ticket_id = sight.ticket.ticket_id
        self._watchers.setdefault(ticket_id, set()).add(watcher)
        try:
            yield watcher
        finally:
            watchers = self._watchers[ticket_id]
            watchers.discard(watcher)
            if not watchers:
                del self._watchers[ticket_id]
                self._left.add(ticket_id)

    def publish(self, tickets: Iterable[Ticket]) -> None:
        """Tell followers what became of their tickets."""
        for ticket in tickets:
            for watcher in self._watchers.get(ticket.ticket_id, ()):
                watcher.see(Sight(ticket, watcher.sight.waiting))

    def tell_waiting(self, counts: Mapping[Wish, int]) -> None:
        """Tell followers of waiting tickets how many wait for the same kind of table."""
        for watchers in self._watchers.values():
            for watcher in watchers:
                ticket = watcher.sight.ticket
                if ticket.state is TicketState.WAITING:
                    # Counted before this ticket was made: it is one of them all the same.
                    watcher.see(Sight(ticket, max(1, counts.get(ticket.wish, 0))))

    def seen(self) -> frozenset[str]:
        """Return the ids of tickets that somebody follows, or did at some time since ``take_seen``."""
        return frozenset(self._left | self._watchers.keys())

    def take_seen(self) -> frozenset[str]:
        """Return the same, and forget those that nobody follows now."""
        seen = self.seen()
        self._left.clear()
        return seen

    def close(self) -> None:
        """End every follower's waiting, and let nobody begin."""
        self._closed = True
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()
