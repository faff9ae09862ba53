"""Engines are stopped, killed and frozen, their database and NATS too, while people play at their tables.

After every test the whole log is checked against everything that every player sent and was told. A short form
runs with every other test; with MELDHALL_CHAOS=long it goes on for many faults and seeds.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from random import Random  # noqa: TID251 - seeded by the test

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.fleet import LEASE_SECONDS, Fleet, fleet
from tests.fixtures.load import Load
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_runtime import open_channel, reason_of

LONG = os.environ.get("MELDHALL_CHAOS") == "long"
TABLES = 12 if LONG else 6
STOPS = 12 if LONG else 2
KILLS = 6 if LONG else 1
FAULTS = 15 if LONG else 3
SEEDS = range(8) if LONG else range(1)

NOISE = 8.0
"""Seconds by which a busy machine may be late. What is promised is much less; the report says what it was."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900 if LONG else 240)]

Report = Callable[[str], None]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[Fleet]:
    async with fleet(3) as made:
        yield made


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Report:
    """Say a number that was measured, whether or not the test fails."""

    def say(line: str) -> None:
        with capsys.disabled():
            print(f"\n{request.node.name}: {line}", end=" ")  # noqa: T201 - what was measured is for people

    return say


def now() -> float:
    return asyncio.get_running_loop().time()


def longest(load: Load, since: float) -> float:
    """The longest pause that any table saw."""
    return max(load.pauses(since).values())


async def test_engines_that_are_replaced_hand_their_tables_over_within_a_moment(
    engines: Fleet, report: Report
) -> None:
    pauses = []
    async with engines.load(TABLES, seed=1) as load:
        for _ in range(STOPS):
            await engines.settled()
            victim = await engines.busiest(load)
            before, began = engines.restarts(victim), now()
            engines.kill(victim, signal.SIGTERM)
            await until(lambda name=victim: not engines.tables_of(name, load), 30)  # type: ignore[misc]
            await load.goes_on(5)
            pauses.append(longest(load, began))
            await engines.back(victim, before)
            # Its shards come back to it, as quickly.
            await engines.settled()
            await load.goes_on(5)
        report(f"longest pause of a table at each SIGTERM {', '.join(f'{one:.2f} s' for one in pauses)}")
        assert max(pauses) < 1.0 + NOISE


async def test_tables_of_a_killed_engine_go_on_elsewhere_within_the_time_of_a_lease(
    engines: Fleet, report: Report
) -> None:
    pauses = []
    async with engines.load(TABLES, seed=2) as load:
        for _ in range(KILLS):
            await engines.settled()
            victim = await engines.busiest(load)
            lost, began = engines.tables_of(victim, load), now()
            async with engines.down(victim):
                await load.goes_on(3, tables=lost)
                pauses.append(longest(load, began))
            await load.goes_on(3)
        report(f"leases of {LEASE_SECONDS:g} s, longest pause {', '.join(f'{one:.2f} s' for one in pauses)}")
        assert max(pauses) < LEASE_SECONDS + NOISE


async def late_moves(engines: Fleet, load: Load, frozen: str, tables: list[str]) -> list[str]:
    """Send moves to an engine that cannot answer, wake it up, and return what it said to each."""
    async with open_channel(engines.address(frozen)) as channel:
        stub = TableServiceStub(channel)
        waiting = []
        for table_id in tables:
            for seat in load.seats[table_id]:
                name = seat.witness.player
                request = pb.ActRequest(table_id=table_id, command_id="late", move=moves_pb.Move(draw={}))
                seat.witness.answers[f"{name}:late"] = None
                waiting.append(stub.Act(request, metadata=engines.by(name), timeout=60))
        sent = [asyncio.ensure_future(call) for call in waiting]
        await asyncio.sleep(0.2)
        engines.kill(frozen, signal.SIGCONT)
        answers = await asyncio.gather(*sent, return_exceptions=True)
    said = []
    for answer in answers:
        assert isinstance(answer, grpc.aio.AioRpcError), answer
        info = reason_of(answer)
        said.append(info.reason if info else answer.code().name)
    return said


