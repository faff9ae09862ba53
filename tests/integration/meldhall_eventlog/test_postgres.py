"""What only a PostgreSQL server can show: sessions, restarts, failures, a log from elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from meldhall_embedded import PostgresServer
from meldhall_eventlog import LOG_SCHEMA, LogUnavailable, NotMigrated, SqlEventLog, open_database
from meldhall_eventlog.database import told
from meldhall_eventlog.errors import WrongVersion
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.opening import is_postgres
from meldhall_eventlog.postgres import PostgresDatabase, postgres_url
from meldhall_eventlog.sqlite import SqliteDatabase
from meldhall_eventlog.testing import appending, whole_log


@pytest.fixture
async def database(postgres_log_url: str) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(postgres_log_url, schema=LOG_SCHEMA, connections=2)
    yield database
    await database.close()


def scalar(statement: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(text(statement)).scalar()


def carry_out(*statements: str) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))

    return work


@pytest.mark.parametrize(
    ("given", "driver"),
    [
        ("postgresql://u:p@h/d", "postgresql+asyncpg"),
        ("postgres://u:p@h/d", "postgresql+asyncpg"),
        ("postgresql+asyncpg://u:p@h/d?ssl=require", "postgresql+asyncpg"),
    ],
)
def test_the_driver_is_chosen_for_whoever_names_none(given: str, driver: str) -> None:
    url = postgres_url(given)
    assert url.drivername == driver
    assert (url.username, url.host, url.database) == ("u", "h", "d")
    assert is_postgres(given)


def test_a_driver_that_is_not_installed_is_an_error_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("meldhall_eventlog.postgres.find_spec", lambda _: None)
    with pytest.raises(LogUnavailable, match=r"meldhall\[postgres\]"):
        open_database("postgresql://u:p@h/d")


async def test_a_database_is_chosen_by_its_url(tmp_path: object) -> None:
    sqlite = open_database(f"sqlite:///{tmp_path}/log.db")
    assert isinstance(sqlite, SqliteDatabase)
    await sqlite.close()
    postgres = open_database("postgresql://u:p@h/d")
    assert isinstance(postgres, PostgresDatabase)
    await postgres.close()
    for other in ("mysql://u@h/d", "sqlite://"):
        with pytest.raises(ValueError, match="SQLite"):
            open_database(other)
    with pytest.raises(ValueError, match="not a PostgreSQL URL"):
        postgres_url("sqlite:///log.db")


@pytest.mark.parametrize(
    ("setting", "writing", "reading"),
    [
        ("search_path", '"meldhall_log"', '"meldhall_log"'),
        ("transaction_isolation", "read committed", "repeatable read"),
        ("transaction_read_only", "off", "on"),
        ("idle_in_transaction_session_timeout", "5s", "5s"),
        ("statement_timeout", "30s", "30s"),
        ("lock_timeout", "8s", "8s"),
    ],
)
async def test_sessions_are_set_up_for_what_they_do(
    database: PostgresDatabase, setting: str, writing: str, reading: str
) -> None:
    assert await database.write(scalar(f"SHOW {setting}")) == writing
    assert await database.read(scalar(f"SHOW {setting}")) == reading


async def test_a_read_sees_one_state_and_writes_nothing(database: PostgresDatabase) -> None:
    with pytest.raises(LogUnavailable, match="read-only"):
        await database.read(scalar("INSERT INTO checkpoints VALUES ('relay', 1, 0) RETURNING 1"))
    assert await database.write(scalar("SELECT count(*) FROM checkpoints")) == 0


async def test_who_gets_no_connection_in_time_is_told(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database._writers.pool, "_timeout", 0.2)
    busy = [asyncio.create_task(database.write(scalar("SELECT 1 FROM pg_sleep(1.5)"))) for _ in range(2)]
    await asyncio.sleep(0.3)
    with pytest.raises(LogUnavailable, match="TimeoutError"):
        await database.write(scalar("SELECT 1"))
    assert await asyncio.gather(*busy) == [1, 1]


async def test_a_caller_that_gives_up_does_not_stop_the_transaction(database: PostgresDatabase) -> None:
    slow = "INSERT INTO checkpoints SELECT 'relay', 1, 0 FROM pg_sleep(0.3) RETURNING 1"
    task = asyncio.create_task(database.write(scalar(slow)))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await database.close()
    again = PostgresDatabase(database_url(database), schema=LOG_SCHEMA)
    assert await again.read(scalar("SELECT count(*) FROM checkpoints")) == 1
    await again.close()


def database_url(database: PostgresDatabase) -> str:
    return database._writers.url.render_as_string(hide_password=False)


async def test_what_work_raises_rolls_back_and_is_raised_again(database: PostgresDatabase) -> None:
    def insert_and_fail(connection: Connection) -> None:
        connection.execute(text("INSERT INTO checkpoints VALUES ('relay', 1, 0)"))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await database.write(insert_and_fail)
    assert await database.read(scalar("SELECT count(*) FROM checkpoints")) == 0


async def test_no_error_shows_what_was_written(database: PostgresDatabase) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("SELECT :hand ::integer / 0"), {"hand": "12345"})

    with pytest.raises(LogUnavailable) as refused:
        await database.write(fail)
    assert "12345" not in str(refused.value)


async def test_an_error_of_a_row_does_not_repeat_the_row(database: PostgresDatabase) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("CREATE TEMPORARY TABLE hands (hand text, seat integer CHECK (seat > 0))"))
        connection.execute(text("INSERT INTO hands VALUES (:hand, :seat)"), {"hand": "R5 R6 R7", "seat": 0})

    with pytest.raises(IntegrityError, match="hands_seat_check") as refused:
        await database.write(fail)
    assert "R5 R6 R7" not in f"{refused.value}{told(refused.value)}"
    assert "23514" in told(refused.value)


async def test_the_log_goes_on_after_the_server_was_killed_and_started_again(
    own_postgres: PostgresServer,
) -> None:
    url = await own_postgres.create_database("log")
    upgrade(url)
    log = await SqlEventLog.open(url)
    count, lost, back = 0, [], asyncio.Event()

    async def write() -> None:
        nonlocal count
        version = after_it = 0
        while after_it < 20:
            try:
                version = (await log.append(appending("table-1", after=version)))[0].version
                count = version
                after_it += back.is_set()
            except LogUnavailable:
                await asyncio.sleep(0.1)
            except WrongVersion as error:
                # The commit before was carried out and its answer lost.
                lost.append(error.actual - version)
                version = error.actual

    writing = asyncio.create_task(write())
    while count < 20:  # noqa: ASYNC110 - the writer has no event to set
        await asyncio.sleep(0.01)
    await own_postgres.kill()
    with pytest.raises(LogUnavailable):
        await log.info("table-1")
    assert not writing.done()
    await own_postgres.start()
    back.set()
    await asyncio.wait_for(writing, 60)
    events = await whole_log(log)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    assert len(events) >= count
    assert lost in ([], [1])
    await log.check()
    await log.close()


async def test_a_log_whose_commits_are_not_synced_is_not_opened(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    upgrade(postgres_url)
    name = postgres_url.rpartition("/")[2]
    setup = PostgresDatabase(postgres_url, schema=LOG_SCHEMA)
    await setup.write(carry_out(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    await setup.close()
    with pytest.raises(LogUnavailable, match="synchronous_commit is off"):
        await SqlEventLog.open(postgres_url)


async def test_a_log_that_was_dumped_from_another_server_is_not_opened_before_its_numbers_are_reached(
    postgres_log_url: str, database: PostgresDatabase
) -> None:
    log = await SqlEventLog.open(postgres_log_url)
    await log.append(appending("table-1"))
    await log.close()
    await database.write(
        carry_out(
            "ALTER TABLE events DISABLE TRIGGER USER",
            "UPDATE events SET tx = '999999999'",
            "ALTER TABLE events ENABLE TRIGGER USER",
        )
    )
    with pytest.raises(NotMigrated, match=r"999999999.*pg_resetwal"):
        await SqlEventLog.open(postgres_log_url)
