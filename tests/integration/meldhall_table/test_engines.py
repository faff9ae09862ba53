"""Several engines over one log: who owns what, and what everybody else is told."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    QUICK_LEASES,
    Sitter,
    evenly,
    events_of,
    kept_for,
    new_table,
    opened_at,
    refusal,
    shards_of,
    table_engine,
    table_engines,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.errors import LogUnavailable
from meldhall_eventlog.leases import ShardLeases
from meldhall_eventlog.sql import SqlEventLog
from meldhall_runtime.testing import Keys, ManualClock, service
from meldhall_table.owner.lag import IN_TIME, TOO_LATE, LagWatch
from meldhall_table.store.audit import audit_table
from meldhall_table.store.stream import SHARDS, shard_of

CODE = grpc.StatusCode


async def read_stream(stub: Any, table_id: str) -> list[pb.ReadStreamResponse]:
    return [answer async for answer in stub.ReadStream(pb.ReadStreamRequest(table_id=table_id))]


async def play(stub: Any, table_id: str) -> object:
    call = stub.Play()
    await call.write(pb.PlayRequest(watch=pb.WatchRequest(table_id=table_id)))
    answer = await call.read()
    if answer is grpc.aio.EOF:
        # The status of a stream is in its trailers; raising it is what a unary call does.
        raise grpc.aio.AioRpcError(
            await call.code(), await call.initial_metadata(), await call.trailing_metadata()
        )
    return answer


CALLS: dict[str, Callable[[Any, str], Awaitable[object]]] = {
    "Join": lambda stub, table: stub.Join(pb.JoinRequest(table_id=table, command_id="1")),
    "Leave": lambda stub, table: stub.Leave(pb.LeaveRequest(table_id=table, command_id="1")),
    "Act": lambda stub, table: stub.Act(pb.ActRequest(table_id=table, command_id="1", move=DRAW)),
    "GetHints": lambda stub, table: stub.GetHints(hints_pb.GetHintsRequest(table_id=table)),
    "Watch": lambda stub, table: watched(stub.Watch(pb.WatchRequest(table_id=table)), 1),
    "Play": play,
}


async def test_engines_divide_the_shards_evenly_and_a_new_one_gets_its_share(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as engines:
        assert [shards_of(engine) for engine in engines] == [128, 128]
        keys = engines[0].running.keys
        async with table_engine(tmp_path, keys=keys) as third:
            await until(lambda: evenly([*engines, third]), 20)
            assert min(map(shards_of, [*engines, third])) >= 84
        # The one that left handed its shards over.
        await until(lambda: evenly(engines), 20)


async def test_every_call_is_sent_to_the_owner_by_the_others(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as (owner, other):
        table_id = await opened_at(owner, OPEN, OPEN)
        told = await Sitter(await owner.stub("anna"), table_id, "anna").join()
        stub = await other.stub("anna")
        for name, call in CALLS.items():
            answer = await refusal(call(stub, table_id))
            assert (answer.code, answer.reason) == (CODE.FAILED_PRECONDITION, "NOT_OWNER"), name
            epoch = int(answer.metadata.pop("owner_epoch"))
            assert epoch > 0
            assert answer.metadata == {
                "owner_address": owner.address,
                "shard": str(shard_of(table_id)),
                "table_id": table_id,
            }
        assert told.view.version == 3


async def test_a_table_is_opened_only_by_the_engine_that_will_own_it(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as engines:
        request = new_table(OPEN, OPEN)
        refused, opened = [], []
        for engine in engines:
            stub = await engine.stub("host")
            try:
                opened.append((await stub.CreateTable(request)).table_id)
            except grpc.aio.AioRpcError:
                refused.append((engine, await refusal(stub.CreateTable(request))))
        assert len(opened) == len(refused) == 1
        answer = refused[0][1]
        assert answer.reason == "NOT_OWNER"
        assert answer.metadata["table_id"] == opened[0]
        (owner,) = set(engines) - {refused[0][0]}
        assert answer.metadata["owner_address"] == owner.address


async def test_public_events_are_read_at_any_engine(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as (owner, other):
        table_id = await opened_at(owner, OPEN, OPEN)
        await Sitter(await owner.stub("anna"), table_id, "anna").join()
        both = [await read_stream(await engine.stub(service()), table_id) for engine in (owner, other)]
        assert both[0] == both[1]
        assert [one.envelope.sequence for one in both[1]] == [1, 2]


async def test_answers_carry_the_epoch_in_their_trailing_metadata(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        stub = await engine.stub("anna")
        created = stub.CreateTable(new_table(OPEN, OPEN))
        table_id = (await created).table_id
        joined = stub.Join(pb.JoinRequest(table_id=table_id, command_id="1"))
        await joined
        watching = (await engine.stub(service())).Watch(pb.WatchRequest(table_id=table_id))
        await watching.read()
        await stub.Leave(pb.LeaveRequest(table_id=table_id, command_id="2"))
        while await watching.read() is not grpc.aio.EOF:
            pass
        epochs = [
            dict(await call.trailing_metadata())["meldhall-epoch"] for call in (created, joined, watching)
        ]
        assert len(set(epochs)) == 1
        assert int(epochs[0]) > 0


class Map:
    """A client's map of shards, kept by WatchShards."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.sizes: list[int] = []
        self.owners: dict[int, tuple[str, int]] = {}

    async def follow(self) -> None:
        async for message in self.call:
            self.sizes.append(len(message.owners))
            for one in message.owners:
                assert one.epoch >= self.owners.get(one.shard, ("", 0))[1]
                self.owners[one.shard] = (one.address, one.epoch)

    def addresses(self) -> set[str]:
        return {address for address, _ in self.owners.values()}


async def test_shards_are_told_whole_and_then_by_their_changes_until_the_end(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as first:
        kept = Map((await first.stub("anna")).WatchShards(pb.WatchShardsRequest()))
        following = asyncio.create_task(kept.follow())
        await until(lambda: len(kept.owners) == SHARDS)
        assert kept.sizes == [SHARDS]
        assert kept.addresses() == {first.address}
        async with table_engine(tmp_path, keys=first.running.keys) as second:
            await until(lambda: kept.addresses() == {first.address, second.address}, 20)
            assert max(kept.sizes[1:]) < SHARDS
            await until(lambda: sum(one == second.address for one, _ in kept.owners.values()) == 128, 20)
        await until(lambda: kept.addresses() == {first.address}, 20)
        await first.running.runtime.stop()
        await following


async def test_a_table_is_handed_over_with_its_viewers_and_goes_on_without_a_gap(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2) as (leaving, staying):
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
        await tick(clock, 10)
        assert engine.sample("meldhall_table_tables_live") == 0
        assert engine.sample("meldhall_table_evictions_total") == 1
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


async def tick(clock: ManualClock, seconds: int) -> None:
    for _ in range(seconds):
        await clock.advance(1)
        await asyncio.sleep(0.01)


async def test_states_are_kept_in_play_and_read_back_by_the_next_owner(tmp_path: Path) -> None:
    async with table_engines(tmp_path, 2, snapshot_events=20) as (leaving, staying):
        table_id = await opened_at(leaving, BOT, BOT, BOT, bot_move_ms=5, rounds=3)
        await until(lambda: leaving.sample("meldhall_table_snapshots_total", outcome="written") >= 3, 20)
        await leaving.running.runtime.stop()
        stub = await staying.stub(service())
        async with asyncio.timeout(20):
            await watched(stub.Watch(pb.WatchRequest(table_id=table_id, after_version=1)), 100)
    assert await differences(staying.url, table_id) is None
