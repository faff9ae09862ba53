"""Options and endings that commands share."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

EXIT_FAILED = 1
EXIT_UNUSABLE = 2

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder; else MELDHALL_DATA, else .meldhall/.")
]
DatabaseOption = Annotated[
    str | None, typer.Option("--database", help="URL of the table service's database, instead of --data.")
]
LedgerDatabaseOption = Annotated[
    str | None, typer.Option("--database", help="URL of the ledger's database, instead of --data.")
]
ArchiveOption = Annotated[
    Path | None, typer.Option("--archive", help="Read this archive, a folder or a file, and no database.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def answer(good: bool) -> None:  # noqa: FBT001 - the one thing that it is told
    """End with exit code 1 where something does not hold."""
    if not good:
        raise typer.Exit(EXIT_FAILED)


def console_of(*, quiet: bool = False) -> Console:
    """Return where text for people goes: with --json the error stream, so that the output is JSON alone."""
    return Console(stderr=quiet)
