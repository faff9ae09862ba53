"""A Play stream at a table whose owner does what is hard to make a real one do at the right moment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import grpc
import pytest
from tests.fixtures.play_stream import kinds_of, told_by
from tests.fixtures.table_domain import START, dealt

from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_runtime.auth import Principal, Role
from meldhall_runtime.errors import ServiceError, failed_precondition
from meldhall_table.api.play import MOST_UNANSWERED, play
from meldhall_table.domain import play as rules
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.watchers import End, Watcher
from meldhall_table.store.stream import fold

Done = bytes | Refusal
REFUSED = Refusal("WRONG_PHASE", "not now")


class Table1:
    """Stands for the owner and its mailbox: one table, one watcher, commands done by the test."""

    def __init__(self, done: Callable[["Table1", TableCommand], Awaitable[Done]], limit: int = 256) -> None:
        self.table = dealt("anna", "ben")
        self.watcher = Watcher(limit, lambda _watcher: None)
        self.taken = 0
        self.epoch = 1
        self._done = done

    async def mailbox(self, _table_id: str) -> "Table1":
        return self

    async def watch(self, admit: Callable[[Table], Refusal | None]) -> tuple[Table, Watcher]:
        assert admit(self.table) is None
        return self.table, self.watcher

    async def command(self, command: TableCommand) -> Done:
        self.taken += 1
        return await self._done(self, command)

    def go_on(self) -> bytes:
        """Take an automatic turn, show it, and return an answer at its version."""
        steps = fold(self.table, rules.automatic(self.table, START), START)
        for step in steps:
            self.watcher.offer(step)
        self.table = steps[-1].table
        return pb.ActResponse(version=self.table.version).SerializeToString()


class Client:
    """The far end of a stream: what it has sent, and what it has read."""

    def __init__(self, commands: int) -> None:
        act = pb.ActRequest(command_id="c", move=moves_pb.Move(draw=moves_pb.Draw()))
        self._sent = [
            pb.PlayRequest(watch=pb.WatchRequest(table_id="t")),
            *[pb.PlayRequest(act=act)] * commands,
        ]
        self.got: list[pb.PlayResponse] = []
        self.most: int | None = None
        self.reads = asyncio.Event()
        self.reads.set()

    def set_trailing_metadata(self, metadata: tuple[tuple[str, str], ...]) -> None:
        assert metadata == (("meldhall-epoch", "1"),)

    async def read(self) -> Any:
        if self._sent:
            return self._sent.pop(0)
        await asyncio.Event().wait()
        return grpc.aio.EOF

    async def write(self, message: pb.PlayResponse) -> None:
        await self.reads.wait()
        if self.most is not None and len(self.got) >= self.most:
            await asyncio.Event().wait()
        self.got += told_by(message)


def serve(table: Table1, client: Client) -> "asyncio.Task[None]":
    caller = Principal("anna", Role.PLAYER)
    return asyncio.create_task(play(cast("Any", table), cast("Any", None), caller, cast("Any", client)))


async def settle() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


async def refuse(_table: Table1, _command: TableCommand) -> Done:
    return REFUSED


async def test_who_reads_too_slowly_is_told_where_to_go_on() -> None:
    table, client = Table1(refuse, limit=4), Client(0)
    start = table.table.version
    serving = serve(table, client)
    await settle()
    client.reads.clear()
    for _ in range(3):
        table.go_on()
    await settle()
    client.reads.set()
    await serving
    assert kinds_of(client.got) == ["snapshot", "event", "go_away"] or kinds_of(client.got) == [
        "snapshot",
        "go_away",
    ]
    away = client.got[-1].go_away
    assert away.reason == pb.GO_AWAY_REASON_TOO_SLOW
    assert away.resume_version == start + len(client.got) - 2
    assert away.retry_after_ms


async def test_a_table_that_is_lost_is_to_be_asked_for_again() -> None:
    async def lose(table: Table1, _command: TableCommand) -> Done:
        table.watcher.end(End.LOST)
        return REFUSED

    client = Client(1)
    with pytest.raises(ServiceError, match="TABLE_RELOADING"):
        await serve(Table1(lose), client)
    assert kinds_of(client.got) == ["snapshot", "answer"]


async def test_a_table_that_has_moved_is_named_by_the_answer_and_by_the_last_message() -> None:
    async def moved(_table: Table1, _command: TableCommand) -> Done:
        raise failed_precondition("NOT_OWNER", "elsewhere", owner_address="10.0.0.7:7400", owner_epoch="9")

    client = Client(1)
    await serve(Table1(moved), client)
    assert kinds_of(client.got) == ["snapshot", "answer", "go_away"]
    refused = client.got[1].answer.refused
    assert (refused.status, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION.value[0], "NOT_OWNER")
    assert refused.metadata["owner_epoch"] == "9"
    assert client.got[2].go_away.reason == pb.GO_AWAY_REASON_MOVED
    assert client.got[2].go_away.address == "10.0.0.7:7400"


async def test_the_command_in_hand_is_answered_before_the_last_message() -> None:
    going_on = asyncio.Event()

    async def close(table: Table1, _command: TableCommand) -> Done:
        answer = table.go_on()
        table.watcher.end(End.TABLE_CLOSED)
        await going_on.wait()
        return answer

    table, client = Table1(close), Client(2)
    serving = serve(table, client)
    await settle()
    assert kinds_of(client.got)[-1] == "event"
    going_on.set()
    await serving
    assert kinds_of(client.got)[-2:] == ["answer", "go_away"]
    assert table.taken == 1


async def test_an_answer_is_kept_back_where_the_stream_ends_before_what_the_command_caused() -> None:
    async def stopped(table: Table1, _command: TableCommand) -> Done:
        table.watcher.end(End.SHUTDOWN)
        return table.go_on()

    table, client = Table1(stopped), Client(1)
    start = table.table.version
    await serve(table, client)
    assert kinds_of(client.got) == ["snapshot", "go_away"]
    assert client.got[-1].go_away.resume_version == start


async def test_no_more_commands_are_taken_than_may_lack_an_answer() -> None:
    table, client = Table1(refuse), Client(MOST_UNANSWERED * 4)
    client.reads.clear()
    serving = serve(table, client)
    await settle()
    assert table.taken == 0
    client.reads.set()
    await settle()
    assert table.taken == MOST_UNANSWERED * 4
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def test_who_reads_nothing_holds_up_his_own_commands_only() -> None:
    table, client = Table1(refuse), Client(MOST_UNANSWERED * 4)
    serving = serve(table, client)
    client.most = 1
    await settle()
    assert kinds_of(client.got) == ["snapshot"]
    assert table.taken == MOST_UNANSWERED
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def test_a_fault_of_ours_ends_the_stream_as_a_fault() -> None:
    async def fail(_table: Table1, _command: TableCommand) -> Done:
        raise RuntimeError("a bug")

    client = Client(1)
    with pytest.raises(RuntimeError, match="a bug"):
        await serve(Table1(fail), client)
