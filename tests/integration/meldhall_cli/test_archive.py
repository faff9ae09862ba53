"""`meldhall archive`, and the commands that read what it wrote."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.golden_logs import stored
from typer.testing import CliRunner, Result

from meldhall_cli.app import app
from meldhall_cli.faults import CommandFault
from meldhall_eventlog import SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_table.app import RELAY

NAMES = ("rummy/1-bots-0", "rummy101/1-bots-2", "canasta/1-bots-1")
TABLE = "golden-rummy101-bots-2"
AFTER = "2027-01-01"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database with three finished tables and one that is played."""
    url = f"sqlite:///{tmp_path / 'table.sqlite'}"
    upgrade(url)

    async def fill() -> None:
        log = await SqlEventLog.open(url)
        for name in NAMES:
            table_id = (await stored(log, name))[0].table.table_id
            await log.close_stream(table_id, 1)
        await stored(log, "rummy/1-bots-1", as_id="open")
        await log.close()

    asyncio.run(fill())
    return url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def last_line(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.splitlines()[-1])


def archived(url: str, folder: Path, *more: str) -> Any:
    return last_line(
        run("archive", "--before", AFTER, "--to", str(folder), "--database", url, "--json", *more)
    )


def test_a_table_is_replayed_and_verified_from_the_archive_as_from_the_database(
    url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "archive"
    by_database = [
        run("replay", TABLE, "--json", "--database", url),
        run("replay", f"{TABLE}/1", "--database", url),
    ]
    found = archived(url, folder, "--without-relay")
    assert (found["tables"], found["files"], found["unpublished"], found["broken"]) == (3, 1, 0, [])
    for before, more in zip(by_database, (["--json"], []), strict=True):
        target = TABLE if more else f"{TABLE}/1"
        again = run("replay", target, *more, "--archive", str(folder))
        assert (again.exit_code, again.stdout) == (0, before.stdout)
    summary = last_line(run("verify", "--json", "--archive", str(folder)))
    assert (summary["tables"], summary["bad_tables"], summary["damaged_files"]) == (3, 0, [])
    assert summary["verified_rounds"] >= 3
    assert last_line(run("verify", TABLE, "--json", "--archive", str(folder)))["tables"] == 1
    assert "everything holds" in run("verify", "--archive", str(folder)).stdout


def test_the_database_says_which_tables_are_archived(url: str, tmp_path: Path) -> None:
    archived(url, tmp_path / "archive", "--without-relay")
    summary = last_line(run("verify", "--json", "--database", url))
    assert (summary["tables"], summary["archived_tables"], summary["bad_tables"]) == (1, 3, 0)
    for arguments in (("replay", f"{TABLE}/1"), ("verify", TABLE)):
        refused = run(*arguments, "--database", url)
        assert isinstance(refused.exception, CommandFault)
        assert "ARCHIVED" in str(refused.exception)
        assert "--archive" in str(refused.exception)


def test_tables_wait_for_the_relay(url: str, tmp_path: Path) -> None:
    async def published() -> None:
        log = await SqlEventLog.open(url)
        await log.save_checkpoint(RELAY, (await log.read_all(limit=10_000))[-1].position)
        await log.close()

    found = archived(url, tmp_path / "archive")
    assert (found["tables"], found["unpublished"]) == (0, 3)
    asyncio.run(published())
    found = archived(url, tmp_path / "archive")
    assert (found["tables"], found["unpublished"]) == (3, 0)


def test_only_tables_that_ended_before_the_date_move(url: str, tmp_path: Path) -> None:
    result = run(
        "archive",
        "--before",
        "2026-01-01",
        "--to",
        str(tmp_path),
        "--database",
        url,
        "--without-relay",
        "--json",
    )
    assert last_line(result)["tables"] == 0


def test_a_damaged_file_fails_the_check(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    archived(url, folder, "--without-relay")
    (file,) = folder.glob("*.gz")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    result = run("verify", "--json", "--archive", str(folder))
    summary = json.loads(result.stdout.splitlines()[-1])
    assert result.exit_code == 1
    assert summary["bad_tables"] == 1
    assert file.name in summary["damaged_files"][0]
    assert "damaged" in run("verify", "--archive", str(folder)).stdout


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01"])
def test_what_is_no_date_is_refused(url: str, tmp_path: Path, date: str) -> None:
    refused = run("archive", "--before", date, "--to", str(tmp_path / "archive"), "--database", url)
    assert isinstance(refused.exception, CommandFault)
    assert not (tmp_path / "archive").exists()


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    refused = run("verify", "--archive", str(tmp_path / "nowhere"))
    assert isinstance(refused.exception, CommandFault)
    assert "nowhere" in str(refused.exception)
