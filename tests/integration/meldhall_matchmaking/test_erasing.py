"""Rows that were erased are not in the file of SQLite either."""

import sqlite3
from pathlib import Path

import pytest
from tests.fixtures.matchmaking import TWO

from meldhall_eventlog import LogUnavailable
from meldhall_eventlog.sqlite import wipe_deleted
from meldhall_matchmaking.store import NewTicket, TicketStore, migrate, open_database


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'matchmaking.sqlite'}"
    migrate(url)
    return url


async def test_what_was_erased_is_not_in_the_file(url: str, tmp_path: Path) -> None:
    store = TicketStore(open_database(url))

    def files() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.iterdir())

    for player, command in (("p-0123456789", "jane@example.org"), ("ben", "c")):
        await store.enqueue(NewTicket(f"ticket-{player}", player, command, TWO, 0, 10_000))
    await store.erase("p-0123456789", 1)
    assert b"jane@example.org" in files()
    assert wipe_deleted(url)
    assert b"jane@example.org" not in files()
    assert b"p-0123456789" not in files()
    assert [ticket.player_id for ticket in await store.waiting()] == ["ben"]
    await store.close()


def test_a_file_that_cannot_be_wiped_says_so(url: str) -> None:
    holder = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogUnavailable, match="still in the file"):
        wipe_deleted(url, busy_timeout_ms=10)
    holder.execute("ROLLBACK")
    # A reader of an old state keeps the WAL that it reads from.
    holder.execute("BEGIN")
    holder.execute("SELECT count(*) FROM tickets").fetchone()
    writer = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    writer.execute("CREATE TABLE more (number)")
    writer.close()
    assert not wipe_deleted(url, busy_timeout_ms=10)
    holder.close()
    assert wipe_deleted(url)
