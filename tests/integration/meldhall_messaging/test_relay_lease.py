"""Several relays of one log: one works, another takes over, and one that was stopped cannot do harm."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from tests.fixtures.messaging import Hall, running, to_envelope
from tests.fixtures.waiting import until

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_eventlog import NamedLease, SqlEventLog, StoredEvent
from meldhall_messaging import BusUnavailable, JetStreamBus, OutboundMessage, PublishAck, RelayStopped
from meldhall_messaging.relay import Relay


@pytest_asyncio.fixture
async def other_log(hall: Hall) -> AsyncIterator[SqlEventLog]:
    """The log as a second process has it."""
    log = await SqlEventLog.open(f"sqlite:///{hall.folder / 'log.sqlite3'}")
    yield log
    await log.close()


def lease(log: SqlEventLog, holder: str, *, ttl_ms: int = 8_000) -> NamedLease:
    return NamedLease(log.database, "relay/table", holder, ttl_ms=ttl_ms)


def workers(*relays: Relay) -> list[bool]:
    return [relay.active for relay in relays]


async def test_of_several_relays_one_works_and_the_next_follows_when_it_ends(
    hall: Hall, other_log: SqlEventLog
) -> None:
    async with hall.bus("a") as bus_a, hall.bus("b") as bus_b:
        first = hall.relay(bus_a, lease=lease(hall.owner.log, "a"))
        second = hall.relay(bus_b, lease=lease(other_log, "b"), log=other_log)
        async with running(second, hall.consumer(bus_b)):
            await until(lambda: second.active)
            async with running(first):
                await hall.owner.append("t-1", 20)
                await until(lambda: hall.tally.total() == 20)
                await asyncio.sleep(0.6)
                assert workers(first, second) == [False, True]
                await first.check_ready()
                second.stop()
                await until(lambda: first.active, seconds=5)
                await hall.owner.append("t-1", 5)
                await until(lambda: hall.metric("relay_published_total", relay="table") == 25)
                assert workers(first, second) == [True, False]
        assert (await bus_a.stream_state()).messages == 25


async def test_a_relay_waits_while_another_holds_the_lease_and_takes_over_once_it_is_dead(
    hall: Hall, other_log: SqlEventLog
) -> None:
    # Holds it and is never heard of again, as after kill -9.
    dead = lease(other_log, "dead", ttl_ms=2_000)
    await dead.acquire()
    loop = asyncio.get_running_loop()
    died_at = loop.time()
    await hall.owner.append("t-1", 3)
    async with hall.bus() as bus:
        relay = hall.relay(bus, lease=lease(hall.owner.log, "a"))
        async with running(relay):
            await bus.wait_connected(5)
            await asyncio.sleep(0.7)
            assert hall.metric("relay_published_total", relay="table") == 0
            assert hall.metric("relay_active", relay="table") == 0
            await until(lambda: hall.metric("relay_published_total", relay="table") == 3)
            assert 2.0 <= loop.time() - died_at < 10
            assert hall.metric("relay_active", relay="table") == 1
    assert hall.metric("relay_active", relay="table") == 0


class Frozen:
    """A bus and a lease of a process that can be stopped and woken, as by SIGSTOP and SIGCONT."""

    def __init__(self, bus: JetStreamBus) -> None:
        self._bus = bus
        self.awake = asyncio.Event()
        self.awake.set()
        self.publishing = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bus, name)

    async def publish(self, messages: Sequence[OutboundMessage]) -> Sequence[PublishAck]:
        self.publishing.set()
        await self.awake.wait()
        return await self._bus.publish(messages)


class FrozenLease(NamedLease):
    """Is not renewed while its process is stopped."""

    awake: asyncio.Event

    async def acquire(self) -> int | None:
        await self.awake.wait()
        return await super().acquire()


async def test_a_relay_that_wakes_after_its_lease_was_taken_moves_no_mark(
    hall: Hall, other_log: SqlEventLog
) -> None:
    async with hall.bus("a") as bus_a, hall.bus("b") as bus_b:
        frozen = Frozen(bus_a)
        held = FrozenLease(hall.owner.log.database, "relay/table", "a", ttl_ms=1_500)
        held.awake = frozen.awake
        first = hall.relay(frozen, lease=held, window=2)
        second = hall.relay(bus_b, lease=lease(other_log, "b", ttl_ms=60_000), log=other_log)
        async with running(first):
            await until(lambda: first.active)
            async with running(second, hall.consumer(bus_b)):
                frozen.awake.clear()
                await hall.owner.append("t-1", 6)
                async with asyncio.timeout(5):
                    await frozen.publishing.wait()
                await until(lambda: hall.tally.total() == 6)
                assert second.active
                # Counted once the position is stored.
                await until(lambda: hall.metric("relay_published_total", relay="table") == 6)
                at_the_end = await other_log.load_checkpoint("table")
                assert at_the_end.seq == 6
                frozen.awake.set()
                await until(lambda: hall.metric("relay_failures_total", relay="table") >= 1)
                await asyncio.sleep(0.3)
                assert await other_log.load_checkpoint("table") == at_the_end
                assert workers(first, second) == [False, True]
                await hall.owner.append("t-1", 2)
                await until(lambda: hall.tally.total() == 8)
        assert (await bus_b.stream_state()).messages == 8
    assert [len(applied) for applied in hall.tally.effects().values()] == [8]


async def test_a_relay_that_cannot_publish_an_event_lets_one_that_can_have_the_lease(
    hall: Hall, other_log: SqlEventLog
) -> None:
    def unable(event: StoredEvent) -> tuple[str, EventEnvelope] | None:
        if event.version == 3:
            raise ValueError("of a later version")
        return to_envelope(event)

    await hall.owner.append("t-1", 4)
    async with hall.bus("a") as bus_a, hall.bus("b") as bus_b:
        old = hall.relay(bus_a, lease=lease(hall.owner.log, "a", ttl_ms=60_000), mapping=unable)
        new = hall.relay(bus_b, lease=lease(other_log, "b", ttl_ms=60_000), log=other_log)
        async with running(old):
            await until(lambda: hall.metric("relay_stopped", relay="table") == 1)
            async with running(new, hall.consumer(bus_b)):
                await until(lambda: hall.tally.total() == 4, seconds=5)
            with pytest.raises(RelayStopped):
                await old.check_ready()


async def test_a_relay_whose_database_is_away_stops_before_its_lease_ends(
    hall: Hall, other_log: SqlEventLog
) -> None:
    async with hall.bus() as bus:
        mine = lease(other_log, "a", ttl_ms=800)
        relay = hall.relay(bus, lease=mine)
        async with running(relay):
            await until(lambda: relay.active)
            await other_log.close()
            await until(lambda: not relay.active, seconds=2)
            with pytest.raises(BusUnavailable, match="LogUnavailable"):
                await relay.check_ready()
            await hall.owner.append("t-1")
            await asyncio.sleep(0.5)
            assert hall.metric("relay_published_total", relay="table") == 0


async def test_a_relay_that_does_not_reach_nats_lets_one_that_does_have_the_lease(
    hall: Hall, other_log: SqlEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_messaging._hold.LET_GO_AFTER", 0.5)
    async with hall.bus("cut-off") as bus_a, hall.bus("b") as bus_b:
        first = hall.relay(bus_a, lease=lease(hall.owner.log, "a", ttl_ms=1_000))
        second = hall.relay(bus_b, lease=lease(other_log, "b", ttl_ms=1_000), log=other_log)
        async with running(first):
            await until(lambda: first.active)
            async with running(second):
                await hall.owner.append("t-1", 2)
                await until(lambda: hall.metric("relay_published_total", relay="table") == 2)
                await bus_a.close()
                await until(lambda: second.active)
                await hall.owner.append("t-1", 3)
                await until(lambda: hall.metric("relay_published_total", relay="table") == 5)
                assert workers(first, second) == [False, True]
