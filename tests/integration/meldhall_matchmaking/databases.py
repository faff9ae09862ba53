"""Stores on both kinds of database, and tickets in them."""

from tests.fixtures.matchmaking import TWO

from meldhall_matchmaking.domain.refusals import Refusal
from meldhall_matchmaking.domain.ticket import Ticket, Wish
from meldhall_matchmaking.store import Enqueued, NewTicket, TicketStore


async def enqueue(
    store: TicketStore, player: str, wish: Wish = TWO, *, command: str = "c", now: int = 0, new: str = ""
) -> Enqueued | Refusal:
    request = NewTicket(new or f"ticket-{player}", player, command, wish, now, now + 10_000)
    return await store.enqueue(request)


async def waits(store: TicketStore, *players: str, wish: Wish = TWO) -> list[Ticket]:
    answers = [await enqueue(store, player, wish, now=now) for now, player in enumerate(players)]
    return [answer.ticket for answer in answers if isinstance(answer, Enqueued)]
