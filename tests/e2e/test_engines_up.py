"""`meldhall up --engines`: engines on a PostgreSQL of their own, one of which dies while people play."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from tests.fixtures.command import COMMAND, run_command

from meldhall_cli.stack_ports import SERVICES
from meldhall_embedded import DataDir, free_port

ENGINES = 2

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not below pytest's folder, which nobody but root may enter where root runs the tests.
    made = Path(tempfile.mkdtemp(prefix="meldhall-engines-"))
    yield made
    shutil.rmtree(made)


def settings() -> dict[str, str]:
    names = ["NATS", "NATS_MONITOR", "POSTGRES", "ENGINE_2", "ENGINE_2_ADMIN"]
    names += [f"{name.upper()}{kind}" for name in SERVICES for kind in ("", "_ADMIN")]
    return {f"MELDHALL_{name}_PORT": str(free_port()) for name in names}


class Up:
    """A running `meldhall up --engines`."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.said = ""

    async def ready(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(150):
            while "Ctrl-C stops everything" not in self.said:
                line = await self.process.stdout.readline()
                assert line, f"ended before it was up:\n{self.said}"
                self.said += line.decode()

    def engines(self) -> list[psutil.Process]:
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child for child in children if child.cmdline()[-2:] == ["serve", "table"]]

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        return await run_command(*arguments, "--data", str(self.folder), seconds=240)


@asynccontextmanager
async def up(folder: Path) -> AsyncIterator[Up]:
    environment = {name: value for name, value in os.environ.items() if name != "MELDHALL_DATABASE_URL"}
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "up",
        "--engines",
        str(ENGINES),
        "--data",
        str(folder),
        env={**environment, "COLUMNS": "200", **settings()},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Up(process, folder)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_people_play_on_while_one_of_the_engines_is_killed_and_started_again(folder: Path) -> None:
    async with up(folder) as running:
        await running.ready()
        state = DataDir(folder).running()
        assert state is not None
        assert state.addresses["table"].count(":") == ENGINES
        assert state.log_url.startswith("postgresql")
        engines = running.engines()
        assert len(engines) == ENGINES

        playing = asyncio.create_task(running.run("demo", "--running", "--rounds", "12"))
        await asyncio.sleep(4)
        engines[0].send_signal(signal.SIGKILL)
        code, out, err = await playing
        assert code == 0, out + err
        assert "Everything holds" in out

        code, out, _ = await running.run("verify")
        assert code == 0, out
        async with asyncio.timeout(60):
            while out.count(" alive ") < ENGINES:
                code, out, _ = await running.run("engines")
        assert (code, "256 of 256 shards" in out) == (0, True)
        assert out.count(" dead ") == 1

        running.process.send_signal(signal.SIGTERM)
        said, _ = await asyncio.wait_for(running.process.communicate(), 60)
        assert running.process.returncode == 0, said
    assert DataDir(folder).running() is None


async def test_several_engines_refuse_a_database_that_they_cannot_share(tmp_path: Path) -> None:
    code, _, err = await run_command(
        "up",
        "--engines",
        "2",
        "--data",
        str(tmp_path),
        env={**settings(), "MELDHALL_DATABASE_URL": "sqlite:///a"},
    )
    assert code == 2
    assert "PostgreSQL" in err


@pytest.mark.parametrize("engines", ["0", "10"])
async def test_there_are_one_to_nine_engines(tmp_path: Path, engines: str) -> None:
    code, _, err = await run_command("up", "--engines", engines, "--data", str(tmp_path))
    assert code == 2
    assert "1 to 9" in err
