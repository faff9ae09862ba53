import asyncio
from pathlib import Path

import grpc
import pytest
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    Engine,
    Sitter,
    discard,
    kept_for,
    new_table,
    refusal,
    table_engine,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.player import Player
from meldhall_eventlog.sql import SqlEventLog
from meldhall_rules.bots.rummy101 import choose
from meldhall_runtime.testing import Keys, ManualClock, service
from meldhall_table.store.audit import audit_table


async def sitters(engine: Engine, table_id: str) -> tuple[Sitter, Sitter]:
    return (
        Sitter(await engine.stub("anna"), table_id, "anna"),
        Sitter(await engine.stub("ben"), table_id, "ben"),
    )


async def test_fault_101_a_restarted_engine_has_the_same_hands_and_the_play_goes_on(tmp_path: Path) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        one, _ = await engine.seat(table_id, "anna", "ben")
        await one.look_until(view_pb.TABLE_STATUS_PLAYING)
        before = [await sitter.look() for sitter in await sitters(engine, table_id)]
    for _ in range(2):
        async with table_engine(tmp_path, keys=keys) as engine:
            both = await sitters(engine, table_id)
            after = [await sitter.look() for sitter in both]
            for old, new in zip(before, after, strict=True):
                assert new.round == old.round
                # The deadline moved by the outage, and that is an event.
                assert new.version == old.version + 1
                assert new.deadline_unix_ms > old.deadline_unix_ms
            mover = both[after[0].round.turn]
            view = await mover.look()
            if view.round.phase == view_pb.PHASE_DRAW:
                await mover.act(DRAW)
            await mover.act(discard((await mover.look()).round.own_hand[0]))
            before = [await sitter.look() for sitter in both]
            assert before[0].round.turn != after[0].round.turn


async def test_deadlines_move_by_exactly_the_outage(tmp_path: Path) -> None:
    clock, keys = ManualClock(), Keys()
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, turn_ms=10_000))
        one, _ = await engine.seat(table_id, "anna", "ben")
        before = await one.look_until(view_pb.TABLE_STATUS_PLAYING)
        await clock.advance(4)
    await clock.advance(3_600)
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        anna, _ = await sitters(engine, table_id)
        after = await anna.look()
        assert after.deadline_unix_ms == clock.now_ms() + 6_000
        call = anna.stub.Watch(pb.WatchRequest(table_id=table_id, after_version=before.version))
        moved = (await watched(call, 1))[0].event.deadline_moved
        assert moved.outage_ms == 3_600_000
        assert moved.deadline_unix_ms == after.deadline_unix_ms
        await clock.advance(6.1)
        await until(lambda: clock.now_ms() > after.deadline_unix_ms)
        async with asyncio.timeout(5):
            while (await anna.look()).round.turn == before.round.turn:  # noqa: ASYNC110 - grpc's work
                await asyncio.sleep(0.01)


async def test_fault_105_a_table_of_bots_goes_on_after_a_restart(tmp_path: Path) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(BOT, BOT, BOT, bot_move_ms=5))
        stub = await engine.stub(service())
        await watched(stub.Watch(pb.WatchRequest(table_id=table_id)), 8)
    async with table_engine(tmp_path, keys=keys) as engine:
        stub = await engine.stub(service())
        async with asyncio.timeout(20):
            messages = await watched(stub.Watch(pb.WatchRequest(table_id=table_id)))
        assert messages[-1].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
    log = await SqlEventLog.open(engine.url)
    assert (await audit_table(log, table_id)).difference is None
    await log.close()


async def play(engine: Engine, table_id: str, name: str, session: str) -> view_pb.TableView:
    client = Player(
        await engine.stub(None),
        token=engine.running.keys.token(name),
        table_id=table_id,
        policy=choose,
        session=session,
        retry_seconds=0.02,
    )
    return await client.play(b"")


async def test_viewers_are_told_where_to_go_on_and_miss_nothing(tmp_path: Path) -> None:
    keys = Keys()
    names = ("anna", "ben")
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(*map(kept_for, names), rounds=2))
        stub = await engine.stub(service())
        watching = asyncio.create_task(watched(stub.Watch(pb.WatchRequest(table_id=table_id))))
        playing = [asyncio.create_task(play(engine, table_id, name, "first")) for name in names]
        await asyncio.sleep(0.2)
        await engine.running.runtime.stop()
        messages = await watching
        for one in playing:
            one.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    assert messages[-1].go_away.reason == pb.GO_AWAY_REASON_SHUTDOWN
    resume = messages[-1].go_away.resume_version
    assert resume == [message.event.version for message in messages if message.HasField("event")][-1]
    async with table_engine(tmp_path, keys=keys) as engine:
        stub = await engine.stub(service())
        request = pb.WatchRequest(table_id=table_id, after_version=resume)
        later = asyncio.create_task(watched(stub.Watch(request)))
        async with asyncio.timeout(20):
            await asyncio.gather(*(play(engine, table_id, name, "second") for name in names))
        versions = [message.event.version for message in await later if message.HasField("event")]
        assert versions == list(range(resume + 1, versions[-1] + 1))


async def test_an_engine_that_lost_a_table_shows_and_changes_nothing(tmp_path: Path) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as old:
        table_id = await old.open(new_table(OPEN, OPEN))
        await old.seat(table_id, "anna", "ben")
        anna, ben = await sitters(old, table_id)
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        mover = (anna, ben)[view.round.turn]
        held = await mover.look()
        watching = old_watch = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        await old_watch.read()
        async with table_engine(tmp_path, keys=keys) as new:
            first = await refusal(mover.act(discard(held.round.own_hand[0])))
            assert (first.code, first.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_OWNER")
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await watching.read()
            assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
            again = await refusal(mover.act(discard(held.round.own_hand[0])))
            assert again.reason == "NOT_OWNER"
            there = Sitter(await new.stub(mover.name), table_id, mover.name)
            assert (await there.look()).round == held.round
            await there.act(discard(held.round.own_hand[0]))
