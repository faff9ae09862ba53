"""The bus against a real server: what is declared, published, answered, and what happens when it is not."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import nats as nats_client
import psutil
import pytest
from nats.js import api
from tests.fixtures.messaging import Hall
from tests.fixtures.waiting import until

from meldhall_messaging import (
    EVENTS_STREAM,
    BusUnavailable,
    ConsumerSpec,
    IncompatibleConfig,
    JetStreamBus,
    OutboundMessage,
    PublishRefused,
    PublishUncertain,
    StreamMissing,
    StreamSpec,
    area_filter,
)

SPEC = ConsumerSpec("reader", (area_filter("table"),))


def messages(*ids: str) -> list[OutboundMessage]:
    return [OutboundMessage(f"meldhall.table.0.t.E{i}", i, i.encode(), {"traceparent": "x"}) for i in ids]


@contextmanager
def frozen(hall: Hall) -> Iterator[None]:
    """A server that holds its connections and answers nothing."""
    pid = hall.nats.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.001)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


async def ready(bus: JetStreamBus) -> None:
    assert await bus.wait_connected(5)
    await bus.ensure_stream()


async def test_n18_the_stream_is_made_as_declared_and_again_without_change(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_stream()
        config = (await bus._js.stream_info(EVENTS_STREAM)).config
    assert config.subjects == ["meldhall.>"]
    assert config.retention == "limits"
    assert config.storage == "file"
    assert config.discard == "old"
    assert config.max_age == 14 * 86_400
    assert config.duplicate_window == 600
    assert config.deny_delete
    assert config.num_replicas == 1


async def test_a_changed_declaration_is_carried_out(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_consumer(SPEC)
    async with hall.bus(stream=StreamSpec(max_age=3600)) as bus:
        await ready(bus)
        await bus.ensure_consumer(ConsumerSpec("reader", (area_filter("ledger"),), max_ack_pending=9))
        stream = (await bus._js.stream_info(EVENTS_STREAM)).config
        consumer = (await bus._js.consumer_info(EVENTS_STREAM, "reader")).config
    assert stream.max_age == 3600
    assert consumer.filter_subjects == ["meldhall.ledger.>"] or consumer.filter_subject == "meldhall.ledger.>"
    assert consumer.max_ack_pending == 9
    assert consumer.max_deliver == -1


async def test_a_setting_that_cannot_be_changed_is_an_error_that_names_it(hall: Hall) -> None:
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        await bus._js.add_stream(name=EVENTS_STREAM, subjects=["meldhall.>"], storage=api.StorageType.MEMORY)
        with pytest.raises(
            IncompatibleConfig, match=r"MELDHALL_EVENTS.*storage: declared file, found memory"
        ):
            await bus.ensure_stream()
        await bus._js.add_consumer(
            EVENTS_STREAM,
            durable_name="reader",
            name="reader",
            deliver_policy=api.DeliverPolicy.NEW,
            filter_subjects=["meldhall.table.>"],
        )
        with pytest.raises(IncompatibleConfig, match=r"reader.*deliver_policy: declared all, found new"):
            await bus.ensure_consumer(SPEC)


async def test_another_stream_on_our_subjects_is_an_error_and_not_an_outage(hall: Hall) -> None:
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        await bus._js.add_stream(name="OTHER", subjects=["meldhall.table.>"])
        with pytest.raises(IncompatibleConfig, match="overlap"):
            await bus.ensure_stream()


async def test_messages_are_stored_in_order_with_their_headers(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        acks = await bus.publish(messages("a", "b", "c"))
        assert [(ack.sequence, ack.duplicate) for ack in acks] == [(1, False), (2, False), (3, False)]
        stored = await bus.stored_message(2)
        assert stored is not None
        assert stored.subject == "meldhall.table.0.t.Eb"
        assert stored.headers["traceparent"] == "x"
        assert await bus.stored_message(4) is None
        assert await bus.publish([]) == ()


async def test_n4_a_duplicate_is_a_success_and_the_next_message_is_stored_after_it(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.publish(messages("a", "b"))
        acks = await bus.publish(messages("a", "b", "c"))
        assert [(ack.sequence, ack.duplicate) for ack in acks] == [(1, True), (2, True), (3, False)]
        assert (await bus.stream_state()).messages == 3


async def test_n4_a_publish_without_an_answer_is_uncertain_and_safe_to_repeat(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_messaging.jetstream.ACK_TIMEOUT", 0.3)
    async with hall.bus() as bus:
        await ready(bus)
        with frozen(hall), pytest.raises(PublishUncertain, match="3 of 3"):
            await bus.publish(messages("a", "b", "c"))
        await until(lambda: bus._js.publish_async_pending() == 0)
        monkeypatch.undo()
        # The server finds them in its socket when it wakes up.
        await asyncio.sleep(0.1)
        acks = await bus.publish(messages("a", "b", "c"))
        assert all(ack.duplicate for ack in acks)
        assert (await bus.stream_state()).messages == 3


async def test_n4_nothing_is_published_and_nothing_is_buffered_without_a_connection(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await hall.nats.kill()
        await until(lambda: not bus.connected)
        started = time.monotonic()
        with pytest.raises(BusUnavailable, match="not connected"):
            await bus.publish(messages("a"))
        with pytest.raises(BusUnavailable, match="not connected"):
            await bus.ping(1)
        assert time.monotonic() - started < 0.2
        await hall.nats.start()
        assert await bus.wait_connected(5)
        assert bus.connections == 2
        assert (await bus.stream_state()).messages == 0


async def test_a_connection_that_is_lost_ends_the_wait_for_acknowledgements(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        with frozen(hall):
            publishing = asyncio.create_task(bus.publish(messages("a", "b")))
            await asyncio.sleep(0.1)
            started = time.monotonic()
            await hall.nats.kill()
            with pytest.raises(PublishUncertain, match="connection was lost"):
                await publishing
            assert time.monotonic() - started < 2


async def test_n9_a_cancelled_publish_leaves_nothing_behind(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        with frozen(hall):
            publishing = asyncio.create_task(bus.publish(messages("a", "b")))
            await asyncio.sleep(0.1)
            publishing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await publishing
        await until(lambda: bus._js.publish_async_pending() == 0)
        assert len(await bus.publish(messages("c"))) == 1


async def test_a_message_that_is_too_large_is_refused_and_not_tried_for_ever(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        with pytest.raises(PublishRefused, match="MaxPayload"):
            await bus.publish([OutboundMessage("meldhall.table.0.t.Big", "big", bytes(2**21))])


async def test_n16_a_missing_stream_is_told_from_an_outage(hall: Hall) -> None:
    async with hall.bus() as bus:
        assert await bus.wait_connected(5)
        with pytest.raises(StreamMissing):
            await bus.publish(messages("a"))
        with pytest.raises(StreamMissing):
            await bus.stream_state()
        with pytest.raises(StreamMissing):
            await bus.stored_message(1)
        with pytest.raises(StreamMissing):
            await bus.ensure_consumer(SPEC)


async def test_n6_readiness_is_a_round_trip_and_not_the_clients_opinion(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        assert 0 < await bus.ping(2) < 2
        with frozen(hall):
            assert bus.connected
            for _ in range(3):
                with pytest.raises(BusUnavailable, match=r"within 0\.1 s"):
                    await bus.ping(0.1)
        # The late answer must not break the client, which would go on to say "connected".
        await bus.ping(5)
        await bus.check_ready()
        assert (await bus.publish(messages("a")))[0].sequence == 1


async def test_n17_every_fetch_ends_in_time_also_with_a_server_that_answers_nothing(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_consumer(SPEC)
        door = await bus.subscribe("reader")
        for seconds in (0.2, 60.0):
            started = time.monotonic()
            assert await door.fetch(10, seconds) == ()
            assert time.monotonic() - started < 1.5
        with frozen(hall):
            started = time.monotonic()
            assert await door.fetch(10, 0.3) == ()
            assert time.monotonic() - started < 0.8


async def test_n3_a_fetch_finds_messages_again_after_the_server_was_killed(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_consumer(SPEC)
        door = await bus.subscribe("reader")
        assert await door.fetch(10, 0.1) == ()
        await hall.nats.kill()
        await until(lambda: not bus.connected)
        assert await door.fetch(10, 0.1) == ()
        await hall.nats.start()
        assert await bus.wait_connected(5)
        await bus.publish(messages("a", "b"))
        found: list[bytes] = []
        async with asyncio.timeout(5):
            while len(found) < 2:
                for delivery in await door.fetch(10, 1.0):
                    found.append(delivery.data)
                    await delivery.ack()
        assert found == [b"a", b"b"]


async def test_n17_a_fetch_from_a_consumer_that_is_gone_is_an_error(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_consumer(SPEC)
        door = await bus.subscribe("reader")
        await bus._js.delete_consumer(EVENTS_STREAM, "reader")
        with pytest.raises(BusUnavailable):
            await door.fetch(10, 1.0)
        await door.close()


async def test_a_delivery_says_how_often_it_came(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.ensure_consumer(SPEC)
        await bus.publish(messages("a"))
        door = await bus.subscribe("reader")
        (first,) = await door.fetch(1, 1.0)
        await first.nak(0.01)
        (second,) = await door.fetch(1, 1.0)
        await second.ack()
        assert (first.attempt, second.attempt) == (1, 2)
        assert (second.subject, second.sequence, second.data) == ("meldhall.table.0.t.Ea", 1, b"a")
        assert second.headers["Nats-Msg-Id"] == "a"
        assert await door.fetch(1, 0.2) == ()


async def test_n6_a_client_that_closed_for_good_takes_the_service_down_and_an_asked_for_close_does_not(
    hall: Hall,
) -> None:
    async with hall.bus("asked") as bus:
        await ready(bus)
    assert hall.closed == []
    async with hall.bus("broken") as bus:
        await ready(bus)
        # As the client does itself on an error line of the server.
        await bus._client._process_err("'Something Fatal'")
        await until(lambda: hall.closed == ["broken"])
        assert hall.metric("bus_connected") == 0


async def test_the_bus_connects_when_the_server_comes_and_counts_what_went_wrong(hall: Hall) -> None:
    await hall.nats.stop()
    async with hall.bus() as bus:
        assert not await bus.wait_connected(0.1)
        assert not bus.connected
        await until(lambda: hall.metric("bus_errors_total", kind="ConnectionRefusedError") > 0)
        await hall.nats.start()
        assert await bus.wait_connected(5)
        assert hall.metric("bus_connected") == 1


async def test_n8_closing_ends_in_time_with_no_server_before_and_after_a_connection(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await hall.nats.kill()
        await until(lambda: not bus.connected)
        started = time.monotonic()
        await bus.close()
        await bus.close()
    async with hall.bus():
        await asyncio.sleep(0.1)
    assert time.monotonic() - started < 3


async def test_single_messages_cannot_be_deleted(hall: Hall) -> None:
    async with hall.bus() as bus:
        await ready(bus)
        await bus.publish(messages("a"))
        client = await nats_client.connect(hall.nats.url)
        with pytest.raises(nats_client.js.errors.APIError):
            await client.jetstream().delete_msg(EVENTS_STREAM, 1)
        await client.close()
