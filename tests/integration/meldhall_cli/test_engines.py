"""`meldhall engines` on a lease table."""

import asyncio
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from meldhall_cli.engines import engines
from meldhall_cli.faults import CommandFault
from meldhall_eventlog import open_database
from meldhall_eventlog.leases import SHARDS, ShardLeases
from meldhall_eventlog.migrate import upgrade


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"sqlite:///{tmp_path / 'table.sqlite3'}"
    upgrade(made)
    return made


def claim(url: str, shards: int) -> None:
    async def work() -> None:
        database = open_database(url)
        leases = ShardLeases(database)
        await leases.beat("one", "127.0.0.1:1")
        await leases.claim("one", range(shards))
        await leases.beat("two", "127.0.0.1:2", draining=True)
        await database.close()

    asyncio.run(work())


def show(url: str) -> tuple[bool, str]:
    console = Console(file=StringIO(), width=80)
    good = engines(None, url, console)
    assert isinstance(console.file, StringIO)
    return good, console.file.getvalue()


def test_engines_are_listed_with_what_they_own(url: str) -> None:
    claim(url, SHARDS)
    good, said = show(url)
    assert good
    assert [line.split() for line in said.splitlines()[1:3]] == [
        ["one", "127.0.0.1:1", "alive", "256", "1"],
        ["two", "127.0.0.1:2", "draining", "0"],
    ]
    assert "256 of 256 shards" in said


def test_shards_without_an_owner_are_not_well(url: str) -> None:
    claim(url, 10)
    good, said = show(url)
    assert not good
    assert "10 of 256 shards" in said


def test_a_folder_without_a_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandFault, match="there is no log"):
        engines(tmp_path / "none", None, Console(file=StringIO()))
