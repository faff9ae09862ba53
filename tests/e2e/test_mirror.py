"""A client that took one snapshot and then only events sees what a client sees that asks anew."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from difflib import unified_diff
from random import Random  # noqa: TID251 - seeded by the test

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.stack import NAMES, Backend, backend

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.mirror import TableMirror

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOSED = view_pb.TABLE_STATUS_CLOSED


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Backend]:
    """One backend for all tests here: each has tables of its own, and none breaks anything."""
    async with backend(tmp_path_factory.mktemp("backend")) as running:
        yield running


class Follower:
    """A viewer who never looks again after the first snapshot."""

    def __init__(self, made: Backend, table_id: str, name: str) -> None:
        self.name = name
        self.mirror: TableMirror | None = None
        self.versions: list[int] = []
        self._grown = asyncio.Condition()
        self._call = made.table.Watch(pb.WatchRequest(table_id=table_id), metadata=made.by(name))
        self.task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        async for message in self._call:
            if message.HasField("snapshot"):
                self.mirror = TableMirror(message.snapshot, self.name)
            elif message.HasField("event"):
                assert self.mirror is not None
                assert self.mirror.apply(message.event)
                self.versions.append(message.event.version)
            async with self._grown:
                self._grown.notify_all()

    async def reach(self, version: int) -> view_pb.TableView:
        """Wait until a version has been seen; what the viewer sees by then may be newer."""
        async with asyncio.timeout(10), self._grown:
            await self._grown.wait_for(lambda: self.mirror is not None and self.mirror.version >= version)
        assert self.mirror is not None
        return self.mirror.view

    def stop(self) -> None:
        self._call.cancel()
        self.task.cancel()


@asynccontextmanager
async def following(made: Backend, table_id: str, names: Sequence[str]) -> AsyncIterator[list[Follower]]:
    followers = [Follower(made, table_id, name) for name in names]
    try:
        yield followers
        for follower in followers:
            if follower.task.done():
                follower.task.result()
    finally:
        for follower in followers:
            follower.stop()


async def same_as_asked_anew(made: Backend, table_id: str, follower: Follower) -> view_pb.TableView:
    """Compare at a version that both have; the table may go on by itself between the two looks."""
    async with asyncio.timeout(10):
        while True:
            shown = await made.look(table_id, follower.name)
            seen = await follower.reach(shown.version)
            if seen.version == shown.version:
                differences = list(
                    unified_diff(str(shown).splitlines(), str(seen).splitlines(), "asked", "seen")
                )
                assert not differences, "\n".join(differences)
                return shown


async def play_out(made: Backend, table_id: str, names: Sequence[str], followers: list[Follower]) -> int:
    """Play to the end of the match, comparing every seat after every move; return the number of moves."""
    moves = 0
    while True:
        for follower in followers:
            view = await same_as_asked_anew(made, table_id, follower)
        if view.status == CLOSED:
            return moves
        if view.status == view_pb.TABLE_STATUS_PLAYING:
            on_turn = view.seats[view.round.turn].player_id
            if on_turn in names:
                await made.move(table_id, on_turn)
                moves += 1


@pytest.mark.parametrize("seats", [2, 4])
async def test_events_alone_show_every_seat_the_same_as_snapshots_after_every_move(
    made: Backend, seats: int
) -> None:
    names = NAMES[:seats]
    for name in names:
        await made.give_joker(name, 3)
    table_id = await made.open_for(*names, rounds=2)
    async with following(made, table_id, names) as followers:
        for name in names:
            await made.sit(table_id, name)
            for follower in followers:
                await same_as_asked_anew(made, table_id, follower)
        moves = await play_out(made, table_id, names, followers)
        assert moves > 20
        for follower in followers:
            assert follower.versions == list(
                range(2 + seats_taken_before(follower), made.version(table_id) + 1)
            )


def seats_taken_before(follower: Follower) -> int:
    return follower.versions[0] - 2


async def test_events_alone_show_who_left_and_who_came_back_and_what_bots_do(made: Backend) -> None:
    names = NAMES[:2]
    plans = [*(pb.SeatPlan(reserved_for=name) for name in names), pb.SeatPlan(bot="normal")]
    table_id = await made.open(*plans, rounds=1, bot_move_ms=30)
    async with following(made, table_id, ["anna"]) as (anna,):
        await made.sit(table_id, *names)
        for _ in range(4):
            await made.move(table_id, await turn_of_a_person(made, table_id, names))
            await same_as_asked_anew(made, table_id, anna)
        leave = pb.LeaveRequest(table_id=table_id, command_id="away")
        await made.table.Leave(leave, metadata=made.by("ben"), timeout=10)
        assert (await same_as_asked_anew(made, table_id, anna)).seats[1].left
        back = pb.JoinRequest(table_id=table_id, command_id="back")
        await made.table.Join(back, metadata=made.by("ben"), timeout=10)
        assert not (await same_as_asked_anew(made, table_id, anna)).seats[1].left


async def turn_of_a_person(made: Backend, table_id: str, names: Sequence[str]) -> str:
    async with asyncio.timeout(20):
        while True:
            name = await made.on_turn(table_id, names)
            if name in names:
                return name
            await asyncio.sleep(0.01)


async def test_a_seat_that_is_free_again_is_kept_for_whom_it_was_kept(made: Backend) -> None:
    plans = (
        pb.SeatPlan(reserved_for="anna"),
        pb.SeatPlan(open=pb.OpenSeat()),
        pb.SeatPlan(reserved_for="cleo"),
    )
    table_id = await made.open(*plans)
    async with following(made, table_id, ["anna"]) as (anna,):
        for joins, leaves in (("anna", ""), ("cleo", "cleo"), ("cleo", "")):
            await made.sit(table_id, joins) if not leaves else await sit_and_leave(made, table_id, joins)
            await same_as_asked_anew(made, table_id, anna)


async def sit_and_leave(made: Backend, table_id: str, name: str) -> None:
    await made.sit(table_id, name)
    leave = pb.LeaveRequest(table_id=table_id, command_id=f"{name}-leaves")
    await made.table.Leave(leave, metadata=made.by(name), timeout=10)


async def test_a_watch_resumed_at_any_version_gives_the_rest_without_a_hole(made: Backend) -> None:
    chance = Random(7)  # noqa: S311 - the same in every run
    names = NAMES[:2]
    table_id = await made.open_for(*names)
    await made.play(table_id, *names)
    last = made.version(table_id)
    for after in [0, last - 1, last, *(chance.randrange(last) for _ in range(5))]:
        request = pb.WatchRequest(table_id=table_id, after_version=after)
        call = made.table.Watch(request, metadata=made.by("anna"), timeout=10)
        messages = [message async for message in call]
        assert [message.event.version for message in messages[:-1]] == list(range(after + 1, last + 1))
        assert messages[-1].go_away.resume_version == last
    ahead = pb.WatchRequest(table_id=table_id, after_version=last + 1)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await made.table.Watch(ahead, metadata=made.by("anna"), timeout=10).read()
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
