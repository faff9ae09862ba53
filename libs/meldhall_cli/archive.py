"""`meldhall archive --before DATE`: finished tables out of the database, into compressed files."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log
from meldhall_cli.stack import data_dir
from meldhall_eventlog import Position, SqlEventLog
from meldhall_eventlog.archive import ArchiveBusy, Moved, Plan, move_finished
from meldhall_eventlog.archive.moving import STEPS
from meldhall_messaging import relay_progress
from meldhall_runtime.failpoints import failpoint
from meldhall_table.app import RELAY
from meldhall_table.store.stream import CATEGORY

FOLDER: Final = "archive"
"""Of the data folder, where no other is named."""


async def archive(
    before: str,
    *,
    to: Path | None,
    without_relay: bool,
    data: Path | None,
    database: str | None,
    as_json: bool,
    console: Console,
) -> bool:
    """Move tables that ended before a date; False where a table does not hold and had to stay.

    Raises:
        CommandFault: the date is none, there is no log there, or another run is at work.
        ArchiveDamaged: a file in the folder is damaged.
    """
    before_ms = _moment(before)
    folder = to or data_dir(data).path / FOLDER
    async with open_log(data, database) as log:
        plan = Plan(
            folder=folder,
            category=CATEGORY,
            before_ms=before_ms,
            now_ms=time.time_ns() // 1_000_000,
            published=None if without_relay else await _published(log),
            step=_Steps(),
        )
        try:
            moved = await move_finished(log, plan)
        except ArchiveBusy as error:
            raise CommandFault(str(error)) from error
    _tell(moved, folder, console)
    if as_json:
        print(json.dumps(_summary(moved, folder)))
    return not moved.broken


async def _published(log: SqlEventLog) -> Position:
    progress = await relay_progress(log, RELAY)
    return progress.position if progress.rebuild is None else min(progress.position, progress.rebuild)


class _Steps:
    """Places where a test kills the process, one after each step of a file."""

    def __init__(self) -> None:
        self._places = {step: failpoint(f"archive.{step}") for step in STEPS}

    def __call__(self, step: str) -> None:
        self._places[step]()


def _tell(moved: Moved, folder: Path, console: Console) -> None:
    console.print(
        f"{moved.streams} tables with {moved.events} events moved to {folder}: "
        f"{moved.files} new files, {moved.bytes} bytes",
        soft_wrap=True,
        highlight=False,
    )
    if moved.unpublished:
        console.print(
            f"{moved.unpublished} tables stay until the relay has published their events "
            "(--without-relay where there is none)"
        )
    for broken in moved.broken:
        console.print(f"[red]stays, because it does not hold:[/] {broken}", soft_wrap=True)


def _summary(moved: Moved, folder: Path) -> dict[str, object]:
    return {
        "folder": str(folder),
        "tables": moved.streams,
        "events": moved.events,
        "files": moved.files,
        "bytes": moved.bytes,
        "unpublished": moved.unpublished,
        "broken": moved.broken,
    }


def _moment(text: str) -> int:
    """Read a date, or a date and a time, UTC where it names no zone, as Unix milliseconds."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CommandFault(f"{text!r} is no date such as 2026-01-31") from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
