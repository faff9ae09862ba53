"""Who follows which ticket in this process, and how they hear of changes."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from meldhall_matchmaking.domain.outlook import Outlook
from meldhall_matchmaking.domain.ticket import Ticket, TicketState, Wish


class HubClosed(Exception):
    """The service is being stopped: whoever followed a ticket here follows it elsewhere."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A ticket, and what its pool looks like; None where that is not known here."""

    ticket: Ticket
    outlook: Outlook | None = None


class Watcher:
    """One follower of one ticket. What it has not looked at yet is overtaken by what is newer.

    Attributes:
        sight: The newest of the ticket that is known here.
    """

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self._changed = asyncio.Event()
        self._closed = False

    def see(self, ticket: Ticket) -> None:
        """Take news of the ticket, unless they are none."""
        if ticket.revision > self.sight.ticket.revision:
            self.sight = Sight(ticket, self.sight.outlook)
            self._changed.set()

    def look_round(self, outlook: Outlook | None) -> None:
        """Take news of the pool, unless they are none."""
        if outlook != self.sight.outlook:
            self.sight = Sight(self.sight.ticket, outlook)
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
        self._outlooks: Mapping[Wish, Outlook] = {}
        self._closed = False

    @contextmanager
    def follow(self, ticket: Ticket) -> Iterator[Watcher]:
        """Follow a ticket for the length of the block.

        Raises:
            HubClosed: the service is being stopped.
        """
        if self._closed:
            raise HubClosed
        watcher = Watcher(Sight(ticket, self._outlooks.get(ticket.wish)))
        self._watchers.setdefault(ticket.ticket_id, set()).add(watcher)
        try:
            yield watcher
        finally:
            watchers = self._watchers[ticket.ticket_id]
            watchers.discard(watcher)
            if not watchers:
                del self._watchers[ticket.ticket_id]
                self._left.add(ticket.ticket_id)

    def publish(self, tickets: Iterable[Ticket]) -> None:
        """Tell followers what became of their tickets."""
        for ticket in tickets:
            for watcher in self._watchers.get(ticket.ticket_id, ()):
                watcher.see(ticket)

    def tell(self, outlooks: Mapping[Wish, Outlook]) -> None:
        """Tell followers of waiting tickets what their pools look like; of others nothing is known."""
        self._outlooks = outlooks
        for watchers in self._watchers.values():
            for watcher in watchers:
                ticket = watcher.sight.ticket
                if ticket.state is TicketState.WAITING:
                    watcher.look_round(outlooks.get(ticket.wish))

    def followed(self) -> dict[str, int]:
        """Return the tickets that somebody follows, with the revision that is known here."""
        return {
            ticket_id: max(watcher.sight.ticket.revision for watcher in watchers)
            for ticket_id, watchers in self._watchers.items()
        }

    def has_seen(self, ticket_id: str) -> bool:
        """Whether somebody follows a ticket, or did at some time since ``take_seen``."""
        return ticket_id in self._watchers or ticket_id in self._left

    def count(self) -> int:
        """Return how many tickets somebody follows."""
        return len(self._watchers)

    def take_seen(self) -> frozenset[str]:
        """Return those that somebody follows or did, and forget those that nobody follows now."""
        seen = frozenset(self._left | self._watchers.keys())
        self._left.clear()
        return seen

    def close(self) -> None:
        """End every follower's waiting, and let nobody begin."""
        self._closed = True
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()
