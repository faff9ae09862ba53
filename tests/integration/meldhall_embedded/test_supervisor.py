"""Child processes: started in order, brought back after a crash, stopped in reverse, nothing left."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
import structlog
from tests.fixtures.waiting import until

from meldhall_embedded import ChildProcess, ProcessSpec, StartFailed, Supervisor, free_port
from meldhall_embedded.supervisor import Backoff

SERVICE = """
import http.server, pathlib, signal, sys
name, port, diary = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args):
        pass

def note(what):
    with diary.open("a") as file:
        file.write(f"{what} {name}\\n")

def stop(*args):
    note("stop")
    sys.exit(0)

signal.signal(signal.SIGTERM, stop)
server = http.server.HTTPServer(("127.0.0.1", port), Handler)
note("start")
print("serving", name, flush=True)
server.serve_forever()
"""


class Lines:
    """Collects what the children write."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def __call__(self, name: str, line: str) -> None:
        self.seen.append((name, line))


def service(name: str, diary: Path) -> ProcessSpec:
    port = free_port()
    return ProcessSpec(
        name=name,
        command=(sys.executable, "-c", SERVICE, name, str(port), str(diary)),
        ready_url=f"http://127.0.0.1:{port}/readyz",
        ready_timeout=15,
        stop_timeout=3,
    )


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest_asyncio.fixture
async def supervisor(lines: Lines) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(structlog.get_logger(), lines, Backoff(first=0.05, most=0.2))
    yield supervisor
    await supervisor.stop()


async def test_processes_start_in_order_and_stop_in_reverse(
    supervisor: Supervisor, lines: Lines, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    await supervisor.start([service("first", diary), service("second", diary)])
    pids = [child.pid for child in supervisor.children.values()]
    await supervisor.stop()

    assert diary.read_text().splitlines() == ["start first", "start second", "stop second", "stop first"]
    assert lines.seen == [("first", "serving first"), ("second", "serving second")]
    assert not any(psutil.pid_exists(pid) for pid in pids if pid)


async def test_a_killed_process_comes_back_and_the_others_do_not_notice(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    await supervisor.start([service("first", diary), service("second", diary)])
    first, second = supervisor.children["first"], supervisor.children["second"]
    killed, untouched = first.pid, second.pid
    assert killed is not None

    os.kill(killed, signal.SIGKILL)
    await until(lambda: first.running and first.pid != killed)
    await first.wait_ready()
    assert second.pid == untouched
    await until(lambda: supervisor.restarts == {"first": 1, "second": 0})


async def test_a_process_that_keeps_crashing_is_tried_again_and_again_until_it_is_stopped(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    spec = ProcessSpec("fragile", ("/bin/sh", "-c", f"test -e {flag} && exec sleep 60; exit 7"))
    await supervisor.start([spec])
    flag.unlink()
    pid = supervisor.children["fragile"].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)

    await until(lambda: supervisor.restarts["fragile"] >= 3)
    flag.touch()
    await asyncio.sleep(0.5)
    assert supervisor.children["fragile"].running


async def test_a_start_that_fails_stops_what_was_started_and_says_why(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    diary = tmp_path / "diary"
    bad = ProcessSpec(
        "bad", ("/bin/sh", "-c", "echo out of tiles; exit 4"), ready_url="http://127.0.0.1:1/readyz"
    )
    with pytest.raises(StartFailed, match=r"bad ended with status 4[\s\S]*out of tiles"):
        await supervisor.start([service("first", diary), bad])
    assert diary.read_text().splitlines() == ["start first", "stop first"]
    assert supervisor.children == {}


async def test_a_process_that_is_never_ready_is_killed_after_its_time() -> None:
    child = ChildProcess(
        ProcessSpec(
            "deaf", ("/bin/sleep", "60"), ready_url=f"http://127.0.0.1:{free_port()}/", ready_timeout=0.5
        )
    )
    with pytest.raises(StartFailed, match=r"deaf was not ready after 0\.5 s"):
        await child.start()
    assert child.returncode == -signal.SIGKILL


async def test_a_process_that_ignores_sigterm_and_its_own_children_are_killed() -> None:
    child = ChildProcess(
        ProcessSpec(
            "stubborn", ("/bin/sh", "-c", "trap '' TERM; sleep 61 & echo $!; wait; wait"), stop_timeout=0.3
        ),
        sink := Lines(),
    )
    await child.start()
    await until(lambda: bool(sink.seen))
    grandchild = int(sink.seen[0][1])
    await child.stop()
    assert child.returncode == -signal.SIGKILL
    await until(lambda: not psutil.pid_exists(grandchild) or psutil.Process(grandchild).status() == "zombie")


async def test_the_environment_is_laid_over_the_parents(tmp_path: Path) -> None:
    spec = ProcessSpec(
        "env", ("/bin/sh", "-c", "echo $COLOUR $HOME; pwd"), env={"COLOUR": "blue"}, cwd=tmp_path
    )
    child = ChildProcess(spec, lines := Lines())
    await child.spawn()
    assert await child.wait() == 0
    assert lines.seen == [("env", f"blue {os.environ['HOME']}"), ("env", str(tmp_path))]


async def test_a_very_long_line_and_bytes_that_are_no_text_are_passed_on() -> None:
    code = "import sys; sys.stdout.buffer.write(b'x' * 300000 + b'\\n' + b'\\xff tail')"
    child = ChildProcess(ProcessSpec("long", (sys.executable, "-c", code)), lines := Lines())
    await child.spawn()
    await child.wait()
    assert [line for _, line in lines.seen] == ["x" * 300_000, "\ufffd tail"]


async def test_several_may_wait_for_one_end(tmp_path: Path) -> None:
    child = ChildProcess(service("a", tmp_path / "diary"))
    await child.start()
    waiting = [asyncio.create_task(child.wait()) for _ in range(3)]
    await child.kill()
    assert await asyncio.gather(*waiting) == [-signal.SIGKILL] * 3
