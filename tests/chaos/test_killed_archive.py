"""`meldhall archive` killed after each of its steps: nothing is lost, and the next run finishes."""

import asyncio
from pathlib import Path

import pytest
from tests.fixtures.command import run_command
from tests.fixtures.golden_logs import stored

from meldhall_eventlog import SqlEventLog, StoredEvent
from meldhall_eventlog.archive import ArchivedLog, Plan, move_finished
from meldhall_eventlog.archive.moving import STEPS
from meldhall_eventlog.migrate import upgrade
from meldhall_runtime.failpoints import KILLED, VARIABLE
from meldhall_table.store.audit import audit_table

NAMES = ("rummy/1-bots-0", "rummy101/1-bots-2")
FAR_MS = 4_000_000_000_000

Content = dict[str, tuple[StoredEvent, ...]]


async def content(log: SqlEventLog) -> Content:
    found: dict[str, list[StoredEvent]] = {}
    for event in await log.read_all(limit=10_000):
        found.setdefault(event.stream_id, []).append(event)
    return {name: tuple(events) for name, events in found.items()}


async def archived(folder: Path) -> Content:
    log = await ArchivedLog.open(folder)
    assert await log.check_files() == []
    names = [info.stream_id for info in await log.streams("table")]
    return {name: tuple(await log.read_stream(name, limit=10_000)) for name in names}


@pytest.mark.parametrize("step", STEPS)
async def test_an_archive_run_that_is_killed_loses_nothing(tmp_path: Path, step: str) -> None:
    url, folder = f"sqlite:///{tmp_path / 'table.sqlite'}", tmp_path / "archive"
    await asyncio.to_thread(upgrade, url)
    log = await SqlEventLog.open(url)
    for name in NAMES:
        table_id = (await stored(log, name))[0].table.table_id
        await log.close_stream(table_id, 1)
    before = await content(log)
    arguments = (
        "archive",
        "--before",
        "2100-01-01",
        "--to",
        str(folder),
        "--database",
        url,
        "--without-relay",
    )

    code, _, err = await run_command(*arguments, env={VARIABLE: f"archive.{step}"})

    assert code == KILLED, err
    left, moved = await content(log), await archived(folder)
    assert left | moved == before
    assert set(left) == set(sorted(before)[1:] if step == "deleted" else before)
    await move_finished(log, Plan(folder, "table", FAR_MS, FAR_MS, None))
    assert (await content(log), await archived(folder)) == ({}, before)
    reader = await ArchivedLog.open(folder)
    for name in before:
        assert (await audit_table(reader, name)).difference is None
    assert not list(folder.glob("*.part"))
    await log.close()
