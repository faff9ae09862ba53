# ruff: noqa: S101, D102 - a suite asserts, and its sentences are the names of the tests
"""Several processes on one database, and processes that die."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process

from meldhall_eventlog.chain import verify_stream
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase
from meldhall_eventlog.testing.samples import appending, whole_log


class ProcessCases(EventLogCase):
    """What holds between processes."""

    async def test_two_processes_append_to_one_stream(self, log: SqlEventLog, url: str) -> None:
        writers = [await start_writer(url, "table-1", 60) for _ in range(2)]
        answers = await asyncio.gather(*(writer.communicate() for writer in writers))
        assert [writer.returncode for writer in writers] == [0, 0]
        told = sorted(_acknowledged(line) for out, _ in answers for line in out.splitlines())
        events = await whole_log(log, page=7)
        assert [(event.version, str(event.event_id)) for event in events] == told
        assert [event.version for event in events] == list(range(1, 121))
        positions = [event.position.seq for event in events]
        assert positions == list(range(positions[0], positions[0] + 120))
        assert (await verify_stream(log, "table-1")).version == 120

    async def test_what_a_killed_process_acknowledged_is_there(self, log: SqlEventLog, url: str) -> None:
        writer = await start_writer(url, "table-1", 1_000_000)
        assert writer.stdout is not None
        told = [_acknowledged(await writer.stdout.readline()) for _ in range(50)]
        writer.kill()
        rest, _ = await writer.communicate()
        # The last line may have been cut off by the kill; an append is told after it is durable, so that is
        # no loss.
        whole_lines = rest[: rest.rfind(b"\n") + 1].splitlines()
        told.extend(_acknowledged(line) for line in whole_lines)
        events = await log.read_stream("table-1", limit=10_000)
        stored = [(event.version, str(event.event_id)) for event in events]
        assert stored[: len(told)] == told
        assert len(stored) - len(told) in {0, 1}
        assert (await verify_stream(log, "table-1")).version == len(stored)
        (event,) = await log.append(appending("table-1", after=len(stored)))
        assert event.position > events[-1].position


async def start_writer(url: str, stream_id: str, count: int) -> Process:
    """Start a process that appends, with the modules that this one sees."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "meldhall_eventlog.testing.writer",
        url,
        stream_id,
        str(count),
        stdout=PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _acknowledged(line: bytes) -> tuple[int, str]:
    version, event_id = line.decode().split()
    return int(version), event_id
