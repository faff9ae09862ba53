import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.fixtures.tables import BOT, DRAW, OPEN, Engine, events_of, kept_for, new_table, table_engine

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_runtime.testing import ManualClock, service

QUICK = game_pb2.MODE_QUICK


async def shown(engine: Engine, table_id: str, version: int = 0) -> view_pb.TableView:
    """Look at a table as a spectator, as soon as it has reached a version."""
    stub = await engine.stub(service())
    async with asyncio.timeout(10):
        while True:
            call = stub.Watch(pb.WatchRequest(table_id=table_id))
            view: view_pb.TableView = (await call.read()).snapshot
            call.cancel()
            if view.version >= version:
                return view
            await asyncio.sleep(0.005)


async def becomes(
    engine: Engine, table_id: str, holds: Callable[[view_pb.TableView], bool]
) -> view_pb.TableView:
    async with asyncio.timeout(10):
        while not holds(view := await shown(engine, table_id)):  # noqa: ASYNC110 - the service's work
            await asyncio.sleep(0.005)
    return view


async def history(engine: Engine, table_id: str, up_to: int) -> list[view_pb.TableEvent]:
    call = (await engine.stub(service())).Watch(pb.WatchRequest(table_id=table_id, after_version=0))
    messages = [await call.read() for _ in range(up_to)]
    call.cancel()
    return events_of(messages)


def playing(view: view_pb.TableView) -> bool:
    return view.status == view_pb.TABLE_STATUS_PLAYING


async def test_a_turn_is_played_when_its_time_is_up_and_not_before(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, turn_ms=10_000))
        await engine.seat(table_id, "anna", "ben")
        view = await becomes(engine, table_id, playing)
        assert view.deadline_unix_ms == clock.now_ms() + 10_000
        await clock.advance(9.9)
        assert (await shown(engine, table_id)).version == view.version
        await clock.advance(0.2)
        after = await shown(engine, table_id, view.version + 3)
        events = (await history(engine, table_id, after.version))[view.version :]
        kinds = [event.WhichOneof("event") for event in events]
        assert kinds == ["automatic_turn", "discarded", "turn_began"]
        assert events[0].automatic_turn.reason == view_pb.AUTOMATIC_REASON_TIME_UP
        assert after.round.turn != view.round.turn
        assert after.deadline_unix_ms == events[0].at_unix_ms + 10_000


async def test_moving_within_a_turn_does_not_move_its_deadline(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, turn_ms=10_000))
        sitters = await engine.seat(table_id, "anna", "ben")
        first = await becomes(engine, table_id, playing)
        await clock.advance(11)
        view = await shown(engine, table_id, first.version + 3)
        await clock.advance(5)
        await sitters[view.round.turn].act(DRAW)
        await sitters[view.round.turn].look()
        assert (await shown(engine, table_id)).deadline_unix_ms == view.deadline_unix_ms
        await clock.advance(5.5)
        after = await shown(engine, table_id, view.version + 4)
        kinds = [
            event.WhichOneof("event")
            for event in (await history(engine, table_id, after.version))[view.version :]
        ]
        assert kinds == ["tile_drawn", "automatic_turn", "discarded", "turn_began"]


async def test_the_seat_of_a_player_who_left_is_played_soon(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, turn_ms=10_000, bot_move_ms=700))
        sitters = await engine.seat(table_id, "anna", "ben")
        view = await becomes(engine, table_id, playing)
        await sitters[view.round.turn].leave()
        await clock.advance(0.6)
        assert (await shown(engine, table_id)).version == view.version + 1
        await clock.advance(0.2)
        after = await shown(engine, table_id, view.version + 4)
        events = await history(engine, table_id, after.version)
        assert events[view.version + 1].automatic_turn.reason == view_pb.AUTOMATIC_REASON_LEFT


async def test_bots_take_the_seats_of_those_who_do_not_come_to_a_quick_table(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        plan = new_table(kept_for("anna"), kept_for("ben"), kept_for("cleo"), mode=QUICK, join_ms=5_000)
        table_id = await engine.open(plan)
        await engine.seat(table_id, "anna")
        await clock.advance(5.1)
        view = await becomes(engine, table_id, playing)
        assert [seat.bot for seat in view.seats] == ["", "normal", "normal"]


async def test_a_table_that_is_not_filled_in_time_is_closed(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        among_friends = await engine.open(new_table(kept_for("anna"), kept_for("ben"), join_ms=5_000))
        await engine.seat(among_friends, "anna")
        nobody = await engine.open(new_table(kept_for("a"), BOT, mode=QUICK, join_ms=5_000, command_id="2"))
        unseen = await engine.open(new_table(OPEN, OPEN, join_ms=5_000, command_id="3"))
        waiting = await engine.open(new_table(OPEN, OPEN, join_ms=5_000, command_id="4"))
        await engine.seat(waiting, "anna")
        await clock.advance(5.1)
        reasons = []
        for table_id in (among_friends, nobody, unseen):
            view = await becomes(engine, table_id, lambda view: view.status == view_pb.TABLE_STATUS_CLOSED)
            last = (await history(engine, table_id, view.version))[-1]
            reasons.append(last.table_closed.reason)
        assert reasons == [
            events_pb.CLOSE_REASON_NOT_FILLED,
            events_pb.CLOSE_REASON_NOT_FILLED,
            events_pb.CLOSE_REASON_EMPTY,
        ]
        assert (await shown(engine, waiting)).status == view_pb.TABLE_STATUS_WAITING
        view = await shown(engine, waiting)
        assert view.deadline_unix_ms == view.deadlines.fill_unix_ms > clock.now_ms()


async def test_the_next_round_is_dealt_after_the_break(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        plan = new_table(OPEN, OPEN, rounds=2, turn_ms=1_000, break_ms=3_000)
        table_id = await engine.open(plan)
        await engine.seat(table_id, "anna", "ben")
        view = await becomes(engine, table_id, playing)
        while view.status == view_pb.TABLE_STATUS_PLAYING:
            await clock.advance(1.1)
            view = await shown(engine, table_id, view.version + 1)
            view = await becomes(engine, table_id, lambda view: view.deadline_unix_ms > clock.now_ms())
        assert view.status == view_pb.TABLE_STATUS_BREAK
        assert view.last_result.finish == events_pb.FINISH_EXHAUSTED
        first_starter = view.round.starter
        await clock.advance((view.deadline_unix_ms - clock.now_ms()) / 1000 - 0.1)
        assert (await shown(engine, table_id)).version == view.version
        await clock.advance(0.2)
        view = await becomes(engine, table_id, lambda view: view.round.round == 2)
        assert view.round.starter == (first_starter + 1) % 2
        assert list(view.totals) == [-202, -202]


async def test_bots_alone_wait_before_each_move(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        table_id = await engine.open(new_table(BOT, BOT, bot_move_ms=500))
        view = await becomes(engine, table_id, playing)
        await clock.advance(0.4)
        assert (await shown(engine, table_id)).version == view.version
        await clock.advance(0.2)
        await shown(engine, table_id, view.version + 1)
