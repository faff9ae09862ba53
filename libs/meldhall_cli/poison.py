"""`meldhall poison list|retry`: what a ledger stands still at, and another try of it.

Both work on the ledger's database. A ledger that runs tries within a second or two; one that does not run,
when it starts.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import data_dir
from meldhall_ledger.store import open_database
from meldhall_messaging import StopStore, StoredStop

LOOK_EVERY: Final = 0.25
PATIENCE: Final = 15.0
"""Seconds that a running ledger has for taking a request and trying."""


async def show(*, data: Path | None, database: str | None, as_json: bool, console: Console) -> bool:
    """Print what stands still; True when nothing does."""
    async with _stops(data, database) as stops:
        found = await stops.listed()
    _tell(found, as_json=as_json, console=console)
    return not found


async def retry(
    partition: str | None, *, data: Path | None, database: str | None, as_json: bool, console: Console
) -> bool:
    """Ask for another try, wait for it, and print what stands still after it; True when none of it does.

    Raises:
        CommandFault: that table does not stand still.
    """
    async with _stops(data, database) as stops:
        if not await stops.ask_retry(partition) and partition is not None:
            raise CommandFault(f"{partition} does not stand still; `meldhall poison list` shows what does")
        deadline = time.monotonic() + PATIENCE
        left = await _of(stops, partition)
        while any(stop.retry for stop in left) and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_EVERY)
            left = await _of(stops, partition)
    _tell(left, as_json=as_json, console=console)
    return not left


async def _of(stops: StopStore, partition: str | None) -> Sequence[StoredStop]:
    return [stop for stop in await stops.listed() if partition in {None, stop.partition}]


@asynccontextmanager
async def _stops(data: Path | None, url: str | None) -> AsyncIterator[StopStore]:
    if url is None:
        folder = data_dir(data)
        path = folder.database("ledger") if folder.path.is_dir() else folder.path
        if not path.is_file():
            raise CommandFault(
                f"there is no ledger at {path}; start a stack with `meldhall up`, "
                "or name its folder with --data"
            )
        url = f"sqlite+aiosqlite:///{path}"
    database = open_database(url)
    try:
        yield StopStore(database)
    finally:
        await database.close()


def _tell(stops: Sequence[StoredStop], *, as_json: bool, console: Console) -> None:
    if as_json:
        print(json.dumps({"stopped": [_line(stop) for stop in stops]}))
        return
    if not stops:
        console.print("nothing stands still")
        return
    table = Table("table", "event", "since", "reason", box=None)
    for stop in stops:
        since = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(stop.stopped_at_ms / 1000))
        asked = " (asked to try again; no ledger has taken it yet)" if stop.retry else ""
        table.add_row(stop.partition, str(stop.sequence), since, stop.reason + asked)
    console.print(table)


def _line(stop: StoredStop) -> dict[str, object]:
    return {
        "consumer": stop.consumer,
        "partition": stop.partition,
        "sequence": stop.sequence,
        "reason": stop.reason,
        "stopped_at_ms": stop.stopped_at_ms,
        "retry_asked": stop.retry,
    }
