# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Moving finished streams out of the database: what the database lets go, and files that have all of it."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from meldhall_eventlog.archive import ArchivedLog, Moved, Plan, move_finished
from meldhall_eventlog.archive.moving import STEPS
from meldhall_eventlog.archiving import Archiving
from meldhall_eventlog.chain import verify_stream
from meldhall_eventlog.errors import StreamArchived, UnknownStream, WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, new_event, new_events, whole_log
from meldhall_eventlog.types import FIRST, Finished, Receipt, Snapshot, StoredEvent

_AT_MS = 1_700_000_000_123
"""When ``appending`` says that it happened."""

_NOW_MS = 1_800_000_000_000


class _Died(Exception):
    """What a test ends a run with."""


async def finish(log: SqlEventLog, name: str, *, events: int = 3) -> Archiving:
    """Make a closed stream and say what would be said when it is archived."""
    await log.append(appending(name, *new_events(events - 1), command_id="c-1", response=b"\x00first"))
    await log.append(appending(name, after=events - 1, command_id="c-2", response=b"second"))
    await log.close_stream(name, 1)
    info = await log.info(name)
    assert info is not None
    return Archiving(info, "file.jsonl.gz", _NOW_MS)


async def content(log: SqlEventLog) -> dict[str, tuple[StoredEvent, ...]]:
    """Return all events of a log by stream."""
    found: dict[str, list[StoredEvent]] = {}
    for event in await whole_log(log):
        found.setdefault(event.stream_id, []).append(event)
    return {name: tuple(events) for name, events in found.items()}


async def archived(folder: Path) -> dict[str, tuple[StoredEvent, ...]]:
    """Return all events of an archive by stream."""
    log = await ArchivedLog.open(folder)
    assert await log.check_files() == []
    return {
        info.stream_id: tuple(await log.read_stream(info.stream_id, limit=10_000))
        for info in await log.streams("table", limit=10_000)
    }


def plan(folder: Path, **changes: object) -> Plan:
    """Return a plan that moves whatever is finished."""
    everything = Plan(folder, "table", before_ms=_NOW_MS, now_ms=_NOW_MS, published=None)
    return replace(everything, **changes)  # type: ignore[arg-type] # each test names fields of a Plan


