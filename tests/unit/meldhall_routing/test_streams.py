"""Streams stay with a table when it moves: every version once, every command answered once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.engines import SHARD, TABLE, Engines, engines
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing import PlayStream, RoutedStub, TableUnreachable
from meldhall_runtime.errors import failed_precondition, permission_denied, unavailable

CLOSED = pb.GO_AWAY_REASON_TABLE_CLOSED


@pytest_asyncio.fixture
async def two() -> AsyncIterator[Engines]:
    async with engines(2) as made:
        yield made


class Viewer:
    """Takes what a stream gives, to its end."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.messages: list[Any] = []
        self.task = asyncio.create_task(self._take())

    @property
    def versions(self) -> list[int]:
        return [one.event.version for one in self.messages if one.HasField("event")]

    async def sees(self, versions: int) -> None:
        await until(lambda: self.versions == list(range(1, versions + 1)) or self.task.done())
        assert self.versions == list(range(1, versions + 1))

    async def _take(self) -> None:
        async for message in self.stream:
            self.messages.append(message)


def happen(made: Engines, *commands: str) -> None:
    for command in commands:
        made.house.do(command)


async def test_a_viewer_sees_a_snapshot_then_every_version(two: Engines) -> None:
    happen(two, "a", "b")
    router = await two.router()
    watch = router.watch(TABLE)
    assert (await anext(watch)).snapshot.version == 2
    happen(two, "c")
    assert (await anext(watch)).event.version == 3
    watch.cancel()
    with pytest.raises(StopAsyncIteration):
        await anext(watch)


