"""Files of an archive: read with plain tools, damaged, without their index, in use."""

import fcntl
import gzip
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from meldhall_eventlog import ArchiveDamaged, SqlEventLog, StoredEvent, event_hash
from meldhall_eventlog.archive import ArchiveBusy, ArchivedLog, Plan, move_finished
from meldhall_eventlog.archive.files import INDEX_SUFFIX, SUFFIX, index_of
from meldhall_eventlog.archive.moving import LOCK
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.testing import appending, new_events

NOW_MS = 1_800_000_000_000
NAMES = ("table-1", "table-2", "table-3")


async def made(folder: Path, *, times: tuple[int, ...] = ()) -> dict[str, tuple[StoredEvent, ...]]:
    """Archive three streams of four events, and return what they were."""
    url = f"sqlite:///{folder / 'log.db'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    events = {}
    for number, name in enumerate(NAMES):
        append = appending(name, *new_events(4), command_id="c", response=b"r")
        if times:
            append = replace(append, recorded_at_ms=times[number])
        events[name] = await log.append(append)
        await log.close_stream(name, 1)
    await move_finished(log, Plan(folder / "archive", "table", NOW_MS, NOW_MS, None))
    await log.close()
    return events


def file_of(folder: Path) -> Path:
    (file,) = (folder / "archive").glob(f"*{SUFFIX}")
    return file


async def read_all(folder: Path) -> dict[str, tuple[StoredEvent, ...]]:
    log = await ArchivedLog.open(folder)
    return {
        info.stream_id: tuple(await log.read_stream(info.stream_id)) for info in await log.streams("table")
    }


async def test_a_file_is_json_lines_that_anybody_can_read_and_check(tmp_path: Path) -> None:
    events = await made(tmp_path)
    lines = [json.loads(line) for line in gzip.decompress(file_of(tmp_path).read_bytes()).splitlines()]
    heads = [line for line in lines if "stream" in line]
    assert [head["stream"]["stream_id"] for head in heads] == list(NAMES)
    assert [(head["events"], head["receipts"]) for head in heads] == [(4, 1)] * 3
    stored = [line for line in lines if "payload" in line][:4]
    previous = bytes(32)
    for version, line in enumerate(stored, 1):
        payload = bytes.fromhex(line["payload"])
        previous = event_hash(previous, "table-1", version, line["type"], payload)
        assert line["hash"] == previous.hex()
    assert previous == events["table-1"][-1].hash


async def test_files_are_by_month_and_named_by_their_content(tmp_path: Path) -> None:
    january, february = 1_767_225_600_000, 1_769_904_000_000
    events = await made(tmp_path, times=(february - 1, february, january))
    files = sorted((tmp_path / "archive").glob(f"*{SUFFIX}"))
    assert [file.name[:13] for file in files] == ["table-2026-01", "table-2026-02"]
    for file in files:
        index = index_of(file)
        assert file.name == f"{file.name[:13]}-{index.sha256[:16]}{SUFFIX}"
    assert await read_all(tmp_path / "archive") == events
    assert set(await read_all(files[1])) == {"table-2"}


async def test_a_file_without_its_index_is_read_as_well(tmp_path: Path) -> None:
    events = await made(tmp_path)
    for index in (tmp_path / "archive").glob(f"*{INDEX_SUFFIX}"):
        index.unlink()
    assert await read_all(tmp_path / "archive") == events
    assert await read_all(file_of(tmp_path)) == events


async def test_one_flipped_bit_anywhere_in_a_file_is_noticed(tmp_path: Path) -> None:
    events = await made(tmp_path)
    file = file_of(tmp_path)
    good = file.read_bytes()
    for at in range(0, len(good), 7):
        file.write_bytes(bytes((*good[:at], good[at] ^ 1 << at % 8, *good[at + 1 :])))
        log = await ArchivedLog.open(tmp_path / "archive")
        assert len(await log.check_files()) == 1
        found = {}
        for name in NAMES:
            with suppress(ArchiveDamaged):
                found[name] = tuple(await log.read_stream(name))
        # What can be read is what was written: gzip's own header has bits that mean nothing.
        assert found == {name: events[name] for name in found}


