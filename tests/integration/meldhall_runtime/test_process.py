"""A service as a process of its own: signals, exit codes, a parent that dies."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from meldhall_runtime.auth import generate_keypair

ROOT = Path(__file__).parents[3]

SERVICE = """
import asyncio, os, sys
from meldhall_runtime.config import ServiceSettings, load_settings
from meldhall_runtime.lifecycle import run_service

async def bind(runtime):
    async def drain():
        runtime.log.info("drain_begun")
        await asyncio.sleep(float(os.environ.get("DEMO_DRAIN", "0")))
    async def broken():
        await asyncio.sleep(0.05)
        raise RuntimeError("broken")
    runtime.on_drain(drain)
    if os.environ.get("DEMO_BREAK"):
        runtime.spawn("relay", broken())

PARENT = int(os.environ.get("DEMO_PARENT", "0")) or None

if __name__ == "__main__":
    sys.exit(run_service("demo", load_settings(ServiceSettings), bind, parent_pid=PARENT))
"""

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, sys.argv[1]], stderr=open(sys.argv[2], "w"))
print(child.pid, flush=True)
time.sleep(60)
"""


class Process:
    def __init__(self, folder: Path, **environment: str) -> None:
        script = folder / "service.py"
        script.write_text(SERVICE)
        self.log = folder / "log.jsonl"
        with self.log.open("w") as log:
            self.popen = subprocess.Popen(
                [sys.executable, script], env=env_of(folder, environment), stderr=log
            )

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def wait_for(self, event: str) -> dict[str, Any]:
        return wait_for_event(self.log, event)


def env_of(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    keys = folder / "keys"
    if not keys.exists():
        generate_keypair(keys)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MELDHALL_")}
    return kept | {
        "PYTHONPATH": f"{ROOT / 'libs'}:{ROOT / 'services'}",
        "MELDHALL_AUTH_PUBLIC_KEY_FILE": str(keys / "auth-public.pem"),
        "MELDHALL_LOG_FORMAT": "json",
        **environment,
    }


def wait_for_event(log: Path, event: str) -> dict[str, Any]:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        lines = log.read_text().splitlines() if log.exists() else []
        for line in lines:
            found: dict[str, Any] = json.loads(line)
            if found["event"] == event:
                return found
        time.sleep(0.02)
    raise AssertionError(f"no {event} in {log.read_text()}")


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[Any]]]:
    started: list[subprocess.Popen[Any]] = []
    yield started
    for one in started:
        if one.poll() is None:
            one.kill()
        one.wait()
        if one.stdout:
            one.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_and_ends_with_0(
    tmp_path: Path, processes: list[subprocess.Popen[Any]], number: signal.Signals
) -> None:
    process = Process(tmp_path)
    processes.append(process.popen)
    started = process.wait_for("service_started")
    assert started["service"] == "demo"
    assert started["instance"].startswith("demo-")
    process.popen.send_signal(number)
    assert process.popen.wait(10) == 0
    names = [event["event"] for event in process.events()]
    assert names[names.index("signal_received") :] == [
        "signal_received", "service_draining", "drain_begun", "service_stopped",
    ]  # fmt: skip


def test_a_second_signal_ends_at_once(tmp_path: Path, processes: list[subprocess.Popen[Any]]) -> None:
    process = Process(tmp_path, DEMO_DRAIN="30", MELDHALL_DRAIN_SECONDS="60")
    processes.append(process.popen)
    process.wait_for("service_started")
    process.popen.terminate()
    process.wait_for("drain_begun")
    process.popen.terminate()
    assert process.popen.wait(5) == 128 + signal.SIGTERM


def test_a_broken_background_task_ends_with_1(tmp_path: Path, processes: list[subprocess.Popen[Any]]) -> None:
    process = Process(tmp_path, DEMO_BREAK="1")
    processes.append(process.popen)
    assert process.popen.wait(10) == 1
    failed = process.wait_for("service_failed")
    assert failed["reason"] == "background task relay failed"
    assert "RuntimeError: broken" in failed["exception"]


def test_a_taken_port_ends_with_2_and_one_clear_line(
    tmp_path: Path, processes: list[subprocess.Popen[Any]]
) -> None:
    first = Process(tmp_path)
    processes.append(first.popen)
    port = first.wait_for("service_started")["address"].split(":")[1]
    second_folder = tmp_path / "second"
    second_folder.mkdir()
    second = Process(second_folder, MELDHALL_PORT=port)
    processes.append(second.popen)
    assert second.popen.wait(10) == 2
    assert second.wait_for("service_not_started")["reason"] == (
        f"port {port} on 127.0.0.1 is taken by another process; free it or set MELDHALL_PORT"
    )


def test_a_service_that_dies_with_its_parent_drains_when_the_parent_is_killed(
    tmp_path: Path, processes: list[subprocess.Popen[Any]]
) -> None:
    script, parent_script, log = tmp_path / "service.py", tmp_path / "parent.py", tmp_path / "child.jsonl"
    script.write_text(SERVICE)
    parent_script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, parent_script, script, log],
        env=env_of(tmp_path, {"MELDHALL_DIE_WITH_PARENT": "1"}),
        stdout=subprocess.PIPE,
        text=True,
    )
    processes.append(parent)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    wait_for_event(log, "service_started")
    parent.kill()
    assert wait_for_event(log, "service_stopped")["clean"] is True
    _, alive = psutil.wait_procs([child], timeout=5)
    assert [one.status() for one in alive] in ([], [psutil.STATUS_ZOMBIE])


def test_a_service_whose_parent_is_gone_already_ends(
    tmp_path: Path, processes: list[subprocess.Popen[Any]]
) -> None:
    process = Process(tmp_path, MELDHALL_DIE_WITH_PARENT="1", DEMO_PARENT="1")
    processes.append(process.popen)
    assert process.popen.wait(10) == -signal.SIGTERM
