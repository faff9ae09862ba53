"""The table service dies in the middle of play and comes back as if nothing had happened."""

import asyncio
from collections.abc import AsyncIterator
from random import Random  # noqa: TID251 - seeded by the test

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.command import run_command
from tests.fixtures.stack import NAMES, Backend, Game, OwnBackend, backend
from tests.fixtures.stack_checks import everything_acknowledged_is_there, one_history

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb

SETTLED = "SELECT count(*) FROM settlements WHERE table_id = ? AND round > 0"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OwnBackend]:
    async with backend(tmp_path_factory.mktemp("backend")) as running:
        yield running


def standing(view: view_pb.TableView) -> view_pb.TableView:
    """What a seat sees, without what a restart may change: the deadline moves, and that is an event."""
    copy = view_pb.TableView()
    copy.CopyFrom(view)
    copy.ClearField("version")
    copy.ClearField("deadline_unix_ms")
    copy.ClearField("deadlines")
    return copy


async def test_a_table_killed_in_the_middle_of_a_round_goes_on_with_the_same_hands_and_turn(
    made: OwnBackend,
) -> None:
    names = NAMES[:3]
    table_id = await made.open_for(*names)
    await made.sit(table_id, *names)
    for _ in range(9):
        await made.move(table_id, await made.on_turn(table_id, names))
    before = [await made.look(table_id, name) for name in names]

    await made.killed("table")

    after = [await made.look(table_id, name) for name in names]
    for seat, (old, new) in enumerate(zip(before, after, strict=True)):
        assert old.round.phase in {view_pb.PHASE_DRAW, view_pb.PHASE_PLAY}
        assert len(new.round.own_hand) == new.round.hand_sizes[seat] > 0
        assert standing(new) == standing(old)
        # The time that the service was away is given back, and told as an event of its own.
        assert new.version == old.version + 1
        assert new.deadline_unix_ms > old.deadline_unix_ms

    game = await made.play(table_id, *names)
    assert {final.status for final in game.finals} == {view_pb.TABLE_STATUS_CLOSED}
    one_history(made, table_id)
    everything_acknowledged_is_there(made, game)
    await made.settled(table_id, 1)
    status, out, _ = await run_command("verify", table_id, "--data", str(made.data.path))
    assert status == 0, out


async def test_a_table_killed_again_and_again_loses_no_move_and_makes_none_twice(made: OwnBackend) -> None:
    chance = Random(20_260_731)  # noqa: S311 - the same in every run
    names = NAMES[:3]
    before = [await made.points(name) for name in names]
    table_id = await made.open_for(*names, rounds=3)
    game = Game(made, table_id, names)
    for kill in range(2):
        await game.until_moves(8 + 25 * kill)
        await asyncio.sleep(chance.uniform(0, 0.05))
        await made.killed("table")
    async with asyncio.timeout(60):
        await game.finish()

    first, *others = map(seen_by_all, game.finals)
    assert others == [first] * 2
    one_history(made, table_id)
    everything_acknowledged_is_there(made, game)
    rounds = game.finals[0].match_result.rounds
    audit = await made.audit(table_id)
    assert (audit.difference, audit.rounds) == (None, rounds)
    await made.settled(table_id, rounds)
    assert made.one("ledger", SETTLED, table_id) == rounds
    after = [await made.points(name) for name in names]
    assert [new - old for old, new in zip(before, after, strict=True)] == list(game.finals[0].totals)


def seen_by_all(view: view_pb.TableView) -> view_pb.TableView:
    """What every seat sees the same at the end."""
    copy = view_pb.TableView()
    copy.CopyFrom(view)
    copy.ClearField("own_seat")
    copy.round.ClearField("own_hand")
    copy.round.ClearField("own_spare_jokers")
    return copy


def caused_by(made: Backend, table_id: str, command: str) -> list[int]:
    rows = made.sql(
        "table",
        "SELECT version FROM events WHERE stream_id = ? AND command_id = ? ORDER BY version",
        table_id,
        command,
    )
    return [version for (version,) in rows]


async def test_a_command_sent_again_and_again_is_done_once_and_answered_alike(made: OwnBackend) -> None:
    names = NAMES[:2]
    table_id = await made.open_for(*names)
    await made.sit(table_id, *names)
    name = await made.on_turn(table_id, names)
    at = made.version(table_id)
    request, first = await made.move(table_id, name)

    async def again() -> pb.ActResponse:
        answer: pb.ActResponse = await made.table.Act(
            request, metadata=made.by(name), timeout=10, wait_for_ready=True
        )
        return answer

    assert [await again() for _ in range(5)] == [first] * 5
    assert await asyncio.gather(*(again() for _ in range(5))) == [first] * 5
    await made.killed("table")
    assert [await again() for _ in range(5)] == [first] * 5

    versions = caused_by(made, table_id, f"{name}:{request.command_id}")
    assert versions == list(range(at + 1, first.version + 1))
    other = pb.ActRequest(table_id=table_id, command_id=request.command_id, move={"draw": {}})
    other.expected_version = 1
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await made.table.Act(other, metadata=made.by(name), timeout=10)
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS
    one_history(made, table_id)


async def test_a_command_sent_five_times_at_once_is_done_once(made: OwnBackend) -> None:
    names = NAMES[:2]
    table_id = await made.open_for(*names)
    request = pb.JoinRequest(table_id=table_id, command_id="in", client_seed=b"seed")

    async def join() -> pb.JoinResponse:
        answer: pb.JoinResponse = await made.table.Join(request, metadata=made.by("anna"), timeout=10)
        return answer

    answers = await asyncio.gather(*(join() for _ in range(5)))
    assert {answer.view.version for answer in answers} == {made.version(table_id)}
    assert len(caused_by(made, table_id, "anna:in")) == 1
    opened = made.one("table", "SELECT count(*) FROM streams")
    create = pb.CreateTableRequest()
    create.CopyFrom(
        pb.CreateTableRequest(
            command_id="same", format={"mode": 1, "rounds": 1}, seats=[pb.SeatPlan(bot="normal")] * 2
        )
    )
    create.options.rummy101.SetInParent()
    calls = (made.table.CreateTable(create, metadata=made.by("anna"), timeout=10) for _ in range(5))
    created = await asyncio.gather(*calls)
    assert len({(answer.table_id, answer.commitment) for answer in created}) == 1
    assert made.one("table", "SELECT count(*) FROM streams") == opened + 1
