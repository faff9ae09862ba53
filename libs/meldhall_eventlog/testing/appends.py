# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Appends: versions, receipts, atomicity, concurrency."""

import asyncio
from dataclasses import replace

import pytest

from meldhall_eventlog.errors import DuplicateCommand, InvalidAppend, LogUnavailable, WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.store import EventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import META, appending, new_event, new_events, whole_log
from meldhall_eventlog.types import GENESIS_HASH, Append, Receipt


class AppendCases(EventLogCase):
    """What an append writes, and when it writes nothing."""

    async def test_what_was_appended_is_what_is_read(self, log: SqlEventLog) -> None:
        request = appending(
            "table-1", new_event(b""), new_event(bytes(range(256)), public=False), command_id="c"
        )
        stored = await log.append(request)
        assert list(stored) == list(await log.read_stream("table-1")) == await whole_log(log)
        first, second = stored
        assert (first.version, second.version) == (1, 2)
        assert (first.public_seq, second.public_seq) == (1, None)
        assert second.payload == bytes(range(256))
        assert (second.type, second.schema_version) == ("TileDrawn", 3)
        assert second.event_id == request.events[1].event_id
        assert (second.command_id, second.meta, second.epoch) == ("c", META, 1)
        assert second.recorded_at_ms == request.recorded_at_ms
        assert (first.prev_hash, second.prev_hash) == (GENESIS_HASH, first.hash)

    async def test_an_append_at_a_stale_version_names_both_versions(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", *new_events(2)))
        with pytest.raises(WrongVersion) as refused:
            await log.append(appending("table-1", after=1))
        assert (refused.value.expected, refused.value.actual) == (1, 2)
        with pytest.raises(WrongVersion) as refused:
            await log.append(appending("table-1", after=3))
        assert (refused.value.expected, refused.value.actual) == (3, 2)
        assert len(await whole_log(log)) == 2

    async def test_a_stream_that_is_there_is_not_created_again(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        with pytest.raises(WrongVersion) as refused:
            await log.append(appending("table-1", after=0))
        assert (refused.value.expected, refused.value.actual) == (0, 1)

    async def test_a_stream_that_is_not_there_is_at_version_0(self, log: SqlEventLog) -> None:
        with pytest.raises(WrongVersion) as refused:
            await log.append(appending("table-1", after=4))
        assert (refused.value.expected, refused.value.actual) == (4, 0)
        assert await log.info("table-1") is None

    async def test_a_repeated_command_gets_the_first_answer(self, log: SqlEventLog) -> None:
        request = appending("table-1", *new_events(2), command_id="c-1", response=b"first")
        await log.append(request)
        first = Receipt("table-1", "c-1", 1, 2, b"first")
        assert await log.receipt("table-1", "c-1") == first
        for repeated in (
            request,
            appending("table-1", after=2, command_id="c-1", response=b"second"),
            appending("table-1", after=9, command_id="c-1", epoch=5),
        ):
            with pytest.raises(DuplicateCommand) as refused:
                await log.append(repeated)
            assert refused.value.receipt == first
        assert len(await whole_log(log)) == 2

    async def test_a_repeated_command_gets_the_first_answer_when_the_stream_moved_on(
        self, log: SqlEventLog
    ) -> None:
        request = appending("table-1", command_id="c-1", response=b"first")
        await log.append(request)
        await log.append(appending("table-1", *new_events(5), after=1, command_id="c-2"))
        await log.claim("table-1", 2)
        await log.close_stream("table-1", 2)
        with pytest.raises(DuplicateCommand) as refused:
            await log.append(request)
        assert refused.value.receipt == Receipt("table-1", "c-1", 1, 1, b"first")

    async def test_a_command_id_belongs_to_one_stream(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", command_id="c-1"))
        await log.append(appending("table-2", command_id="c-1"))
        assert await log.receipt("table-2", "c-1") == Receipt("table-2", "c-1", 1, 1, b"")
        assert await log.receipt("table-3", "c-1") is None

    async def test_a_failure_in_the_middle_leaves_nothing(self, log: SqlEventLog) -> None:
        (used,) = await log.append(appending("table-1"))
        before = await log.info("table-1")
        again = new_event(event_id=used.event_id)
        with pytest.raises(InvalidAppend):
            await log.append(appending("table-1", new_event(), again, after=1, command_id="c-1"))
        with pytest.raises(InvalidAppend):
            await log.append(appending("table-2", new_event(), again, command_id="c-1"))
        assert await log.info("table-1") == before
        assert await log.info("table-2") is None
        assert await log.receipt("table-1", "c-1") is None
        (next_event,) = await log.append(appending("table-1", after=1, command_id="c-1"))
        assert next_event.position > used.position

    async def test_appends_that_share_a_commit_fail_one_by_one(self, log: SqlEventLog) -> None:
        (used,) = await log.append(appending("table-0"))
        outcomes = await asyncio.gather(
            log.append(appending("table-1", command_id="c")),
            log.append(appending("table-1", command_id="c")),
            log.append(appending("table-2", new_event(), new_event(event_id=used.event_id))),
            log.append(appending("table-3", after=2)),
            log.append(appending("table-2", *new_events(2))),
            log.append(appending("table-1", after=1)),
            return_exceptions=True,
        )
        refused = [type(outcome) for outcome in outcomes if isinstance(outcome, Exception)]
        assert refused == [DuplicateCommand, InvalidAppend, WrongVersion]
        # Of one stream in the order in which they came; between streams no order was promised.
        assert sorted((event.stream_id, event.version) for event in await whole_log(log)) == [
            ("table-0", 1),
            ("table-1", 1),
            ("table-1", 2),
            ("table-2", 1),
            ("table-2", 2),
        ]

    async def test_of_conflicting_appends_one_wins_each_version(self, log: SqlEventLog) -> None:
        async def attempt(version: int) -> bool:
            try:
                await log.append(appending("table-1", after=version))
            except WrongVersion:
                return False
            return True

        for version in range(4):
            assert sum(await asyncio.gather(*(attempt(version) for _ in range(25)))) == 1
        events = await whole_log(log, page=3)
        assert [event.version for event in events] == [1, 2, 3, 4]
        # Losers took no position, so no reader waits for one.
        numbers = [event.position.seq for event in events]
        assert numbers == list(range(numbers[0], numbers[0] + 4))

    async def test_conflicting_writers_that_try_again_all_get_through(self, log: SqlEventLog) -> None:
        async def insist(writer: int) -> None:
            version = 0
            for number in range(10):
                while True:
                    try:
                        request = appending("table-1", after=version, command_id=f"{writer}/{number}")
                        version = (await log.append(request))[0].version
                        break
                    except WrongVersion as error:
                        version = error.actual

        await asyncio.gather(*(insist(writer) for writer in range(10)))
        events = await whole_log(log, page=7)
        assert [event.version for event in events] == list(range(1, 101))
        assert len({event.command_id for event in events}) == 100
        positions = [event.position.seq for event in events]
        assert positions == list(range(positions[0], positions[0] + 100))

    async def test_a_thousand_events_in_one_append(self, log: SqlEventLog) -> None:
        request = appending("table-1", *new_events(1000))
        stored = await log.append(request)
        assert [event.payload for event in stored] == [event.payload for event in request.events]
        assert list(await log.read_stream("table-1", limit=1000)) == list(stored)

    async def test_public_events_are_numbered_without_holes(self, log: SqlEventLog) -> None:
        public = [True, False, True, True, False, False, True]
        await log.append(appending("table-1", *(new_event(public=flag) for flag in public)))
        with pytest.raises(WrongVersion):
            await log.append(appending("table-1", after=3))
        await log.append(appending("table-1", new_event(public=False), after=7))
        await log.append(appending("table-1", new_event(), after=8))
        events = await log.read_stream("table-1")
        assert [event.public_seq for event in events] == [1, None, 2, 3, None, None, 4, None, 5]
        stream = await log.info("table-1")
        assert stream is not None
        assert stream.public_seq == 5

    @pytest.mark.parametrize(
        "broken",
        [
            replace(appending(), events=()),
            appending(""),
            appending("t" * 129),
            appending("table\x00"),
            appending("table\ud800"),
            appending(category=""),
            appending(command_id=""),
            appending(command_id="c" * 129),
            appending(after=-1),
            appending(epoch=-1),
            appending(epoch=2**63),
            replace(appending(), shard=-1),
            replace(appending(), recorded_at_ms=-1),
            replace(appending(), wake_at_ms=-1),
            appending("table-1", replace(new_event(), type="")),
            appending("table-1", replace(new_event(), type="Tile\x00Drawn")),
            appending("table-1", replace(new_event(), schema_version=-1)),
            appending("table-1", *[new_event()] * 2),
        ],
    )
    async def test_a_malformed_append_is_refused(self, log: SqlEventLog, broken: Append) -> None:
        with pytest.raises(InvalidAppend):
            await log.append(broken)
        assert await whole_log(log) == []

    async def test_ids_of_the_greatest_length_are_taken(self, log: EventLog) -> None:
        stream_id, command_id = "é" * 128, "c" * 128
        await log.append(appending(stream_id, command_id=command_id))
        assert await log.receipt(stream_id, command_id) is not None

    async def test_a_caller_that_gives_up_leaves_no_half_append(self, log: SqlEventLog) -> None:
        tasks = [
            asyncio.create_task(log.append(appending(f"table-{number}", *new_events(3))))
            for number in range(8)
        ]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await log.append(appending("last"))
        for number in range(8):
            events = await log.read_stream(f"table-{number}")
            assert len(events) in ({0, 3} if number % 2 == 0 else {3})

    async def test_closing_the_log_finishes_what_was_accepted(self, url: str) -> None:
        log = await self.open_log(url)
        task = asyncio.create_task(log.append(appending("table-1", *new_events(3))))
        await asyncio.sleep(0)
        await log.close()
        assert len(await task) == 3
        with pytest.raises(LogUnavailable):
            await log.append(appending("table-2"))
        with pytest.raises(LogUnavailable):
            await log.info("table-1")
        again = await self.open_log(url)
        assert len(await again.read_stream("table-1")) == 3
        await again.close()
