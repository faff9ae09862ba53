"""A JetStream cluster of three that loses a server, and then another."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import nats as nats_client
import pytest
from tests.fixtures.messaging import Hall, running
from tests.fixtures.nats_cluster import NatsCluster, Node
from tests.fixtures.waiting import until

from meldhall_messaging import EVENTS_STREAM, JetStreamBus, StreamSpec

REPLICATED = StreamSpec(replicas=3)
TABLES = ("t-1", "t-2", "t-3")
KILLS = 10 if os.environ.get("MELDHALL_CHAOS") == "long" else 2

# An election takes seconds, and a server that starts is healthy only once it has caught up.
pytestmark = pytest.mark.timeout(120 + 60 * KILLS)


@dataclass
class Play:
    """Tables that go on, whatever happens to NATS."""

    hall: Hall
    count: int = 0
    paused: bool = False

    async def run(self) -> None:
        while True:
            if not self.paused:
                self.count += 1
                for table in TABLES:
                    await self.hall.owner.append(table)
            await asyncio.sleep(0.02)

    async def end(self) -> None:
        self.paused = True
        await until(lambda: self.hall.tally.total() == self.count * len(TABLES), seconds=60)


@asynccontextmanager
async def playing(hall: Hall) -> AsyncIterator[Play]:
    play = Play(hall)
    task = asyncio.create_task(play.run())
    try:
        yield play
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def leader(cluster: NatsCluster) -> Node:
    """The server that leads the stream."""
    client = await nats_client.connect(servers=list(cluster.urls))
    try:
        async with asyncio.timeout(30):
            while True:
                found = (await client.jetstream().stream_info(EVENTS_STREAM)).cluster
                if found is not None and found.leader:
                    return cluster.node(found.leader)
                await asyncio.sleep(0.1)
    finally:
        await client.close()


def everything(play: Play) -> dict[str, list[str]]:
    return {table: [f"{table}:{n}" for n in range(1, play.count + 1)] for table in TABLES}


async def published(bus: JetStreamBus, play: Play) -> None:
    """Wait until the relay is done: a consumer that reads what it missed from the owner is ahead of it."""
    async with asyncio.timeout(60):
        while await stored(bus) < play.count * len(TABLES):  # noqa: ASYNC110 - the stream has no event
            await asyncio.sleep(0.1)


async def stored(bus: JetStreamBus) -> int:
    return (await bus.stream_state()).messages


async def test_servers_killed_one_after_another_lose_nothing_and_double_nothing(
    hall: Hall, nats_cluster: NatsCluster
) -> None:
    hall.servers = nats_cluster.urls
    async with hall.bus("relay", REPLICATED) as bus, hall.bus("consumer", REPLICATED) as other:
        async with running(hall.relay(bus, window=20), hall.consumer(other)), playing(hall) as play:
            await until(lambda: hall.tally.total() > 30, seconds=30)
            for _ in range(KILLS):
                victim = await leader(nats_cluster)
                await nats_cluster.kill(victim)
                seen = hall.tally.total()
                # With two of three it goes on.
                await until(lambda: hall.tally.total() > seen + 60, seconds=45)  # noqa: B023 - awaited here
                await nats_cluster.start(victim)
            await play.end()
            await published(bus, play)
        assert await stored(bus) == play.count * len(TABLES)
        assert hall.tally.effects() == everything(play)
    assert hall.metric("partitions_stopped", consumer="tally") == 0
    assert hall.closed == []


async def test_without_a_quorum_events_wait_in_the_log_and_go_out_when_it_is_back(
    hall: Hall, nats_cluster: NatsCluster
) -> None:
    hall.servers = nats_cluster.urls
    async with hall.bus("relay", REPLICATED) as bus, hall.bus("consumer", REPLICATED) as other:
        async with running(hall.relay(bus, window=20), hall.consumer(other)), playing(hall) as play:
            await until(lambda: hall.tally.total() > 30, seconds=30)
            first = await leader(nats_cluster)
            second = next(node for node in nats_cluster.nodes if node is not first)
            await nats_cluster.kill(first)
            await nats_cluster.kill(second)
            before = play.count
            await until(lambda: play.count > before + 40, seconds=30)
            assert hall.tally.total() < play.count * len(TABLES)
            await nats_cluster.start(second)
            seen = hall.tally.total()
            await until(lambda: hall.tally.total() > seen + 60, seconds=45)
            await nats_cluster.start(first)
            await play.end()
            await published(bus, play)
        assert await stored(bus) == play.count * len(TABLES)
        assert hall.tally.effects() == everything(play)


async def test_a_stream_of_one_server_becomes_one_of_three(hall: Hall, nats_cluster: NatsCluster) -> None:
    hall.servers = nats_cluster.urls
    async with hall.bus("old") as bus:
        assert await bus.wait_connected(10)
        await bus.ensure_stream()
    async with hall.bus("new", REPLICATED) as bus:
        assert await bus.wait_connected(10)
        await bus.ensure_stream()
    client = await nats_client.connect(servers=list(nats_cluster.urls))
    try:
        assert (await client.jetstream().stream_info(EVENTS_STREAM)).config.num_replicas == 3
    finally:
        await client.close()
