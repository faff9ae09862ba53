"""Several engines on one PostgreSQL: one relays, and another takes over when it is killed or frozen."""

import asyncio
import contextlib
import os
import signal
import time
import urllib.request
from collections.abc import AsyncIterator

import nats as nats_client
import pytest
import pytest_asyncio
from tests.fixtures.fleet import LEASE_SECONDS, Fleet, fleet

from meldhall_eventlog import SqlEventLog
from meldhall_messaging import EVENTS_STREAM
from meldhall_table.app import RELAY

KILLS = 6 if os.environ.get("MELDHALL_CHAOS") == "long" else 1
NOISE = 8.0
"""Seconds by which a busy machine may be late."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240 * KILLS)]

ACTIVE = f'meldhall_messaging_relay_active{{relay="{RELAY}"}} 1.0'


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Fleet]:
    async with fleet(3) as made:
        yield made


def metrics(url: str) -> str:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/metrics", timeout=1) as answer:  # noqa: S310 - our own engine
        return str(answer.read().decode())
    return ""


async def relaying(engines: Fleet, *, besides: str = "", within: float = 30.0) -> str:
    """Wait until exactly one engine relays, and return it."""
    others = [engine for engine in engines.engines if engine != besides]
    async with asyncio.timeout(within):
        while True:
            pages = await asyncio.gather(
                *(asyncio.to_thread(metrics, engines.admin(engine)) for engine in others)
            )
            active = [engine for engine, page in zip(others, pages, strict=True) if ACTIVE in page]
            assert len(active) <= 1, active
            if active:
                return active[0]
            await asyncio.sleep(0.05)


async def nothing_is_lost_or_doubled(engines: Fleet) -> int:
    """Wait until the stream has as many messages as the log has public events; return how many."""
    log = await SqlEventLog.open(engines.database_url)
    client = await nats_client.connect(engines.nats_url)
    try:
        async with asyncio.timeout(60):
            while True:
                stored = (await client.jetstream().stream_info(EVENTS_STREAM)).state.messages
                events = await log.count_all(public_only=True)
                assert stored <= events
                if stored == events:
                    return stored
                await asyncio.sleep(0.1)
    finally:
        await client.close()
        await log.close()


async def test_another_engine_relays_when_the_one_that_did_is_killed(engines: Fleet) -> None:
    async with engines.load(4, seed=11) as load:
        for _ in range(KILLS):
            victim = await relaying(engines)
            killed = time.monotonic()
            async with engines.down(victim):
                heir = await relaying(engines, besides=victim)
                assert heir != victim
                assert time.monotonic() - killed < LEASE_SECONDS + NOISE
                await load.goes_on(3)
    assert await nothing_is_lost_or_doubled(engines) > 0


async def test_an_engine_that_was_frozen_while_it_relayed_does_not_relay_when_it_wakes_up(
    engines: Fleet,
) -> None:
    async with engines.load(4, seed=12) as load:
        victim = await relaying(engines)
        engines.kill(victim, signal.SIGSTOP)
        try:
            heir = await relaying(engines, besides=victim)
        finally:
            engines.kill(victim, signal.SIGCONT)
        await load.goes_on(3)
        assert await relaying(engines) == heir
    assert await nothing_is_lost_or_doubled(engines) > 0
