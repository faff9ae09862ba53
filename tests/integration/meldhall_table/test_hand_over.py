"""Tables that go from one engine to another: at its end, when it is slow, and when it has lost its lease."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    QUICK_LEASES,
    Sitter,
    evenly,
    events_of,
    new_table,
    opened_at,
    refusal,
    shards_of,
    table_engine,
    table_engines,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.errors import LogUnavailable
from meldhall_eventlog.leases import ShardLeases
from meldhall_eventlog.sql import SqlEventLog
from meldhall_runtime.testing import Keys, service
from meldhall_table.owner.lag import IN_TIME, TOO_LATE, LagWatch
from meldhall_table.store.audit import audit_table
from meldhall_table.store.stream import SHARDS


async def test_a_table_is_handed_over_with_its_viewers_and_goes_on_without_a_gap(tmp_path: Path) -> None:
    await hand_a_table_over(tmp_path)


async def test_a_table_is_handed_over_on_postgresql_as_well(tmp_path: Path, postgres_url: str) -> None:
    await hand_a_table_over(tmp_path, database_url=postgres_url)


async def hand_a_table_over(folder: Path, **settings: Any) -> None:
    async with table_engines(folder, 2, **settings) as (leaving, staying):
        table_id = await opened_at(leaving, BOT, BOT, BOT, bot_move_ms=50, rounds=3)
        stub = await leaving.stub(service())
        watching = stub.Watch(pb.WatchRequest(table_id=table_id, after_version=0))
        before = asyncio.create_task(watched(watching))
        await asyncio.sleep(0.3)
        await leaving.running.runtime.stop()
        seen = await before
        away = seen[-1].go_away
        assert away.reason == pb.GO_AWAY_REASON_MOVED
        assert away.address == staying.address
        versions = [message.event.version for message in seen[:-1]]
        assert versions == list(range(1, away.resume_version + 1))
        there = await staying.stub(service())
        request = pb.WatchRequest(table_id=table_id, after_version=away.resume_version)
        async with asyncio.timeout(20):
            rest = events_of(await watched(there.Watch(request), 12))
        first = away.resume_version + 1
        assert [event.version for event in rest] == list(range(first, first + 12))
        # The bots' turn began anew where it was, with the pause given back.
        assert rest[0].deadline_moved.outage_ms < 5_000
        assert staying.sample("meldhall_table_snapshots_total", outcome="failed") == 0
    assert await differences(staying.url, table_id) is None


async def test_commands_are_known_again_at_the_next_owner(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as (leaving, staying):
        table_id = await opened_at(leaving, OPEN, OPEN)
        anna = Sitter(await leaving.stub("anna"), table_id, "anna")
        request = pb.JoinRequest(table_id=table_id, command_id="join")
        joined = await anna.stub.Join(request)
        early = pb.ActRequest(table_id=table_id, command_id="early", move=DRAW)
        assert (await refusal(anna.stub.Act(early))).reason == "ROUND_NOT_STARTED"
        await leaving.running.runtime.stop()
        there = await staying.stub("anna")
        await until(lambda: shards_of(staying) == SHARDS, 20)
        assert await there.Join(request) == joined
        # A refused command left no trace: it is decided anew, and refused for what holds now.
        await there.Leave(pb.LeaveRequest(table_id=table_id, command_id="leave"))
        assert (await refusal(there.Act(early))).reason == "NOT_AT_TABLE"
        other = pb.JoinRequest(table_id=table_id, command_id="join", client_seed=b"x" * 16)
        assert (await refusal(there.Join(other))).reason == "COMMAND_ID_REUSED"


async def test_an_engine_whose_heartbeat_fails_steps_down_and_another_gives_the_time_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = ShardLeases.beat
    silent: set[str] = set()

    async def failing(leases: ShardLeases, instance: str, address: str, *, draining: bool = False) -> None:
        if address in silent:
            raise LogUnavailable("the network is gone")
        await beat(leases, instance, address, draining=draining)

    monkeypatch.setattr(ShardLeases, "beat", failing)
    async with table_engines(tmp_path, 2, **QUICK_LEASES) as (failed, other):
        table_id = await opened_at(failed, OPEN, OPEN, turn_ms=60_000)
        anna = Sitter(await failed.stub("anna"), table_id, "anna")
        await anna.join()
        await Sitter(await failed.stub("ben"), table_id, "ben").join()
        before = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        watching = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        await watching.read()
        silent.add(failed.address)
        away = (await watching.read()).go_away
        assert (away.reason, away.resume_version) == (pb.GO_AWAY_REASON_MOVED, before.version)
        assert failed.sample("meldhall_table_step_downs_total") == 1
        answer = await refusal(anna.stub.Act(pb.ActRequest(table_id=table_id, command_id="1", move=DRAW)))
        assert answer.reason == "NOT_OWNER"
        await until(lambda: shards_of(other) == SHARDS, 20)
        there = Sitter(await other.stub("anna"), table_id, "anna")
        after = await there.look()
        call = there.stub.Watch(pb.WatchRequest(table_id=table_id, after_version=before.version))
        moved = (await watched(call, 1))[0].event.deadline_moved
        assert 1_000 <= moved.outage_ms < 20_000
        assert after.deadline_unix_ms == before.deadline_unix_ms + moved.outage_ms
        # Once its heartbeats arrive again, the engine gets its share again.
        silent.clear()
        await until(lambda: evenly([failed, other]), 20)
    assert await differences(other.url, table_id) is None


async def differences(url: str, table_id: str) -> str | None:
    log = await SqlEventLog.open(url)
    try:
        return (await audit_table(log, table_id)).difference
    finally:
        await log.close()


async def test_an_engine_at_the_same_address_need_not_wait_for_a_dead_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = Keys()
    resign = ShardLeases.resign

    async def forgotten(_leases: ShardLeases, _instance: str) -> None:
        """Nothing, as for a process that was killed."""

    monkeypatch.setattr(ShardLeases, "resign", forgotten)
    async with table_engine(tmp_path, keys=keys, advertise="engine:1") as engine:
        await engine.open(new_table(OPEN, OPEN))
    monkeypatch.setattr(ShardLeases, "resign", resign)
    async with table_engine(tmp_path, keys=keys, advertise="engine:1") as engine:
        assert shards_of(engine) == SHARDS
    async with table_engine(tmp_path, keys=keys, advertise="engine:2") as engine:
        assert shards_of(engine) == SHARDS


async def test_a_lagging_engine_gives_its_tables_away_and_is_not_ready_until_it_is_fit_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches: list[LagWatch] = []

    async def recorded(watch: LagWatch) -> None:
        watches.append(watch)
        await asyncio.Event().wait()

    monkeypatch.setattr(LagWatch, "run", recorded)
    async with table_engines(tmp_path, 2) as (slow, other):
        table_id = await opened_at(slow, OPEN, OPEN)
        readiness = slow.running.runtime.readiness
        for _ in range(TOO_LATE):
            await watches[0].measured(60.0)
        await until(lambda: shards_of(other) == SHARDS, 20)
        assert shards_of(slow) == 0
        assert [one.name for one in await readiness.report() if one.blocks] == ["leases"]
        joined = await Sitter(await other.stub("anna"), table_id, "anna").join()
        assert joined.view.version == 4, "opened, the time given back, joined"
        for _ in range(IN_TIME):
            await watches[0].measured(0.0)
        await until(lambda: evenly([slow, other]), 20)
        assert [one.name for one in await readiness.report() if one.blocks] == []


async def test_a_lagging_engine_that_is_alone_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches: list[LagWatch] = []

    async def recorded(watch: LagWatch) -> None:
        watches.append(watch)
        await asyncio.Event().wait()

    monkeypatch.setattr(LagWatch, "run", recorded)
    async with table_engine(tmp_path) as engine:
        for _ in range(TOO_LATE):
            await watches[0].measured(60.0)
        assert shards_of(engine) == SHARDS
        await engine.open(new_table(OPEN, OPEN))
        assert not any(one.blocks for one in await engine.running.runtime.readiness.report())


async def test_a_slow_engine_takes_what_nobody_fit_is_left_to_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches: list[LagWatch] = []

    async def recorded(watch: LagWatch) -> None:
        watches.append(watch)
        await asyncio.Event().wait()

    monkeypatch.setattr(LagWatch, "run", recorded)
    async with table_engines(tmp_path, 3) as (first, second, fit):
        engines = (first, second)
        for watch in watches[:2]:
            for _ in range(TOO_LATE):
                await watch.measured(60.0)
        await until(lambda: shards_of(fit) == SHARDS, 20)
        await fit.running.runtime.stop()
        await until(lambda: sum(shards_of(engine) for engine in engines) == SHARDS, 20)
        served = max(engines, key=shards_of).running.runtime.readiness
        assert not any(one.blocks for one in await served.report())
        for watch in watches[:2]:
            for _ in range(IN_TIME):
                await watch.measured(0.0)
        await until(lambda: evenly(list(engines)), 20)


async def test_states_are_kept_in_play_and_read_back_by_the_next_owner(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2, snapshot_events=20) as (leaving, staying):
        table_id = await opened_at(leaving, BOT, BOT, BOT, bot_move_ms=5, rounds=3)
        await until(lambda: leaving.sample("meldhall_table_snapshots_total", outcome="written") >= 3, 20)
        await leaving.running.runtime.stop()
        stub = await staying.stub(service())
        async with asyncio.timeout(20):
            await watched(stub.Watch(pb.WatchRequest(table_id=table_id, after_version=1)), 100)
    assert await differences(staying.url, table_id) is None
