"""Consumers when events fail, are poison, are missing or are not events at all."""

import asyncio
from collections.abc import Sequence

import pytest
import structlog
from tests.fixtures.messaging import Hall, running
from tests.fixtures.waiting import until

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_messaging import (
    Consumer,
    ConsumerSettings,
    ConsumerSpec,
    JetStreamBus,
    OutboundMessage,
    PoisonMessage,
    Subject,
    area_filter,
    encode,
)

QUICK = ConsumerSettings(fetch_wait=0.2, retry_first=0.05, retry_most=0.2, poison_retry=0.3)
UUID = "5b3f4bd8-1d4e-4a0f-9a53-0d6f3f5c0c1"


def envelope(stream: str, sequence: int, digit: str = "0") -> EventEnvelope:
    return EventEnvelope(
        event_id=f"{UUID}{digit}",
        stream_id=stream,
        version=sequence,
        sequence=sequence,
        type="meldhall.table.v1.MoveMade",
        schema_version=1,
        payload=f"{stream}:{sequence}".encode(),
    )


def message(stream: str, sequence: int, data: bytes | None = None) -> OutboundMessage:
    subject = str(Subject("table", 7, stream, "MoveMade"))
    return OutboundMessage(
        subject, f"{stream}/{sequence}", encode(envelope(stream, sequence)) if data is None else data
    )


