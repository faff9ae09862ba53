# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Reads: pages, the global order, checkpoints, the chain."""

import asyncio

import pytest

from meldhall_eventlog.chain import CHAIN_START, verify_chain, verify_stream
from meldhall_eventlog.errors import UnknownStream
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, new_event, new_events, whole_log
from meldhall_eventlog.types import FIRST, Position, StoredEvent


class ReadCases(EventLogCase):
    """What readers see."""

    @pytest.mark.parametrize("page", [1, 6, 7, 21, 22])
    async def test_pages_join_without_a_seam(self, log: SqlEventLog, page: int) -> None:
        for number in range(7):
            await log.append(appending(f"table-{number % 2}", *new_events(3), after=number // 2 * 3))
        everything = await log.read_all()
        assert len(everything) == 21
        assert await whole_log(log, page=page) == list(everything)
        stream = await log.read_stream("table-0")
        pages = [
            await log.read_stream("table-0", after_version=after, limit=page) for after in range(0, 12, page)
        ]
        assert [event for events in pages for event in events] == list(stream)
        assert [event.version for event in stream] == list(range(1, 13))

    async def test_a_page_of_nothing_is_empty(self, log: SqlEventLog) -> None:
        assert list(await log.read_all()) == []
        assert list(await log.read_stream("table-1")) == []
        (event,) = await log.append(appending("table-1"))
        assert list(await log.read_all(after=event.position)) == []
        assert list(await log.read_stream("table-1", after_version=1)) == []
        assert list(await log.read_stream("table-1", after_version=9)) == []

    async def test_a_reader_may_start_high(self, log: SqlEventLog) -> None:
        events = await log.append(appending("table-1", *new_events(200)))
        start = events[150].position
        assert list(await log.read_all(after=start)) == list(events[151:])
        assert list(await log.read_all(after=start, limit=2)) == list(events[151:153])

    async def test_other_services_hear_of_public_events_only(self, log: SqlEventLog) -> None:
        flags = [index % 3 == 0 for index in range(20)]
        events = await log.append(appending("table-1", *(new_event(public=flag) for flag in flags)))
        public = [event for event in events if event.public_seq is not None]
        assert len(public) == 7
        assert await whole_log(log, page=2, public_only=True) == public

    async def test_the_global_order_is_the_order_of_commits(self, log: SqlEventLog) -> None:
        acknowledged: list[StoredEvent] = []
        for number in range(20):
            stored = await log.append(appending(f"table-{number % 4}", after=number // 4))
            acknowledged.extend(stored)
        assert await whole_log(log) == acknowledged

    async def test_a_reader_beside_writers_misses_nothing(self, log: SqlEventLog) -> None:
        seen: list[Position] = []

        async def follow() -> None:
            while len(seen) < 200:
                events = await log.read_all(after=seen[-1] if seen else FIRST, limit=9)
                seen.extend(event.position for event in events)

        async def write(table: int) -> None:
            for version in range(0, 20, 2):
                await log.append(appending(f"table-{table}", *new_events(2), after=version))

        async with asyncio.timeout(30):
            await asyncio.gather(follow(), *(write(table) for table in range(10)))
        assert seen == [event.position for event in await whole_log(log)]

    async def test_a_checkpoint_starts_at_0_and_stays_where_it_was_put(
        self, log: SqlEventLog, url: str
    ) -> None:
        assert await log.load_checkpoint("relay") == FIRST
        for position in (Position(0, 5), Position(3, 9), Position(4, 2), FIRST):
            await log.save_checkpoint("relay", position)
            assert await log.load_checkpoint("relay") == position
        await log.save_checkpoint("relay", Position(2, 7))
        assert await log.load_checkpoint("other") == FIRST
        other = await self.open_log(url)
        assert await other.load_checkpoint("relay") == (2, 7)
        await other.close()
        with pytest.raises(ValueError, match="is no position"):
            await log.save_checkpoint("relay", Position(0, -1))
        with pytest.raises(ValueError, match="is no position"):
            await log.save_checkpoint("relay", Position(2**63, 1))

    async def test_no_two_owners_get_the_same_epoch(self, log: SqlEventLog, url: str) -> None:
        other = await self.open_log(url)
        given = await asyncio.gather(*((log, other)[number % 2].next_epoch() for number in range(20)))
        assert sorted(given) == list(range(1, 21))
        assert await log.next_epoch() == 21
        await other.close()
        again = await self.open_log(url)
        assert await again.next_epoch() == 22
        await again.close()

    async def test_what_a_reader_has_before_it_is_counted(self, log: SqlEventLog) -> None:
        assert await log.count_all() == 0
        public = [True, False, True, True, False]
        events = await log.append(appending("table-1", *(new_event(public=flag) for flag in public)))
        await log.append(appending("table-2"))
        assert await log.count_all() == 6
        assert await log.count_all(public_only=True) == 4
        assert await log.count_all(after=events[1].position) == 4
        assert await log.count_all(after=events[2].position, public_only=True) == 2
        assert await log.count_all(after=(await whole_log(log))[-1].position) == 0

    async def test_a_reader_that_stopped_in_the_middle_of_a_page_skips_nothing(
        self, log: SqlEventLog, url: str
    ) -> None:
        written: list[StoredEvent] = []
        for number in range(30):
            written += await log.append(appending(f"table-{number % 3}", after=number // 3))
        handled: list[StoredEvent] = []
        # Each reader is stopped after four events of its page of nine, with a checkpoint at the last of them.
        while True:
            reader = await self.open_log(url)
            page = await reader.read_all(after=await reader.load_checkpoint("reader"), limit=9)
            for event in page[:4]:
                handled.append(event)
                await reader.save_checkpoint("reader", event.position)
            await reader.close()
            if not page:
                break
        assert handled == written

    async def test_what_comes_after_an_empty_page_is_read(self, log: SqlEventLog) -> None:
        for number in range(3):
            position = await log.load_checkpoint("relay")
            events = await log.read_all(after=position)
            assert len(events) == (1 if number else 0)
            position = events[-1].position if events else position
            assert list(await log.read_all(after=position)) == []
            await log.save_checkpoint("relay", position)
            await log.append(appending("table-1", after=number))

    async def test_streams_are_listed_by_category_a_page_at_a_time(self, log: SqlEventLog) -> None:
        names = [f"table-{number}" for number in range(5)]
        for name in reversed(names):
            await log.append(appending(name))
        await log.append(appending("match-1", category="match"))
        await log.close_stream("table-2", 1)
        assert [stream.stream_id for stream in await log.streams("table")] == names
        assert [stream.stream_id for stream in await log.streams("table", limit=2)] == names[:2]
        assert [stream.stream_id for stream in await log.streams("table", after="table-1", limit=2)] == names[
            2:4
        ]
        still_open = await log.streams("table", open_only=True)
        assert [stream.stream_id for stream in still_open] == [name for name in names if name != "table-2"]
        assert list(await log.streams("table", after="table-4")) == []
        assert (await log.streams("match"))[0] == await log.info("match-1")

    async def test_a_page_has_a_size(self, log: SqlEventLog) -> None:
        for limit in (0, -1, 10_001):
            with pytest.raises(ValueError, match="a page has 1 to"):
                await log.read_all(limit=limit)
            with pytest.raises(ValueError, match="a page has 1 to"):
                await log.read_stream("table-1", limit=limit)
            with pytest.raises(ValueError, match="a page has 1 to"):
                await log.streams("table", limit=limit)
        with pytest.raises(ValueError, match="starts after 0"):
            await log.read_all(after=Position(0, -1))

    async def test_an_append_wakes_everybody_who_waits(self, log: SqlEventLog) -> None:
        waiting = [asyncio.create_task(log.wait_for_append(30)) for _ in range(3)]
        await asyncio.sleep(0)
        await log.append(appending("table-1"))
        async with asyncio.timeout(5):
            assert await asyncio.gather(*waiting) == [True, True, True]

    async def test_waiting_ends_without_an_append(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        assert await log.wait_for_append(0.01) is False

    async def test_the_chain_of_every_stream_verifies_page_by_page(self, log: SqlEventLog) -> None:
        for number in range(10):
            await log.append(appending(f"table-{number % 2}", *new_events(3), after=number // 2 * 3))
        for stream_id in ("table-0", "table-1"):
            stream = await log.info(stream_id)
            end = await verify_stream(log, stream_id, page=4)
            assert stream is not None
            assert (end.version, end.hash) == (stream.version, stream.last_hash)
            link = CHAIN_START
            for after in range(0, 15, 5):
                page = await log.read_stream(stream_id, after_version=after, limit=5)
                link = verify_chain(page, after=link)
            assert link == end
        with pytest.raises(UnknownStream):
            await verify_stream(log, "table-9")
