"""Tables that leave the memory of their engine, and are read back."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.tables import (
    DRAW,
    OPEN,
    Engine,
    Sitter,
    kept_for,
    new_table,
    refusal,
    table_engine,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_contracts.ids import table_id_of
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import Append, StoredEvent
from meldhall_runtime.testing import Keys, ManualClock, service
from meldhall_table.domain.state import Status


async def test_a_stream_is_claimed_before_anything_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, asked = Keys(), []
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
    for name in ("claim", "read_stream", "load_snapshot"):
        real = getattr(SqlEventLog, name)

        def noted(log: SqlEventLog, *args: Any, _name: str = name, _real: Any = real, **more: Any) -> Any:
            asked.append(_name)
            return _real(log, *args, **more)

        monkeypatch.setattr(SqlEventLog, name, noted)
    async with table_engine(tmp_path, keys=keys) as engine:
        await until(lambda: "read_stream" in asked)
        anna = await Sitter(await engine.stub("anna"), table_id, "anna").join()
        assert anna.view.version > 3, "the time in which nobody served it was given back before"
    assert asked[0] == "claim"
    assert asked.count("claim") == 1


async def test_a_table_that_nobody_needs_leaves_the_memory_and_comes_back(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock, idle_seconds=5) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        anna = Sitter(await engine.stub("anna"), table_id, "anna")
        joined = await anna.stub.Join(pb.JoinRequest(table_id=table_id, command_id="join"))
        watching = anna.stub.Watch(pb.WatchRequest(table_id=table_id, after_version=3))
        await until(lambda: engine.sample("meldhall_table_watchers_open") == 1)
        await tick(clock, 10)
        assert engine.sample("meldhall_table_tables_live") == 1, "somebody watches"
        watching.cancel()
        await until(lambda: engine.sample("meldhall_table_watchers_open") == 0)
        await gone(clock, engine, 1)
        # It comes back with whoever asks next: for a repeat, a refusal, and a new command.
        assert await anna.stub.Join(pb.JoinRequest(table_id=table_id, command_id="join")) == joined
        assert (await refusal(anna.act(DRAW))).reason == "ROUND_NOT_STARTED"
        await Sitter(await engine.stub("ben"), table_id, "ben").join()
        assert engine.sample("meldhall_table_activations_total", outcome="ok") == 1


async def test_a_table_at_which_something_is_due_stays(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock, idle_seconds=5) as engine:
        await engine.open(new_table(kept_for("anna"), OPEN, join_ms=60_000))
        await tick(clock, 30)
        assert engine.sample("meldhall_table_tables_live") == 1
        assert engine.sample("meldhall_table_evictions_total") == 0


async def test_a_table_sleeps_until_something_is_due_also_at_the_next_owner(tmp_path: Path) -> None:
    clock, keys = ManualClock(), Keys()
    async with table_engine(tmp_path, clock=clock, keys=keys, idle_seconds=5) as engine:
        here = await engine.open(new_table(kept_for("anna"), OPEN, join_ms=120_000))
        later = await engine.open(new_table(kept_for("anna"), OPEN, join_ms=300_000, command_id="later"))
        await gone(clock, engine, 2)
        await tick(clock, 120)
        await closes(engine, here)
        assert (await engine.steps(later))[-1].version == 2
    async with table_engine(tmp_path, clock=clock, keys=keys, idle_seconds=5) as engine:
        await tick(clock, 60)
        assert engine.sample("meldhall_table_activations_total", outcome="ok") == 0
        await tick(clock, 240)
        await closes(engine, later)
        assert engine.sample("meldhall_table_activations_total", outcome="ok") == 1
        kinds = [type(step.event).__name__ for step in await engine.steps(later)]
        assert kinds[-2:] == ["DeadlineMoved", "TableClosed"]


async def closes(engine: Engine, table_id: str) -> None:
    async with asyncio.timeout(20):
        while (await engine.steps(table_id))[-1].table.status is not Status.CLOSED:  # noqa: ASYNC110 - the engine's work
            await asyncio.sleep(0.05)


async def gone(clock: ManualClock, engine: Engine, evicted: int) -> None:
    """Let time pass until so many tables have left the memory, and none is left there."""
    async with asyncio.timeout(20):
        while engine.sample("meldhall_table_evictions_total") < evicted:
            await tick(clock, 1)
        while engine.sample("meldhall_table_tables_live"):
            await tick(clock, 1)


async def test_a_table_that_is_opened_and_read_back_at_the_same_time_is_kept_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, read = SqlEventLog.append, SqlEventLog.read_stream
    committed, reading, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def answered_late(log: SqlEventLog, request: Append) -> tuple[StoredEvent, ...]:
        stored = await append(log, request)
        if request.expected_version == 0:
            committed.set()
            await reading.wait()
        return stored

    async def read_late(log: SqlEventLog, stream_id: str, **more: int) -> Sequence[StoredEvent]:
        reading.set()
        await go_on.wait()
        return await read(log, stream_id, **more)

    monkeypatch.setattr(SqlEventLog, "append", answered_late)
    async with table_engine(tmp_path) as engine:
        monkeypatch.setattr(SqlEventLog, "read_stream", read_late)
        table_id = table_id_of("host", "open")
        viewer = await engine.stub(service())
        opening = asyncio.create_task(engine.open(new_table(OPEN, OPEN, command_id="open")))
        await committed.wait()
        early = viewer.Watch(pb.WatchRequest(table_id=table_id))
        first = asyncio.create_task(early.read())
        assert await opening == table_id
        late = viewer.Watch(pb.WatchRequest(table_id=table_id))
        assert (await late.read()).snapshot.version == 2
        go_on.set()
        assert (await first).snapshot.version == 2
        await engine.seat(table_id, "anna")
        for watching in (early, late):
            assert (await watching.read()).event.seat_taken.player_id == "anna"
            watching.cancel()


async def tick(clock: ManualClock, seconds: int) -> None:
    for _ in range(seconds):
        await clock.advance(1)
        await asyncio.sleep(0.01)
