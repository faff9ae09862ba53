"""What is known to go wrong with the client library, each against a real server.

The numbers are those of the table in ``deploy/docs/messaging.md``; tests of the same names are in
``test_jetstream_bus.py`` and ``test_consumer.py``.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import nats as nats_client
import pytest
from tests.fixtures.messaging import Hall, running
from tests.fixtures.waiting import until

from meldhall_embedded.nats import FEATURE_FLAGS
from meldhall_messaging import (
    EVENTS_STREAM,
    BusUnavailable,
    ConsumerSpec,
    Delivery,
    JetStreamBus,
    OutboundMessage,
    Subscription,
    area_filter,
)

SPEC = ConsumerSpec("reader", (area_filter("table"),), ack_wait=1.0)


def messages(count: int, *, size: int = 1, prefix: str = "e") -> list[OutboundMessage]:
    return [
        OutboundMessage(f"meldhall.table.0.t.E{number}", f"{prefix}{number}", bytes(size))
        for number in range(count)
    ]


@asynccontextmanager
async def reading(hall: Hall, spec: ConsumerSpec = SPEC) -> AsyncIterator[tuple[JetStreamBus, Subscription]]:
    """A bus with its stream, a consumer and a door to it."""
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        await bus.ensure_stream()
        await bus.ensure_consumer(spec)
        yield bus, await bus.subscribe(spec.durable)


async def read(door: Subscription, count: int, seconds: float = 10.0) -> list[Delivery]:
    """Fetch until so many different messages came."""
    found: dict[int, Delivery] = {}
    async with asyncio.timeout(seconds):
        while len(found) < count:
            for delivery in await door.fetch(64, 1.0):
                found.setdefault(delivery.sequence, delivery)
                await delivery.ack()
    return [found[sequence] for sequence in sorted(found)]


@contextmanager
def frozen(hall: Hall) -> Iterator[None]:
    """A server that holds its connections and answers nothing."""
    pid = hall.nats.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


async def test_n1_the_server_that_we_start_acknowledges_in_version_1(hall: Hall) -> None:
    assert "js_ack_fc_v2: false" in FEATURE_FLAGS
    assert FEATURE_FLAGS in (hall.nats.folder / "nats-server.conf").read_text()
    client = await nats_client.connect(hall.nats.url)
    try:
        async with reading(hall) as (bus, _):
            await bus.publish(messages(1))
            pull = await client.jetstream().pull_subscribe_bind("reader", stream=EVENTS_STREAM)
            (message,) = await pull.fetch(1, timeout=2)
            assert len(message.reply.split(".")) == 9
    finally:
        await client.close()


async def test_n1_a_server_that_acknowledges_in_version_2_is_understood(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hall.nats.stop()
    monkeypatch.setattr("meldhall_embedded.nats.FEATURE_FLAGS", "feature_flags { js_ack_fc_v2: true }\n")
    await hall.nats.start()
    if "true" not in (hall.nats.folder / "nats-server.conf").read_text():
        return  # A server from before there were two versions.
    async with reading(hall) as (bus, door):
        await bus.publish(messages(5))
        assert [delivery.sequence for delivery in await read(door, 5)] == [1, 2, 3, 4, 5]
        await asyncio.sleep(1.2)
        assert await door.fetch(5, 0.2) == ()
        # The client still answers, which is what it stops doing where it does not understand them.
        await bus.ping(2)
        await hall.owner.append("t-1", 3)
        async with running(hall.relay(bus), hall.consumer(bus)):
            await until(lambda: hall.tally.total() == 3)


async def test_n2_a_pull_that_was_given_up_delays_the_next_one_by_a_second_at_most(hall: Hall) -> None:
    async with reading(hall) as (bus, door):
        for number in range(5):
            given_up = asyncio.create_task(door.fetch(1, 60.0))
            await asyncio.sleep(0.05)
            given_up.cancel()
            await asyncio.gather(given_up, return_exceptions=True)
            await bus.publish(messages(1, prefix=f"round-{number}-"))
            started = time.monotonic()
            await read(door, 1, seconds=5)
            # Delivered to the request that was given up it comes again after ack_wait, a second.
            assert time.monotonic() - started < 4


async def test_n5_a_full_buffer_is_backpressure_and_nothing_is_doubled_afterwards(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_messaging.jetstream.ACK_TIMEOUT", 0.5)
    # Sixteen MiB; the client buffers two.
    window = messages(32, size=2**19)
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        await bus.ensure_stream()
        with frozen(hall):
            started = time.monotonic()
            with pytest.raises(BusUnavailable):
                await asyncio.wait_for(bus.publish(window), 20)
            assert time.monotonic() - started < 10
        monkeypatch.undo()

        async def again() -> bool:
            try:
                await bus.publish(window)
            except BusUnavailable:
                await asyncio.sleep(0.2)
                return False
            return True

        async with asyncio.timeout(30):
            while not await again():
                pass
        assert (await bus.stream_state()).messages == len(window)


async def test_n6_it_goes_on_connecting_beyond_the_attempts_after_which_the_client_gives_up(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_messaging.jetstream.RECONNECT_WAIT", 0.01)
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        await hall.nats.kill()
        # The client's own limit is 60 attempts a server.
        await until(lambda: hall.metric("bus_errors_total", kind="ConnectionRefusedError") > 70, seconds=30)
        assert hall.closed == []
        await hall.nats.start()
        assert await bus.wait_connected(10)


async def test_n7_an_error_line_of_the_server_ends_the_process_and_not_only_the_client(hall: Hall) -> None:
    async with hall.bus("refused") as bus:
        assert await bus.wait_connected(5)
        await bus._client._send_command(b"NONSENSE\r\n")
        await bus._client._flush_pending()
        await until(lambda: hall.closed == ["refused"])
        assert not bus.connected
        with pytest.raises(BusUnavailable):
            await bus.check_ready()


async def test_n10_what_a_slow_consumer_drops_is_counted_and_comes_again(hall: Hall) -> None:
    async with reading(hall) as (bus, door):
        small: asyncio.Queue[object] = asyncio.Queue(maxsize=1)
        door._pull._sub._pending_queue = small  # type: ignore[attr-defined]
        await bus.publish(messages(5))
        assert len(await read(door, 5, seconds=30)) == 5
        assert hall.metric("bus_errors_total", kind="SlowConsumerError") > 0


async def test_n18_a_consumer_of_two_areas_gets_both_and_nothing_else(hall: Hall) -> None:
    spec = ConsumerSpec("two", (area_filter("table"), area_filter("ledger")), ack_wait=1.0)
    async with reading(hall, spec) as (bus, door):
        subjects = [f"meldhall.{area}.0.x.Happened" for area in ("table", "tournament", "ledger")]
        await bus.publish([OutboundMessage(subject, subject, b"") for subject in subjects])
        found = await read(door, 2)
        assert [delivery.subject for delivery in found] == [subjects[0], subjects[2]]
        assert await door.fetch(1, 0.2) == ()


async def test_n19_doors_and_publishes_leave_nothing_behind(hall: Hall) -> None:
    async with reading(hall) as (bus, door):
        await door.close()
        before = len(bus._client._subs)
        for number in range(100):
            again = await bus.subscribe("reader")
            if number % 10 == 0:
                await again.fetch(1, 0.05)
            await again.close()
        for number in range(20):
            await bus.publish(messages(100, prefix=f"{number}/"))
        assert len(bus._client._subs) <= before + 1
        assert len(bus._doors) <= 1
        assert bus._js.publish_async_pending() == 0
