"""A log that was dumped goes on, on another server, once that server counts from where the old one was."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from meldhall_embedded import PostgresServer
from meldhall_embedded._commands import run_command
from meldhall_eventlog import NotMigrated, SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.testing import appending, whole_log

OPERATIONS = Path(__file__).parents[3] / "deploy" / "docs" / "operations.md"
STEP = 1_048_576
"""What the page says to round up to."""


@pytest_asyncio.fixture
async def new_server() -> AsyncIterator[PostgresServer]:
    folder = Path(tempfile.mkdtemp(prefix="meldhall-postgres-"))
    server = PostgresServer(folder, settings={"fsync": "off"})
    await server.start()
    yield server
    await server.stop()
    await asyncio.to_thread(shutil.rmtree, folder)


async def run(server: PostgresServer, program: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs as the server's user."""
    command = (str(server._programs / program), *arguments)
    env = {"PGPASSWORD": server._password(), "LC_ALL": "C"}
    status, output = await run_command(command, env=env, user=server._user, cwd=server.folder)
    assert status == 0, output
    return output


def uri(server: PostgresServer) -> str:
    return server.url("log").replace("+asyncpg", "")


async def raise_above(server: PostgresServer, highest: int) -> None:
    """Do what the page of operations says."""
    await server.stop()
    number = (highest // STEP + 1) * STEP
    await run(server, "pg_resetwal", f"--next-transaction-id={number}", "-D", str(server._data))
    await server.start()


async def test_a_dumped_log_goes_on_where_the_new_server_was_raised_above_its_numbers(
    own_postgres: PostgresServer, new_server: PostgresServer
) -> None:
    # The old server has lived longer than the new one.
    await raise_above(own_postgres, 5_000_000)
    upgrade(await own_postgres.create_database("log"))
    log = await SqlEventLog.open(own_postgres.url("log"))
    written = [*await log.append(appending("table-1")), *await log.append(appending("table-2"))]
    await log.save_checkpoint("relay", written[0].position)
    await log.close()
    dump = await run(own_postgres, "pg_dump", "--format=plain", uri(own_postgres))

    await new_server.create_database("log")
    script = new_server.folder / "dump.sql"
    await asyncio.to_thread(script.write_text, dump)
    await asyncio.to_thread(script.chmod, 0o644)
    await run(new_server, "psql", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={script}", uri(new_server))
    try:
        await SqlEventLog.open(new_server.url("log"))
    except NotMigrated as refused:
        found = re.search(r"transaction (\d+)", str(refused))
    assert found is not None
    assert int(found[1]) == written[-1].position.tx

    await raise_above(new_server, int(found[1]))
    log = await SqlEventLog.open(new_server.url("log"))
    (new,) = await log.append(appending("table-1", after=1))
    assert await log.read_all(after=await log.load_checkpoint("relay")) == [written[1], new]
    assert await whole_log(log) == [*written, new]
    await log.close()


def test_the_page_says_so() -> None:
    page = OPERATIONS.read_text(encoding="utf-8")
    assert "pg_resetwal --next-transaction-id" in page
    assert f"multiple of {STEP}" in page
