"""`meldhall snapshots [TABLE] [--delete]`: what shortens the reading of tables, and can go at any time."""

import json
from pathlib import Path

from rich.console import Console

from meldhall_cli.logfile import open_log
from meldhall_table.store.snapshot import FORMAT


async def count(*, data: Path | None, database: str | None, as_json: bool, console: Console) -> None:
    """Print how many there are of each format, and which one this version reads.

    Raises:
        CommandFault: there is no log there.
    """
    async with open_log(data, database) as log:
        counts = await log.count_snapshots()
    for one in counts:
        used = "read by this version" if one.format == FORMAT else "ignored by this version"
        console.print(
            f"{one.snapshots} snapshots of {one.streams} tables, {one.bytes} bytes: {one.format}, {used}",
            highlight=False,
            soft_wrap=True,
        )
    if not counts:
        console.print("no snapshots")
    if as_json:
        formats = [
            {
                "format": one.format,
                "used": one.format == FORMAT,
                "snapshots": one.snapshots,
                "tables": one.streams,
                "bytes": one.bytes,
            }
            for one in counts
        ]
        print(json.dumps({"format": FORMAT, "formats": formats}))


async def delete_all(
    table: str | None, *, data: Path | None, database: str | None, as_json: bool, console: Console
) -> None:
    """Delete one table's snapshots, or all.

    Raises:
        CommandFault: there is no log there.
    """
    async with open_log(data, database) as log:
        deleted = await log.delete_snapshots(table)
    console.print(f"{deleted} snapshots deleted")
    if as_json:
        print(json.dumps({"deleted": deleted}))
