"""Two processes on one PostgreSQL: players come and go while the one that leads is killed or frozen."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
from tests.fixtures.matchmaking import Client, FakeTables
from tests.fixtures.matchmaking_processes import Processes, enqueue, file_keys
from tests.fixtures.waiting import until

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_eventlog import who_holds
from meldhall_matchmaking.store import PARTS, open_database
from meldhall_matchmaking.store.inspecting import lease_name
from meldhall_runtime.auth import generate_keypair

LONG = os.environ.get("MELDHALL_CHAOS") == "long"
PLAYERS = 400 if LONG else 60
PACE = 0.05
LEASE = "6" if LONG else "2"
TAKEOVER = 10.0
NOISE = 8.0
"""Seconds by which a busy machine may be late."""

pytestmark = pytest.mark.timeout(300 if LONG else 120)


@pytest.fixture
async def two(tmp_path: Path, postgres_matchmaking_url: str) -> AsyncIterator[tuple[Processes, Processes]]:
    generate_keypair(tmp_path)
    tables = FakeTables(file_keys(tmp_path))
    async with tables.serve() as address:
        made = [Processes(tmp_path, tables, address, postgres_matchmaking_url) for _ in range(2)]
        yield made[0], made[1]
        for one in made:
            one.close()


async def cancel(client: Client, ticket: pb.Ticket) -> pb.Ticket | None:
    """Take a ticket back; None where a table was found first."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await client.cancel(ticket.player_id, ticket.ticket_id)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return None
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            await asyncio.sleep(0.05)


async def play(client: Client, number: int) -> pb.Ticket:
    """Come, and be seated; every fifth takes the ticket back at once, if that still goes."""
    await asyncio.sleep(PACE * number)
    ticket = await enqueue(client, f"player-{number:03}")
    if number % 5 == 0:
        cancelled = await cancel(client, ticket)
        if cancelled is not None:
            return cancelled
    return await client.follow(ticket.player_id, ticket.ticket_id, seconds=90)


async def leader(url: str) -> set[str]:
    database = open_database(url)
    try:
        held = [await who_holds(database, lease_name(part)) for part in range(PARTS)]
    finally:
        await database.close()
    return {one.holder.partition("#")[0] for one in held if one is not None}


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_leader_that_is_gone_is_replaced_and_every_ticket_ends_once(
    two: tuple[Processes, Processes], postgres_matchmaking_url: str, fault: signal.Signals
) -> None:
    first, second = two
    tables = first.tables
    settings = {"MELDHALL_MATCHMAKING_LEASE_SECONDS": LEASE}
    with ExitStack() as stack:
        leading = stack.enter_context(first.run(**settings))
        while await leader(postgres_matchmaking_url) != {first.address}:  # noqa: ASYNC110 - another process's doing
            await asyncio.sleep(0.05)
        stack.enter_context(second.run(**settings))
        async with second.players() as client:
            playing = asyncio.gather(*(play(client, number) for number in range(PLAYERS)))
            await until(lambda: len(tables.opened) >= 4, 30)
            leading.send_signal(fault)
            led = len(tables.opened)
            async with asyncio.timeout(TAKEOVER + NOISE):
                while await leader(postgres_matchmaking_url) != {second.address}:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.05)
            await until(lambda: len(tables.opened) > led, TAKEOVER + NOISE)
            if fault is signal.SIGSTOP:
                leading.send_signal(signal.SIGCONT)
            # Whoever is left without a partner at the end gets one.
            more = asyncio.create_task(play(client, PLAYERS + 1))
            ended = await playing
            more.cancel()
            await asyncio.wait({more})

    states = Counter(one.state for one in ended)
    assert states.keys() <= {pb.TICKET_STATE_MATCHED, pb.TICKET_STATE_CANCELLED}
    assert sum(states.values()) == PLAYERS
    told = {one.player_id: one.table_id.removeprefix("table-") for one in ended if one.table_id}
    for player, command_id in told.items():
        assert player in {seat.reserved_for for seat in tables.opened[command_id].seats}
    cancelled = {one.player_id for one in ended if one.state == pb.TICKET_STATE_CANCELLED}
    seated = Counter(name for seats in tables.seatings() for name in seats)
    assert not cancelled & seated.keys()
    assert max(seated.values()) == 1
