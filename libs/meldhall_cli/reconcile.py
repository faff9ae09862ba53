"""`meldhall reconcile`: the books against themselves, and against the tables' log.

It reads both databases and changes neither, beside a running stack or without one.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log
from meldhall_cli.stack import data_dir
from meldhall_eventlog import FIRST, EventLog
from meldhall_ledger.domain.results import Ended
from meldhall_ledger.events import read_event
from meldhall_ledger.store import CHECKS, Finding, Ledger, open_database
from meldhall_messaging.envelope import envelope_of
from meldhall_runtime import Clock, SystemClock

PAGE: Final = 1_000
GRACE_MS: Final = 60_000
"""So long may a result be on its way from the log to the books."""

UNSETTLED: Final = "unsettled"
UNHEARD: Final = "unheard"

Key = tuple[str, int]
"""Table and round; round 0 is the match."""


async def reconcile(
    *,
    data: Path | None,
    database: str | None,
    ledger_database: str | None,
    as_json: bool,
    console: Console,
    clock: Clock | None = None,
) -> bool:
    """Check everything, and print what is wrong.

    Returns:
        Whether nothing is.

    Raises:
        CommandFault: there is no log, or there are no books.
    """
    url = ledger_database or books_of(data)
    ledger = Ledger(open_database(url), now_ms=(clock or SystemClock()).now_ms)
    try:
        async with open_log(data, database) as log:
            found = [*await ledger.reconcile(), *await _compare(log, ledger, clock or SystemClock())]
    finally:
        await ledger.close()
    if as_json:
        for one in found:
            print(json.dumps({"check": one.check, "subject": one.subject, "detail": one.detail}))
        print(json.dumps({"findings": len(found), "checks": [*CHECKS, UNSETTLED, UNHEARD]}))
    else:
        _tell(found, console)
    return not found


def books_of(data: Path | None) -> str:
    """Return the URL of the books of a data folder.

    Raises:
        CommandFault: there are none.
    """
    folder = data_dir(data)
    path = folder.database("ledger") if folder.path.is_dir() else folder.path
    if not path.is_file():
        raise CommandFault(
            f"there are no books at {path}; start a stack with `meldhall up`, or name its folder with --data"
        )
    return f"sqlite+aiosqlite:///{path}"


async def _compare(log: EventLog, ledger: Ledger, clock: Clock) -> list[Finding]:
    """Find results of the log that are not in the books, and results in the books that nobody told."""
    late = clock.now_ms() - GRACE_MS
    told: set[Key] = set()
    found: list[Finding] = []
    # The books first: what they have by now was in the log before.
    settled = [key async for key in _settled(ledger)]
    in_books = set(settled)
    async for key, recorded_at_ms in _results(log):
        told.add(key)
        if key not in in_books and recorded_at_ms < late:
            found.append(Finding(UNSETTLED, _name(key), "is in the log and not in the books"))
    found.extend(
        Finding(UNHEARD, _name(key), "is in the books and not in the log")
        for key in settled
        if key not in told
    )
    return found


async def _settled(ledger: Ledger) -> AsyncIterator[Key]:
    after: Key = ("", 0)
    while page := await ledger.settled(after=after, limit=PAGE):
        for key in page:
            yield key
        after = page[-1]


async def _results(log: EventLog) -> AsyncIterator[tuple[Key, int]]:
    after = FIRST
    while page := await log.read_all(after=after, limit=PAGE, public_only=True):
        for stored in page:
            happening = read_event(envelope_of(stored)).happening
            if isinstance(happening, Ended):
                yield (happening.table_id, happening.round), stored.recorded_at_ms
        after = page[-1].position


def _name(key: Key) -> str:
    table_id, number = key
    return f"{table_id}/{number}" if number else f"{table_id}, the match"


def _tell(found: list[Finding], console: Console) -> None:
    counts = Counter(one.check for one in found)
    summary = Table("check", "findings", title="the books")
    for check in (*CHECKS, UNSETTLED, UNHEARD):
        style = "red" if counts[check] else "green"
        summary.add_row(check, f"[{style}]{counts[check] or 'none'}[/]")
    console.print(summary)
    for one in found:
        console.print(f"{one.check}: {one.subject}: {one.detail}", soft_wrap=True, markup=False)
    if found:
        console.print("What each check means, and what to do: deploy/docs/ledger.md, The reconciler.")
