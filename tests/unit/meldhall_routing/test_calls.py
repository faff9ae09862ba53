"""Calls find the engine that owns the table, and are done once."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio
from google.rpc import error_details_pb2, status_pb2
from tests.fixtures.engines import SHARD, TABLE, Engines, engines
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_routing import Patience, TableRouter, TableUnreachable, shard_of
from meldhall_routing.answers import may_repeat
from meldhall_routing.shards import ShardMap
from meldhall_runtime import ServiceError, reason_of
from meldhall_runtime.errors import DETAILS_KEY, deadline_exceeded, failed_precondition, unavailable


@pytest_asyncio.fixture
async def two() -> AsyncIterator[Engines]:
    async with engines(2) as made:
        yield made


def act(command_id: str = "c") -> pb.ActRequest:
    return pb.ActRequest(table_id=TABLE, command_id=command_id)


async def move(
    router: TableRouter, command_id: str = "c", seconds: float | None = None, within: float | None = None
) -> int:
    answer: pb.ActResponse = await router.call(TABLE, "Act", act(command_id), seconds=seconds, within=within)
    return answer.version


def test_the_shard_of_a_table_is_the_first_byte_of_the_hash_of_its_id() -> None:
    # `printf abc | sha256sum` begins with ba7816bf.
    assert shard_of("abc") == 0xBA


async def test_a_refusal_that_names_the_owner_is_followed_at_once_and_remembered(two: Engines) -> None:
    first, second = two.engines
    two.house.give(second)
    router = await two.router(first.address)

    assert [await move(router, name) for name in "ab"] == [1, 2]

    assert two.asked() == [["Act"], ["Act", "Act"]]
    assert router.shards.owner(SHARD) == second.address


async def test_a_new_table_is_opened_at_the_engine_that_the_first_one_names(two: Engines) -> None:
    first, second = two.engines
    two.house.give(second)
    router = await two.router(first.address)

    opened = await router.stub().CreateTable(pb.CreateTableRequest(command_id="c"))

    assert opened.table_id == TABLE
    assert two.asked() == [["CreateTable"], ["CreateTable"]]
    assert await move(router) == 1
    assert two.asked() == [["CreateTable"], ["CreateTable", "Act"]]


async def test_an_answer_under_an_older_epoch_than_was_seen_does_not_count(two: Engines) -> None:
    old, new = two.engines
    two.house.give(new)
    old.stale_epoch = two.house.epoch - 1
    router = await two.router(old.address)
    router.shards.note(SHARD, two.house.epoch)

    with pytest.raises(TableUnreachable, match="older than the owner"):
        await move(router, within=0.3)

    assert len(old.asked) > 1


async def test_an_answer_that_does_not_count_is_asked_for_elsewhere(two: Engines) -> None:
    old, new = two.engines
    two.house.give(new)
    old.stale_epoch = two.house.epoch - 1
    router = await two.router()
    router.shards.note(SHARD, two.house.epoch)

    assert [await move(router, str(n)) for n in range(4)] == [1, 2, 3, 4]
    assert two.house.log == ["0", "1", "2", "3"]


async def test_the_same_engine_under_a_newer_epoch_counts(two: Engines) -> None:
    router = await two.router()
    assert await move(router, "a") == 1
    two.house.give(two.engines[0])
    assert await move(router, "b") == 2


async def test_a_table_that_nobody_owns_is_asked_for_until_somebody_does(two: Engines) -> None:
    two.house.give(None)
    router = await two.router()
    moving = asyncio.create_task(move(router))
    await until(lambda: sum(map(len, two.asked())) >= 4)
    assert two.house.log == []
    two.house.give(two.engines[1])

    assert await moving == 1
    assert two.house.log == ["c"]


async def test_a_table_that_nobody_comes_to_own_is_given_up_with_a_word(two: Engines) -> None:
    two.house.give(None)
    router = await two.router()
    started = asyncio.get_running_loop().time()
    with pytest.raises(TableUnreachable) as given_up:
        await move(router, within=0.3)

    assert 0.15 < asyncio.get_running_loop().time() - started < 2
    assert given_up.value.code() is grpc.StatusCode.UNAVAILABLE
    told = given_up.value.details() or ""
    assert f"Act of {TABLE} within 0.3 s" in told
    assert "NOT_OWNER" in told


async def test_a_command_whose_answer_was_lost_is_done_once(two: Engines) -> None:
    two.engines[0].lose_answers = 2
    router = await two.router(two.engines[0].address)

    assert await move(router) == 1
    assert two.house.log == ["c"]
    assert two.engines[0].asked == ["Act"] * 3


@pytest.mark.parametrize("fault", [unavailable("DRAINING", "later"), deadline_exceeded("LATE", "too late")])
async def test_what_says_nothing_about_the_outcome_is_sent_again(two: Engines, fault: ServiceError) -> None:
    two.engines[0].faults = [fault]
    router = await two.router(two.engines[0].address)
    assert await move(router) == 1


async def test_a_refusal_of_the_table_is_an_answer(two: Engines) -> None:
    two.engines[0].faults = [failed_precondition("STALE", "seen too little", current_version="7")]
    router = await two.router(two.engines[0].address)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await move(router)

    info = reason_of(refused.value)
    assert info is not None
    assert (info.reason, info.metadata) == ("STALE", {"current_version": "7"})
    assert two.engines[0].asked == ["Act"]


@pytest.mark.parametrize("code", [grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN])
def test_errors_of_grpc_itself_say_nothing_and_errors_of_a_service_do(code: grpc.StatusCode) -> None:
    details = status_pb2.Status(code=code.value[0])
    details.details.add().Pack(error_details_pb2.ErrorInfo(reason="INTERNAL", domain="meldhall"))
    trailers = grpc.aio.Metadata((DETAILS_KEY, details.SerializeToString()))
    assert may_repeat(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata()))
    assert not may_repeat(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers))


async def test_a_seed_that_is_down_is_passed_over(two: Engines) -> None:
    for _ in range(4):
        router = await two.router("127.0.0.1:1", two.engines[1].address)
        await move(router)
    assert two.house.log == ["c"]


async def test_without_any_engine_the_call_fails_in_time(two: Engines) -> None:
    router = await two.router("127.0.0.1:1", "127.0.0.1:2")
    with pytest.raises(TableUnreachable, match="UNAVAILABLE"):
        await move(router, within=0.3)


async def test_an_engine_that_takes_too_long_is_said_to_have_taken_too_long(two: Engines) -> None:
    two.engines[0].frozen = True
    router = await two.router(two.engines[0].address)
    with pytest.raises(grpc.aio.AioRpcError) as late:
        await move(router, seconds=0.1, within=0.3)
    assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_two_engines_that_name_each_other_are_not_asked_without_end(two: Engines) -> None:
    class Elsewhere:
        def __init__(self, address: str) -> None:
            self.address = address

    first, second = two.engines
    nowhere = await two.router(patience=Patience(within=0.5, first_pause=0.1, most_pause=0.1))
    two.house.owner = Elsewhere("127.0.0.1:1")  # type: ignore[assignment]
    with pytest.raises(TableUnreachable):
        await move(nowhere)
    assert len(first.asked) + len(second.asked) < 12


async def test_one_engine_that_knows_nothing_of_shards_or_epochs_is_enough() -> None:
    async with engines(1) as made:
        made.engines[0].serves_map = False
        router = await made.router(follow_map=True)
        await until(lambda: made.engines[0].maps == 1)
        assert [await move(router, name) for name in "abc"] == [1, 2, 3]
        assert router.shards.addresses() == []


async def test_the_map_saves_the_detour(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(first.address, follow_map=True)
    two.house.give(second)
    await until(lambda: router.shards.owner(SHARD) == second.address)
    assert await move(router) == 1
    assert two.asked() == [[], ["Act"]]


async def test_the_map_is_read_at_two_engines_so_that_a_frozen_one_hides_nothing(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(first.address, follow_map=True)
    two.house.give(second)
    await until(lambda: min(first.maps, second.maps) >= 1)
    first.frozen = True
    two.house.give(first)
    await until(lambda: router.shards.owner(SHARD) == first.address)


async def test_a_call_to_a_frozen_engine_is_cut_off_when_its_shard_moves(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(follow_map=True)
    await until(lambda: router.shards.owner(SHARD) == first.address)
    first.frozen = True
    moving = asyncio.create_task(move(router, seconds=60))
    await until(lambda: first.asked == ["Act"])
    two.house.give(second)

    assert await asyncio.wait_for(moving, 2) == 1
    assert two.house.log == ["c"]


async def test_who_waits_for_an_owner_is_woken_by_the_map() -> None:
    patience = Patience(within=30, first_pause=20, most_pause=20)
    async with engines(2) as made:
        made.house.give(None)
        router = await made.router(patience=patience, follow_map=True)
        moving = asyncio.create_task(move(router))
        await until(lambda: sum(map(len, made.asked())) == 1)
        made.house.give(made.engines[1])
        assert await asyncio.wait_for(moving, 5) == 1


async def test_cancelling_a_call_cancels_it(two: Engines) -> None:
    two.engines[0].frozen = True
    router = await two.router(two.engines[0].address)
    moving = asyncio.create_task(move(router))
    await until(lambda: two.engines[0].asked == ["Act"])
    moving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await moving


async def test_public_events_are_read_whole_from_any_engine(two: Engines) -> None:
    request = pb.ReadStreamRequest(table_id=TABLE)
    two.engines[0].faults = [unavailable("LOG_UNAVAILABLE", "later")]
    router = await two.router(two.engines[0].address)

    page = await router.read_stream(request)

    assert [envelope.sequence for envelope in page] == [1, 2, 3]
    assert two.engines[0].asked == ["ReadStream"] * 2


async def test_pauses_are_jittered_and_grow_to_a_bound() -> None:
    drawn: list[tuple[float, float]] = []

    def uniform(low: float, high: float) -> float:
        drawn.append((low, high))
        return low

    async with engines(1) as made:
        made.house.give(None)
        patience = Patience(within=0.5, first_pause=0.02, most_pause=0.05)
        router = TableRouter(_channel, [made.engines[0].address], patience=patience, uniform=uniform)
        with pytest.raises(TableUnreachable):
            await move(router)
        await router.close()
    assert drawn[1:4] == [(0.01, 0.02), (0.02, 0.04), (0.025, 0.05)]
    assert set(drawn[4:]) == {(0.025, 0.05)}


async def test_channels_to_engines_that_are_gone_are_closed(two: Engines) -> None:
    first, second = two.engines
    router = await two.router(first.address)
    two.house.give(second)
    await move(router, "a")
    opened = router._engines
    assert set(opened._channels) == {first.address, second.address}
    for _ in range(2):
        await opened.prune({first.address})
    assert set(opened._channels) == {first.address}
    assert await move(router, "b") == 2


def test_a_router_needs_a_seed() -> None:
    with pytest.raises(ValueError, match="at least one engine"):
        TableRouter(_channel, [])


def _channel(address: str) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(address)


@pytest.mark.parametrize(
    ("news", "owner"),
    [
        ((("a", 1), ("b", 2)), "b"),
        ((("b", 2), ("a", 1)), "b"),
        ((("b", 2), ("", 2), ("b", 2)), ""),
        ((("b", 2), ("", 0)), "b"),
    ],
)
def test_news_of_the_map_in_any_order_ends_with_the_newest(
    news: tuple[tuple[str, int], ...], owner: str
) -> None:
    shards = ShardMap()
    for address, epoch in news:
        shards.learn(SHARD, address, epoch)
    assert shards.owner(SHARD) == owner
