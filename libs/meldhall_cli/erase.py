"""`meldhall erase PLAYER`: what is kept of a player outside the log, removed, and that it was."""

import asyncio
import getpass
import json
import time
import uuid
from pathlib import Path
from typing import Final

from rich.console import Console

from meldhall.operator.v1.erasure_events_pb2 import PlayerErased
from meldhall_cli.logfile import open_log
from meldhall_cli.stack import data_dir
from meldhall_eventlog import Append, Meta, NewEvent, SqlEventLog, WrongVersion
from meldhall_eventlog.opening import is_postgres
from meldhall_eventlog.sqlite import wipe_deleted
from meldhall_matchmaking.store import open_database
from meldhall_matchmaking.store.tickets import Erased, TicketStore

STREAM: Final = "erasures"
CATEGORY: Final = "erasure"
SCHEMA_VERSION: Final = 1
TRIES: Final = 5
"""Appends of the fact, where somebody else appends at the same time."""

NOTHING: Final = Erased(0, 0, 0)


async def erase(
    player: str,
    *,
    by: str | None,
    data: Path | None,
    database: str | None,
    matchmaking_database: str | None,
    as_json: bool,
    console: Console,
) -> bool:
    """Remove, record, print; False where something could not be removed yet: it is to be run again.

    Raises:
        CommandFault: there is no log there.
    """
    operator = by or getpass.getuser()
    async with open_log(data, database) as log:
        erased, wiped = await _erase_tickets(player, data, matchmaking_database)
        recorded = await _record(log, player, operator, erased)
    done = wiped and not erased.active
    _tell(erased, recorded=recorded, wiped=wiped, console=console)
    if as_json:
        found = {"player": player, "tickets": erased.tickets, "commands": erased.commands}
        print(
            json.dumps(found | {"active": erased.active, "wiped": wiped, "recorded": recorded, "done": done})
        )
    return done


async def _erase_tickets(player: str, data: Path | None, database: str | None) -> tuple[Erased, bool]:
    """Delete from matchmaking, and from the very file; also tell whether the file has nothing left."""
    url = database
    if url is None:
        path = data_dir(data).database("matchmaking")
        if not path.is_file():
            return NOTHING, True
        url = f"sqlite+aiosqlite:///{path}"
    store = TicketStore(open_database(url))
    try:
        erased = await store.erase(player, time.time_ns() // 1_000_000)
    finally:
        await store.close()
    # A server reuses the room of deleted rows by itself (autovacuum); a file keeps what was in it.
    return erased, is_postgres(url) or await asyncio.to_thread(wipe_deleted, url)


async def _record(log: SqlEventLog, player: str, operator: str, erased: Erased) -> bool:
    """Append the fact unless it is there and nothing was removed now; tell whether it was appended."""
    removed = bool(erased.tickets or erased.commands)
    for _ in range(TRIES):
        version, known = await _known(log, player)
        if known and not removed:
            return False
        try:
            await log.append(_append(version, player, operator, erased))
        except WrongVersion:
            continue
        return True
    raise WrongVersion(STREAM, expected=version, actual=version + 1)


async def _known(log: SqlEventLog, player: str) -> tuple[int, bool]:
    """Return the version of the stream, and whether the player was erased before."""
    version, known = 0, False
    while page := await log.read_stream(STREAM, after_version=version):
        known = known or any(PlayerErased.FromString(stored.payload).player_id == player for stored in page)
        version = page[-1].version
    return version, known


def _append(version: int, player: str, operator: str, erased: Erased) -> Append:
    fact = PlayerErased(
        player_id=player, erased_by=operator, tickets=erased.tickets, commands=erased.commands
    )
    event = NewEvent(
        event_id=uuid.uuid4(),
        type=PlayerErased.DESCRIPTOR.full_name,
        schema_version=SCHEMA_VERSION,
        payload=fact.SerializeToString(deterministic=True),
        public=False,
    )
    return Append(
        stream_id=STREAM,
        category=CATEGORY,
        shard=0,
        expected_version=version,
        epoch=0,
        events=(event,),
        recorded_at_ms=time.time_ns() // 1_000_000,
        meta=Meta(actor=operator),
    )


def _tell(erased: Erased, *, recorded: bool, wiped: bool, console: Console) -> None:
    console.print(f"{erased.tickets} tickets and {erased.commands} commands of matchmaking removed")
    console.print("the erasure is recorded in the log" if recorded else "nothing new: recorded before")
    if erased.active:
        console.print("[yellow]the player is being given a table: run this again in a minute[/]")
    if not wiped:
        console.print("[yellow]somebody reads an old part of the database: run this again in a minute[/]")
