"""`meldhall bench NAME`: measure a part alone, for comparing before and after on one machine."""

import asyncio
import json
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_eventlog import Append, NewEvent, SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_rules import registry
from meldhall_rules.bots.rummy101 import choose
from meldhall_rules.commands import Command
from meldhall_rules.events import RoundDealt
from meldhall_rules.game import RoundSetup
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import Phase

NAMES = ("rules", "log")
RECORDED_ROUNDS = 20
PAYLOAD_BYTES = 256


def bench(name: str, *, seconds: float, as_json: bool, console: Console) -> None:
    """Run a bench and print what it measured.

    Raises:
        CommandFault: there is no such bench.
    """
    match name:
        case "rules":
            result = _rules(seconds)
        case "log":
            result = asyncio.run(_log(seconds))
        case _:
            raise CommandFault(f"there is no bench {name!r}, only {', '.join(NAMES)}")
    for key, value in result.items():
        console.print(f"{key:>28}  {value:,.0f}" if value >= 100 else f"{key:>28}  {value:.3f}")
    if as_json:
        print(json.dumps(result))


def _rules(seconds: float) -> dict[str, float]:
    """Moves a second of decide and evolve over recorded rounds, on one core."""
    recorded = list(_recorded_rounds())
    game = registry.game("rummy101")
    moves = 0
    started = time.perf_counter()
    while (spent := time.perf_counter() - started) < seconds:
        for dealt, commands in recorded:
            state = game.evolve(None, dealt)
            for command in commands:
                answer = game.decide(state, command)
                if isinstance(answer, Rejection):
                    raise CommandFault(f"a recorded move was refused: {answer.detail}")
                for event in answer:
                    state = game.evolve(state, event)
            moves += len(commands)
    per_second = moves / spent
    return {"rummy101": per_second, "mean_moves_per_second": per_second}


def _recorded_rounds() -> Iterator[tuple[RoundDealt, list[Command]]]:
    game = registry.game("rummy101")
    options = game.parse_options({})
    if isinstance(options, Rejection):
        raise CommandFault(options.detail)
    for number in range(RECORDED_ROUNDS):
        seats = 2 + number % 3
        setup = RoundSetup(1, seats, 0, number.to_bytes(32, "big"), (1,) * seats)
        dealt = game.deal(options, setup)
        state = game.evolve(None, dealt)
        commands: list[Command] = []
        while (view := game.view(state, 0)).phase is not Phase.OVER:
            command = choose(game.view(state, view.turn))
            answer = game.decide(state, command)
            if isinstance(answer, Rejection):
                raise CommandFault(f"the bot's move was refused: {answer.detail}")
            for event in answer:
                state = game.evolve(state, event)
            commands.append(command)
        yield dealt, commands


async def _log(seconds: float) -> dict[str, float]:
    """Appends a second, one after another and 64 at a time, each durable; events read a second."""
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-") as folder:
        url = f"sqlite+aiosqlite:///{Path(folder) / 'log.sqlite3'}"
        await asyncio.to_thread(upgrade, url)
        log = await SqlEventLog.open(url)
        try:
            lone, latencies = await _append_for(log, 1, seconds)
            together, _ = await _append_for(log, 64, seconds)
            started = time.perf_counter()
            read = position = 0
            while page := await log.read_all(after_position=position, limit=500):
                read += len(page)
                position = page[-1].position
            reading = time.perf_counter() - started
        finally:
            await log.close()
    latencies.sort()
    return {
        "appends_per_second": lone,
        "append_ms_p50": latencies[len(latencies) // 2] * 1000,
        "append_ms_p99": latencies[len(latencies) * 99 // 100] * 1000,
        "appends_per_second_64_writers": together,
        "events_read_per_second": read / reading,
    }


async def _append_for(log: SqlEventLog, writers: int, seconds: float) -> tuple[float, list[float]]:
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    started = loop.time()

    async def write(stream_id: str) -> None:
        version = 0
        while loop.time() - started < seconds:
            event = NewEvent(uuid.uuid4(), "meldhall.bench.v1.Event", 1, bytes(PAYLOAD_BYTES), public=False)
            before = loop.time()
            await log.append(
                Append(
                    stream_id=stream_id,
                    category="bench",
                    shard=0,
                    expected_version=version,
                    epoch=0,
                    events=(event,),
                    recorded_at_ms=0,
                    command_id=f"command-{version}",
                )
            )
            latencies.append(loop.time() - before)
            version += 1

    async with asyncio.TaskGroup() as group:
        for number in range(writers):
            group.create_task(write(f"bench-{writers}-{number}"))
    return len(latencies) / (loop.time() - started), latencies
