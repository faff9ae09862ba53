import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.tables import (
    BOT,
    OPEN,
    Engine,
    Sitter,
    discard,
    new_table,
    refusal,
    table_engine,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_eventlog.errors import LogUnavailable
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import Append, StoredEvent
from meldhall_rules.commands import Command, Discard
from meldhall_rules.view import View
from meldhall_runtime.testing import ManualClock, service
from meldhall_table.domain import bots
from meldhall_table.owner.mailbox import QUEUE_LIMIT
from meldhall_table.store.audit import audit_table

CODE = grpc.StatusCode
append_for_real = SqlEventLog.append
Stored = tuple[StoredEvent, ...]


class FaultyAppends:
    """Puts a fault into the next append of the real log."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.next: Callable[[SqlEventLog, Append], Awaitable[Stored]] | None = None
        faults = self

        async def append(log: SqlEventLog, request: Append) -> Stored:
            fault, faults.next = faults.next, None
            return await (append_for_real(log, request) if fault is None else fault(log, request))

        monkeypatch.setattr(SqlEventLog, "append", append)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> FaultyAppends:
    return FaultyAppends(monkeypatch)


async def lose_the_answer(log: SqlEventLog, request: Append) -> Stored:
    await append_for_real(log, request)
    raise LogUnavailable("the connection died after the commit")


async def do_nothing(_log: SqlEventLog, _request: Append) -> Stored:
    raise LogUnavailable("the disk is full")


async def starter_of(engine: Engine) -> tuple[Sitter, Sitter, view_pb.TableView]:
    table_id = await engine.open(new_table(OPEN, OPEN))
    both = await engine.seat(table_id, "anna", "ben")
    turn = (await both[0].look_until(view_pb.TABLE_STATUS_PLAYING)).round.turn
    return both[turn], both[1 - turn], await both[turn].look()


async def until_answered(call: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(10):
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                if error.code() is not CODE.UNAVAILABLE:
                    raise
                await asyncio.sleep(0.05)


async def test_a_lost_commit_answer_is_found_again_and_the_move_happened_once(
    tmp_path: Path, faults: FaultyAppends
) -> None:
    async with table_engine(tmp_path) as engine:
        mover, other, view = await starter_of(engine)
        faults.next = lose_the_answer
        move = discard(view.round.own_hand[0])
        first = await refusal(mover.act(move, command_id="d"))
        assert (first.code, first.reason) == (CODE.UNAVAILABLE, "TABLE_RELOADING")
        answer = await until_answered(lambda: mover.act(move, command_id="d"))
        assert answer.version == view.version + 2
        assert [event.WhichOneof("event") for event in answer.events] == ["discarded", "turn_began"]
        assert (await other.look()).version == view.version + 2


async def test_an_append_that_fails_is_never_seen(tmp_path: Path, faults: FaultyAppends) -> None:
    async with table_engine(tmp_path) as engine:
        mover, other, view = await starter_of(engine)
        watching = other.stub.Watch(pb.WatchRequest(table_id=other.table_id))
        await watching.read()
        faults.next = do_nothing
        move = discard(view.round.own_hand[0])
        assert (await refusal(mover.act(move, command_id="d"))).code is CODE.UNAVAILABLE
        with pytest.raises(grpc.aio.AioRpcError):
            await watching.read()
        looked: view_pb.TableView = await until_answered(other.look)
        assert looked.version == view.version
        assert (await until_answered(lambda: mover.act(move, command_id="d"))).version == view.version + 2


async def test_a_table_whose_timer_met_a_fault_comes_back_by_itself(
    tmp_path: Path, faults: FaultyAppends
) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(BOT, BOT, bot_move_ms=5))
        stub = await engine.stub(service())
        await watched(stub.Watch(pb.WatchRequest(table_id=table_id)), 5)
        faults.next = lose_the_answer
        await until(lambda: faults.next is None)
        async with asyncio.timeout(20):
            last = await until_answered(lambda: watched(stub.Watch(pb.WatchRequest(table_id=table_id))))
        assert last[-1].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
        log = await SqlEventLog.open(engine.url)
        assert (await audit_table(log, table_id)).difference is None
        await log.close()


class Gate:
    """Holds an append up until it is opened."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, log: SqlEventLog, request: Append) -> Stored:
        self.reached.set()
        await self.open.wait()
        return await append_for_real(log, request)


async def test_a_busy_table_tells_who_comes_too_much_and_survives(
    tmp_path: Path, faults: FaultyAppends
) -> None:
    async with table_engine(tmp_path) as engine:
        mover, other, view = await starter_of(engine)
        faults.next = gate = Gate()
        first = asyncio.create_task(mover.act(discard(view.round.own_hand[0])))
        await gate.reached.wait()
        calls = [asyncio.create_task(refusal(other.act(discard(0)))) for _ in range(QUEUE_LIMIT + 20)]
        async with asyncio.timeout(5):
            while sum(call.done() for call in calls) < 20:  # noqa: ASYNC110 - grpc's work
                await asyncio.sleep(0.01)
        busy = [call.result() for call in calls if call.done()]
        assert {(one.code, one.reason) for one in busy} == {(CODE.RESOURCE_EXHAUSTED, "TABLE_BUSY")}
        gate.open.set()
        await first
        answers = await asyncio.gather(*calls)
        assert len(answers) - len(busy) == QUEUE_LIMIT
        assert {one.reason for one in answers} == {"TABLE_BUSY", "WRONG_PHASE"}
        assert (await other.look()).version == view.version + 2


async def test_draining_finishes_the_command_in_hand_and_takes_no_other(
    tmp_path: Path, faults: FaultyAppends
) -> None:
    async with table_engine(tmp_path) as engine:
        mover, other, view = await starter_of(engine)
        faults.next = gate = Gate()
        in_hand = asyncio.create_task(mover.act(discard(view.round.own_hand[0])))
        await gate.reached.wait()
        waiting = asyncio.create_task(refusal(other.act(discard(0))))
        host = await engine.stub("host")
        await host.CreateTable(new_table(OPEN, OPEN))
        stopping = asyncio.create_task(engine.running.runtime.stop())
        assert (await waiting).reason == "DRAINING"
        opened = await refusal(host.CreateTable(new_table(OPEN, OPEN, command_id="late")))
        assert (opened.code, opened.reason) == (CODE.UNAVAILABLE, "DRAINING")
        gate.open.set()
        assert (await in_hand).version == view.version + 2
        await stopping
    assert len(await engine.steps(mover.table_id)) == view.version + 2


@pytest.mark.parametrize("fault", ["raises", "cheats"])
async def test_a_bot_that_fails_is_played_automatically(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def broken(view: View, _salt: int) -> Command:
        if fault == "raises":
            raise RuntimeError("no idea")
        return Discard(view.turn, 999)

    monkeypatch.setattr(bots, "policy", lambda _game, _name: broken)
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(BOT, BOT, BOT, BOT))
        stub = await engine.stub(service())
        async with asyncio.timeout(20):
            messages = await watched(stub.Watch(pb.WatchRequest(table_id=table_id)))
        assert messages[-1].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
        registry = engine.running.runtime.registry
        assert (registry.get_sample_value("meldhall_table_bot_faults_total") or 0) > 20


async def test_tables_that_wait_cost_no_task_and_closed_ones_leave_memory(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        stub = await engine.stub("anna")
        sample = engine.running.runtime.registry.get_sample_value
        await stub.CreateTable(new_table(OPEN, OPEN, command_id="warm"))
        before = len(asyncio.all_tasks())
        for number in range(20):
            table_id = await engine.open(new_table(OPEN, OPEN, command_id=f"c{number}"), by="anna")
            sitter = Sitter(stub, table_id, "anna")
            await sitter.join()
            await sitter.leave()
        await until(lambda: len(asyncio.all_tasks()) <= before + 1)
        for _ in range(20):
            await clock.advance(2)
            await asyncio.sleep(0.01)
        assert (sample("meldhall_table_evictions_total") or 0) >= 20
        first = await Sitter(stub, table_id, "anna").join()
        assert first.view.status == view_pb.TABLE_STATUS_WAITING, "the first answer, also after the end"
        assert (await refusal(sitter.join())).reason == "TABLE_CLOSED"
