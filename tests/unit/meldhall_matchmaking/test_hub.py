import asyncio
from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.outlook import Outlook
from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.hub import HubClosed, TicketHub

MINE = ticket("a")
CLAIMED = replace(MINE, state=TicketState.PROPOSED, revision=2, proposal_id="p")


async def test_news_that_come_before_anybody_waits_are_not_lost() -> None:
    hub = TicketHub()
    with hub.follow(MINE) as watcher:
        hub.publish([CLAIMED, ticket("b")])

        await asyncio.wait_for(watcher.changed(), 1)

        assert watcher.sight.ticket == CLAIMED


async def test_old_news_change_nothing() -> None:
    hub = TicketHub()
    with hub.follow(CLAIMED) as watcher:
        hub.publish([MINE])

        assert watcher.sight.ticket == CLAIMED
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watcher.changed(), 0.01)


async def test_followers_of_waiting_tickets_hear_what_their_pool_looks_like() -> None:
    hub, here, there = TicketHub(), Outlook(3), Outlook(9)
    with hub.follow(MINE) as waiting, hub.follow(CLAIMED) as claimed:
        hub.tell({TWO: here, THREE: there})
        assert (waiting.sight.outlook, claimed.sight.outlook) == (here, None)
        with hub.follow(MINE) as later:
            assert later.sight.outlook == here

        hub.tell({})
        assert waiting.sight.outlook is None


async def test_what_is_known_already_wakes_nobody() -> None:
    hub = TicketHub()
    with hub.follow(MINE) as watcher:
        hub.tell({TWO: Outlook(3)})
        await asyncio.wait_for(watcher.changed(), 1)
        before = watcher.sight

        hub.tell({TWO: Outlook(3)})
        hub.publish([replace(MINE, last_seen_ms=99)])

        assert watcher.sight is before


def test_a_ticket_is_seen_while_it_is_followed_and_once_after() -> None:
    hub = TicketHub()
    with hub.follow(MINE):
        assert hub.take_seen() == {MINE.ticket_id}
        with hub.follow(MINE):
            pass
        assert hub.take_seen() == {MINE.ticket_id}

    assert hub.has_seen(MINE.ticket_id)
    assert hub.take_seen() == {MINE.ticket_id}
    assert not hub.has_seen(MINE.ticket_id)


async def test_a_closed_hub_ends_all_following_and_begins_none() -> None:
    hub = TicketHub()
    with hub.follow(MINE) as watcher:
        hub.close()

        with pytest.raises(HubClosed):
            await watcher.changed()
    with pytest.raises(HubClosed), hub.follow(MINE):
        pass
