"""`meldhall relay` on the database of a stack that runs, and of one that is stopped."""

import asyncio
import json
from typing import Any

import pytest
from rich.console import Console
from tests.fixtures.messaging import Hall, running
from tests.fixtures.waiting import until

from meldhall_cli.faults import CommandFault
from meldhall_cli.relay import relay as command
from meldhall_eventlog import NamedLease
from meldhall_messaging import EVENTS_STREAM, relay_lease, relay_progress
from meldhall_table.app import RELAY


def lease(hall: Hall, holder: str) -> NamedLease:
    return NamedLease(hall.owner.log.database, relay_lease(RELAY), holder)


async def run(
    hall: Hall, rebuild_from: str | None = None, *, wait: bool = True, as_json: bool = True
) -> bool:
    return await command(
        rebuild_from,
        wait=wait,
        data=None,
        database=f"sqlite:///{hall.folder / 'log.sqlite3'}",
        as_json=as_json,
        console=Console(stderr=True, width=200),
    )


async def asked_for_rebuild(hall: Hall) -> None:
    """Wait until a command asked: it has then seen who relays, and waits for that one."""
    async with asyncio.timeout(30):
        while (await relay_progress(hall.owner.log, RELAY)).rebuild is None:  # noqa: ASYNC110 - it is a row
            await asyncio.sleep(0.01)


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return answer


async def test_a_deleted_stream_is_rebuilt_and_a_new_consumer_ends_equal_to_one_that_saw_it_all(
    hall: Hall, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream_id in ("t-1", "t-2", "t-3"):
        await hall.owner.append(stream_id, 30)
    async with hall.bus() as bus:
        relay = hall.relay(bus, name=RELAY, lease=lease(hall, "engine-1"), window=7)
        async with running(relay, hall.consumer(bus)):
            await until(lambda: hall.tally.total() == 90)
            everything = hall.tally.effects()
            await hall.delete_stream(EVENTS_STREAM)
            hall.tally.forget()
            assert await run(hall, "0")
            answer = told(capsys)
            assert (answer["holder"], answer["left"], answer["finished"]) == ("engine-1", 0, True)
            assert answer["rebuild_waiting"] is None
            await until(lambda: hall.tally.total() == 90)
        assert hall.tally.effects() == everything
        assert (await bus.stream_state()).messages == 90
    assert hall.metric("relay_rewinds_total", relay=RELAY, reason="asked") == 1


async def test_a_rebuild_asked_for_while_nothing_runs_is_carried_out_by_the_next_relay(
    hall: Hall, capsys: pytest.CaptureFixture[str]
) -> None:
    await hall.owner.append("t-1", 10)
    async with hall.bus() as bus:
        async with running(hall.relay(bus, name=RELAY, lease=lease(hall, "engine-1")), hall.consumer(bus)):
            await until(lambda: hall.tally.total() == 10)
        hall.tally.forget()
        assert await run(hall, "4")
        answer = told(capsys)
        assert (answer["holder"], answer["rebuild_waiting"], answer["finished"]) == (None, "0/4", False)
        async with running(hall.relay(bus, name=RELAY, lease=lease(hall, "engine-2")), hall.consumer(bus)):
            # The six that are published again show the consumer that it lacks the first four.
            await until(lambda: hall.tally.total() == 10)
            await until(lambda: hall.metric("relay_published_total", relay=RELAY) == 16)
            assert await run(hall)
            assert told(capsys)["finished"] is True


async def test_the_command_says_what_waits_and_does_not_wait_itself(
    hall: Hall, capsys: pytest.CaptureFixture[str]
) -> None:
    await hall.owner.append("t-1", 5)
    await lease(hall, "engine-1").acquire()
    assert await run(hall, "0", wait=False)
    answer = told(capsys)
    assert (answer["left"], answer["rebuild_waiting"], answer["rebuild_from"]) == (5, "0/0", "0")
    assert await run(hall, as_json=False)
    said = capsys.readouterr().err
    assert "relay table-engine: engine-1 (epoch 1)" in said
    assert "5 public events wait" in said
    assert "rebuild from 0/0 is asked for" in said


async def test_waiting_ends_when_nobody_relays_any_more(
    hall: Hall, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_cli.relay.PATIENCE", 0.5)
    await hall.owner.append("t-1", 5)
    dying = lease(hall, "engine-1")
    await dying.acquire()
    waiting = asyncio.create_task(run(hall, "0"))
    await asked_for_rebuild(hall)
    await dying.release()
    async with asyncio.timeout(10):
        assert await waiting is False
    assert told(capsys)["holder"] is None


@pytest.mark.parametrize("text", ["", "-1", "start", "1/2/3"])
async def test_what_is_no_position_is_refused(hall: Hall, text: str) -> None:
    with pytest.raises(CommandFault, match="--rebuild-from takes 0"):
        await run(hall, text)
