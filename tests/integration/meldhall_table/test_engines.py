"""Several engines over one log: who owns what, and what everybody else is told."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
from tests.fixtures.tables import (
    DRAW,
    OPEN,
    Sitter,
    evenly,
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
from meldhall_runtime.testing import service
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
