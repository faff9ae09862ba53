import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.play_stream import Stream, events_in, kinds_of
from tests.fixtures.tables import (
    DRAW,
    OPEN,
    Engine,
    Sitter,
    discard,
    events_of,
    kept_for,
    new_table,
    refusal,
    table_engine,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import Append, StoredEvent
from meldhall_runtime.errors import ErrorInfo, reason_of
from meldhall_runtime.testing import ManualClock

CODE = grpc.StatusCode


async def dealt(engine: Engine) -> tuple[Sitter, Sitter]:
    """Whose turn it is to draw, and the other, who has begun the round by a discard."""
    table_id = await engine.open(new_table(OPEN, OPEN))
    both = await engine.seat(table_id, "anna", "ben")
    turn = (await both[0].look_until(view_pb.TABLE_STATUS_PLAYING)).round.turn
    await both[turn].act(discard((await both[turn].look()).round.own_hand[0]))
    return both[1 - turn], both[turn]


async def opened(sitter: Sitter, after: int | None = None) -> Stream:
    return await Stream(sitter.stub, sitter.table_id, after).open()


async def turn(stream: Stream, number: int) -> int:
    """Draw and discard what was drawn; return the version after it."""
    drawn = await stream.act(DRAW, f"draw-{number}")
    assert drawn.version, drawn
    tile = stream.events[-1].own_tile_drawn.tile
    answer = await stream.act(discard(tile), f"discard-{number}")
    assert answer.version > drawn.version
    return answer.version


async def turns(first: Stream, second: Stream, many: int) -> int:
    """Take so many turns in turn; return the version after them."""
    version = 0
    for number in range(many):
        mover, other = (first, second) if number % 2 == 0 else (second, first)
        version = await turn(mover, number)
        await other.event(version)
    return version


async def ended(call: object) -> tuple[grpc.StatusCode, ErrorInfo | None]:
    try:
        await call.read()  # type: ignore[attr-defined]
    except grpc.aio.AioRpcError as error:
        return error.code(), reason_of(error)
    return await call.code(), None  # type: ignore[attr-defined]


async def test_what_a_command_caused_comes_before_its_answer_and_to_the_other_seat(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        mine, theirs = await opened(starter), await opened(other)
        snapshot = await mine.snapshot()
        await theirs.snapshot()
        version = await turns(mine, theirs, 6)
        for stream in (mine, theirs):
            assert [event.version for event in stream.events] == list(
                range(snapshot.version + 1, version + 1)
            )
            seen = snapshot.version
            for message in stream.read[1:]:
                if message.HasField("answer"):
                    assert message.answer.version == seen
                else:
                    seen = message.event.version
        assert sum(message.HasField("answer") for message in mine.read) == 6


async def test_a_stream_shows_exactly_what_a_watch_shows(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        mine, theirs = await opened(starter, after=0), await opened(other, after=0)
        version = await turns(mine, theirs, 4)
        for sitter, stream in ((starter, mine), (other, theirs)):
            seen = await watched(
                sitter.stub.Watch(pb.WatchRequest(table_id=sitter.table_id, after_version=0)), version
            )
            assert stream.events == events_of(seen)


async def test_a_refused_command_is_answered_as_the_unary_call_is_and_the_stream_goes_on(
    tmp_path: Path,
) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        mine, theirs = await opened(starter), await opened(other)
        for move, more in ((DRAW, {}), (discard(9_999), {}), (DRAW, {"expected_version": 1})):
            answer = await theirs.act(move, "refused", **more)
            unary = await refusal(other.act(move, command_id="refused", **more))
            assert answer.command_id == "refused"
            assert answer.refused.status == unary.code.value[0]
            assert answer.refused.reason == unary.reason
            assert dict(answer.refused.metadata) == unary.metadata
        assert await turns(mine, theirs, 2)


async def test_a_command_that_is_repeated_on_another_stream_gets_the_first_answer(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        first = await opened(starter)
        drawn = await first.act(DRAW, "once")
        first.call.cancel()
        second = await opened(starter, after=drawn.version)
        assert await second.act(DRAW, "once") == drawn
        assert (await starter.act(DRAW, command_id="once")).version == drawn.version
        other = await second.act(discard(1), "once")
        assert (other.refused.status, other.refused.reason) == (6, "COMMAND_ID_REUSED")
        assert second.events == []
        assert (await starter.look()).version == drawn.version


async def test_an_accepted_unary_command_is_the_same_command_on_a_stream(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        version = (await starter.act(DRAW, command_id="once")).version
        stream = await opened(starter)
        named = pb.ActRequest(table_id=starter.table_id, command_id="once", move=DRAW)
        await stream.send(pb.PlayRequest(act=named))
        assert (await stream.answer()).version == version
        assert (await stream.act(DRAW, "once")).version == version


async def test_two_streams_of_a_player_see_the_same_and_each_gets_its_own_answers(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        one, two = await opened(starter), await opened(starter)
        await one.snapshot()
        await two.snapshot()
        drawn = await one.act(DRAW, "draw")
        await two.event(drawn.version)
        thrown = await two.act(discard(two.events[-1].own_tile_drawn.tile), "discard")
        await one.event(thrown.version)
        assert one.events == two.events
        assert [m.answer.command_id for m in one.read if m.HasField("answer")] == ["draw"]
        assert [m.answer.command_id for m in two.read if m.HasField("answer")] == ["discard"]


async def test_a_player_whose_seat_is_kept_sees_no_hand_and_may_do_nothing(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), kept_for("ben")))
        stream = await Stream(await engine.stub("anna"), table_id).open()
        assert not (await stream.snapshot()).HasField("own_seat")
        answer = await stream.act(DRAW, "early")
        assert (answer.refused.status, answer.refused.reason) == (7, "NOT_AT_TABLE")


@pytest.mark.parametrize(
    "first",
    [
        pb.PlayRequest(),
        pb.PlayRequest(act=pb.ActRequest(command_id="a", move=DRAW)),
        pb.PlayRequest(watch=pb.WatchRequest()),
        None,
    ],
)
async def test_a_stream_that_does_not_begin_with_a_watch_is_ended(
    tmp_path: Path, first: pb.PlayRequest | None
) -> None:
    async with table_engine(tmp_path) as engine:
        call = (await engine.stub("anna")).Play(iter([] if first is None else [first]))
        code, info = await ended(call)
        assert code is CODE.INVALID_ARGUMENT
        assert info is not None
        assert info.reason == "INVALID_FIELD"


async def test_hostile_requests_are_answered_one_by_one_in_their_order(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        stream = await opened(starter)
        long = "x" * 5_000
        hostile = [
            (pb.PlayRequest(), "", "request"),
            (pb.PlayRequest(watch=pb.WatchRequest(table_id="another")), "", "watch"),
            (pb.PlayRequest(act=pb.ActRequest(command_id="no-move")), "no-move", "move"),
            (pb.PlayRequest(act=pb.ActRequest(command_id=long, move=DRAW)), long, "command_id"),
            (pb.PlayRequest(act=pb.ActRequest(move=DRAW)), "", "command_id"),
            (pb.PlayRequest(leave=pb.LeaveRequest(command_id="\n")), "\n", "command_id"),
            (pb.PlayRequest(leave=pb.LeaveRequest(table_id="another", command_id="l")), "l", "table_id"),
        ]
        for request, _, _ in hostile:
            await stream.send(request)
        for _, command_id, field in hostile:
            answer = await stream.answer()
            assert answer.command_id == command_id
            assert (answer.refused.status, answer.refused.reason) == (3, "INVALID_FIELD")
            assert answer.refused.metadata["field"] == field
        assert (await stream.act(DRAW, "draw")).version


async def test_hundreds_of_commands_that_nobody_waits_for_are_all_answered_in_order(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        stream = await opened(starter)
        names = [f"c{number}" for number in range(300)]

        async def send() -> None:
            for name in names:
                await stream.send(pb.PlayRequest(act=pb.ActRequest(command_id=name, move=discard(9_999))))

        sending = asyncio.create_task(send())
        assert [(await stream.answer()).command_id for _ in names] == names
        await sending


async def test_bytes_that_are_no_request_end_the_stream(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        channel = await engine.running.channel()
        raw: Any = channel.stream_stream("/meldhall.table.v1.TableService/Play")
        token = engine.running.keys.token(starter.name)
        call = raw(metadata=(("authorization", f"Bearer {token}"),))
        first = pb.PlayRequest(watch=pb.WatchRequest(table_id=starter.table_id))
        await call.write(first.SerializeToString())
        assert pb.PlayResponse.FromString(await call.read()).HasField("snapshot")
        await call.write(b"\xff\xff\xff")
        code, info = await ended(call)
        assert code is CODE.INVALID_ARGUMENT
        assert info is not None
        assert info.reason == "MALFORMED_REQUEST"


async def test_a_command_whose_player_hangs_up_while_it_is_stored_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begun, go_on = SqlEventLog.append, asyncio.Event(), asyncio.Event()

    async def held(log: SqlEventLog, request: Append) -> tuple[StoredEvent, ...]:
        begun.set()
        await go_on.wait()
        return await store(log, request)

    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        stream, theirs = await opened(starter), await opened(other)
        before = (await stream.snapshot()).version
        await theirs.snapshot()
        monkeypatch.setattr(SqlEventLog, "append", held)
        await stream.send(pb.PlayRequest(act=pb.ActRequest(command_id="draw", move=DRAW)))
        await begun.wait()
        stream.call.cancel()
        again = asyncio.create_task(opened(starter, after=before))
        go_on.set()
        resumed = await again
        answer = await resumed.act(DRAW, "draw")
        assert answer.version == before + 1
        assert [event.version for event in resumed.events] == [before + 1]
        assert (await theirs.event(before + 1)).HasField("tile_drawn")
        thrown = await resumed.act(discard(resumed.events[0].own_tile_drawn.tile), "discard")
        assert [event.version for event in resumed.events] == list(range(before + 1, thrown.version + 1))


async def test_hanging_up_at_any_moment_loses_and_repeats_nothing(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        stream, theirs = await opened(starter, after=0), await opened(other, after=0)
        await stream.event((await starter.look()).version)
        seen: list[view_pb.TableEvent] = []
        for number in range(20):
            command = pb.ActRequest(command_id=f"draw-{number}", move=DRAW)
            await stream.send(pb.PlayRequest(act=command))
            stream.call.cancel()
            seen += stream.events
            stream = await opened(starter, after=seen[-1].version)
            # What was sent may have been done or not; sent again it is done once.
            drawn = await stream.act(DRAW, f"draw-{number}")
            tile = next(e.own_tile_drawn.tile for e in [*seen, *stream.events] if e.version == drawn.version)
            thrown = await stream.act(discard(tile), f"discard-{number}")
            await theirs.event(thrown.version)
            await stream.event(await turn(theirs, number))
        seen += stream.events
        assert [event.version for event in seen] == list(range(1, len(seen) + 1))
        assert [event.version for event in theirs.events] == list(range(1, len(seen) + 1))


async def test_who_leaves_over_the_stream_is_answered_and_sees_no_more(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        stream = await opened(starter)
        await stream.snapshot()
        answer = await stream.leave("leave")
        assert answer.version
        assert stream.events[-1].seat_left.player_id == starter.name
        code, info = await ended(stream.call)
        assert (code, info and info.reason) == (CODE.PERMISSION_DENIED, "NOT_AT_TABLE")
        assert any(seat.left for seat in (await other.look()).seats)


async def test_the_last_to_leave_is_answered_although_the_table_closes(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        (anna,) = await engine.seat(table_id, "anna")
        stream = await opened(anna)
        assert (await stream.leave("leave")).version
        assert (await ended(stream.call))[0] is CODE.PERMISSION_DENIED


async def test_a_closed_table_is_shown_and_its_players_are_sent_away(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), kept_for("ben"), join_ms=10_000))
        stream = await Stream(await engine.stub("anna"), table_id).open()
        await stream.snapshot()
        await clock.advance(10.1)
        await stream.rest()
        messages = stream.read
        assert kinds_of(messages) == ["snapshot", "event", "go_away"]
        assert messages[1].event.HasField("table_closed")
        assert messages[2].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
        assert messages[2].go_away.resume_version == messages[1].event.version
        assert await stream.call.code() is CODE.OK


async def test_a_stopped_engine_says_where_to_go_on(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, other = await dealt(engine)
        mine, theirs = await opened(starter), await opened(other)
        version = await turns(mine, theirs, 2)
        stopping = asyncio.create_task(engine.running.runtime.stop())
        for stream in (mine, theirs):
            last = (await stream.rest())[-1]
            assert last.go_away.reason == pb.GO_AWAY_REASON_SHUTDOWN
            assert last.go_away.resume_version == version
        await stopping


async def test_who_sends_no_more_is_still_answered_and_the_stream_ends(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        stream = await opened(starter)
        await stream.send(pb.PlayRequest(act=pb.ActRequest(command_id="draw", move=DRAW)))
        await stream.send(pb.PlayRequest(act=pb.ActRequest(command_id="again", move=DRAW)))
        await stream.call.done_writing()
        messages = await stream.rest()
        assert kinds_of(messages) == ["snapshot", "event", "answer", "answer"]
        assert messages[3].answer.refused.reason == "WRONG_PHASE"
        assert await stream.call.code() is CODE.OK


async def test_nothing_is_left_of_streams_that_have_ended(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        starter, _ = await dealt(engine)
        registry = engine.running.runtime.registry
        streams = [await opened(starter) for _ in range(6)]
        for stream in streams:
            await stream.snapshot()
        assert registry.get_sample_value("meldhall_table_watchers_open") == 6
        for stream in streams[:3]:
            stream.call.cancel()
        for stream in streams[3:]:
            await stream.call.done_writing()
            assert events_in(await stream.rest()) == []
        await until(lambda: registry.get_sample_value("meldhall_table_watchers_open") == 0)
        await until(lambda: not any(task.get_name().startswith("play ") for task in asyncio.all_tasks()))
