"""Being ready for the next round, and another match after the last one."""

import asyncio
from pathlib import Path

import grpc
import pytest
from tests.fixtures.play_stream import Stream
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    Engine,
    Sitter,
    events_of,
    new_table,
    refusal,
    table_engine,
    watched,
)

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.sql import SqlEventLog
from meldhall_runtime.testing import Keys, ManualClock
from meldhall_table.owner.rematches import Rematches
from meldhall_table.store.audit import audit_table

BREAK, OVER, CLOSED = (
    view_pb.TABLE_STATUS_BREAK,
    view_pb.TABLE_STATUS_OVER,
    view_pb.TABLE_STATUS_CLOSED,
)


async def sees(sitter: Sitter, status: "view_pb.TableStatus | int") -> view_pb.TableView:
    async with asyncio.timeout(10):
        while (view := await sitter.look()).status != status:  # noqa: ASYNC110 - the service's work
            await asyncio.sleep(0.005)
    return view


async def run_out(clock: ManualClock, sitter: Sitter) -> None:
    """Let the time for the round pass."""
    view = await sees(sitter, view_pb.TABLE_STATUS_PLAYING)
    await clock.advance((view.deadlines.round_unix_ms - clock.now_ms()) / 1000)


async def at_the_end(engine: Engine, clock: ManualClock) -> tuple[Sitter, Sitter]:
    """Two players and a bot at the end of a match of one round."""
    request = new_table(OPEN, OPEN, BOT, round_ms=2_000, bot_move_ms=60_000, rematch_ms=9_000)
    anna, ben = await engine.seat(await engine.open(request), "anna", "ben")
    await run_out(clock, anna)
    return anna, ben


async def test_the_next_round_is_dealt_as_soon_as_everybody_is_ready(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        request = new_table(OPEN, OPEN, BOT, rounds=2, round_ms=2_000, break_ms=60_000, bot_move_ms=60_000)
        anna, ben = await engine.seat(await engine.open(request), "anna", "ben")
        assert (await refusal(anna.ready())).reason == "NOT_IN_BREAK"
        await run_out(clock, anna)
        assert [seat.ready for seat in (await sees(anna, BREAK)).seats] == [False, False, True]
        version = (await anna.ready()).version
        assert (await anna.ready()).version == version
        assert [seat.ready for seat in (await ben.look()).seats] == [True, False, True]
        await ben.ready()
        view = await sees(anna, view_pb.TABLE_STATUS_PLAYING)
        assert view.round.round == 2
        assert not any(seat.ready for seat in view.seats)
        assert view.deadlines.round_unix_ms == clock.now_ms() + 2_000


async def test_after_the_break_the_next_round_is_dealt_whoever_is_ready(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        request = new_table(OPEN, OPEN, rounds=2, round_ms=2_000, break_ms=60_000)
        anna, ben = await engine.seat(await engine.open(request), "anna", "ben")
        await run_out(clock, anna)
        await sees(anna, BREAK)
        await ben.ready()
        await clock.advance(59.9)
        assert (await anna.look()).status == BREAK
        await clock.advance(0.2)
        assert (await sees(anna, view_pb.TABLE_STATUS_PLAYING)).round.round == 2


async def test_a_rematch_is_a_table_of_its_own_with_the_same_players(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, ben = await at_the_end(engine, clock)
        view = await sees(anna, OVER)
        assert view.deadline_unix_ms == clock.now_ms() + 9_000
        assert [seat.rematch for seat in view.seats] == [False, False, True]
        watching = ben.stub.Watch(pb.WatchRequest(table_id=ben.table_id, after_version=view.version))
        version = (await anna.rematch()).version
        assert (await anna.rematch()).version == version
        await ben.rematch()
        kinds = [event.WhichOneof("event") for event in events_of(await watched(watching))]
        assert kinds == ["rematch_wanted", "rematch_wanted", "rematch_began", "table_closed"]
        closed = await anna.look()
        assert closed.status == CLOSED
        again = Sitter(anna.stub, closed.next_table_id, "anna")
        joined = (await again.join()).view
        assert joined.previous_table_id == anna.table_id
        assert [seat.reserved_for or seat.bot for seat in joined.seats] == ["anna", "ben", "normal"]
        assert joined.options == closed.options
        assert joined.format == closed.format
        assert joined.commitment != closed.commitment
        await Sitter(ben.stub, closed.next_table_id, "ben").join()
        assert (await sees(again, view_pb.TABLE_STATUS_PLAYING)).round.round == 1
        refused = await refusal(anna.rematch())
        assert (refused.reason, refused.metadata["close_reason"]) == ("TABLE_CLOSED", "match_over")


async def test_without_everybody_there_is_no_rematch(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, _ = await at_the_end(engine, clock)
        await sees(anna, OVER)
        await anna.rematch()
        await clock.advance(9.1)
        view = await sees(anna, CLOSED)
        assert view.next_table_id == ""


async def test_who_leaves_after_the_match_says_no_for_all(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, ben = await at_the_end(engine, clock)
        await sees(anna, OVER)
        await anna.rematch()
        await ben.leave()
        assert (await sees(anna, CLOSED)).next_table_id == ""
        # He sees the end as everybody does.
        assert (await ben.look()).status == CLOSED


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(game_pb2.MODE_ARENA, "REMATCH_NEEDS_STAKE"), (game_pb2.MODE_TOURNAMENT, "NO_REMATCH")],
)
async def test_a_match_for_stakes_or_of_a_tournament_has_no_rematch(
    tmp_path: Path, mode: int, reason: str
) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, mode=mode, rematch_ms=9_000))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        refused = await refusal(anna.rematch())
        assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, reason)


