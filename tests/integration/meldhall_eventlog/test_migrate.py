"""Migrations: fresh, repeated, at the same time, of a newer version; and for tables of another service."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import meldhall_eventlog
from meldhall_eventlog import NotMigrated, SqlEventLog
from meldhall_eventlog.migrate import VERSION_TABLE, current, require_current, run_migrations, upgrade
from meldhall_eventlog.sqlite import create_engine, create_sync_engine
from meldhall_eventlog.tables import metadata, named_leases_metadata
from meldhall_eventlog.testing import appending

VERSIONS = Path(meldhall_eventlog.__file__).parent / "migrations" / "versions"
HEAD = max(script.name[:4] for script in VERSIONS.glob("0*.py"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log 100%.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


def execute(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def test_the_migrations_make_the_tables_that_the_code_reads(url: str) -> None:
    upgrade(url)
    engine = create_sync_engine(url)

    def ours(name: str | None, kind: str, _parents: object) -> bool:
        return kind != "table" or not str(name).endswith("alembic_version")

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        assert compare_metadata(context, [metadata, named_leases_metadata]) == []  # type: ignore[arg-type] # the stub knows one only
    engine.dispose()


async def test_migrating_twice_changes_nothing(url: str, path: Path) -> None:
    assert current(url) is None
    assert upgrade(url) == upgrade(url) == current(url) == HEAD
    log = await SqlEventLog.open(url)
    await log.append(appending())
    await log.close()
    schema = execute(path, "SELECT * FROM sqlite_master")
    upgrade(url)
    assert execute(path, "SELECT * FROM sqlite_master") == schema
    assert execute(path, "SELECT count(*) FROM events") == [(1,)]


def test_processes_that_migrate_at_the_same_time_all_succeed(url: str) -> None:
    code = "import sys; from meldhall_eventlog.migrate import upgrade; print(upgrade(sys.argv[1]))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    runs = [
        subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE, text=True, env=env)
        for _ in range(4)
    ]
    assert [run.communicate()[0].strip() for run in runs] == [HEAD] * 4
    assert [run.returncode for run in runs] == [0] * 4


async def test_threads_that_migrate_at_the_same_time_all_succeed(url: str) -> None:
    assert await asyncio.gather(*(asyncio.to_thread(upgrade, url) for _ in range(4))) == [HEAD] * 4


async def test_a_database_without_tables_is_not_opened(url: str) -> None:
    with pytest.raises(NotMigrated, match=f"is at nothing, this version needs {HEAD}"):
        await SqlEventLog.open(url)
    engine = create_engine(url)
    with pytest.raises(NotMigrated):
        await require_current(engine)
    upgrade(url)
    await require_current(engine)
    await engine.dispose()


async def test_a_database_of_a_newer_version_is_left_alone(url: str, path: Path) -> None:
    upgrade(url)
    execute(path, "UPDATE eventlog_alembic_version SET version_num = '9999'")
    with pytest.raises(NotMigrated, match="9999"):
        await SqlEventLog.open(url)
    with pytest.raises(NotMigrated, match="9999"):
        upgrade(url)


def write_service(folder: Path, statement: str) -> str:
    """Write the migrations of another owner of tables; return alembic's location."""
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text("from meldhall_eventlog.migrate import run_env\n\nrun_env()\n")
    for number, body in (("0001", "CREATE TABLE purses (id INTEGER)"), ("0002", statement)):
        down = None if number == "0001" else "0001"
        (folder / "versions" / f"{number}.py").write_text(
            f"from alembic import op\nrevision = {number!r}\ndown_revision = {down!r}\n"
            f"def upgrade():\n    op.execute({body!r})\n"
        )
    return str(folder)


def test_another_service_keeps_its_own_tables_beside_the_log(url: str, path: Path, tmp_path: Path) -> None:
    location = write_service(tmp_path / "one 50%", "CREATE TABLE legs (id INTEGER)")
    upgrade(url)
    assert run_migrations(url, location, "purse_alembic_version") == "0002"
    assert current(url) == HEAD
    assert execute(path, "SELECT version_num FROM purse_alembic_version") == [("0002",)]
    assert execute(path, "SELECT count(*) FROM legs") == [(0,)]


def test_a_migration_that_fails_leaves_nothing(url: str, path: Path, tmp_path: Path) -> None:
    location = write_service(tmp_path / "bad", "CREATE TABLE no (")
    with pytest.raises(Exception, match="incomplete input"):
        run_migrations(url, location, "purse_alembic_version")
    assert execute(path, "SELECT name FROM sqlite_master") == []


async def test_streams_that_were_open_before_wake_times_were_kept_wake_once(url: str, path: Path) -> None:
    old = path.parent / "old"
    (old / "versions").mkdir(parents=True)
    (old / "env.py").write_text("from meldhall_eventlog.migrate import run_env\n\nrun_env()\n")
    for script in ("0001_log.py", "0002_positions.py"):
        shutil.copy(VERSIONS / script, old / "versions")
    assert run_migrations(url, str(old), VERSION_TABLE) == "0002"
    execute(
        path, "INSERT INTO streams VALUES ('open', 'table', 3, 0, 0, 0, 0), ('done', 'table', 3, 0, 0, 0, 1)"
    )
    upgrade(url)
    log = await SqlEventLog.open(url)
    assert [(row.stream_id, row.wake_at_ms) for row in await log.waking("table", [3])] == [("open", 0)]
    await log.close()
