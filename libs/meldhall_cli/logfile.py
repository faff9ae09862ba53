"""The table service's log on a data folder, for commands that read it beside or without a running stack."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import data_dir
from meldhall_eventlog import LogReader, SqlEventLog, StreamInfo
from meldhall_eventlog.archive import ArchivedLog

PAGE = 500


def log_url(data: Path | None, database: str | None) -> str:
    """Return the URL that is named, or else that of the log of the stack that runs or ran on the data folder.

    Raises:
        CommandFault: there is no log there.
    """
    if database is not None:
        return database
    folder = data_dir(data)
    running = folder.running()
    if running is not None and running.log_url:
        return running.log_url
    # Looking for a log makes no folder.
    path = folder.database("table") if folder.path.is_dir() else folder.path
    if not path.is_file():
        raise CommandFault(
            f"there is no log at {path}; start a stack with `meldhall up`, or name its folder with --data"
        )
    return f"sqlite+aiosqlite:///{path}"


@asynccontextmanager
async def open_log(data: Path | None, database: str | None) -> AsyncIterator[SqlEventLog]:
    """Open the log named by URL, or else that of the data folder.

    Raises:
        CommandFault: there is no log there.
    """
    log = await SqlEventLog.open(log_url(data, database))
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def open_reader(
    data: Path | None, database: str | None, archive: Path | None
) -> AsyncIterator[LogReader]:
    """Open an archive, or else the log as ``open_log`` does.

    Raises:
        CommandFault: there is no log there, or no archive.
        ArchiveDamaged: the archive is damaged.
    """
    if archive is None:
        async with open_log(data, database) as log:
            yield log
        return
    try:
        archived = await ArchivedLog.open(archive)
    except FileNotFoundError as error:
        raise CommandFault(str(error)) from error
    yield archived


async def tables(log: LogReader) -> AsyncIterator[StreamInfo]:
    """Give the streams of all tables of a log."""
    after = ""
    while page := await log.streams("table", after=after, limit=PAGE):
        for info in page:
            yield info
        after = page[-1].stream_id
