"""`meldhall boards --rebuild`: the ledger's leaderboards, built anew from what is settled."""

import json
import time
from pathlib import Path

from rich.console import Console

from meldhall_cli.reconcile import books_of
from meldhall_ledger.config import LedgerSettings
from meldhall_ledger.store import Ledger, Terms, open_database
from meldhall_runtime import SystemClock, load_settings


async def rebuild_boards(
    *, data: Path | None, ledger_database: str | None, as_json: bool, console: Console
) -> bool:
    """Build all leaderboards anew in one transaction, and print what had been wrong.

    Seasons are as long as the ledger's own setting says. While it works, results that are being settled wait.

    Returns:
        True: whatever was wrong is mended.

    Raises:
        CommandFault: there are no books.
    """
    url = ledger_database or books_of(data)
    settings = load_settings(LedgerSettings)
    started = time.monotonic()
    ledger = Ledger(
        open_database(url),
        now_ms=SystemClock().now_ms,
        terms=Terms(settings.account_floor, settings.season_months),
    )
    try:
        with console.status("counting every result anew"):
            rebuilt = await ledger.rebuild_boards()
    finally:
        await ledger.close()
    seconds = time.monotonic() - started
    if as_json:
        print(
            json.dumps(
                {
                    "results": rebuilt.results,
                    "entries_mended": rebuilt.entries_mended,
                    "buckets_mended": rebuilt.buckets_mended,
                    "season_months": settings.season_months,
                    "seconds": round(seconds, 3),
                }
            )
        )
        return True
    wrong = rebuilt.entries_mended + rebuilt.buckets_mended
    console.print(
        f"{rebuilt.results:,} results counted in {seconds:.1f} s, seasons of {settings.season_months} months"
    )
    console.print(
        f"{rebuilt.entries_mended:,} places and {rebuilt.buckets_mended:,} counts were wrong and are mended"
        if wrong
        else "[green]Every place was right.[/]"
    )
    return True
