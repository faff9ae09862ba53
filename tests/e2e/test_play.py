"""`meldhall play` as a process: a person at the end of a pipe, who types what `hint` suggests."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from tests.fixtures.command import COMMAND, run_command
from tests.fixtures.stack import backend

pytestmark = pytest.mark.timeout(200)

PROMPT = re.compile(r"(draw or take|lay or discard|y/n)> $")
SUGGESTED = re.compile(r"Suggested: ([\s\S]+?)\n(?:draw or take|lay or discard)> $")


class Terminal:
    """A process of `meldhall play` and what it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    async def until_asked(self) -> str | None:
        """Read on to the next prompt; what was said before it, None at the end of the output."""
        assert self.process.stdout is not None
        new = ""
        while not PROMPT.search(new):
            found = await self.process.stdout.read(65_536)
            if not found:
                self.said += new
                return None
            new += found.decode()
        self.said += new
        return new

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def play(self, *, until: str) -> int:
        """Type what is suggested until something was said or the output ends; how many moves it took."""
        moves = 0
        while await self.until_asked() is not None and until not in self.said:
            self.type("hint")
            found = SUGGESTED.search(await self.until_asked() or "")
            assert found, self.said[-2000:]
            self.type(found[1].replace("\n", " "))
            moves += 1
        return moves

    def family(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    async def end(self) -> int:
        assert self.process.stdout is not None
        self.said += (await self.process.stdout.read()).decode()
        return await self.process.wait()


@asynccontextmanager
async def terminal(folder: Path, *arguments: str) -> AsyncIterator[Terminal]:
    """Play on a stack of one's own, with the folder as the place for what is thrown away."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "play",
        *arguments,
        env={**os.environ, "COLUMNS": "100", "TMPDIR": str(folder), "MELDHALL_DATA": str(folder / "none")},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # Tests that run in the background of a shell ignore Ctrl-C, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        async with asyncio.timeout(150):
            yield Terminal(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def nothing_is_left(family: list[psutil.Process], folder: Path) -> bool:
    gone, alive = psutil.wait_procs(family, timeout=10)
    return not alive and len(gone) == len(family) and list(folder.iterdir()) == []


async def test_a_round_of_rummy_101_is_played_to_its_end_by_typing_what_is_suggested(tmp_path: Path) -> None:
    async with terminal(tmp_path, "--players", "2", "--bots", "easy") as person:
        assert await person.until_asked() is not None
        family = person.family()
        assert len(family) > 4
        person.type("table")
        assert await person.play(until="Another match?") > 3
        person.type("yes")
        assert await person.until_asked() is not None
        person.type("quit")
        assert await person.until_asked() is not None
        person.type("yes")
        assert await person.end() == 0
    assert "Round 1 is over" in person.said
    assert "The match is over" in person.said
    assert "Another match begins." in person.said
    assert person.said.rstrip().endswith("Good-bye.")
    assert "Not possible" not in person.said
    assert "\x1b[" not in person.said
    assert nothing_is_left(family, tmp_path)


async def test_a_round_of_three_thirteen_is_played_and_the_end_of_the_input_leaves(tmp_path: Path) -> None:
    async with terminal(tmp_path, "--game", "three_thirteen", "--bots", "strong", "--name", "Anna") as person:
        assert await person.play(until="Round 1 is over") > 0
        assert "in no meld: " in person.said
        family = person.family()
        person.type("quit")
        person.type("no")
        person.type("discard 99")
        assert person.process.stdin is not None
        person.process.stdin.close()
        assert await person.end() == 0
    assert "y/n> no" in person.said
    assert "'99' is not a card" in person.said
    assert "leaving the match" in person.said
    assert nothing_is_left(family, tmp_path)


async def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    async with terminal(tmp_path, "--game", "rummy") as person:
        assert await person.until_asked() is not None
        family = person.family()
        person.process.send_signal(signal.SIGINT)
        assert await person.end() == 0
    assert "Stopped; nothing is left running." in person.said
    assert "Traceback" not in person.said
    assert nothing_is_left(family, tmp_path)


async def test_a_stack_that_runs_is_played_on_and_goes_on_running(tmp_path: Path) -> None:
    async with backend(tmp_path) as made:
        code, out, err = await run_command("play", "--game", "canasta", "--data", str(tmp_path))
        assert (code, err) == (0, "")
        assert "Playing on the stack that runs" in out
        assert "leaving the match" in out
        table = re.search(r"meldhall replay (\S+) --hands", out)
        assert table is not None
        assert made.data.running() is not None


async def test_what_cannot_be_played_is_said_before_anything_starts() -> None:
    for arguments, said in (
        (("--game", "bridge"), "there is no game 'bridge'"),
        (("--bots", "perfect"), "there is no bot 'perfect'"),
        (("--players", "9"), "rummy101 is played by 2 to 4, not by 9"),
        (("--game", "three_thirteen", "--rounds", "3"), "has 11 rounds, not 3"),
        (("--name", ""), "a name has 1 to 24"),
    ):
        code, _, err = await run_command("play", *arguments)
        assert (code, said in err) == (2, True), err
