"""What only an SQLite file can show: settings, locks, gaps in positions, tampering around the triggers."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from meldhall_eventlog import ChainBroken, LogUnavailable, SqlEventLog, verify_stream
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.sqlite import SqliteDatabase, create_engine, file_url
from meldhall_eventlog.testing import appending, new_event, new_events, whole_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.db"
    upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
async def log(path: Path) -> AsyncIterator[SqlEventLog]:
    log = await SqlEventLog.open(f"sqlite:///{path}")
    yield log
    await log.close()


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def test_a_commit_is_on_the_disk_when_it_returns(path: Path) -> None:
    database, engine = SqliteDatabase(f"sqlite:///{path}"), create_engine(f"sqlite:///{path}")
    for pragma, value in (
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
    ):
        statement = text(f"PRAGMA {pragma}")
        assert await database.write(lambda connection, s=statement: connection.scalar(s)) == value  # type: ignore[misc]
        assert await database.read(lambda connection, s=statement: connection.scalar(s)) == value  # type: ignore[misc]
        async with engine.connect() as connection:
            assert await connection.scalar(statement) == value
    await engine.dispose()
    await database.close()


async def test_a_reader_cannot_write(path: Path) -> None:
    database = SqliteDatabase(f"sqlite:///{path}")
    statement = text("INSERT INTO checkpoints (name, position) VALUES ('relay', 1)")
    with pytest.raises(LogUnavailable, match="readonly"):
        await database.read(lambda connection: connection.execute(statement))
    await database.close()


async def test_writers_of_an_engine_take_turns_instead_of_failing(path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}", busy_timeout_ms=0)
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO checkpoints (name, position) VALUES ('relay', 0)"))

    async def count_up() -> None:
        async with engine.begin() as connection:
            position = await connection.scalar(text("SELECT position FROM checkpoints"))
            await asyncio.sleep(0)
            await connection.execute(text("UPDATE checkpoints SET position = :p"), {"p": position + 1})

    await asyncio.gather(*(count_up() for _ in range(20)))
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT position FROM checkpoints")) == 20
    await engine.dispose()


async def test_a_transaction_that_raises_leaves_nothing(path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}")

    async def fail_halfway() -> None:
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO checkpoints (name, position) VALUES ('relay', 1)"))
            raise KeyError

    with pytest.raises(KeyError):
        await fail_halfway()
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM checkpoints")) == 0
    await engine.dispose()


async def test_errors_do_not_show_what_was_written(path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}")
    async with engine.begin() as connection:
        with pytest.raises(OperationalError) as failed:
            await connection.execute(text("INSERT INTO nowhere VALUES (:hand)"), {"hand": "R1 R2 R3"})
    await engine.dispose()
    assert "R1 R2 R3" not in str(failed.value)


async def test_a_lock_that_is_never_released_is_an_outage_and_not_for_ever(path: Path) -> None:
    log = SqlEventLog(SqliteDatabase(f"sqlite:///{path}", busy_timeout_ms=50))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogUnavailable, match="locked"):
            await log.append(appending())
        assert await log.info("table-1") is None
    await log.append(appending())
    await log.close()


async def test_an_append_waits_for_the_transaction_of_another_process(log: SqlEventLog, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(log.append(appending()))
        await asyncio.sleep(0.1)
        assert not task.done()
        other.execute("COMMIT")
    assert len(await task) == 1


async def test_a_gap_of_many_positions_stops_no_reader(log: SqlEventLog, path: Path) -> None:
    await log.append(appending("table-1", *new_events(3)))
    execute(path, "UPDATE sqlite_sequence SET seq = 10000 WHERE name = 'events'")
    await log.append(appending("table-1", *new_events(3), after=3))
    assert [event.position.seq for event in await whole_log(log, page=2)] == [1, 2, 3, 10001, 10002, 10003]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("position", "1, 9, 9, 'new'"),
        ("version", "2, 1, 9, 'new'"),
        ("public_seq", "2, 9, 1, 'new'"),
        ("event_id", "2, 9, 9, event_id"),
    ],
)
async def test_an_event_is_not_replaced_either(log: SqlEventLog, path: Path, mine: str, theirs: str) -> None:
    await log.append(appending("table-1", new_event()))
    rest = (
        "stream_id, type, schema_version, payload, actor, correlation_id, causation_id, traceparent, epoch, "
        "recorded_at_ms, prev_hash, hash"
    )
    columns = f"position, version, public_seq, event_id, {rest}"
    select = f"SELECT {theirs}, {rest} FROM events"  # noqa: S608 - every part is above
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        execute(path, f"INSERT OR REPLACE INTO events ({columns}) {select}")
    assert [event.version for event in await whole_log(log)] == [1], mine


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO command_receipts VALUES ('table-1', 'c', 1, 1, '')",
        "INSERT OR REPLACE INTO streams SELECT stream_id, category, 1, 0, 0, 9, 0, NULL FROM streams",
    ],
)
async def test_no_receipt_and_no_stream_is_replaced(log: SqlEventLog, path: Path, statement: str) -> None:
    await log.append(appending("table-1", command_id="c"))
    with pytest.raises(sqlite3.IntegrityError, match="already"):
        execute(path, statement)


@pytest.mark.parametrize(
    ("tampering", "version", "what"),
    [
        ("UPDATE events SET payload = x'00' WHERE version = 3", 3, "hash is not that of the stored event"),
        ("UPDATE events SET type = 'TileLaid' WHERE version = 3", 3, "hash is not that of the stored event"),
        (
            "UPDATE events SET hash = zeroblob(32) WHERE version = 5",
            5,
            "hash is not that of the stored event",
        ),
        ("DELETE FROM events WHERE version = 2", 2, "missing: version 3 follows 1"),
        ("DELETE FROM events WHERE version > 3", 4, "missing: the stream row says version 5"),
        ("UPDATE events SET version = 7 WHERE version = 4", 4, "missing"),
    ],
)
async def test_tampering_around_the_triggers_is_found(
    log: SqlEventLog, path: Path, tampering: str, version: int, what: str
) -> None:
    await log.append(appending("table-1", *new_events(5)))
    await verify_stream(log, "table-1")
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(path.with_name("copy.db"))) as target,
    ):
        source.backup(target)
    copy = path.with_name("copy.db")
    execute(copy, "DROP TRIGGER events_no_update", "DROP TRIGGER events_no_delete", tampering)
    tampered = await SqlEventLog.open(f"sqlite:///{copy}")
    with pytest.raises(ChainBroken, match=what) as broken:
        await verify_stream(tampered, "table-1")
    await tampered.close()
    assert broken.value.version == version


async def test_the_file_alone_is_the_whole_log_once_it_is_closed(path: Path) -> None:
    log = await SqlEventLog.open(f"sqlite:///{path}")
    await log.append(appending("table-1", *new_events(5)))
    await log.close()
    shutil.copy(path, path.with_name("copy.db"))
    copy = await SqlEventLog.open(f"sqlite:///{path.with_name('copy.db')}")
    assert (await verify_stream(copy, "table-1")).version == 5
    await copy.close()


@pytest.mark.parametrize(
    "url",
    ["sqlite://", "sqlite:///:memory:", "postgresql://host/log", "sqlite:///file:x?mode=memory&uri=true"],
)
def test_a_url_that_is_not_a_file_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="SQLite"):
        file_url(url, "aiosqlite")


async def test_a_second_close_is_no_error(path: Path) -> None:
    log = await SqlEventLog.open(f"sqlite:///{path}")
    await log.close()
    await log.close()
