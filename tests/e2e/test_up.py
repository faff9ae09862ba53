"""`meldhall up` as people run it: started, stopped by a signal, started again on the same folder."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from tests.fixtures.command import COMMAND, run_command
from tests.fixtures.stack import NAMES, Backend, attached

from meldhall_cli.stack_ports import SERVICES, Ports
from meldhall_embedded import DataDir, free_port

QUICKLY = 5.0
"""Seconds in which an idle stack is gone, on a machine that does other things too."""


def port_settings() -> dict[str, str]:
    """Free ports, as the settings that a person would use."""
    names = [
        "NATS",
        "NATS_MONITOR",
        *(f"{name.upper()}{kind}" for name in SERVICES for kind in ("", "_ADMIN")),
    ]
    return {f"MELDHALL_{name}_PORT": str(free_port()) for name in names}


_settings: dict[Path, dict[str, str]] = {}
"""What the stack of a folder listens on: the same after a restart, as with the documented ports."""


class Up:
    """A running `meldhall up`."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path, ports: Ports) -> None:
        self.process = process
        self.folder = folder
        self.ports = ports
        self.output = ""

    async def ready(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(40):
            while "Ctrl-C stops everything" not in self.output:
                line = await self.process.stdout.readline()
                assert line, f"ended before it was up:\n{self.output}"
                self.output += line.decode()

    def family(self) -> list[psutil.Process]:
        return [*psutil.Process(self.process.pid).children(recursive=True), psutil.Process(self.process.pid)]

    async def end(self, number: signal.Signals) -> tuple[int, float]:
        """Send a signal; return the exit code and how many seconds it took."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        self.process.send_signal(number)
        out, _ = await asyncio.wait_for(self.process.communicate(), 30)
        self.output += out.decode()
        assert self.process.returncode is not None
        return self.process.returncode, loop.time() - started


@asynccontextmanager
async def up(folder: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[Up]:
    ports = _settings.setdefault(folder, port_settings())
    env = {**os.environ, "COLUMNS": "200", **ports, **(settings or {})}
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "up",
        "--data",
        str(folder),
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    running = Up(process, folder, Ports.from_environment(env))
    try:
        yield running
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def clients(running: Up) -> AsyncIterator[Backend]:
    async with attached(DataDir(running.folder), running.ports) as made:
        yield made


async def test_signals_stop_everything_and_the_next_start_goes_on_at_the_same_turn(tmp_path: Path) -> None:
    names = NAMES[:2]
    async with up(tmp_path) as running:
        await running.ready()
        family = running.family()
        assert len(family) == 2 + len(SERVICES)
        async with clients(running) as made:
            table_id = await made.open_for(*names)
            await made.sit(table_id, *names)
            for _ in range(5):
                await made.move(table_id, await made.on_turn(table_id, names))
            before = [await made.look(table_id, name) for name in names]
            await gone_by(running, signal.SIGTERM, family)

    async with up(tmp_path) as running:
        await running.ready()
        async with clients(running) as made:
            after = [await made.look(table_id, name) for name in names]
            assert [view.round for view in after] == [view.round for view in before]
            await made.move(table_id, await made.on_turn(table_id, names))
            before = [await made.look(table_id, name) for name in names]
        family = running.family()
        running.process.kill()
        # The kernel ends the children of a stack that was killed itself.
        _, alive = await asyncio.to_thread(psutil.wait_procs, family[:-1], 5)
        assert alive == []

    async with up(tmp_path) as running:
        await running.ready()
        async with clients(running) as made:
            after = [await made.look(table_id, name) for name in names]
            assert [view.round for view in after] == [view.round for view in before]
            await made.play(table_id, *names)
            assert (await made.audit(table_id)).difference is None
            await made.settled(table_id, 1)
        await gone_by(running, signal.SIGINT, running.family())


async def gone_by(running: Up, number: signal.Signals, family: list[psutil.Process]) -> None:
    code, seconds = await running.end(number)
    assert code == 0, running.output
    assert seconds < QUICKLY
    assert [process for process in family if process.is_running()] == []
    assert DataDir(running.folder).running() is None


async def test_a_second_stack_is_refused_and_the_first_tells_its_watchers_where_to_go_on(
    tmp_path: Path,
) -> None:
    async with up(tmp_path) as running:
        await running.ready()
        async with clients(running) as made:
            table_id = await made.open_for(*NAMES[:2])
            await made.sit(table_id, "anna")
            watching = [asyncio.create_task(made.watch(table_id, "anna")) for _ in range(5)]

            code, _, err = await run_command("up", "--data", str(tmp_path), env=port_settings())
            assert code == 2
            assert f"process {running.process.pid}" in err
            assert str(tmp_path) in err
            state = DataDir(tmp_path).running()
            assert state is not None
            assert state.pid == running.process.pid

            await gone_by(running, signal.SIGTERM, running.family())
            ends = await asyncio.gather(*watching)
    assert [last.go_away.resume_version for last in ends] == [3] * 5


async def test_a_signal_while_it_starts_stops_the_start(tmp_path: Path) -> None:
    async with up(tmp_path) as running:
        assert running.process.stdout is not None
        await running.process.stdout.readline()
        await asyncio.sleep(0.6)
        family = running.family()
        code, seconds = await running.end(signal.SIGINT)
        assert code == 0, running.output
        assert seconds < QUICKLY
        assert [process for process in family if process.is_running()] == []


@pytest.mark.parametrize(
    "setting",
    ["MELDHALL_NATS_PORT", "MELDHALL_NATS_MONITOR_PORT", "MELDHALL_TABLE_PORT", "MELDHALL_LEDGER_ADMIN_PORT"],
)
async def test_a_port_that_is_taken_is_named_with_its_setting(tmp_path: Path, setting: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        env = {**port_settings(), setting: port}
        code, _, err = await run_command("up", "--data", str(tmp_path), env=env)
    assert code == 2
    assert setting in err
    assert port in err


async def test_a_port_that_is_none_is_named_with_its_setting(tmp_path: Path) -> None:
    for value in ("65536", "many"):
        code, _, err = await run_command("up", "--data", str(tmp_path), env={"MELDHALL_TABLE_PORT": value})
        assert code == 2
        assert "MELDHALL_TABLE_PORT" in err
