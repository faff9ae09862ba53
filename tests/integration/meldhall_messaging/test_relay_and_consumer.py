"""From the log through a real JetStream into a consumer's database, whatever breaks on the way."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats as nats_client
import pytest
import structlog
from nats.js import JetStreamContext
from tests.fixtures.messaging import TRACE, Hall, running, to_envelope
from tests.fixtures.waiting import until

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_eventlog import FIRST, Position, StoredEvent
from meldhall_messaging import EVENTS_STREAM, BusUnavailable, Relay, RelayStopped, request_rebuild


def expected(**streams: int) -> dict[str, list[str]]:
    return {stream: [f"{stream}:{n}" for n in range(1, count + 1)] for stream, count in streams.items()}


@asynccontextmanager
async def raw(hall: Hall) -> AsyncIterator[JetStreamContext]:
    """A bare client, for looking at the stream and for breaking it."""
    client = await nats_client.connect(hall.nats.url)
    try:
        yield client.jetstream()
    finally:
        await client.close()


async def test_every_public_event_is_applied_once_and_in_order(hall: Hall) -> None:
    await hall.owner.append("t-1", 3)
    async with hall.bus() as bus, running(hall.relay(bus), hall.consumer(bus)):
        await hall.owner.append("t-2", 2)
        await hall.owner.append("t-1", 2)
        await until(lambda: hall.tally.total() == 7)
    assert hall.tally.effects() == expected(**{"t-1": 5, "t-2": 2})


async def test_private_events_are_not_published_and_leave_no_gap(hall: Hall) -> None:
    await hall.owner.append("t-1", 2)
    await hall.owner.append("t-1", 3, public=False)
    await hall.owner.append("t-1", 1)
    async with hall.bus() as bus, running(hall.relay(bus), hall.consumer(bus)):
        await until(lambda: hall.tally.total() == 3)
        assert (await bus.stream_state()).messages == 3
    assert hall.tally.effects() == {"t-1": ["t-1:1", "t-1:2", "t-1:6"]}
    assert hall.metric("gaps_total", consumer="tally") == 0


async def test_the_trace_context_is_in_the_envelope_and_in_a_header(hall: Hall) -> None:
    await hall.owner.append("t-1")
    async with hall.bus() as bus, running(hall.relay(bus)):
        await until(lambda: hall.metric("relay_published_total", relay="table") == 1)
        async with raw(hall) as js:
            message = await js.get_msg(EVENTS_STREAM, 1)
    assert message.subject == "meldhall.table.7.t-1.MoveMade"
    assert (message.headers or {})["traceparent"] == TRACE
    assert EventEnvelope.FromString(message.data or b"").traceparent == TRACE


async def test_a_server_killed_again_and_again_loses_nothing_and_keeps_the_order(
    hall: Hall,
) -> None:
    async with (
        hall.bus() as bus,
        hall.bus("other") as other,
        running(hall.relay(bus, window=5), hall.consumer(other)),
    ):
        for _ in range(3):
            appending = asyncio.create_task(hall.owner.append("t-1", 60))
            await asyncio.sleep(0.05)
            await hall.nats.kill()
            await hall.owner.append("t-2", 20)
            await hall.nats.start()
            await appending
        await until(lambda: hall.tally.total() == 240, 20)
        await until(lambda: hall.metric("relay_lag_events", relay="table") == 0)
        assert (await bus.stream_state()).messages == 240
    assert hall.tally.effects() == expected(**{"t-1": 180, "t-2": 60})
    assert hall.metric("relay_failures_total", relay="table") > 0


async def test_a_deleted_stream_is_noticed_and_published_again_to_a_consumer_that_ends_equal(
    hall: Hall,
) -> None:
    async with hall.bus() as bus, running(hall.relay(bus), hall.consumer(bus)):
        await hall.owner.append("t-1", 30)
        await until(lambda: hall.tally.total() == 30)
        async with raw(hall) as js:
            await js.delete_stream(EVENTS_STREAM)
        await hall.owner.append("t-1", 5)
        await until(lambda: hall.tally.total() == 35, 15)
        await until(lambda: hall.metric("relay_published_total", relay="table") >= 65)
        assert (await bus.stream_state()).messages == 35
    assert hall.tally.effects() == expected(**{"t-1": 35})
    assert hall.metric("relay_rewinds_total", relay="table", reason="lost") == 1


async def test_a_lost_data_folder_is_noticed_at_the_next_start(hall: Hall) -> None:
    async with hall.bus() as bus, running(hall.relay(bus)):
        await hall.owner.append("t-1", 10)
        await until(lambda: hall.metric("relay_published_total", relay="table") == 10)
        await hall.nats.kill()
        shutil.rmtree(hall.nats.folder / "jetstream")
        await hall.nats.start()
        async with hall.bus("other") as other, running(hall.consumer(other)):
            await until(lambda: hall.tally.total() == 10, 15)
    assert hall.tally.effects() == expected(**{"t-1": 10})


async def test_a_stream_that_lost_only_its_end_is_published_again_from_there(hall: Hall) -> None:
    await hall.owner.append("t-1", 10)
    async with hall.bus() as bus:
        async with running(hall.relay(bus)):
            await until(lambda: hall.metric("relay_published_total", relay="table") == 10)
        await hall.nats.stop()
        shutil.copytree(hall.nats.folder / "jetstream", hall.folder / "copy")
        await hall.nats.start()
        assert await bus.wait_connected(5)
        async with running(hall.relay(bus)):
            await hall.owner.append("t-1", 5)
            await until(lambda: hall.metric("relay_published_total", relay="table") == 15)
        await hall.nats.kill()
        shutil.rmtree(hall.nats.folder / "jetstream")
        shutil.copytree(hall.folder / "copy", hall.nats.folder / "jetstream")
        await hall.nats.start()
        assert await bus.wait_connected(5)
        async with running(hall.relay(bus), hall.consumer(bus)):
            await until(lambda: hall.tally.total() == 15)
        # Five came again, not fifteen.
        assert hall.metric("relay_published_total", relay="table") == 20
        assert (await bus.stream_state()).messages == 15
    assert hall.tally.effects() == expected(**{"t-1": 15})


async def test_expired_or_purged_messages_are_no_loss(hall: Hall) -> None:
    await hall.owner.append("t-1", 4)
    async with hall.bus() as bus:
        async with running(hall.relay(bus)):
            await until(lambda: hall.metric("relay_published_total", relay="table") == 4)
        async with raw(hall) as js:
            await js.purge_stream(EVENTS_STREAM)
        async with running(relay := hall.relay(bus)):
            await until(lambda: hall.metric("relay_lag_events", relay="table") == 0)
            await hall.owner.append("t-1")
            await until(lambda: hall.metric("relay_published_total", relay="table") == 5)
            await relay.check_ready()
    assert hall.metric("relay_rewinds_total", relay="table", reason="lost") == 0


async def test_a_rebuild_reaches_a_consumer_that_lost_its_state_within_the_duplicate_window(
    hall: Hall,
) -> None:
    async with hall.bus() as bus, running(hall.relay(bus), hall.consumer(bus)):
        await hall.owner.append("t-1", 12)
        await until(lambda: hall.tally.total() == 12)
        hall.tally.forget()
        # As another process would ask, while the relay runs here.
        await request_rebuild(hall.owner.log, "table", FIRST)
        await until(lambda: hall.tally.total() == 12)
        assert (await bus.stream_state()).messages == 24
    assert hall.tally.effects() == expected(**{"t-1": 12})


async def test_a_rebuild_may_begin_in_the_middle_and_changes_nothing_for_who_has_it_all(hall: Hall) -> None:
    async with hall.bus() as bus, running(relay := hall.relay(bus), hall.consumer(bus)):
        await hall.owner.append("t-1", 12)
        await until(lambda: hall.tally.total() == 12)
        await relay.rebuild_from(Position(0, 9))
        await until(lambda: hall.metric("relay_published_total", relay="table") == 15)
        await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="applied") == 15)
    assert hall.tally.effects() == expected(**{"t-1": 12})


async def test_messages_that_the_stream_takes_for_duplicates_and_has_dropped_are_stored_again(
    hall: Hall,
) -> None:
    await hall.owner.append("t-1", 6)
    async with hall.bus() as bus:
        async with running(hall.relay(bus)):
            await until(lambda: hall.metric("relay_published_total", relay="table") == 6)
        # A crash before the checkpoint was saved, and a purge before the next start.
        await hall.owner.log.save_checkpoint("table", Position(0, 2))
        async with raw(hall) as js:
            await js.purge_stream(EVENTS_STREAM)
        async with running(hall.relay(bus)):
            await until(lambda: hall.metric("relay_published_total", relay="table") == 10)
        assert (await bus.stream_state()).messages == 4


async def test_every_event_three_times_counts_once(hall: Hall) -> None:
    await hall.owner.append("t-1", 20)
    async with hall.bus() as bus, running(relay := hall.relay(bus), hall.consumer(bus)):
        await until(lambda: hall.metric("relay_published_total", relay="table") == 20)
        await relay.rebuild_from(FIRST)
        await until(lambda: hall.metric("relay_published_total", relay="table") == 40)
        await relay.rebuild_from(FIRST)
        await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="applied") >= 60)
    assert hall.tally.effects() == expected(**{"t-1": 20})


async def test_the_relay_waits_for_a_server_that_is_not_there_yet_and_says_so(hall: Hall) -> None:
    await hall.nats.stop()
    await hall.owner.append("t-1", 3)
    async with hall.bus() as bus, running(relay := hall.relay(bus)):
        await until(lambda: hall.metric("relay_failures_total", relay="table") > 1)
        with pytest.raises(BusUnavailable, match="not connected"):
            await relay.check_ready()
        assert hall.metric("relay_lag_events", relay="table") == 3
        assert hall.metric("relay_lag_seconds", relay="table") == 2.0

        await hall.nats.start()
        await until(lambda: hall.metric("relay_published_total", relay="table") == 3)
        await until(lambda: not relay._fault)
        await relay.check_ready()
        assert hall.metric("relay_lag_seconds", relay="table") == 0


async def test_an_event_that_cannot_be_published_stops_the_relay_before_it_and_is_never_skipped(
    hall: Hall,
) -> None:
    healed = False

    def fragile(event: StoredEvent) -> tuple[str, EventEnvelope] | None:
        if event.version == 3 and not healed:
            raise KeyError("no such tile")
        return to_envelope(event)

    def relay() -> Relay:
        return Relay(
            hall.owner.log,
            bus,
            fragile,
            name="table",
            logger=structlog.get_logger(),
            metrics=hall.metrics,
            now_ms=lambda: 0,
        )

    await hall.owner.append("t-1", 5)
    async with hall.bus() as bus:
        async with running(first := relay()):
            await until(lambda: hall.metric("relay_stopped", relay="table") == 1)
            with pytest.raises(RelayStopped, match=r"MoveMade \(stream t-1, version 3\).*KeyError"):
                await first.check_ready()
            assert (await bus.stream_state()).messages == 2
            assert await hall.owner.log.load_checkpoint("table") == (0, 2)
        healed = True
        async with running(second := relay()):
            await until(lambda: hall.metric("relay_published_total", relay="table") == 5)
            await second.check_ready()
    assert hall.metric("relay_stopped", relay="table") == 0


async def test_two_relays_at_once_only_cost_work(hall: Hall) -> None:
    async with hall.bus() as bus, hall.bus("other") as other:
        async with running(hall.relay(bus, window=3), hall.relay(other, window=7), hall.consumer(bus)):
            await hall.owner.append("t-1", 40)
            await until(lambda: hall.tally.total() == 40)
        assert (await bus.stream_state()).messages == 40
    assert hall.tally.effects() == expected(**{"t-1": 40})
