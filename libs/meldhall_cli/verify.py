"""`meldhall verify [TABLE]`: chains, deals and results of the log, checked from the log alone."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log, table_ids
from meldhall_eventlog import EventLog
from meldhall_table.store.audit import Audit, audit_table


@dataclass
class Verdict:
    """What checking several tables found."""

    audits: list[Audit] = field(default_factory=list)

    @property
    def bad(self) -> list[Audit]:
        """The tables in which something does not hold."""
        return [audit for audit in self.audits if audit.difference is not None]

    @property
    def rounds(self) -> int:
        """Finished rounds in tables in which everything holds."""
        return sum(audit.rounds for audit in self.audits if audit.difference is None)

    @property
    def moves(self) -> int:
        """Moves of all rounds checked."""
        return sum(audit.moves for audit in self.audits)


async def check(log: EventLog, table: str | None, tell: Callable[[Audit], None]) -> Verdict:
    """Check one table, or all; ``tell`` hears of each as it is done."""
    verdict = Verdict()
    ids = [table] if table else [table_id async for table_id in table_ids(log)]
    for table_id in ids:
        audit = await audit_table(log, table_id)
        verdict.audits.append(audit)
        tell(audit)
    return verdict


async def verify(
    table: str | None, *, data: Path | None, database: str | None, as_json: bool, console: Console
) -> bool:
    """Check and print; True when everything holds.

    Raises:
        CommandFault: there is no log, or nothing of the table in it.
    """
    async with open_log(data, database) as log:
        if table and not await log.info(table) and not await log.read_stream(table, limit=1):
            raise CommandFault(f"table {table} is not in this log")
        if as_json:
            verdict = await check(log, table, lambda audit: print(json.dumps(_line(audit))))
            print(json.dumps(_summary(verdict)))
            return not verdict.bad
        with Progress(console=console, transient=True) as progress:
            total = 1 if table else len([table_id async for table_id in table_ids(log)])
            task = progress.add_task("checking tables", total=total)
            verdict = await check(log, table, lambda _: progress.advance(task))
    for audit in verdict.bad:
        console.print(
            f"[red]table {audit.table_id}, version {audit.at_version}:[/] {audit.difference}", soft_wrap=True
        )
    tables = len(verdict.audits)
    console.print(
        f"{tables} tables, {verdict.rounds} finished rounds, {verdict.moves} moves checked: "
        + (f"[red]{len(verdict.bad)} tables do not hold[/]" if verdict.bad else "[green]everything holds[/]")
    )
    return not verdict.bad


def _line(audit: Audit) -> dict[str, object]:
    return {
        "table": audit.table_id,
        "ok": audit.difference is None,
        "events": audit.events,
        "rounds": audit.rounds,
        "moves": audit.moves,
        "version": audit.at_version,
        "difference": audit.difference,
    }


def _summary(verdict: Verdict) -> dict[str, object]:
    return {
        "tables": len(verdict.audits),
        "verified_rounds": verdict.rounds,
        "moves": verdict.moves,
        "bad_tables": len(verdict.bad),
    }
