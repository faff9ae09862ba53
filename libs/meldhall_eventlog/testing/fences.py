# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Ownership and history: epochs, closed streams, rows that nothing may change."""

import pytest
from sqlalchemy.exc import DBAPIError

from meldhall_eventlog.chain import verify_stream
from meldhall_eventlog.errors import Fenced, StreamClosed, UnknownStream, WrongVersion
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, new_events, whole_log
from meldhall_eventlog.types import StreamInfo

_CHANGES_OF_HISTORY = [
    "UPDATE events SET payload = 'x' WHERE version = 1",
    "UPDATE events SET hash = hash",
    "DELETE FROM events WHERE version = 2",
    "UPDATE command_receipts SET response = 'x'",
    "DELETE FROM command_receipts",
    "DELETE FROM streams",
    "UPDATE streams SET version = version - 1",
    "UPDATE streams SET public_seq = public_seq - 1",
    "UPDATE streams SET owner_epoch = owner_epoch - 1",
    "UPDATE streams SET stream_id = 'another'",
]


class FenceCases(EventLogCase):
    """Who may append, and what nobody may do."""

    async def test_an_owner_that_lost_the_stream_changes_nothing(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", epoch=3))
        claimed = await log.claim("table-1", 5)
        assert claimed is not None
        assert (claimed.owner_epoch, claimed.version) == (5, 1)
        with pytest.raises(Fenced) as refused:
            await log.append(appending("table-1", after=1, epoch=3))
        assert (refused.value.epoch, refused.value.owner_epoch) == (3, 5)
        (event,) = await log.append(appending("table-1", after=1, epoch=5))
        assert event.epoch == 5

    async def test_an_epoch_that_never_claimed_the_stream_may_not_append(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", epoch=3))
        with pytest.raises(Fenced):
            await log.append(appending("table-1", after=1, epoch=4))

    async def test_the_fence_comes_before_the_version(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", epoch=3))
        with pytest.raises(Fenced):
            await log.append(appending("table-1", after=9, epoch=2))
        with pytest.raises(Fenced):
            await log.append(appending("table-1", after=0, epoch=2))

    async def test_a_claim_never_lowers_the_epoch(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", epoch=3))
        assert await log.claim("table-1", 3) == await log.info("table-1")
        with pytest.raises(Fenced) as refused:
            await log.claim("table-1", 2)
        assert (refused.value.epoch, refused.value.owner_epoch) == (2, 3)
        assert await log.claim("table-2", 1) is None

    async def test_a_claim_is_there_for_the_next_process(self, log: SqlEventLog, url: str) -> None:
        await log.append(appending("table-1", epoch=3))
        await log.claim("table-1", 8)
        other = await self.open_log(url)
        stream = await other.info("table-1")
        await other.close()
        assert stream is not None
        assert stream.owner_epoch == 8

    async def test_a_closed_stream_takes_no_more(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        await log.close_stream("table-1", 1)
        await log.close_stream("table-1", 1)
        with pytest.raises(StreamClosed):
            await log.append(appending("table-1", after=1))
        with pytest.raises(StreamClosed):
            await log.append(appending("table-1", after=0))
        assert len(await log.read_stream("table-1")) == 1
        assert (await verify_stream(log, "table-1")).version == 1

    async def test_only_the_owner_closes_a_stream(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1", epoch=2))
        with pytest.raises(Fenced):
            await log.close_stream("table-1", 1)
        with pytest.raises(UnknownStream):
            await log.close_stream("table-2", 1)
        await log.append(appending("table-1", after=1, epoch=2))

    async def test_a_closed_stream_may_be_claimed_and_stays_closed(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        await log.close_stream("table-1", 1)
        stream = await log.claim("table-1", 2)
        assert stream is not None
        assert stream.closed
        with pytest.raises(StreamClosed):
            await log.append(appending("table-1", after=1, epoch=2))

    async def test_the_row_of_a_stream_says_where_it_stands(self, log: SqlEventLog) -> None:
        events = await log.append(appending("table-1", *new_events(3), epoch=4))
        assert await log.info("table-1") == StreamInfo(
            stream_id="table-1",
            category="table",
            shard=7,
            version=3,
            public_seq=3,
            owner_epoch=4,
            last_hash=events[-1].hash,
            closed=False,
        )

    @pytest.mark.parametrize("statement", _CHANGES_OF_HISTORY)
    async def test_nothing_changes_history(self, log: SqlEventLog, url: str, statement: str) -> None:
        await log.append(appending("table-1", *new_events(3), command_id="c-1", response=b"ok"))
        before = await whole_log(log), await log.info("table-1"), await log.receipt("table-1", "c-1")
        with pytest.raises(DBAPIError, match=r"append-only|never deleted|only moves forward"):
            await self.execute_raw(url, statement)
        assert before == (
            await whole_log(log),
            await log.info("table-1"),
            await log.receipt("table-1", "c-1"),
        )

    async def test_a_closed_stream_is_not_opened_again(self, log: SqlEventLog, url: str) -> None:
        await log.append(appending("table-1"))
        await log.close_stream("table-1", 1)
        with pytest.raises(DBAPIError, match="only moves forward"):
            await self.execute_raw(url, "UPDATE streams SET closed = FALSE")

    async def test_a_refusal_says_the_state_that_it_saw(self, log: SqlEventLog) -> None:
        await log.append(appending("table-1"))
        with pytest.raises(WrongVersion, match="table-1 is at version 1, not 7"):
            await log.append(appending("table-1", after=7))
