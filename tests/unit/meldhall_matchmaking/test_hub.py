import asyncio
from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.hub import HubClosed, TicketHub
from meldhall_matchmaking.store import Sight

MINE = ticket("a")
CLAIMED = replace(MINE, state=TicketState.PROPOSED, revision=2, proposal_id="p")


async def test_news_that_come_before_anybody_waits_are_not_lost() -> None:
    hub = TicketHub()
    with hub.follow(Sight(MINE, 1)) as watcher:
        hub.publish([CLAIMED, ticket("b")])

        await asyncio.wait_for(watcher.changed(), 1)

        assert watcher.sight.ticket == CLAIMED


async def test_old_news_change_nothing() -> None:
    hub = TicketHub()
    with hub.follow(Sight(CLAIMED, 1)) as watcher:
        hub.publish([MINE])

        assert watcher.sight.ticket == CLAIMED
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watcher.changed(), 0.01)


async def test_followers_of_waiting_tickets_hear_how_many_wait() -> None:
    hub = TicketHub()
    with hub.follow(Sight(MINE, 1)) as waiting, hub.follow(Sight(CLAIMED, 1)) as claimed:
        hub.tell_waiting({TWO: 3, THREE: 9})

        assert (waiting.sight.waiting, claimed.sight.waiting) == (3, 1)


def test_a_ticket_is_seen_while_it_is_followed_and_once_after() -> None:
    hub = TicketHub()
    with hub.follow(Sight(MINE, 1)):
        assert hub.take_seen() == {MINE.ticket_id}
        with hub.follow(Sight(MINE, 1)):
            pass
        assert hub.take_seen() == {MINE.ticket_id}

    assert hub.seen() == {MINE.ticket_id}
    assert hub.take_seen() == {MINE.ticket_id}
    assert hub.seen() == frozenset()


async def test_a_closed_hub_ends_all_following_and_begins_none() -> None:
    hub = TicketHub()
    with hub.follow(Sight(MINE, 1)) as watcher:
        hub.close()

        with pytest.raises(HubClosed):
            await watcher.changed()
    with pytest.raises(HubClosed), hub.follow(Sight(MINE, 1)):
        pass
