import asyncio
from pathlib import Path

import grpc
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

from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.player import Player
from meldhall_eventlog.sql import SqlEventLog
from meldhall_rules.bots.rummy101 import choose
from meldhall_runtime.testing import Keys, service
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
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, turn_ms=60_000))
        one, _ = await engine.seat(table_id, "anna", "ben")
        before = await one.look_until(view_pb.TABLE_STATUS_PLAYING)
    await asyncio.sleep(1.2)
    async with table_engine(tmp_path, keys=keys) as engine:
        anna, _ = await sitters(engine, table_id)
        after = await anna.look()
        call = anna.stub.Watch(pb.WatchRequest(table_id=table_id, after_version=before.version))
        moved = (await watched(call, 1))[0].event.deadline_moved
        assert 1_200 <= moved.outage_ms < 10_000
        assert after.deadline_unix_ms == before.deadline_unix_ms + moved.outage_ms
        assert moved.deadline_unix_ms == after.deadline_unix_ms


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


async def test_an_engine_that_was_fenced_changes_nothing_and_comes_back_under_a_new_epoch(
    tmp_path: Path,
) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        await engine.seat(table_id, "anna", "ben")
        anna, ben = await sitters(engine, table_id)
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        mover = (anna, ben)[view.round.turn]
        held = await mover.look()
        move = discard(held.round.own_hand[0])
        watching = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        await watching.read()
        log = await SqlEventLog.open(engine.url)
        stolen = await log.next_epoch()
        await log.claim(table_id, stolen)
        first = await refusal(mover.act(move, command_id="d"))
        assert (first.code, first.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_OWNER")
        assert first.metadata["table_id"] == table_id
        assert first.metadata["owner_address"] == ""
        away = (await watching.read()).go_away
        assert away.reason == pb.GO_AWAY_REASON_MOVED
        assert away.resume_version == held.version
        async with asyncio.timeout(20):
            while (answer := await answered(mover, move)) is None:  # noqa: ASYNC110 - the engine's work
                await asyncio.sleep(0.05)
        # The time without owner was given back, and then the move was made.
        assert answer.version == held.version + 3
        info = await log.info(table_id)
        assert info is not None
        assert info.owner_epoch > stolen
        await log.close()


async def answered(sitter: Sitter, move: moves_pb.Move) -> pb.ActResponse | None:
    """Send a move again under the same id; None while nobody owns the table."""
    try:
        return await sitter.act(move, command_id="d")
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        return None