@pytest.mark.parametrize("left", [0, 1, 100, -1])
async def test_a_file_that_was_cut_off_is_noticed(tmp_path: Path, left: int) -> None:
    await made(tmp_path)
    file = file_of(tmp_path)
    file.write_bytes(file.read_bytes()[:left])
    log = await ArchivedLog.open(tmp_path / "archive")
    assert len(await log.check_files()) == 1
    with pytest.raises(ArchiveDamaged):
        await log.read_stream("table-3")


async def test_an_index_of_another_file_is_refused(tmp_path: Path) -> None:
    await made(tmp_path)
    file = file_of(tmp_path)
    other = file.with_name("table-2026-01-0123456789abcdef" + SUFFIX)
    index = file.with_name(file.name.removesuffix(SUFFIX) + INDEX_SUFFIX)
    file.rename(other)
    index.rename(index.with_name("table-2026-01-0123456789abcdef" + INDEX_SUFFIX))
    with pytest.raises(ArchiveDamaged, match="the index of"):
        await ArchivedLog.open(tmp_path / "archive")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "\x00"])
async def test_an_index_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    await made(tmp_path)
    (index,) = (tmp_path / "archive").glob(f"*{INDEX_SUFFIX}")
    index.write_text(text)
    with pytest.raises(ArchiveDamaged, match=index.name):
        await ArchivedLog.open(tmp_path / "archive")


async def test_a_file_that_is_gone_is_missed(tmp_path: Path) -> None:
    await made(tmp_path)
    file_of(tmp_path).unlink()
    with pytest.raises(ArchiveDamaged, match="not there"):
        await ArchivedLog.open(tmp_path / "archive")


async def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        await ArchivedLog.open(tmp_path / "nowhere")


async def test_streams_are_listed_a_page_at_a_time_and_none_is_open(tmp_path: Path) -> None:
    await made(tmp_path)
    log = await ArchivedLog.open(tmp_path / "archive")
    assert [info.stream_id for info in await log.streams("table", limit=2)] == ["table-1", "table-2"]
    assert [info.stream_id for info in await log.streams("table", after="table-2")] == ["table-3"]
    assert list(await log.streams("match")) == list(await log.streams("table", open_only=True)) == []
    assert await log.info("table-4") is None
    assert list(await log.read_stream("table-4")) == []
    assert [event.version for event in await log.read_stream("table-1", after_version=1, limit=2)] == [2, 3]


async def test_a_second_run_in_the_same_folder_is_refused_while_one_works(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    plan = Plan(tmp_path, "table", NOW_MS, NOW_MS, None)
    await move_finished(log, plan)
    with (tmp_path / LOCK).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ArchiveBusy, match=str(tmp_path)):
            await move_finished(log, plan)
    await move_finished(log, plan)
    await log.close()


async def test_a_stream_whose_chain_does_not_hold_stays(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    for name in NAMES:
        await log.append(appending(name, *new_events(3)))
        await log.close_stream(name, 1)
    await log.database.write(
        lambda connection: [
            connection.exec_driver_sql(statement)
            for statement in (
                "DROP TRIGGER events_no_update",
                "UPDATE events SET payload = x'00' WHERE stream_id = 'table-2' AND version = 2",
            )
        ]
    )
    moved = await move_finished(log, Plan(tmp_path / "archive", "table", NOW_MS, NOW_MS, None))
    assert moved.streams == 2
    assert len(moved.broken) == 1
    assert "table-2 version 2" in moved.broken[0]
    assert len(await log.read_stream("table-2")) == 3
    assert set(await read_all(tmp_path / "archive")) == {"table-1", "table-3"}
    await log.close()
