"""Erasing a player from a running backend: what a person could be known by is nowhere afterwards."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from rich.console import Console
from tests.fixtures.stack import Backend, backend

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from meldhall.operator.v1.erasure_events_pb2 import PlayerErased
from meldhall_cli.erase import erase
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.archive import ArchivedLog, Plan, move_finished
from meldhall_table.store.audit import audit_table

JANE, OTHER = "p-01m8r4z2a5qf", "p-01m8r4z2a5qg"
FAR_MS = 4_000_000_000_000
PLANTED = ("jane.doe@example.org", "Jane Doe")
"""What a client wrote where it may write what it likes."""


async def matched(made: Backend, stub: Any, player: str, command_id: str) -> str:
    wish = matchmaking_pb.EnqueueRequest(command_id=command_id, seats=2)
    wish.options.rummy101.SetInParent()
    answer = await stub.Enqueue(wish, metadata=made.by(player), timeout=10)
    request = matchmaking_pb.WatchTicketRequest(ticket_id=answer.ticket.ticket_id)
    table_id = ""
    async for message in stub.WatchTicket(request, metadata=made.by(player), timeout=20):
        table_id = message.ticket.table_id
    return table_id


async def erased(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """Erase until all of it is gone, and count tickets and commands that went.

    A reader may hold on to an old part of a database for a moment.
    """
    tickets = commands = 0
    for _ in range(20):
        done = await erase(
            JANE,
            by="operator-7",
            data=folder,
            database=None,
            matchmaking_database=None,
            as_json=True,
            console=Console(stderr=True),
        )
        found = json.loads(capsys.readouterr().out.splitlines()[-1])
        tickets, commands = tickets + found["tickets"], commands + found["commands"]
        assert found["done"] is done
        if done:
            return tickets, commands
        await asyncio.sleep(0.5)
    raise AssertionError("what was deleted does not leave the file")


def files_with(folder: Path, text: str) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    )


def unpacked(folder: Path) -> bytes:
    return b"".join(gzip.decompress(path.read_bytes()) for path in folder.glob("*.gz"))


async def test_nothing_that_a_person_could_be_known_by_is_left_after_an_erasure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        backend(tmp_path) as made,
        grpc.aio.insecure_channel(made.ports.address("matchmaking")) as channel,
    ):
        stub = MatchmakingServiceStub(channel)
        tables = await asyncio.gather(
            matched(made, stub, JANE, " ".join(PLANTED)), matched(made, stub, OTHER, "other-wishes")
        )
        await made.play(tables[0], JANE, OTHER)
        await made.settled(tables[0], 1)
        assert files_with(tmp_path, PLANTED[0])

        assert await erased(tmp_path, capsys) == (1, 1)
        assert await erased(tmp_path, capsys) == (0, 0)

        for text in PLANTED:
            assert files_with(tmp_path, text) == []
        assert [name for name in files_with(tmp_path, JANE) if "matchmaking.sqlite3" in name] == []
        # The other player's ticket is as it was, and the books and the log know the pseudonyms.
        assert made.sql("matchmaking", "SELECT player_id, state FROM tickets") == [(OTHER, "matched")]
        assert (await made.audit(tables[0])).difference is None
        facts = made.sql("table", "SELECT payload, actor FROM events WHERE stream_id = 'erasures'")
        assert [(PlayerErased.FromString(payload).player_id, actor) for payload, actor in facts] == [
            (JANE, "operator-7")
        ]

        log = await SqlEventLog.open(f"sqlite:///{made.database('table')}")
        moved = await move_finished(log, Plan(tmp_path / "archive", "table", FAR_MS, FAR_MS, published=None))
        await log.close()
        assert moved.streams == 1
        archived = await ArchivedLog.open(tmp_path / "archive")
        assert (await audit_table(archived, tables[0])).difference is None
        for text in PLANTED:
            assert files_with(tmp_path, text) == []
            assert text.encode() not in unpacked(tmp_path / "archive")
