"""`meldhall engines`: which table engines there are, and how many shards each of them owns."""

import asyncio
from pathlib import Path

from rich.console import Console
from rich.table import Table

from meldhall_cli.logfile import log_url
from meldhall_eventlog import open_database
from meldhall_eventlog.leases import SHARDS, Instance, ShardLeases, ShardMap


def engines(data: Path | None, database: str | None, console: Console) -> bool:
    """Print the lease table; tell whether engines that are alive own every shard.

    Raises:
        CommandFault: there is no log there.
    """
    found = asyncio.run(_read(log_url(data, database)))
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("engine", "address", "state"):
        table.add_column(heading, no_wrap=True)
    for heading in ("shards", "epoch"):
        table.add_column(heading, justify="right")
    for instance in found.instances:
        held = found.held_by(instance.instance_id)
        epoch = str(max(held.values(), default=""))
        table.add_row(instance.instance_id, instance.address, _state(instance), str(len(held)), epoch)
    console.print(table)
    owned = sum(one.address is not None for one in found.shards)
    console.print(f"{owned} of {SHARDS} shards are owned by an engine that is alive.")
    return owned == SHARDS


async def _read(url: str) -> ShardMap:
    database = open_database(url)
    try:
        return await ShardLeases(database).map()
    finally:
        await database.close()


def _state(instance: Instance) -> str:
    if not instance.alive:
        return "dead"
    return "draining" if instance.draining else "alive"
