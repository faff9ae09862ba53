# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""What spares a new owner work: the streams that wake by themselves, and snapshots."""

import asyncio

import pytest

from meldhall_eventlog.errors import InvalidAppend, UnknownStream, WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, new_events
from meldhall_eventlog.types import Snapshot, SnapshotCount


class ShortcutCases(EventLogCase):
    """Wake-ups and snapshots."""

    async def test_the_row_of_a_stream_says_when_it_wakes(self, log: SqlEventLog) -> None:
        for after, wake_at_ms in enumerate((5_000, None, 0, 2**62)):
            await log.append(appending("table-1", after=after, wake_at_ms=wake_at_ms))
            stream = await log.info("table-1")
            assert stream is not None
            assert stream.wake_at_ms == wake_at_ms

    async def test_a_refused_append_moves_no_wake_up(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", wake_at_ms=5_000))
        with pytest.raises(WrongVersion):
            await log.append(appending("table-1", after=3, wake_at_ms=9_000))
        (stream,) = await log.waking("table", [7])
        assert stream.wake_at_ms == 5_000

    async def test_a_claim_keeps_the_wake_up(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", wake_at_ms=5_000))
        stream = await log.claim("table-1", 9)
        assert stream is not None
        assert (stream.owner_epoch, stream.wake_at_ms) == (9, 5_000)

    async def test_only_open_streams_of_these_shards_that_wake_are_listed(self, log: SqlEventLog) -> None:
        await log.append(appending("a", shard=1, wake_at_ms=0))
        await log.append(appending("b", shard=2, wake_at_ms=7))
        await log.append(appending("c", shard=3, wake_at_ms=7))
        await log.append(appending("idle", shard=1))
        await log.append(appending("match", shard=1, category="match", wake_at_ms=7))
        await log.append(appending("done", shard=1, wake_at_ms=7))
        await log.close_stream("done", 1)
        assert [stream.stream_id for stream in await log.waking("table", [2, 1])] == ["a", "b"]
        assert [stream.stream_id for stream in await log.waking("table", range(256))] == ["a", "b", "c"]
        assert list(await log.waking("table", [])) == []
        assert list(await log.waking("table", [4])) == []
        await log.append(appending("b", after=1, shard=2))
        assert [stream.stream_id for stream in await log.waking("table", [1, 2])] == ["a"]

    async def test_streams_that_wake_are_listed_a_page_at_a_time(self, log: SqlEventLog) -> None:
        names = [f"table-{number}" for number in range(5)]
        for shard, name in enumerate(reversed(names)):
            await log.append(appending(name, shard=shard, wake_at_ms=1))
        found: list[str] = []
        while page := await log.waking("table", range(5), after=found[-1] if found else "", limit=2):
            assert len(page) <= 2
            found.extend(stream.stream_id for stream in page)
        assert found == names
        with pytest.raises(ValueError, match="a page has 1 to"):
            await log.waking("table", [1], limit=0)

    async def test_a_snapshot_comes_back_as_it_was(self, log: SqlEventLog, url: str) -> None:
        await log.append(appending("table-1", *new_events(5)))
        snapshot = Snapshot("table-1", 3, "f1", bytes(range(256)))
        assert await log.load_snapshot("table-1", "f1") is None
        await log.save_snapshot(snapshot)
        other = await self.open_log(url)
        assert await other.load_snapshot("table-1", "f1") == snapshot
        await other.close()
        assert await log.load_snapshot("table-2", "f1") is None

    async def test_a_snapshot_in_another_format_is_not_found(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", *new_events(5)))
        old, new = Snapshot("table-1", 3, "old", b"3"), Snapshot("table-1", 5, "new", b"5")
        await log.save_snapshot(old)
        await log.save_snapshot(new)
        assert await log.load_snapshot("table-1", "old") == old
        assert await log.load_snapshot("table-1", "new") == new
        assert await log.load_snapshot("table-1", "newer") is None

    async def test_the_newest_two_snapshots_of_a_stream_are_kept(self, log: SqlEventLog) -> None:
        for name in ("table-1", "table-2"):
            await log.append(appending(name, *new_events(9)))
        for version in (2, 4, 6, 3):
            await log.save_snapshot(Snapshot("table-1", version, "f", b"%d" % version))
        await log.save_snapshot(Snapshot("table-2", 1, "f", b"1"))
        versions = [await log.load_snapshot("table-1", "f", at_most=version) for version in range(10)]
        assert [snapshot and snapshot.version for snapshot in versions] == [None] * 4 + [4, 4, 6, 6, 6, 6]
        assert await log.delete_snapshots("table-1") == 2
        assert await log.delete_snapshots() == 1
        assert await log.delete_snapshots() == 0

    async def test_snapshots_are_counted_by_format(self, log: SqlEventLog) -> None:
        assert list(await log.count_snapshots()) == []
        for name in ("table-1", "table-2"):
            await log.append(appending(name, *new_events(4)))
        for name, version, its_format in (("table-1", 2, "b"), ("table-1", 3, "b"), ("table-2", 2, "a")):
            await log.save_snapshot(Snapshot(name, version, its_format, b"12345"))
        assert list(await log.count_snapshots()) == [
            SnapshotCount("a", 1, 1, 5),
            SnapshotCount("b", 2, 1, 10),
        ]

    async def test_a_snapshot_of_the_same_version_is_replaced(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", *new_events(2)))
        for state in (b"one", b"two"):
            await log.save_snapshot(Snapshot("table-1", 2, "f", state))
        assert await log.load_snapshot("table-1", "f") == Snapshot("table-1", 2, "f", b"two")
        assert await log.delete_snapshots("table-1") == 1

    async def test_a_snapshot_ahead_of_its_stream_is_refused(self, log: SqlEventLog) -> None:
        with pytest.raises(UnknownStream):
            await log.save_snapshot(Snapshot("table-1", 1, "f", b""))
        await log.append(appending("table-1", *new_events(2)))
        with pytest.raises(WrongVersion) as refused:
            await log.save_snapshot(Snapshot("table-1", 3, "f", b""))
        assert (refused.value.expected, refused.value.actual) == (3, 2)
        assert await log.load_snapshot("table-1", "f") is None

    async def test_a_snapshot_has_a_format(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        for broken in (Snapshot("table-1", 1, "", b""), Snapshot("table-1", -1, "f", b"")):
            with pytest.raises(InvalidAppend):
                await log.save_snapshot(broken)

    async def test_snapshots_and_appends_share_a_commit(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        refused, *_ = await asyncio.gather(
            log.save_snapshot(Snapshot("table-1", 9, "f", b"")),
            log.append(appending("table-1", after=1)),
            log.save_snapshot(Snapshot("table-1", 2, "f", b"2")),
            return_exceptions=True,
        )
        assert isinstance(refused, WrongVersion)
        assert await log.load_snapshot("table-1", "f") == Snapshot("table-1", 2, "f", b"2")
