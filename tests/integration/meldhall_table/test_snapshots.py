"""Reading a stream from a snapshot gives what reading all of it gives."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.stdlib import get_logger
from structlog.testing import capture_logs
from tests.fixtures.golden_logs import stored
from tests.golden.generate import state_hash
from typer.testing import CliRunner

from meldhall_cli.app import app
from meldhall_cli.faults import CommandFault
from meldhall_eventlog import Snapshot, SqlEventLog, StoredEvent, WrongVersion
from meldhall_eventlog.migrate import upgrade
from meldhall_table.domain.state import Table
from meldhall_table.store import snapshot
from meldhall_table.store.snapshot import FORMAT, write_snapshot
from meldhall_table.store.stream import PAGE, Replayed, read_steps, replay


class CountingLog(SqlEventLog):
    """Counts the events that are read from streams."""

    read = 0

    async def read_stream(
        self, stream_id: str, *, after_version: int = 0, limit: int = 500
    ) -> Sequence[StoredEvent]:
        page = await super().read_stream(stream_id, after_version=after_version, limit=limit)
        self.read += len(page)
        return page


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'table.sqlite'}"
    upgrade(url)
    return url


@pytest.fixture
async def log(url: str) -> AsyncIterator[CountingLog]:
    log = await CountingLog.open(url)
    yield log
    await log.close()


def same(one: Replayed | None, other: Table) -> bool:
    return one is not None and state_hash(one.table) == state_hash(other)


@pytest.mark.parametrize(
    "name", ["canasta/1-bots-0", "rummy/1-absent-reshuffled", "rummy101/1-bots-2", "three_thirteen/1-bots-0"]
)
async def test_snapshot_and_tail_are_the_whole_stream(log: CountingLog, name: str) -> None:
    steps = await stored(log, name)
    last = steps[-1].table
    for step in steps[:: max(1, len(steps) // 20)] + steps[-1:]:
        await log.delete_snapshots()
        await write_snapshot(log, step.table)
        log.read = 0
        assert same(await replay(log, last.table_id), last)
        assert log.read == last.version - step.version + 1


async def test_a_reader_who_goes_on_at_a_version_folds_from_the_snapshot_before_it(log: CountingLog) -> None:
    steps = await stored(log, "rummy101/1-bots-2")
    table_id, count = steps[0].table.table_id, len(steps)
    for version in (count // 3, 2 * count // 3):
        await write_snapshot(log, steps[version - 1].table)
    for after in (0, 1, count // 3 - 1, count // 3, count // 2, 2 * count // 3, count - 1, count):
        base = max((at for at in (count // 3, 2 * count // 3) if at <= after), default=0)
        for up_to in (None, after + 5):
            log.read = 0
            found = [step async for step in read_steps(log, table_id, after=after, up_to=up_to)]
            assert found == steps[after:up_to]
            # What follows the snapshot, and where there is one the event that it was made after.
            assert log.read == min(up_to or count, count) - base + bool(base)
        assert [step async for step in read_steps(log, table_id, after=after, up_to=after)] == []


async def test_a_stream_of_several_pages_is_read_from_a_snapshot_within(log: CountingLog) -> None:
    steps = await stored(log, "three_thirteen/1-absent-one")
    assert len(steps) > PAGE + 10
    await write_snapshot(log, steps[4].table)
    assert same(await replay(log, steps[0].table.table_id), steps[-1].table)


async def test_nothing_is_written_for_a_version_that_the_log_does_not_have(log: CountingLog) -> None:
    table = (await stored(log, "rummy/1-bots-0"))[-1].table
    with pytest.raises(WrongVersion):
        await write_snapshot(log, replace(table, version=table.version + 1))
    assert list(await log.count_snapshots()) == []


def damaged(state: bytes) -> bytes:
    return state[:-1] + bytes([state[-1] ^ 1])


async def test_a_snapshot_that_cannot_be_used_is_ignored_with_a_line_in_the_log(log: CountingLog) -> None:
    steps = await stored(log, "rummy/1-bots-0")
    other = await stored(log, "rummy/1-bots-1", as_id="another")
    last, middle = steps[-1].table, steps[20].table
    at, table_id = middle.version, middle.table_id
    hash_there = (await log.read_stream(table_id, after_version=at - 1, limit=1))[0].hash
    good = hash_there + snapshot.encode(middle)
    foreign = snapshot.encode(other[at - 1].table)
    bad = {
        "empty": b"",
        "damaged": damaged(good),
        "cut off": good[:-5],
        "another table": hash_there + foreign,
        "another version": hash_there + snapshot.encode(steps[21].table),
        "another history": bytes(32) + snapshot.encode(middle),
    }
    for what, state in bad.items():
        await log.save_snapshot(Snapshot(table_id, at, FORMAT, state))
        with capture_logs() as lines:
            found = await replay(log, table_id, logger=get_logger())
        assert same(found, last), what
        assert [(line["event"], line["table_id"], line["version"]) for line in lines] == [
            ("snapshot_ignored", table_id, at)
        ], what
        with capture_logs() as lines:
            read = [step async for step in read_steps(log, table_id, after=at + 3, logger=get_logger())]
        assert read == steps[at + 3 :], what
        assert [line["event"] for line in lines] == ["snapshot_ignored"], what


async def test_a_snapshot_of_other_code_is_not_looked_at(log: CountingLog) -> None:
    steps = await stored(log, "rummy/1-bots-0")
    await log.save_snapshot(Snapshot(steps[0].table.table_id, 9, "table/1/of-other-code", b"?"))
    with capture_logs() as lines:
        assert same(await replay(log, steps[0].table.table_id, logger=get_logger()), steps[-1].table)
    assert lines == []


def test_the_command_counts_and_deletes_snapshots(url: str) -> None:
    async def prepare() -> Table:
        log = await SqlEventLog.open(url)
        steps = await stored(log, "rummy/1-bots-0")
        for step in steps[10:12]:
            await write_snapshot(log, step.table)
        await log.close()
        return steps[-1].table

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(app, ["snapshots", *arguments, "--json", "--database", url])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout.splitlines()[-1])

    table_id = asyncio.run(prepare()).table_id
    (one,) = run()["formats"]
    assert (one["format"], one["used"]) == (FORMAT, True)
    assert (one["snapshots"], one["tables"]) == (2, 1)
    refused = CliRunner().invoke(app, ["snapshots", table_id, "--database", url])
    assert isinstance(refused.exception, CommandFault)
    assert run("nobody", "--delete") == {"deleted": 0}
    assert run("--delete") == {"deleted": 2}
    assert run() == {"format": FORMAT, "formats": []}
