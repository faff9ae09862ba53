# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Many writers at a time: for databases that have more than one, as PostgreSQL does.

The statements that hold a transaction up in the middle are PostgreSQL's.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from meldhall_eventlog import appending as appends
from meldhall_eventlog.chain import verify_stream
from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import DuplicateCommand, LogUnavailable, WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, new_event, new_events, whole_log
from meldhall_eventlog.types import FIRST, Append, StoredEvent

SLOW = b"slow"
_PAUSE = 4711
"""Key of the advisory lock that an append of ``SLOW`` waits for, after its numbers were given."""


class ManyWriterCases(EventLogCase):
    """What holds when transactions overlap. Subclasses say how to begin one beside the log."""

    def transaction(self, url: str) -> AbstractAsyncContextManager[AsyncConnection]:
        """Begin a transaction on a connection of its own; rolled back unless the test commits it."""
        raise NotImplementedError

    def impatient(self, url: str) -> Database:
        """Open the database with sessions that wait 300 ms for a lock."""
        raise NotImplementedError

    @asynccontextmanager
    async def trigger(self, url: str, body: str) -> AsyncIterator[None]:
        """Run PL/pgSQL after each event that is inserted, for the time of the block."""
        await self.execute_raw(
            url,
            "CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql "
            f"AS $$ BEGIN {body} RETURN NULL; END $$",
        )
        await self.execute_raw(
            url,
            "CREATE TRIGGER interfere AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION interfere()",
        )
        try:
            yield
        finally:
            await self.execute_raw(url, "DROP FUNCTION interfere() CASCADE")

    async def test_an_event_that_commits_after_a_higher_number_is_delivered(
        self, log: SqlEventLog, url: str
    ) -> None:
        (before,) = await log.append(appending("before"))
        async with self.transaction(url) as paused:
            (late,) = await _append(paused, appending("late"))
            (early,) = await log.append(appending("early"))
            assert late.position.seq < early.position.seq
            assert await whole_log(log) == [before]
            assert list(await log.read_all(after=before.position)) == []
            # Reading the stream itself does not wait for anybody.
            assert list(await log.read_stream("early")) == [early]
            assert await log.count_all(after=before.position) == 1
            await paused.commit()
        assert list(await log.read_all(after=before.position)) == [late, early]

    async def test_the_order_is_that_of_transactions_and_not_of_numbers(
        self, log: SqlEventLog, url: str
    ) -> None:
        async with self.transaction(url) as first, self.transaction(url) as second:
            for opened in (first, second):
                await opened.execute(text("SELECT pg_current_xact_id()"))
            (of_second,) = await _append(second, appending("table-2"))
            (of_first,) = await _append(first, appending("table-1"))
            assert of_first.position < of_second.position
            assert of_first.position.seq > of_second.position.seq
            await second.commit()
            assert await whole_log(log) == []
            await first.commit()
        assert await whole_log(log, page=1) == [of_first, of_second]

    async def test_a_transaction_that_is_rolled_back_holds_nobody_up_for_ever(
        self, log: SqlEventLog, url: str
    ) -> None:
        async with self.transaction(url) as paused:
            await _append(paused, appending("given up", *new_events(20)))
            (event,) = await log.append(appending("table-1"))
            assert await whole_log(log) == []
        assert await whole_log(log) == [event]

    async def test_no_page_ends_beyond_an_event_that_is_not_visible_yet(
        self, log: SqlEventLog, url: str
    ) -> None:
        slow = f"IF NEW.payload = '{SLOW.decode()}' THEN PERFORM pg_advisory_xact_lock({_PAUSE}); END IF;"
        other = await self.open_log(url)
        seen: list[StoredEvent] = []

        async def read_on() -> None:
            while page := await log.read_all(after=seen[-1].position if seen else FIRST, limit=3):
                seen.extend(page)

        async with self.trigger(url, slow):
            async with self.transaction(url) as gate:
                await gate.execute(text(f"SELECT pg_advisory_xact_lock({_PAUSE})"))
                paused = asyncio.create_task(
                    other.append(appending("slow", new_event(SLOW), new_event(b"2")))
                )
                await _until_somebody_waits(gate)
                for number in range(30):
                    await log.append(appending(f"table-{number % 5}", after=number // 5))
                    await read_on()
                assert "slow" not in {event.stream_id for event in seen}
            slow_events = await paused
            await read_on()
        await other.close()
        assert seen == await whole_log(log)
        assert len(seen) == 32
        assert set(slow_events) <= set(seen)
        positions = [event.position for event in seen]
        assert positions == sorted(set(positions))

    async def test_a_reader_goes_on_when_an_idle_transaction_is_ended_by_the_server(
        self, log: SqlEventLog, url: str
    ) -> None:
        async with self.transaction(url) as idle:
            await idle.execute(text("SET idle_in_transaction_session_timeout = '400ms'"))
            await idle.execute(text("SELECT pg_current_xact_id()"))
            (event,) = await log.append(appending("table-1"))
            assert await whole_log(log) == []
            async with asyncio.timeout(20):
                while await whole_log(log) != [event]:  # noqa: ASYNC110 - PostgreSQL tells nobody
                    await asyncio.sleep(0.05)
            await idle.invalidate()

    async def test_many_events_that_wait_are_read_a_page_at_a_time(self, log: SqlEventLog, url: str) -> None:
        async with self.transaction(url) as paused:
            await _append(paused, appending("paused", *new_events(1000)))
            for table in range(4):
                await log.append(appending(f"table-{table}", *new_events(500)))
            assert await whole_log(log) == []
            await paused.commit()
        assert len(await log.read_all(limit=500)) == 500
        events = await whole_log(log, page=500)
        assert len(events) == 3000
        assert len({(event.stream_id, event.version) for event in events}) == 3000

    async def test_of_appends_over_different_connections_one_wins_and_the_losers_take_no_number(
        self, log: SqlEventLog, url: str
    ) -> None:
        others = [await self.open_log(url) for _ in range(3)]
        for version in range(25):
            outcomes = await asyncio.gather(
                *(writer.append(appending("table-1", after=version)) for writer in (log, *others)),
                return_exceptions=True,
            )
            refused = [type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)]
            assert refused == [WrongVersion] * 3
        events = await whole_log(log)
        assert [event.version for event in events] == list(range(1, 26))
        numbers = [event.position.seq for event in events]
        assert numbers == list(range(numbers[0], numbers[0] + 25))
        assert (await verify_stream(log, "table-1")).version == 25
        for other in others:
            await other.close()

    async def test_a_command_sent_over_two_connections_at_once_is_carried_out_once(
        self, log: SqlEventLog, url: str
    ) -> None:
        other = await self.open_log(url)
        for version in range(15):
            request = appending("table-1", after=version, command_id=f"c-{version}", response=b"first")
            outcomes = await asyncio.gather(
                log.append(request), other.append(request), return_exceptions=True
            )
            (refused,) = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
            assert isinstance(refused, DuplicateCommand)
            assert refused.receipt.response == b"first"
        assert len(await whole_log(log)) == 15
        await other.close()

    async def test_batches_over_the_same_streams_give_each_append_its_own_verdict(
        self, log: SqlEventLog, url: str
    ) -> None:
        other = await self.open_log(url)
        names = [f"table-{number}" for number in range(12)]
        versions = dict.fromkeys(names, 0)
        for name in names:
            await log.append(appending(name))

        async def round_of(writer: SqlEventLog, order: Sequence[str]) -> int:
            outcomes = await asyncio.gather(
                *(writer.append(appending(name, after=versions[name])) for name in order),
                return_exceptions=True,
            )
            assert {type(outcome) for outcome in outcomes} <= {tuple, WrongVersion}
            return sum(isinstance(outcome, tuple) for outcome in outcomes)

        versions = dict.fromkeys(names, 1)
        for _ in range(8):
            # One of the two may lock the streams in another order and give way; nobody hears of that.
            won = await asyncio.gather(round_of(log, names), round_of(other, names[::-1]))
            assert sum(won) == len(names)
            versions = {name: version + 1 for name, version in versions.items()}
        await other.close()

    @pytest.mark.parametrize("state", ["40P01", "40001"])
    async def test_a_transaction_that_gave_way_is_tried_again_and_nobody_is_told(
        self, log: SqlEventLog, url: str, state: str
    ) -> None:
        # A sequence is not rolled back: it counts the attempts.
        await self.execute_raw(url, "CREATE SEQUENCE attempts")
        give_way = (
            f"IF nextval('attempts') <= 3 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '{state}'; END IF;"
        )
        async with self.trigger(url, give_way):
            alone = await log.append(appending("alone", command_id="c"))
            await self.execute_raw(url, "ALTER SEQUENCE attempts RESTART")
            together = await asyncio.gather(*(log.append(appending(f"table-{n}")) for n in range(5)))
        await self.execute_raw(url, "DROP SEQUENCE attempts")
        stored = [event for events in (alone, *together) for event in events]
        assert {event.event_id for event in await whole_log(log)} == {event.event_id for event in stored}
        assert await log.receipt("alone", "c") is not None

    async def test_a_transaction_that_always_gives_way_says_nothing_about_the_stream(
        self, log: SqlEventLog, url: str
    ) -> None:
        async with self.trigger(url, "RAISE EXCEPTION 'gave way' USING ERRCODE = '40P01';"):
            with pytest.raises(LogUnavailable):
                await log.append(appending("table-1"))
        (event,) = await log.append(appending("table-1"))
        assert event.version == 1

    async def test_a_server_process_that_dies_between_two_statements_leaves_nothing(
        self, log: SqlEventLog, url: str
    ) -> None:
        await log.append(appending("table-1"))
        before = await log.info("table-1")
        async with self.trigger(url, "PERFORM pg_terminate_backend(pg_backend_pid());"):
            with pytest.raises(LogUnavailable):
                await log.append(appending("table-1", *new_events(2), after=1, command_id="c"))
        assert await log.info("table-1") == before
        assert await log.receipt("table-1", "c") is None
        await log.append(appending("table-1", after=1, command_id="c"))

    async def test_who_waits_too_long_for_a_stream_does_not_take_the_others_with_it(self, url: str) -> None:
        log = SqlEventLog(self.impatient(url))
        for name in ("table-1", "table-2"):
            await log.append(appending(name))
        async with self.transaction(url) as holding:
            await holding.execute(text("SELECT * FROM streams WHERE stream_id = 'table-1' FOR UPDATE"))
            outcomes = await asyncio.gather(
                log.append(appending("table-1", after=1)),
                log.append(appending("table-2", after=1)),
                log.append(appending("table-1", after=7)),
                return_exceptions=True,
            )
        assert isinstance(outcomes[0], LogUnavailable)
        assert isinstance(outcomes[1], tuple)
        await log.append(appending("table-1", after=1))
        await log.close()

    async def test_a_gap_of_many_numbers_stops_no_reader(self, log: SqlEventLog, url: str) -> None:
        skip = "SELECT setval(pg_get_serial_sequence('events', 'position'), {})"
        await self.execute_raw(url, skip.format(1_000_000))
        (first,) = await log.append(appending("table-1"))
        await self.execute_raw(url, skip.format(1_010_000))
        (second,) = await log.append(appending("table-1", after=1))
        assert (first.position.seq, second.position.seq) == (1_000_001, 1_010_001)
        assert await whole_log(log, page=1) == [first, second]


async def _append(connection: AsyncConnection, request: Append) -> tuple[StoredEvent, ...]:
    return await connection.run_sync(appends.append, request)


async def _until_somebody_waits(connection: AsyncConnection) -> None:
    waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    async with asyncio.timeout(10):
        while not await connection.scalar(waiting):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
