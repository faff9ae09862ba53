"""What operators see: pools, their leaders, and why a ticket waits; over gRPC and by the command."""

import json
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from rich.console import Console
from tests.fixtures.matchmaking import Client, FakeTables, matchmaking, refusal
from tests.fixtures.waiting import until

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as tickets_pb
from meldhall.matchmaking.v1 import pool_service_pb2 as pb
from meldhall.matchmaking.v1.pool_service_pb2_grpc import PoolServiceStub
from meldhall_cli.faults import CommandFault
from meldhall_cli.pools import pools
from meldhall_matchmaking.store import PARTS
from meldhall_runtime.testing import Keys, RunningService, operator, player

Served = tuple[Client, RunningService]


@pytest_asyncio.fixture
async def served(path: Path, table_address: str, keys: Keys) -> AsyncIterator[Served]:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as made:
        await until(lambda: led(made[1]) == PARTS)
        yield made


def led(running: RunningService) -> float:
    return running.runtime.registry.get_sample_value("meldhall_matchmaking_parts_led") or 0


async def asked(running: RunningService, ticket_id: str, caller: str = "") -> pb.ExplainTicketResponse:
    stub = PoolServiceStub(await running.channel(player(caller) if caller else operator()))
    answer: pb.ExplainTicketResponse = await stub.ExplainTicket(pb.ExplainTicketRequest(ticket_id=ticket_id))
    return answer


async def test_operators_see_every_pool_and_who_leads_it(served: Served) -> None:
    client, running = served
    for name in ("ann", "ben", "cid"):
        await client.enqueue(name, seats=4)
    dan = await client.enqueue("dan", seats=3, play=tickets_pb.PLAY_RANKED)

    stub = PoolServiceStub(await running.channel(operator()))
    found = (await stub.ListPools(pb.ListPoolsRequest())).pools

    assert [(one.seats, one.play, one.waiting, one.proposed, one.leader) for one in found] == [
        (4, tickets_pb.PLAY_QUICK, 3, 0, running.address),
        (3, tickets_pb.PLAY_RANKED, 1, 0, running.address),
    ]
    assert found[1].oldest_at_unix_ms == dan.enqueued_at_unix_ms
    assert not found[0].HasField("typical_wait_ms")
    assert not found[0].failing


async def test_a_ticket_is_explained_by_the_constraint_that_fails(served: Served) -> None:
    client, running = served
    await client.stub("ann").Block(tickets_pb.BlockRequest(player_id="ben"))
    ann, ben = [await client.enqueue(name) for name in ("ann", "ben")]

    told = await asked(running, ann.ticket_id)

    assert (told.reason, told.waiting, told.fitting) == (pb.WAIT_REASON_BLOCKED, 2, 0)
    assert dict(told.obstacles) == {"blocked": 1}
    assert told.ticket.player_id == "ann"
    assert (await asked(running, ben.ticket_id, caller="ben")).reason == pb.WAIT_REASON_BLOCKED
    await client.cancel("ben", ben.ticket_id)
    assert (await asked(running, ann.ticket_id)).reason == pb.WAIT_REASON_TOO_FEW
    assert (await asked(running, ben.ticket_id)).reason == pb.WAIT_REASON_ENDED


async def test_a_player_asks_for_his_own_tickets_only(served: Served) -> None:
    client, running = served
    ann = await client.enqueue("ann")

    for ticket_id, caller in ((ann.ticket_id, "ben"), ("none", "ann")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await asked(running, ticket_id, caller)
        assert refusal(refused.value)[:2] == (grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND")
    stub = PoolServiceStub(await running.channel(player("ann")))
    with pytest.raises(grpc.aio.AioRpcError) as denied:
        await stub.ListPools(pb.ListPoolsRequest())
    assert denied.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def run(path: Path, ticket: str | None = None) -> tuple[bool, str]:
    told = StringIO()
    console = Console(file=told, width=200)
    url = f"sqlite:///{path}"
    good = await pools(ticket, data=None, database=url, as_json=False, console=console)
    return good, told.getvalue()


async def test_the_command_shows_pools_and_explains_tickets(served: Served, path: Path) -> None:
    client, running = served
    assert await run(path) == (True, "Nobody waits.\n")
    ann = await client.enqueue("ann", seats=3)

    good, told = await run(path)
    assert good
    assert "rummy101, 3 seats, 1 rounds" in told
    assert running.address in told

    _, told = await run(path, ann.ticket_id)
    assert "there are fewer people than seats" in told
    assert "1 wait for the 3 seats, 0 of the others fit." in told
    with pytest.raises(CommandFault, match="no ticket none"):
        await run(path, "none")


async def test_the_command_says_what_is_wrong_by_its_answer(
    path: Path, tables: FakeTables, keys: Keys, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.fault = grpc.StatusCode.RESOURCE_EXHAUSTED
    async with tables.serve() as address, matchmaking(path, address, keys) as (client, running):
        ann, _ = await client.enqueue("ann"), await client.enqueue("ben")
        stub = PoolServiceStub(await running.channel(operator()))
        while True:
            found = (await stub.ListPools(pb.ListPoolsRequest())).pools
            if found[0].failing:
                break
        assert not (await run(path))[0]
        told = await asked(running, ann.ticket_id)
        assert told.reason in {pb.WAIT_REASON_TABLES_FAIL, pb.WAIT_REASON_BEING_SEATED}
    # Nobody leads any more.
    assert not (await run(path))[0]
    capsys.readouterr()
    console = Console(file=StringIO())
    url = f"sqlite:///{path}"
    await pools(ann.ticket_id, data=None, database=url, as_json=True, console=console)
    assert json.loads(capsys.readouterr().out)["reason"] == "no_leader"