class Moody:
    """A handler that refuses some events for as long as the test wants."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self.poison: set[tuple[str, int]] = set()
        self.failing: set[tuple[str, int]] = set()
        self.seen: list[tuple[str, int]] = []

    async def handle(self, event: EventEnvelope) -> None:
        key = (event.stream_id, event.sequence)
        self.seen.append(key)
        if key in self.poison:
            raise PoisonMessage("an account that never was")
        if key in self.failing:
            raise RuntimeError("the database is busy")
        await self._hall.tally.handle(event)


def consumer(hall: Hall, bus: JetStreamBus, moody: Moody, settings: ConsumerSettings = QUICK) -> Consumer:
    return Consumer(
        bus,
        ConsumerSpec("tally", (area_filter("table"),), ack_wait=2.0),
        moody.handle,
        hall.owner.read_missing,
        logger=structlog.get_logger(),
        metrics=hall.metrics,
        settings=settings,
    )


async def test_poison_stops_its_partition_only_and_nothing_of_it_is_skipped_when_it_is_healed(
    hall: Hall,
) -> None:
    moody = Moody(hall)
    moody.poison = {("t-1", 3)}
    async with hall.bus() as bus, running(hall.relay(bus), part := consumer(hall, bus, moody)):
        await hall.owner.append("t-1", 6)
        await hall.owner.append("t-2", 6)
        await until(lambda: len(hall.tally.effects().get("t-2", [])) == 6)
        await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="covered") == 3)
        assert hall.tally.effects()["t-1"] == ["t-1:1", "t-1:2"]
        assert part.stopped_partitions["t-1"].sequence == 3
        assert "an account that never was" in part.stopped_partitions["t-1"].reason
        assert hall.metric("partitions_stopped", consumer="tally") == 1
        await part.check_ready()

        moody.poison.clear()
        await until(lambda: len(hall.tally.effects()["t-1"]) == 6)
        await until(lambda: part.stopped_partitions == {})
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 7)]
    assert hall.metric("partitions_stopped", consumer="tally") == 0


async def test_a_new_process_that_knows_nothing_of_the_stop_still_applies_all_that_was_held_back(
    hall: Hall,
) -> None:
    moody = Moody(hall)
    moody.poison = {("t-1", 2)}
    async with hall.bus() as bus, running(hall.relay(bus)):
        async with running(consumer(hall, bus, moody)):
            await hall.owner.append("t-1", 5)
            await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="covered") == 3)
        moody.poison.clear()
        async with running(consumer(hall, bus, moody)):
            await until(lambda: hall.tally.total() == 5)
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 6)]


async def test_poison_found_while_catching_up_stops_the_partition_at_that_event(hall: Hall) -> None:
    moody = Moody(hall)
    moody.poison = {("t-1", 2), ("t-1", 4)}
    async with hall.bus() as bus, running(hall.relay(bus), part := consumer(hall, bus, moody)):
        await hall.owner.append("t-1", 5)
        await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="covered") == 3)
        moody.poison.discard(("t-1", 2))
        await until(lambda: hall.tally.total() == 3)
        await until(lambda: part.stopped_partitions["t-1"].sequence == 4)
        moody.poison.clear()
        await until(lambda: hall.tally.total() == 5)
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 6)]


async def test_a_stop_outlives_the_message_that_caused_it(hall: Hall) -> None:
    moody = Moody(hall)
    moody.poison = {("t-1", 2)}
    settings = ConsumerSettings(retry_first=0.05, poison_retry=0.1, fetch_wait=0.1)
    async with hall.bus() as bus:
        async with running(hall.relay(bus)):
            await hall.owner.append("t-1", 4)
            await until(lambda: hall.metric("relay_published_total", relay="table") == 4)
        spec = ConsumerSpec("tally", (area_filter("table"),), ack_wait=1.0)
        part = Consumer(
            bus,
            spec,
            moody.handle,
            hall.owner.read_missing,
            logger=structlog.get_logger(),
            metrics=hall.metrics,
            settings=settings,
        )
        async with running(part):
            await until(lambda: "t-1" in part.stopped_partitions)
            await bus._js.purge_stream("MELDHALL_EVENTS")
            before = len(moody.seen)
            await until(lambda: len(moody.seen) > before + 1, 10)
            assert "t-1" in part.stopped_partitions
            moody.poison.clear()
            await until(lambda: hall.tally.total() == 4)
            await until(lambda: part.stopped_partitions == {})


async def test_a_failure_is_tried_again_and_the_order_is_kept(hall: Hall) -> None:
    moody = Moody(hall)
    moody.failing = {("t-1", 2)}
    async with hall.bus() as bus, running(hall.relay(bus), part := consumer(hall, bus, moody)):
        await hall.owner.append("t-1", 4)
        await hall.owner.append("t-2", 2)
        await until(lambda: moody.seen.count(("t-1", 2)) >= 3)
        assert hall.tally.effects()["t-1"] == ["t-1:1"]
        moody.failing.clear()
        await until(lambda: hall.tally.total() == 6)
        assert part.stopped_partitions == {}
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 5)]
    assert hall.metric("consumed_total", consumer="tally", outcome="retried") > 0


async def test_a_failure_that_never_ends_becomes_a_stop(hall: Hall) -> None:
    moody = Moody(hall)
    moody.failing = {("t-1", 1)}
    settings = ConsumerSettings(
        fetch_wait=0.2, retry_first=0.02, retry_most=0.02, max_attempts=3, poison_retry=30
    )
    async with hall.bus() as bus, running(hall.relay(bus), part := consumer(hall, bus, moody, settings)):
        await hall.owner.append("t-1", 1)
        await until(lambda: "t-1" in part.stopped_partitions)
        assert part.stopped_partitions["t-1"].reason == "RuntimeError, 3 times"
    assert moody.seen == [("t-1", 1)] * 3


async def test_n11_a_handler_that_hangs_is_cut_off_and_tried_again(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    async def hang_once(event: EventEnvelope) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.sleep(60)
        await hall.tally.handle(event)

    moody = Moody(hall)
    monkeypatch.setattr(moody, "handle", hang_once)
    settings = ConsumerSettings(handler_timeout=0.1, retry_first=0.05, fetch_wait=0.2)
    async with hall.bus() as bus, running(hall.relay(bus), consumer(hall, bus, moody, settings)):
        await hall.owner.append("t-1", 1)
        await until(lambda: hall.tally.total() == 1)


async def test_n11_long_work_is_not_delivered_a_second_time(hall: Hall) -> None:
    calls: list[int] = []

    async def slow(event: EventEnvelope) -> None:
        calls.append(event.sequence)
        await asyncio.sleep(0.9)
        await hall.tally.handle(event)

    async with hall.bus() as bus:
        part = Consumer(
            bus,
            ConsumerSpec("tally", (area_filter("table"),), ack_wait=0.4),
            slow,
            hall.owner.read_missing,
            logger=structlog.get_logger(),
            metrics=hall.metrics,
        )
        async with running(hall.relay(bus), part):
            await hall.owner.append("t-1", 2)
            await until(lambda: hall.tally.total() == 2)
    assert calls == [1, 2]


async def test_missing_events_are_read_from_the_owner_first(hall: Hall) -> None:
    await hall.owner.append("t-1", 25)
    async with hall.bus() as bus, running(consumer(hall, bus, Moody(hall))):
        await bus.wait_connected(5)
        await bus.ensure_stream()
        await bus.publish([message("t-1", 24)])
        await until(lambda: hall.tally.total() == 24)
        await bus.publish([message("t-1", 25)])
        await until(lambda: hall.tally.total() == 25)
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 26)]
    assert hall.metric("gaps_total", consumer="tally") == 1


async def test_a_gap_that_the_owner_cannot_fill_yet_waits_and_nothing_is_applied_out_of_order(
    hall: Hall,
) -> None:
    answers: list[EventEnvelope] = []

    async def read_missing(stream_id: str, after: int) -> Sequence[EventEnvelope]:
        return [answer for answer in answers if answer.sequence > after]

    async with hall.bus() as bus:
        part = Consumer(
            bus,
            ConsumerSpec("tally", (area_filter("table"),), ack_wait=2.0),
            hall.tally.handle,
            read_missing,
            logger=structlog.get_logger(),
            metrics=hall.metrics,
            settings=QUICK,
        )
        async with running(part):
            await bus.wait_connected(5)
            await bus.ensure_stream()
            await bus.publish([message("t-1", 3)])
            await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="retried") >= 2)
            answers[:] = [envelope("t-1", 2)]
            await asyncio.sleep(0.3)
            assert hall.tally.total() == 0
            answers[:] = [envelope("t-1", 1), envelope("t-1", 2)]
            await until(lambda: hall.tally.total() == 3)
    assert hall.tally.effects() == {"t-1": ["t-1:1", "t-1:2", "t-1:3"]}


async def test_bytes_that_are_no_event_stop_the_partition_of_their_subject_and_no_other(hall: Hall) -> None:
    async with hall.bus() as bus, running(part := consumer(hall, bus, Moody(hall))):
        await bus.wait_connected(5)
        await bus.ensure_stream()
        forged = message("t-9", 1, encode(envelope("t-3", 1, "9")))
        await bus.publish([message("t-1", 1, b"\xff\xff\xff"), message("t-2", 1), forged])
        await bus.publish([OutboundMessage("meldhall.table.garbage", "x", b"")])
        await until(lambda: hall.tally.total() == 1)
        await until(lambda: len(part.stopped_partitions) == 3)
        assert set(part.stopped_partitions) == {"t-1", "t-9", "meldhall.table.garbage"}
        await bus.publish([message("t-2", 2)])
        await until(lambda: len(hall.tally.effects()["t-2"]) == 2)


async def test_a_consumer_that_was_deleted_is_made_again(hall: Hall) -> None:
    async with hall.bus() as bus, running(hall.relay(bus), consumer(hall, bus, Moody(hall))):
        await hall.owner.append("t-1", 2)
        await until(lambda: hall.tally.total() == 2)
        await bus._js.delete_consumer("MELDHALL_EVENTS", "tally")
        await hall.owner.append("t-1", 2)
        await until(lambda: hall.tally.total() == 4, 15)