async def test_an_engine_that_was_frozen_past_its_lease_changes_nothing_when_it_wakes_up(
    engines: Fleet, report: Report
) -> None:
    async with engines.load(TABLES, seed=3) as load:
        await engines.settled()
        victim = await engines.busiest(load)
        tables, began = engines.tables_of(victim, load), now()
        engines.kill(victim, signal.SIGSTOP)
        try:
            await load.goes_on(5, tables=tables)
            assert engines.tables_of(victim, load) == []
            pause = longest(load, began)
            said = await late_moves(engines, load, victim, tables)
        finally:
            engines.kill(victim, signal.SIGCONT)
        assert set(said) <= {"NOT_OWNER", "TABLE_RELOADING", "UNAVAILABLE"}
        # It finds out by itself, and takes its part of the tables again, without having been restarted.
        await engines.settled()
        await load.goes_on(5)
        report(f"pause {pause:.2f} s; {len(said)} late moves were answered {', '.join(sorted(set(said)))}")
        assert pause < LEASE_SECONDS + NOISE


async def test_play_goes_on_without_nats(engines: Fleet, report: Report) -> None:
    async with engines.load(TABLES, seed=4) as load:
        began = now()
        async with engines.down("nats"):
            await load.goes_on(10)
            pause = longest(load, began)
        report(f"longest pause of a table {pause:.2f} s")
        assert pause < NOISE


async def test_a_database_that_is_restarted_stops_play_for_as_long_and_loses_nothing(
    engines: Fleet, report: Report
) -> None:
    async with engines.load(TABLES, seed=5) as load:
        began = now()
        await engines.postgres.stop()
        await engines.postgres.start()
        outage = now() - began
        await load.goes_on(5)
        short = longest(load, began)

        began = now()
        await engines.postgres.kill()
        await asyncio.sleep(LEASE_SECONDS + 1)
        await engines.postgres.start()
        down = now() - began
        await load.goes_on(5)
        long = longest(load, began)
        report(f"away {outage:.2f} s: pause {short:.2f} s; killed for {down:.2f} s: pause {long:.2f} s")
        assert short < outage + LEASE_SECONDS + NOISE
        assert long < down + LEASE_SECONDS + NOISE
        await engines.settled()


async def frozen_for(engines: Fleet, victim: str, seconds: float) -> None:
    engines.kill(victim, signal.SIGSTOP)
    await asyncio.sleep(seconds)
    engines.kill(victim, signal.SIGCONT)


async def restarted_database(engines: Fleet, seconds: float, *, killed: bool) -> None:
    await (engines.postgres.kill() if killed else engines.postgres.stop())
    await asyncio.sleep(seconds)
    await engines.postgres.start()


@pytest.mark.parametrize("seed", SEEDS)
async def test_any_mixture_of_faults_loses_nothing_and_does_nothing_twice(
    engines: Fleet, report: Report, seed: int
) -> None:
    chance = Random(f"mixture {seed}")  # noqa: S311 - the same faults in every run
    done = []
    async with engines.load(TABLES, seed=100 + seed) as load:
        began = now()
        for _ in range(FAULTS):
            victim = chance.choice(engines.engines)
            fault = chance.choice(("stop", "kill", "freeze", "freeze long", "nats", "database"))
            done.append(f"{fault} {victim}" if fault not in {"nats", "database"} else fault)
            match fault:
                case "stop":
                    engines.kill(victim, signal.SIGTERM)
                case "kill":
                    engines.kill(victim)
                case "freeze":
                    await frozen_for(engines, victim, chance.uniform(0.1, 1))
                case "freeze long":
                    await frozen_for(engines, victim, LEASE_SECONDS + chance.uniform(0, 2))
                case "nats":
                    engines.kill("nats")
                case "database":
                    killed = chance.random() < 0.5
                    await restarted_database(engines, chance.uniform(0, 2), killed=killed)
            await asyncio.sleep(chance.uniform(0, 1.5))
        await load.goes_on(5, seconds=120)
        report(f"{', '.join(done)}: longest pause {longest(load, began):.2f} s, {load.moves} moves")
        await engines.settled()
