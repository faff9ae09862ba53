"""The process is killed at each step of a match and started again on the same file."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import grpc
import pytest
from tests.fixtures.matchmaking import Client, FakeTables, table_of
from tests.fixtures.waiting import until

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.matcher import AFTER_CLAIM, AFTER_TABLE, BEFORE_CLAIM
from meldhall_runtime.auth import TokenIssuer, TokenVerifier, generate_keypair
from meldhall_runtime.failpoints import KILLED, VARIABLE
from meldhall_runtime.testing import Keys

ROOT = Path(__file__).parents[3]
SERVE = """
import sys
from meldhall_matchmaking.app import bind
from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_runtime import load_settings, run_service
sys.exit(run_service("matchmaking", load_settings(MatchmakingSettings), bind))
"""


class Processes:
    """Matchmaking as a process of its own, started again and again on one file and one port."""

    def __init__(self, folder: Path, tables: FakeTables, table_address: str) -> None:
        self.tables = tables
        # Bound and never listened on: nobody else is given the port while the process is down.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._held.getsockname()[1]}"
        self._folder = folder
        self._table_address = table_address

    def close(self) -> None:
        self._held.close()

    def called(self, times: int) -> Callable[[], bool]:
        return lambda: len(self.tables.calls) >= times

    @contextmanager
    def run(self, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
        own = "MELDHALL_MATCHMAKING_"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MELDHALL_")}
        settings = {
            "PYTHONPATH": f"{ROOT / 'libs'}:{ROOT / 'services'}",
            "MELDHALL_LOG_FORMAT": "json",
            f"{own}PORT": self.address.rpartition(":")[2],
            f"{own}ADMIN_PORT": "0",
            f"{own}DATABASE_URL": f"sqlite:///{self._folder / 'matchmaking.sqlite'}",
            f"{own}TABLE_ADDRESS": self._table_address,
            f"{own}POLL_SECONDS": "0.02",
            f"{own}BOTS_AFTER_SECONDS": "3600",
            f"{own}AUTH_PUBLIC_KEY_FILE": str(self._folder / "auth-public.pem"),
            f"{own}AUTH_SIGNING_KEY_FILE": str(self._folder / "auth-signing.pem"),
        }
        with (self._folder / "log.jsonl").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVE], env={**kept, **settings, **environment}, stderr=log
            )
            try:
                yield process
            finally:
                process.kill()
                process.wait()

    @asynccontextmanager
    async def players(self) -> AsyncIterator[Client]:
        async with AsyncExitStack() as stack:
            yield Client(self.address, file_keys(self._folder), stack)


def file_keys(folder: Path) -> Keys:
    keys = Keys()
    keys.issuer = TokenIssuer.from_file(folder / "auth-signing.pem")
    keys.verifier = TokenVerifier.from_file(folder / "auth-public.pem")
    return keys


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    generate_keypair(tmp_path)
    tables = FakeTables(file_keys(tmp_path))
    async with tables.serve() as address:
        running = Processes(tmp_path, tables, address)
        yield running
        running.close()


async def enqueue(client: Client, name: str) -> pb.Ticket:
    """Send the same command until it is answered."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await client.enqueue(name)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            await asyncio.sleep(0.05)


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
