"""Several processes on one database: one leads a part at a time, all serve players."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import structlog
from tests.fixtures.matchmaking import TWO, Client, FakeTables, matchmaking
from tests.fixtures.waiting import until
from tests.integration.meldhall_matchmaking.databases import waits

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.leadership import Leadership
from meldhall_matchmaking.store import PARTS, TicketStore, part_of
from meldhall_runtime.testing import Keys

ALL = set(range(PARTS))


def contender(store: TicketStore, name: str, *, address: str = "", ttl_ms: int = 600) -> Leadership:
    log = structlog.stdlib.get_logger().bind(contender=name)
    return Leadership(store.database, address or name, name, ttl_ms=ttl_ms, changed=lambda: None, log=log)


@asynccontextmanager
async def contending(one: Leadership) -> AsyncIterator[None]:
    running = asyncio.create_task(one.run())
    try:
        yield
    finally:
        one.stop()
        await running


async def test_one_leads_and_another_takes_over_when_it_stops(store: TicketStore) -> None:
    first, second = contender(store, "a:1", ttl_ms=60_000), contender(store, "b:1", ttl_ms=60_000)
    async with contending(second):
        await until(lambda: set(second.led()) == ALL)
        async with contending(first):
            await asyncio.sleep(0.1)
            assert first.led() == {}
            second.stop()
            await until(lambda: set(first.led()) == ALL)
            assert second.led() == {}
            assert min(first.led().values()) > 1


async def test_one_that_is_gone_is_replaced_and_claims_nothing_more(store: TicketStore) -> None:
    gone, heir = contender(store, "a:1"), contender(store, "b:1")
    part = part_of(TWO)
    running = asyncio.create_task(gone.run())
    await until(lambda: set(gone.led()) == ALL)
    fence = gone.fence(part)
    running.cancel()
    await asyncio.wait({running})
    async with contending(heir):
        await until(lambda: set(heir.led()) == ALL)
        assert gone.led() == {}

        ann, ben = await waits(store, "ann", "ben")
        assert await store.claim("late", [ann, ben], 1, fence) is None
        assert await store.claim("p", [ann, ben], 2, heir.fence(part)) is not None


async def test_who_starts_at_the_address_of_one_that_is_gone_does_not_wait_for_its_lease(
    store: TicketStore,
) -> None:
    gone = contender(store, "before", address="a:1", ttl_ms=3_600_000)
    running = asyncio.create_task(gone.run())
    await until(lambda: set(gone.led()) == ALL)
    running.cancel()
    await asyncio.wait({running})

    elsewhere = contender(store, "elsewhere", address="a:11", ttl_ms=3_600_000)
    async with contending(elsewhere):
        await asyncio.sleep(0.2)
        assert elsewhere.led() == {}
    back = contender(store, "after", address="a:1", ttl_ms=3_600_000)
    async with contending(back):
        await until(lambda: set(back.led()) == ALL)


@asynccontextmanager
async def pair(path: Path, address: str, keys: Keys) -> AsyncIterator[tuple[Client, Client]]:
    """One process that only serves players, and one that leads as well."""
    async with AsyncExitStack() as stack:
        quiet, _ = await stack.enter_async_context(matchmaking(path, address, keys, lead=False))
        leading, _ = await stack.enter_async_context(
            matchmaking(path, address, keys, bots_after_seconds=3600)
        )
        yield quiet, leading


async def test_players_of_different_processes_meet_and_both_are_told(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with pair(path, table_address, keys) as (quiet, leading):
        ann = await quiet.enqueue("ann")
        following = asyncio.create_task(quiet.follow("ann", ann.ticket_id))
        ben = await leading.enqueue("ben")

        told = [await following, await leading.follow("ben", ben.ticket_id)]

        assert [one.state for one in told] == [pb.TICKET_STATE_MATCHED] * 2
        assert len({one.table_id for one in told}) == 1
        assert tables.seatings() == [["ann", "ben"]]


async def test_a_cancellation_at_another_process_is_seen_by_the_leader(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with pair(path, table_address, keys) as (quiet, leading):
        ann = await leading.enqueue("ann")
        await quiet.cancel("ann", ann.ticket_id)
        for name in ("ben", "cid"):
            await quiet.enqueue(name)
        cid = await leading.enqueue("cid")
        following = asyncio.create_task(quiet.follow("ben", (await quiet.enqueue("ben")).ticket_id))

        assert (await leading.follow("cid", cid.ticket_id)).state == pb.TICKET_STATE_MATCHED
        assert (await following).state == pb.TICKET_STATE_MATCHED
        assert tables.seatings() == [["ben", "cid"]]


async def test_a_follower_anywhere_is_told_position_and_how_many_wait(
    path: Path, table_address: str, keys: Keys
) -> None:
    async with pair(path, table_address, keys) as (quiet, leading):
        await leading.enqueue("ann", seats=4)
        await leading.enqueue("ben", seats=4)
        cid = await leading.enqueue("cid", seats=4)
        for client in (quiet, leading):
            call = client.watch("cid", cid.ticket_id)
            async with asyncio.timeout(10):
                async for answer in call:
                    if answer.position == 3:
                        break
            call.cancel()
            assert answer.waiting == 3
            assert answer.HasField("estimate_ms")


@pytest.mark.parametrize("asked", ["quiet", "leading"])
async def test_blocked_players_never_meet(
    path: Path, table_address: str, tables: FakeTables, keys: Keys, asked: str
) -> None:
    async with pair(path, table_address, keys) as (quiet, leading):
        client = quiet if asked == "quiet" else leading
        await client.stub("ann").Block(pb.BlockRequest(player_id="ben"))
        ann, _ben = await leading.enqueue("ann"), await leading.enqueue("ben")
        cid = await leading.enqueue("cid")

        assert (await leading.follow("cid", cid.ticket_id)).state == pb.TICKET_STATE_MATCHED
        assert tables.seatings() == [["ann", "cid"]]
        assert ann.player_id == "ann"
        listed = await client.stub("ann").ListBlocks(pb.ListBlocksRequest())
        assert listed.player_ids == ["ben"]
        await client.stub("ann").Unblock(pb.UnblockRequest(player_id="ben"))
        assert (await client.stub("ann").ListBlocks(pb.ListBlocksRequest())).player_ids == []
