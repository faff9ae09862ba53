"""A table that was archived, asked for over the API."""

import time
from pathlib import Path

import grpc
from tests.fixtures.tables import (
    DRAW,
    OPEN,
    Engine,
    Sitter,
    kept_for,
    new_table,
    refusal,
    table_engine,
    watched,
)

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.archive import Plan, move_finished
from meldhall_runtime.testing import Keys, service
from meldhall_table.store.stream import CATEGORY

FAR_MS = 4_000_000_000_000


async def archive(engine: Engine, folder: Path) -> int:
    log = await SqlEventLog.open(engine.url)
    plan = Plan(folder / "archive", CATEGORY, FAR_MS, time.time_ns() // 1_000_000, None)
    moved = await move_finished(log, plan)
    await log.close()
    return moved.streams


async def over(engine: Engine) -> tuple[str, Sitter]:
    """A table that was closed because its only player left."""
    table_id = await engine.open(new_table(OPEN, OPEN))
    (anna,) = await engine.seat(table_id, "anna")
    await anna.leave()
    return table_id, anna


async def test_a_closed_table_that_is_still_in_memory_refuses_as_before(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        _, anna = await over(engine)
        assert await archive(engine, tmp_path) == 1
        assert (await refusal(anna.join())).reason == "TABLE_CLOSED"


async def test_everybody_is_told_that_the_table_is_archived(tmp_path: Path) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id, anna = await over(engine)
        other = await engine.open(new_table(kept_for("ben"), OPEN, command_id="create-2"))
    async with table_engine(tmp_path, keys=keys) as engine:
        assert await archive(engine, tmp_path) == 1
        anna = Sitter(await engine.stub("anna"), table_id, "anna")
        reader = await engine.stub(service("ledger"))
        watch = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        stream = reader.ReadStream(pb.ReadStreamRequest(table_id=table_id))
        for call in (
            anna.act(DRAW),
            anna.join(),
            watched(watch),
            watched(stream),
            engine.open(new_table(OPEN, OPEN)),
        ):
            told = await refusal(call)
            assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TABLE_ARCHIVED")
            assert told.metadata == {"table_id": table_id}
        ben = Sitter(await engine.stub("ben"), other, "ben")
        assert (await ben.join()).seat == 0
