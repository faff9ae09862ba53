"""The process is killed at each step of a match and started again on the same file."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fixtures.matchmaking import Client, FakeTables, table_of
from tests.fixtures.matchmaking_processes import Processes, enqueue, file_keys
from tests.fixtures.waiting import until

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.matcher import AFTER_CLAIM, AFTER_TABLE, BEFORE_CLAIM
from meldhall_runtime.auth import generate_keypair
from meldhall_runtime.failpoints import KILLED, VARIABLE


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    generate_keypair(tmp_path)
    tables = FakeTables(file_keys(tmp_path))
    async with tables.serve() as address:
        running = Processes(tmp_path, tables, address)
        yield running
        running.close()


async def follow_both(client: Client, *tickets: pb.Ticket) -> list[pb.Ticket]:
    """Follow tickets at the same time, as their players would: who is not back is not matched."""
    return await asyncio.gather(*(client.follow(one.player_id, one.ticket_id) for one in tickets))


async def ended(process: "subprocess.Popen[bytes]") -> int:
    return await asyncio.wait_for(asyncio.to_thread(process.wait), 20)


@pytest.mark.parametrize(
    ("place", "calls"),
    [(BEFORE_CLAIM, (0, 1)), (AFTER_CLAIM, (0, 1)), (AFTER_TABLE, (1, 2))],
)
async def test_whoever_waits_is_matched_once_wherever_the_process_dies(
    processes: Processes, place: str, calls: tuple[int, int]
) -> None:
    tables = processes.tables
    async with processes.players() as client:
        with processes.run(**{VARIABLE: place}) as process:
            ann = await enqueue(client, "ann")
            coming = asyncio.create_task(enqueue(client, "ben"))
            assert await ended(process) == KILLED
        assert len(tables.calls) == calls[0]
        with processes.run():
            ben = await coming
            matched = await follow_both(client, ann, ben)

    assert len(tables.calls) == calls[1]
    assert [one.state for one in matched] == [pb.TICKET_STATE_MATCHED] * 2
    assert {one.table_id for one in matched} == {table_of(command_id) for command_id in tables.opened}
    assert tables.seatings() == [["ann", "ben"]]


async def test_after_a_crash_who_did_not_come_back_gets_no_seat(processes: Processes) -> None:
    async with processes.players() as client:
        with processes.run():
            await enqueue(client, "gone")
        with processes.run():
            ann, ben = await enqueue(client, "ann"), await enqueue(client, "ben")
            matched = await follow_both(client, ann, ben)

    assert [one.state for one in matched] == [pb.TICKET_STATE_MATCHED] * 2
    assert processes.tables.seatings() == [["ann", "ben"]]


async def test_kills_in_the_midst_of_many_matches_lose_and_double_nobody(processes: Processes) -> None:
    async def slowly() -> None:
        await asyncio.sleep(0.1)

    async def play(client: Client, number: int) -> pb.Ticket:
        await asyncio.sleep(0.05 * number)
        ticket = await enqueue(client, f"player-{number:02}")
        return await client.follow(ticket.player_id, ticket.ticket_id, seconds=30)

    processes.tables.before_answer = slowly
    async with processes.players() as client:
        playing = asyncio.gather(*(play(client, number) for number in range(40)))
        for calls in (1, 8):
            with processes.run():
                await until(processes.called(calls), 20)
        with processes.run():
            matched = await playing

    told = {one.player_id: one.table_id.removeprefix("table-") for one in matched}
    seats: dict[str, set[str]] = {}
    for player, command_id in told.items():
        seats.setdefault(command_id, set()).add(player)
    assert len(told) == 40
    assert {len(players) for players in seats.values()} == {2}
    for command_id, players in seats.items():
        assert {seat.reserved_for for seat in processes.tables.opened[command_id].seats} == players
    assert len(processes.tables.opened) == 20
