"""Migrations: fresh, repeated, at the same time, of a newer version; and for tables of another service."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql.base import ischema_names

import meldhall_eventlog
from meldhall_eventlog import LogUnavailable, NotMigrated, Position, SqlEventLog
from meldhall_eventlog.migrate import (
    LOG,
    NAMED_LEASES,
    Owner,
    _config,
    _transact,
    current,
    floors,
    run_migrations,
    upgrade,
)
from meldhall_eventlog.opening import is_postgres
from meldhall_eventlog.tables import TransactionId, metadata, named_leases_metadata
from meldhall_eventlog.testing import appending, whole_log

VERSIONS = Path(meldhall_eventlog.__file__).parent / "migrations" / "versions"
ORDER = ("events_in_order", "events_public_in_order", "events_public_by_position")
HEAD = max(script.name[:4] for script in VERSIONS.glob("0*.py"))


@pytest.fixture
def url(any_database_url: str) -> str:
    return any_database_url


def execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement beside the code that is tested."""

    def run(connection: Connection) -> list[tuple[Any, ...]]:
        result = connection.execute(text(statement))
        return [tuple(row) for row in result] if result.returns_rows else []

    return _transact(url, LOG, run, writing=True)


def objects(url: str) -> list[tuple[Any, ...]]:
    """Everything that lies in a database, by name."""
    if is_postgres(url):
        query = (
            "SELECT relname FROM pg_class WHERE relnamespace = 'meldhall_log'::regnamespace "
            "UNION ALL SELECT tgname FROM pg_trigger ORDER BY 1"
        )
        return execute(url, query)
    return execute(url, "SELECT * FROM sqlite_master")


def test_the_migrations_make_the_tables_that_the_code_reads(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ischema_names, "xid8", TransactionId)

    # The indices of the global order differ by database.
    apart = {LOG.version_table, NAMED_LEASES.version_table, floors.name, *ORDER}

    def differences(connection: Connection) -> list[Any]:
        opts = {"include_name": lambda name, *_: name not in apart}
        context = MigrationContext.configure(connection, opts=opts)
        return list(compare_metadata(context, [metadata, named_leases_metadata]))  # type: ignore[arg-type] # the stub knows one only

    upgrade(url)
    assert _transact(url, LOG, differences, writing=False) == []


async def test_migrating_twice_changes_nothing(url: str) -> None:
    assert current(url) is None
    assert upgrade(url) == upgrade(url) == current(url) == HEAD
    log = await SqlEventLog.open(url)
    await log.append(appending())
    await log.close()
    before = objects(url)
    upgrade(url)
    assert objects(url) == before
    assert execute(url, "SELECT count(*) FROM events") == [(1,)]


def test_processes_that_migrate_at_the_same_time_all_succeed(url: str) -> None:
    code = "import sys; from meldhall_eventlog.migrate import upgrade; print(upgrade(sys.argv[1]))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    runs = [
        subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE, text=True, env=env)
        for _ in range(3)
    ]
    assert [run.communicate()[0].strip() for run in runs] == [HEAD] * 3
    assert [run.returncode for run in runs] == [0] * 3


async def test_threads_that_migrate_at_the_same_time_all_succeed(url: str) -> None:
    assert await asyncio.gather(*(asyncio.to_thread(upgrade, url) for _ in range(4))) == [HEAD] * 4


async def test_a_database_without_tables_is_not_opened(url: str) -> None:
    with pytest.raises(
        NotMigrated, match=f"is at nothing, this version needs {HEAD}: run `meldhall migrate`"
    ):
        await SqlEventLog.open(url)


async def test_a_service_is_not_ready_on_a_database_that_went_back(url: str) -> None:
    upgrade(url)
    log = await SqlEventLog.open(url)
    await log.check()
    execute(url, "UPDATE eventlog_alembic_version SET version_num = '0001'")
    with pytest.raises(NotMigrated, match=f"is at 0001, this version needs {HEAD}"):
        await log.check()
    await log.close()


def expand(url: str, oldest_code: str) -> None:
    """Do what a later version's migration could: a column more, a revision that this code does not know."""
    execute(url, "ALTER TABLE streams ADD COLUMN later TEXT NOT NULL DEFAULT ''")
    execute(url, "UPDATE eventlog_alembic_version SET version_num = '9999'")
    execute(url, f"UPDATE schema_floors SET oldest_code = '{oldest_code}'")  # noqa: S608 - of this module


async def test_an_older_service_works_on_while_a_newer_version_expands_the_schema(url: str) -> None:
    upgrade(url)
    log = await SqlEventLog.open(url)
    await log.append(appending("table-1"))
    expand(url, oldest_code=HEAD)
    await log.append(appending("table-1", after=1))
    await log.append(appending("table-2"))
    assert len(await whole_log(log)) == 3
    await log.check()
    await log.close()
    # One that starts now finds the same, and its own migration leaves the newer schema alone.
    assert upgrade(url) == "9999"
    again = await SqlEventLog.open(url)
    await again.append(appending("table-2", after=1))
    await again.close()


