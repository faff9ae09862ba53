"""Commands that look after what is stored and who serves it: archive, snapshots, engines, relay, erase."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from meldhall_cli.faults import CommandFault
from meldhall_cli.options import DatabaseOption, DataOption, JsonOption, answer, console_of

keeping_app = typer.Typer()
"""Its commands are commands of `meldhall` itself."""


@keeping_app.command("archive")
def archive_tables(
    before: Annotated[str, typer.Option(help="Tables that ended before this date, UTC: 2026-01-31.")],
    to: Annotated[Path | None, typer.Option("--to", help="Folder; else archive/ in the data folder.")] = None,
    without_relay: Annotated[
        bool, typer.Option("--without-relay", help="Public events go nowhere: do not wait for the relay.")
    ] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move finished tables out of the database into compressed files. Safe to run again after any crash."""
    from meldhall_cli.archive import archive as run

    moving = run(
        before,
        to=to,
        without_relay=without_relay,
        data=data,
        database=database,
        as_json=as_json,
        console=console_of(quiet=as_json),
    )
    answer(asyncio.run(moving))


@keeping_app.command()
def snapshots(
    table: Annotated[str | None, typer.Argument(help="One table; all of them when absent.")] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete them; nothing is lost, also while tables play.")
    ] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the snapshots of tables by format, or delete them."""
    from meldhall_cli.snapshots import count, delete_all

    console = console_of(quiet=as_json)
    if delete:
        asyncio.run(delete_all(table, data=data, database=database, as_json=as_json, console=console))
    elif table:
        raise CommandFault("one table's snapshots are deleted, not counted: give --delete")
    else:
        asyncio.run(count(data=data, database=database, as_json=as_json, console=console))


@keeping_app.command()
def engines(data: DataOption = None, database: DatabaseOption = None) -> None:
    """Show the table engines and how many shards each owns; exit 1 where a shard has no owner."""
    from meldhall_cli.engines import engines as run

    answer(run(data, database, console=console_of()))


@keeping_app.command()
def pools(
    ticket: Annotated[
        str | None, typer.Argument(help="Why this ticket waits; all pools when absent.")
    ] = None,
    data: DataOption = None,
    matchmaking_database: Annotated[
        str | None, typer.Option(help="URL of matchmaking's database, instead of --data.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who waits for what and who leads; exit 1 where a pool has no leader or cannot open tables."""
    from meldhall_cli.pools import pools as run

    console = console_of(quiet=as_json)
    job = run(ticket, data=data, database=matchmaking_database, as_json=as_json, console=console)
    answer(asyncio.run(job))


@keeping_app.command()
def relay(
    rebuild_from: Annotated[
        str | None,
        typer.Option("--rebuild-from", metavar="POSITION", help="Publish again all after it; 0 is all."),
    ] = None,
    wait: Annotated[bool, typer.Option(help="Stay until all is published.")] = True,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who publishes the log to NATS and what waits; or have events published again."""
    from meldhall_cli.relay import relay as run

    console = console_of(quiet=as_json)
    job = run(rebuild_from, wait=wait, data=data, database=database, as_json=as_json, console=console)
    answer(asyncio.run(job))


@keeping_app.command()
def erase(
    player: Annotated[str, typer.Argument(help="Id of the player.")],
    by: Annotated[str | None, typer.Option("--by", help="Who asks; else whoever is logged in here.")] = None,
    data: DataOption = None,
    database: DatabaseOption = None,
    matchmaking_database: Annotated[
        str | None, typer.Option(help="URL of matchmaking's database, instead of --data.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Remove what is kept of a player outside the log, and record it. Exit 1: run it again in a minute."""
    from meldhall_cli.erase import erase as run

    erasing = run(
        player,
        by=by,
        data=data,
        database=database,
        matchmaking_database=matchmaking_database,
        as_json=as_json,
        console=console_of(quiet=as_json),
    )
    answer(asyncio.run(erasing))