async def test_a_viewer_goes_with_the_table_without_gap_or_repeat(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    viewer = Viewer(router.watch(TABLE, 0))
    happen(two, "a", "b")
    await viewer.sees(2)
    for number in range(1, 6):
        two.house.give(two.engines[number % 2])
        happen(two, f"{number}")
        await viewer.sees(2 + number)
    viewer.stream.cancel()
    await viewer.task
    assert all(one.HasField("event") for one in viewer.messages)


async def test_a_go_away_that_names_the_new_owner_is_followed_without_a_pause(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(first.address)
    viewer = Viewer(router.watch(TABLE, 0))
    await until(lambda: first.asked == ["Watch"])
    two.house.owner = second
    first.watch_end = pb.GoAway(retry_after_ms=60_000, reason=pb.GO_AWAY_REASON_MOVED, address=second.address)
    happen(two, "a")
    await viewer.sees(1)
    assert first.asked == ["Watch"]
    viewer.stream.cancel()
    await viewer.task


async def test_a_viewer_who_read_too_slowly_goes_on_at_the_same_engine_after_a_while(two: Engines) -> None:
    first, _ = two.engines
    router = await two.router(first.address)
    viewer = Viewer(router.watch(TABLE, 0))
    await until(lambda: first.asked == ["Watch"])
    first.watch_end = pb.GoAway(retry_after_ms=200, reason=pb.GO_AWAY_REASON_TOO_SLOW)
    started = asyncio.get_running_loop().time()
    happen(two, "a")
    await until(lambda: first.asked == ["Watch"] * 2)
    assert asyncio.get_running_loop().time() - started > 0.15
    await viewer.sees(1)
    viewer.stream.cancel()
    await viewer.task


async def test_the_end_of_the_table_is_told_and_ends_the_stream(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    two.engines[0].watch_end = pb.GoAway(reason=CLOSED)
    messages = [one async for one in router.watch(TABLE, 0)]
    assert [one.go_away.reason for one in messages] == [CLOSED]


async def test_a_gap_is_read_again(two: Engines) -> None:
    happen(two, "a", "b", "c")
    first = two.engines[0]
    first.skip = {2}
    router = await two.router()
    viewer = Viewer(router.watch(TABLE, 0))
    await until(lambda: len(first.asked) >= 2)
    first.skip = set()
    await viewer.sees(3)
    viewer.stream.cancel()
    await viewer.task


async def test_a_stream_at_a_frozen_engine_is_cut_off_when_the_shard_moves(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(follow_map=True)
    await until(lambda: router.shards.owner(SHARD) == first.address)
    viewer = Viewer(router.watch(TABLE, 0))
    await until(lambda: first.asked == ["Watch"])
    first.frozen = True
    two.house.give(second)
    happen(two, "a")
    await until(lambda: second.asked == ["Watch"])
    await viewer.sees(1)
    viewer.stream.cancel()
    await viewer.task


async def test_an_owner_that_is_not_ready_yet_is_asked_again_and_no_frozen_engine_instead(
    two: Engines,
) -> None:
    first, second = two.engines
    two.house.give(second)
    router = await two.router(follow_map=True)
    await until(lambda: router.shards.owner(SHARD) == second.address)
    first.frozen = True
    second.faults = [unavailable("TABLE_RELOADING", "in a moment")] * 3
    happen(two, "a")
    watch = router.watch(TABLE, 0)
    assert (await asyncio.wait_for(anext(watch), 5)).event.version == 1
    assert first.asked == []
    watch.cancel()


async def test_a_shard_that_moves_while_nobody_reads_is_followed_too(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(follow_map=True)
    await until(lambda: router.shards.owner(SHARD) == first.address)
    happen(two, "a")
    watch = router.watch(TABLE, 0)
    assert (await anext(watch)).event.version == 1
    first.frozen = True
    two.house.give(second)
    await until(lambda: router.shards.owner(SHARD) == second.address)
    happen(two, "b")
    assert (await asyncio.wait_for(anext(watch), 5)).event.version == 2
    watch.cancel()


async def test_an_engine_that_is_behind_the_viewer_is_not_believed(two: Engines) -> None:
    first = two.engines[0]
    first.faults = [failed_precondition("VERSION_AHEAD", "the table is at version 0, not at 1")]
    happen(two, "a", "b")
    router = await two.router(first.address)
    watch = router.watch(TABLE, 1)
    assert (await anext(watch)).event.version == 2
    watch.cancel()


async def test_a_viewer_who_may_not_watch_is_told(two: Engines) -> None:
    two.engines[0].faults = [permission_denied("NOT_AT_TABLE", "a stranger")]
    router = await two.router(two.engines[0].address)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await anext(router.watch(TABLE))
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_a_table_that_stays_away_ends_the_stream_in_time(two: Engines) -> None:
    two.house.give(None)
    router = await two.router()
    with pytest.raises(TableUnreachable, match=f"the stream of {TABLE}"):
        await anext(router.watch(TABLE, within=0.3))
    async with router.play(TABLE, within=0.3) as play:
        with pytest.raises(TableUnreachable):
            await play.send(pb.ActRequest(command_id="a"))
        with pytest.raises(TableUnreachable):
            await anext(play)


async def test_cancelling_a_viewer_cancels_it(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    viewer = Viewer(router.watch(TABLE, 0))
    await until(lambda: two.engines[0].asked == ["Watch"])
    viewer.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await viewer.task


async def send(play: PlayStream, *commands: str) -> list[int]:
    answers = await asyncio.gather(*(play.send(pb.ActRequest(command_id=one)) for one in commands))
    assert [answer.command_id for answer in answers] == list(commands)
    return [answer.version for answer in answers]


async def test_commands_are_answered_in_order_beside_what_is_seen(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE) as play:
        viewer = Viewer(play)
        assert await send(play, "a", "b", "c") == [1, 2, 3]
        await viewer.sees(3)
        assert viewer.messages[0].HasField("snapshot")
        viewer.task.cancel()


async def test_what_comes_together_is_taken_as_if_each_had_come_alone(two: Engines) -> None:
    two.engines[0].together = True
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        viewer = Viewer(play)
        assert await send(play, "a", "b") == [1, 2]
        await viewer.sees(2)
        viewer.task.cancel()
    assert two.engines[0].asked == ["Play"]


@pytest.mark.parametrize("kind", [pb.LeaveRequest, pb.ReadyRequest, pb.RematchRequest])
async def test_every_command_goes_over_the_stream(two: Engines, kind: Any) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        answer = await play.send(kind(command_id="a"))
    assert (answer.command_id, answer.version) == ("a", 1)
    assert two.engines[0].asked == ["Play"]


def test_the_stub_has_every_call_of_the_contract_that_is_about_one_table() -> None:
    calls = {method.name for method in pb.DESCRIPTOR.services_by_name["TableService"].methods}
    assert {name for name in calls if hasattr(RoutedStub, name)} == calls - {
        "Play",
        "ReadStream",
        "WatchShards",
    }


async def test_a_player_goes_with_the_table_and_each_command_is_done_and_answered_once(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        viewer = Viewer(play)
        for number in range(1, 7):
            two.house.give(two.engines[number % 2])
            assert await send(play, f"{number}a", f"{number}b") == [2 * number - 1, 2 * number]
        await viewer.sees(12)
        viewer.task.cancel()
    assert len(two.house.log) == len(set(two.house.log)) == 12


async def test_commands_whose_answers_were_lost_are_answered_after_all(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        viewer = Viewer(play)
        two.engines[0].lose_answers = 1
        assert await send(play, "a", "b") == [1, 2]
        await viewer.sees(2)
        viewer.task.cancel()
    assert two.house.log == ["a", "b"]


@pytest.mark.parametrize(
    "fault",
    [
        unavailable("TABLE_RELOADING", "later"),
        failed_precondition("NOT_OWNER", "no more", owner_address="", owner_epoch="1", shard=str(SHARD)),
    ],
)
async def test_an_answer_that_says_nothing_about_the_outcome_is_none(two: Engines, fault: Any) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        await until(lambda: two.engines[0].asked == ["Play"])
        two.engines[0].faults = [fault]
        # The engine may have done the second command when it put the first one off.
        assert sorted(await send(play, "a", "b")) == [1, 2]
    assert two.engines[0].asked == ["Play", "Play"]
    assert sorted(two.house.log) == ["a", "b"]


async def test_a_refused_command_is_answered_and_play_goes_on(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        await until(lambda: two.engines[0].asked == ["Play"])
        two.engines[0].faults = [failed_precondition("NOT_YOUR_TURN", "wait", seat="1")]
        answer = await play.send(pb.ActRequest(command_id="a"))
        assert (answer.refused.status, answer.refused.reason) == (9, "NOT_YOUR_TURN")
        assert await send(play, "b") == [1]


async def test_a_command_that_waits_is_not_sent_twice_and_both_callers_are_answered(two: Engines) -> None:
    router = await two.router(two.engines[0].address)
    async with router.play(TABLE, 0) as play:
        assert await send(play, "a", "a", "b") == [1, 1, 2]


async def test_commands_that_cross_with_the_end_of_the_table_are_answered_too(two: Engines) -> None:
    first = two.engines[0]
    router = await two.router(first.address)
    async with router.play(TABLE, 0) as play:
        viewer = Viewer(play)
        await until(lambda: first.asked == ["Play"])
        first.watch_end = pb.GoAway(reason=CLOSED)
        assert await send(play, "a", "b") == [1, 2]
        await viewer.task
        assert viewer.messages[-1].go_away.reason == CLOSED
        assert await send(play, "c") == [3]
        first.faults = [failed_precondition("TABLE_CLOSED", "over")]
        refused = await play.send(pb.ActRequest(command_id="d"))
        assert refused.refused.reason == "TABLE_CLOSED"
