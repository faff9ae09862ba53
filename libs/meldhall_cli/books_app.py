"""Commands about the ledger's books: what stands still, whether they agree, leaderboards."""

import asyncio
from typing import Annotated

import typer

from meldhall_cli.faults import CommandFault
from meldhall_cli.options import (
    DatabaseOption,
    DataOption,
    JsonOption,
    LedgerDatabaseOption,
    answer,
    console_of,
)

books_app = typer.Typer()
poison_app = typer.Typer(help="Events that the ledger cannot apply.", no_args_is_help=True)
books_app.add_typer(poison_app, name="poison")


@poison_app.command("list")
def poison_list(
    data: DataOption = None, database: LedgerDatabaseOption = None, as_json: JsonOption = False
) -> None:
    """Show what stands still because of an event that cannot be applied; exit 1 where something does."""
    from meldhall_cli.poison import show

    answer(asyncio.run(show(data=data, database=database, as_json=as_json, console=console_of())))


@poison_app.command("retry")
def poison_retry(
    partition: Annotated[str | None, typer.Argument(help="A table; else give --all.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything that stands still.")] = False,
    data: DataOption = None,
    database: LedgerDatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have the ledger try again now what stands still; exit 1 where it still does."""
    from meldhall_cli.poison import retry

    if (partition is None) is not every:
        raise CommandFault("name a table, or give --all")
    job = retry(partition, data=data, database=database, as_json=as_json, console=console_of(quiet=as_json))
    answer(asyncio.run(job))


@books_app.command()
def reconcile(
    data: DataOption = None,
    database: DatabaseOption = None,
    ledger_database: Annotated[
        str | None,
        typer.Option("--ledger-database", metavar="URL", help="The books; else the data folder's."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check all books from the journal up, and against the tables' log."""
    from meldhall_cli.reconcile import reconcile as run

    job = run(
        data=data,
        database=database,
        ledger_database=ledger_database,
        as_json=as_json,
        console=console_of(quiet=as_json),
    )
    answer(asyncio.run(job))


@books_app.command()
def boards(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build all leaderboards anew.")] = False,
    data: DataOption = None,
    ledger_database: Annotated[
        str | None,
        typer.Option("--ledger-database", metavar="URL", help="The books; else the data folder's."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Build the leaderboards anew from what is settled, and say what had been wrong."""
    from meldhall_cli.boards import rebuild_boards as run

    if not rebuild:
        raise CommandFault("boards needs --rebuild: to look at a leaderboard ask the ledger, GetLeaderboard")
    console = console_of(quiet=as_json)
    answer(asyncio.run(run(data=data, ledger_database=ledger_database, as_json=as_json, console=console)))