class ArchiveCases(EventLogCase):
    """Streams that are archived."""

    async def test_an_archived_stream_leaves_a_tombstone_and_nothing_else(self, log: SqlEventLog) -> None:
        what = await finish(log, "table-1")
        other = await finish(log, "table-2")
        await log.save_snapshot(Snapshot("table-1", 3, "f", b"state"))
        assert await log.archive_stream(what)
        assert await log.info("table-1") == replace(what.stream, archive="file.jsonl.gz")
        assert await log.info("table-2") == other.stream
        assert [info.archive for info in await log.streams("table")] == ["file.jsonl.gz", ""]
        assert await log.receipt("table-1", "c-1") is None
        assert await log.load_snapshot("table-1", "f") is None
        assert set(await content(log)) == {"table-2"}
        await verify_stream(log, "table-2")

    async def test_whoever_reads_an_archived_stream_is_told_where_it_is(self, log: SqlEventLog) -> None:
        await log.archive_stream(await finish(log, "table-1"))
        for after in (0, 2, 3, 9):
            with pytest.raises(StreamArchived, match=r"ARCHIVED.*file\.jsonl\.gz") as told:
                await log.read_stream("table-1", after_version=after)
            assert (told.value.stream_id, told.value.archive) == ("table-1", "file.jsonl.gz")
        assert list(await log.read_stream("table-2")) == []

    async def test_an_id_that_was_archived_is_never_given_again(self, log: SqlEventLog) -> None:
        await log.archive_stream(await finish(log, "table-1"))
        for after in (0, 3):
            with pytest.raises(StreamArchived):
                await log.append(appending("table-1", after=after, command_id="c-1"))
        claimed = await log.claim("table-1", 9)
        assert claimed is not None
        assert claimed.closed

    async def test_positions_of_archived_events_are_not_given_again(self, log: SqlEventLog) -> None:
        what = await finish(log, "table-1")
        last = (await whole_log(log))[-1].position
        await log.archive_stream(what)
        (event,) = await log.append(appending("table-2"))
        assert event.position > last
        assert [found.position for found in await log.read_all(after=last)] == [event.position]

    async def test_archiving_twice_changes_nothing(self, log: SqlEventLog) -> None:
        what = await finish(log, "table-1")
        assert await log.archive_stream(what)
        assert not await log.archive_stream(replace(what, archive="another.jsonl.gz"))
        info = await log.info("table-1")
        assert info is not None
        assert info.archive == "file.jsonl.gz"

    async def test_only_what_the_file_has_is_deleted(self, log: SqlEventLog) -> None:
        what = await finish(log, "table-1")
        await log.append(appending("open"))
        info = await log.info("open")
        assert info is not None
        for wrong in (
            Archiving(info, "file", _NOW_MS),
            replace(what, stream=replace(what.stream, version=2)),
            replace(what, stream=replace(what.stream, last_hash=bytes(32))),
        ):
            with pytest.raises(WrongVersion):
                await log.archive_stream(wrong)
        with pytest.raises(UnknownStream):
            await log.archive_stream(replace(what, stream=replace(what.stream, stream_id="nobody")))
        assert {name: len(events) for name, events in (await content(log)).items()} == {
            "table-1": 3,
            "open": 1,
        }

    async def test_the_database_has_no_other_way_out(self, log: SqlEventLog, url: str) -> None:
        what = await finish(log, "table-1")
        await log.append(appending("open"))
        await log.archive_stream(await finish(log, "gone"))
        tombstone = "INSERT INTO archived_streams (stream_id, version, last_hash, archive, archived_at_ms) "
        hashes = "(SELECT hash FROM events WHERE stream_id = '{}' AND version = {})"
        for statement in (
            "DELETE FROM events WHERE stream_id = 'table-1'",
            "DELETE FROM command_receipts WHERE stream_id = 'table-1'",
            "DELETE FROM archived_streams",
            "UPDATE archived_streams SET archive = 'elsewhere'",
            f"{tombstone} VALUES ('open', 1, {hashes.format('open', 1)}, 'f', 0)",
            f"{tombstone} VALUES ('table-1', 2, {hashes.format('table-1', 2)}, 'f', 0)",
            f"{tombstone} VALUES ('table-1', 3, {hashes.format('table-1', 2)}, 'f', 0)",
            f"{tombstone} VALUES ('gone', 3, {hashes.format('table-1', 3)}, 'f', 0)",
        ):
            with pytest.raises(DBAPIError):
                await self.execute_raw(url, statement)
        assert await log.info("table-1") == what.stream
        await verify_stream(log, "table-1")

    async def test_finished_streams_are_listed_a_page_at_a_time(self, log: SqlEventLog) -> None:
        for name in ("c", "a", "b"):
            await finish(log, name)
        await log.append(appending("open"))
        await log.append(appending("match", category="match"))
        await log.close_stream("match", 1)
        info = await log.info("a")
        page = await log.finished_streams("table", before_ms=_AT_MS + 1, limit=2)
        assert page[0] == Finished(info, _AT_MS) if info else False
        assert [found.info.stream_id for found in page] == ["a", "b"]
        rest = await log.finished_streams("table", before_ms=_AT_MS + 1, after="b", limit=2)
        assert [found.info.stream_id for found in rest] == ["c"]
        assert list(await log.finished_streams("table", before_ms=_AT_MS)) == []
        assert info is not None
        await log.archive_stream(Archiving(info, "f", _NOW_MS))
        left = await log.finished_streams("table", before_ms=_AT_MS + 1)
        assert [found.info.stream_id for found in left] == ["b", "c"]

    async def test_a_run_moves_finished_streams_and_files_have_all_of_them(
        self, log: SqlEventLog, tmp_path: Path
    ) -> None:
        for name in ("table-1", "table-2"):
            await finish(log, name, events=7)
        await log.append(appending("open", new_event(b"\xff\x00"), command_id="c-1"))
        before, folder = await content(log), tmp_path / "archive"
        rows = {name: await log.info(name) for name in before}
        moved = await move_finished(log, plan(folder))
        assert (moved.files, moved.streams, moved.events, moved.unpublished) == (1, 2, 14, 0)
        assert moved.bytes == sum(file.stat().st_size for file in folder.glob("*.jsonl.gz"))
        assert await archived(folder) | await content(log) == before
        reader = await ArchivedLog.open(folder)
        for name in ("table-1", "table-2"):
            assert await reader.info(name) == rows[name]
            assert (await verify_stream(reader, name)).version == 7
            assert await reader.receipt(name, "c-1") == Receipt(name, "c-1", 1, 6, b"\x00first")
            assert await reader.receipt(name, "c-3") is None
        assert await move_finished(log, plan(folder)) == Moved()

    @pytest.mark.parametrize("step", STEPS)
    async def test_a_run_that_dies_at_a_step_loses_nothing_and_the_next_one_finishes(
        self, log: SqlEventLog, tmp_path: Path, step: str
    ) -> None:
        names = [f"table-{number}" for number in range(3)]
        for name in names:
            await finish(log, name)
        before, folder = await content(log), tmp_path / "archive"

        def die(done: str) -> None:
            if done == step:
                raise _Died

        with pytest.raises(_Died):
            await move_finished(log, plan(folder, step=die))
        assert await archived(folder) | await content(log) == before
        # A second run that dies as well, unless the first had come far enough.
        with suppress(_Died):
            await move_finished(log, plan(folder, step=die))
        assert await archived(folder) | await content(log) == before
        await move_finished(log, plan(folder))
        assert await content(log) == {}
        assert await archived(folder) == before
        assert sorted(file.suffix for file in folder.iterdir() if file.name != ".lock") == [".gz", ".json"]

    async def test_streams_whose_events_were_not_published_stay(
        self, log: SqlEventLog, tmp_path: Path
    ) -> None:
        for name in ("table-1", "table-2"):
            await finish(log, name)
        first = (await log.read_stream("table-1"))[-1].position
        moved = await move_finished(log, plan(tmp_path, published=FIRST))
        assert (moved.streams, moved.unpublished) == (0, 2)
        moved = await move_finished(log, plan(tmp_path, published=first))
        assert (moved.streams, moved.unpublished) == (1, 1)
        assert set(await content(log)) == {"table-2"}
