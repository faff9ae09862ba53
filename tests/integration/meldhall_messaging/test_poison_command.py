"""Stops that are written down, and `meldhall poison` on them, for a consumer over a ledger's database."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import structlog
from rich.console import Console
from tests.fixtures.messaging import NOW_MS, Hall, running
from tests.fixtures.waiting import until

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_cli.faults import CommandFault
from meldhall_cli.poison import retry, show
from meldhall_eventlog.database import Database
from meldhall_ledger.store import migrate, open_database
from meldhall_messaging import (
    Consumer,
    ConsumerSettings,
    ConsumerSpec,
    JetStreamBus,
    PartitionsStopped,
    PoisonMessage,
    StopStore,
    area_filter,
)

# Redelivery is far off: what is tried again is tried because somebody asked.
SLOW = ConsumerSettings(fetch_wait=0.2, retry_first=0.05, poison_retry=600.0)


class Ledger:
    """Processes of one consumer, and commands, over one database."""

    def __init__(self, hall: Hall, url: str, database: Database) -> None:
        self.hall = hall
        self.url = url
        self.stops = StopStore(database)
        self.poison: set[tuple[str, int]] = set()

    async def handle(self, event: EventEnvelope) -> None:
        if (event.stream_id, event.sequence) in self.poison:
            raise PoisonMessage("an account that never was")
        await self.hall.tally.handle(event)

    def consumer(self, bus: JetStreamBus) -> Consumer:
        return Consumer(
            bus,
            ConsumerSpec("tally", (area_filter("table"),), ack_wait=2.0),
            self.handle,
            self.hall.owner.read_missing,
            logger=structlog.get_logger(),
            metrics=self.hall.metrics,
            settings=SLOW,
            stops=self.stops,
            now_ms=lambda: NOW_MS,
        )

    async def listed(self, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
        capsys.readouterr()
        good = await show(data=None, database=self.url, as_json=True, console=Console(stderr=True))
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out.splitlines()[-1])["stopped"]
        assert good is not bool(found)
        return found

    async def retry(self, partition: str | None = None) -> bool:
        return await retry(
            partition, data=None, database=self.url, as_json=True, console=Console(stderr=True)
        )


@pytest_asyncio.fixture
async def ledger(hall: Hall) -> AsyncIterator[Ledger]:
    url = f"sqlite:///{hall.folder / 'ledger.sqlite3'}"
    await asyncio.to_thread(migrate, url)
    database = open_database(url)
    yield Ledger(hall, url, database)
    await database.close()


async def stopped(ledger: Ledger, *partitions: str) -> None:
    """Wait until exactly these are written down."""
    async with asyncio.timeout(15):
        while [stop.partition for stop in await ledger.stops.listed()] != list(partitions):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_a_stop_is_listed_and_a_retry_releases_it_once_the_cause_is_mended(
    hall: Hall, ledger: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.poison = {("t-1", 3)}
    async with hall.bus() as bus, running(hall.relay(bus), part := ledger.consumer(bus)):
        await hall.owner.append("t-1", 6)
        await hall.owner.append("t-2", 6)
        await stopped(ledger, "t-1")
        assert await ledger.listed(capsys) == [
            {
                "consumer": "tally",
                "partition": "t-1",
                "sequence": 3,
                "reason": "an account that never was",
                "stopped_at_ms": NOW_MS,
                "retry_asked": False,
            }
        ]
        with pytest.raises(PartitionsStopped, match=r"tally stands still at t-1$"):
            await part.check_partitions()
        await part.check_ready()
        await until(lambda: len(hall.tally.effects()["t-2"]) == 6)

        assert await ledger.retry("t-1") is False
        assert len(hall.tally.effects()["t-1"]) == 2
        ledger.poison.clear()
        assert await ledger.retry("t-1") is True
        assert len(hall.tally.effects()["t-1"]) == 6
        assert await ledger.listed(capsys) == []
        await part.check_partitions()
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 7)]


async def test_a_stop_is_known_after_a_restart_and_a_retry_asked_in_between_is_carried_out(
    hall: Hall, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_cli.poison.PATIENCE", 0.3)
    ledger.poison = {("t-1", 2)}
    async with hall.bus() as bus, running(hall.relay(bus)):
        async with running(ledger.consumer(bus)):
            await hall.owner.append("t-1", 3)
            await stopped(ledger, "t-1")
        async with running(again := ledger.consumer(bus)):
            await until(lambda: list(again.stopped_partitions) == ["t-1"])
            await hall.owner.append("t-1")
            await until(lambda: hall.metric("consumed_total", consumer="tally", outcome="covered") == 2)
        ledger.poison.clear()
        assert await ledger.retry() is False
        async with running(ledger.consumer(bus)):
            await until(lambda: hall.tally.total() == 4)
            await stopped(ledger)
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 5)]


async def test_a_stop_that_another_process_found_is_shared_and_released_by_applying_what_waits(
    hall: Hall, ledger: Ledger
) -> None:
    ledger.poison = {("t-1", 2)}
    async with hall.bus() as bus, hall.bus("second") as other, running(hall.relay(bus)):
        one, two = ledger.consumer(bus), ledger.consumer(other)
        async with running(one, two):
            await hall.owner.append("t-1", 2)
            await until(lambda: [list(part.stopped_partitions) for part in (one, two)] == [["t-1"]] * 2)
            await hall.owner.append("t-1", 3)
            ledger.poison.clear()
            assert await ledger.retry("t-1") is True
            await until(lambda: not one.stopped_partitions and not two.stopped_partitions)
            await hall.owner.append("t-1", 3)
            await until(lambda: hall.tally.total() == 8)
    assert hall.tally.effects()["t-1"] == [f"t-1:{n}" for n in range(1, 9)]


async def test_what_does_not_stand_still_is_not_tried(ledger: Ledger) -> None:
    with pytest.raises(CommandFault, match="t-9 does not stand still"):
        await ledger.retry("t-9")
    assert await ledger.retry() is True


async def test_stops_are_listed_for_people(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(stderr=True, width=200)
    assert await show(data=None, database=ledger.url, as_json=False, console=console)
    assert "nothing stands still" in capsys.readouterr().err
    async with ledger.hall.bus() as bus, running(ledger.hall.relay(bus), ledger.consumer(bus)):
        ledger.poison = {("t-1", 1)}
        await ledger.hall.owner.append("t-1")
        await stopped(ledger, "t-1")
    await show(data=None, database=ledger.url, as_json=False, console=console)
    said = capsys.readouterr().err
    assert "an account that never was" in said
    assert "2023-11-14 22:13:20Z" in said