async def test_a_rematch_that_failed_half_way_is_made_good_and_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, clock = Keys(), ManualClock()
    whole = Rematches.open

    async def dies(self: Rematches, before: "object") -> str:
        await whole(self, before)  # type: ignore[arg-type]
        raise RuntimeError("killed between the two tables")

    monkeypatch.setattr(Rematches, "open", dies)
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        anna, ben = await at_the_end(engine, clock)
        await sees(anna, OVER)
        await anna.rematch()
        await ben.rematch()
        await asyncio.sleep(0.1)
        assert (await anna.look()).next_table_id == ""
    monkeypatch.setattr(Rematches, "open", whole)
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        after = Sitter(await engine.stub("anna"), anna.table_id, "anna")
        next_table_id = (await sees(after, CLOSED)).next_table_id
        log = await SqlEventLog.open(engine.url)
        streams = await log.streams("table", after="", limit=10, open_only=False)
        assert {info.stream_id for info in streams} == {anna.table_id, next_table_id}
        for info in streams:
            assert (await audit_table(log, info.stream_id)).difference is None
        await log.close()


async def test_commands_of_the_first_match_keep_their_answers(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, ben = await at_the_end(engine, clock)
        await sees(anna, OVER)
        request = pb.RematchRequest(table_id=anna.table_id, command_id="again")
        first = await anna.stub.Rematch(request)
        await ben.rematch()
        await sees(anna, CLOSED)
        assert await anna.stub.Rematch(request) == first
        assert (await refusal(anna.act(DRAW))).reason == "TABLE_CLOSED"


async def test_a_play_stream_says_ready_and_asks_for_a_rematch(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        request = new_table(OPEN, OPEN, rounds=2, round_ms=2_000, break_ms=60_000, rematch_ms=9_000)
        anna, ben = await engine.seat(await engine.open(request), "anna", "ben")
        await run_out(clock, anna)
        await sees(anna, BREAK)
        stream = await Stream(anna.stub, anna.table_id).open()
        await stream.snapshot()
        await stream.send(pb.PlayRequest(ready=pb.ReadyRequest(command_id="r")))
        answer = await stream.answer()
        assert (answer.command_id, answer.WhichOneof("outcome")) == ("r", "version")
        await ben.ready()
        await run_out(clock, ben)
        await sees(ben, OVER)
        await stream.send(pb.PlayRequest(rematch=pb.RematchRequest(command_id="m")))
        answer = await stream.answer()
        assert (answer.command_id, answer.WhichOneof("outcome")) == ("m", "version")
        await stream.send(pb.PlayRequest(ready=pb.ReadyRequest(command_id="r2")))
        assert (await stream.answer()).refused.reason == "NOT_IN_BREAK"
        stream.call.cancel()


async def test_a_round_that_ran_out_of_time_is_told_as_what_it_was(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, _ = await at_the_end(engine, clock)
        over = await sees(anna, OVER)
        call = anna.stub.Watch(pb.WatchRequest(table_id=anna.table_id, after_version=0))
        told = events_of(await watched(call, over.version))
        (reached,) = [event for event in told if event.HasField("limit_reached")]
        assert reached.limit_reached.limit == view_pb.LIMIT_ROUND
        assert over.last_result.finish == events_pb.FINISH_EXHAUSTED