@pytest.mark.parametrize("floor", ["9998", None])
async def test_a_schema_that_does_not_allow_this_code_any_more_is_left_alone(
    url: str, floor: str | None
) -> None:
    upgrade(url)
    log = await SqlEventLog.open(url)
    expand(url, oldest_code=floor or "")
    if floor is None:
        execute(url, "DROP TABLE schema_floors")
    wanted = f"is at 9999, which needs a version of Meldhall that knows revision {floor or '9999'}"
    with pytest.raises(NotMigrated, match=wanted):
        await log.check()
    await log.close()
    with pytest.raises(NotMigrated, match=wanted):
        await SqlEventLog.open(url)
    with pytest.raises(NotMigrated, match=wanted):
        upgrade(url)


def upgrade_to(connection: Connection, number: str) -> None:
    """Migrate as an earlier version did."""
    config = _config(LOG.script_location)
    config.attributes.update(connection=connection, version_table=LOG.version_table)
    command.upgrade(config, number)


async def test_streams_that_were_open_before_wake_times_were_kept_wake_once(url: str) -> None:
    def open_two(connection: Connection) -> None:
        upgrade_to(connection, "0002")
        for name, closed in (("open", "FALSE"), ("done", "TRUE")):
            values = f"'{name}', 'table', 3, 0, 0, 0, {closed}"
            connection.execute(text(f"INSERT INTO streams VALUES ({values})"))  # noqa: S608 - of this module

    _transact(url, LOG, open_two, writing=True)
    upgrade(url)
    log = await SqlEventLog.open(url)
    assert [(row.stream_id, row.wake_at_ms) for row in await log.waking("table", [3])] == [("open", 0)]
    await log.close()


async def test_what_an_earlier_version_wrote_is_kept_and_checkpoints_become_pairs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"

    def first_revision(connection: Connection) -> None:
        upgrade_to(connection, "0001")
        stream = "INSERT INTO streams VALUES ('table-1', 'table', 7, 1, 1, 1, FALSE)"
        event = (
            "INSERT INTO events VALUES (41, 'table-1', 1, 1, '0af76519-16cd-43dd-8448-eb211c80319c', "
            "'Drawn', 1, X'00', NULL, '', '', '', '', 1, 0, X'00', X'00')"
        )
        for statement in (stream, event, "INSERT INTO checkpoints VALUES ('relay', 40)"):
            connection.execute(text(statement))

    _transact(url, LOG, first_revision, writing=True)
    upgrade(url)
    log = await SqlEventLog.open(url)
    at = await log.load_checkpoint("relay")
    assert at == Position(0, 40)
    assert [event.position for event in await log.read_all(after=at)] == [Position(0, 41)]
    (event,) = await log.append(appending("table-1", after=1))
    assert event.position == Position(0, 42)
    await log.close()


def write_service(folder: Path, statement: str) -> Owner:
    """Write the migrations of another owner of tables."""
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text("from meldhall_eventlog.migrate import run_env\n\nrun_env()\n")
    for number, body in (("0001", "CREATE TABLE purses (id INTEGER)"), ("0002", statement)):
        down = None if number == "0001" else "0001"
        (folder / "versions" / f"{number}.py").write_text(
            f"from alembic import op\nrevision = {number!r}\ndown_revision = {down!r}\n"
            f"def upgrade():\n    op.execute({body!r})\n"
        )
    return Owner(str(folder), "purse_alembic_version", "meldhall_purse")


def test_another_service_keeps_its_own_tables_beside_the_log(url: str, tmp_path: Path) -> None:
    owner = write_service(tmp_path / "one 50%", "CREATE TABLE legs (id INTEGER)")
    upgrade(url)
    assert run_migrations(url, owner) == current(url, owner) == "0002"
    assert current(url) == HEAD
    # A migration that says nothing allows no code but its own.
    prefix = "meldhall_purse." if is_postgres(url) else ""
    assert ("purse_alembic_version", "0002") in execute(url, f"SELECT * FROM {prefix}schema_floors")  # noqa: S608 - as above
    assert execute(url, f"SELECT * FROM {prefix}legs") == []  # noqa: S608 - as above


def test_a_migration_that_fails_leaves_nothing(url: str, tmp_path: Path) -> None:
    owner = write_service(tmp_path / "bad", "CREATE TABLE no (")
    with pytest.raises(Exception, match=r"incomplete input|syntax error"):
        run_migrations(url, owner)
    assert current(url, owner) is None
    if is_postgres(url):
        assert execute(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'meldhall_purse'") == []
    else:
        assert objects(url) == []


def test_a_server_that_is_not_there_is_an_error_of_the_log() -> None:
    with pytest.raises(LogUnavailable):
        upgrade("postgresql://nobody:secret@127.0.0.1:1/nothing")
