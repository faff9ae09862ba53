"""`meldhall verify [TABLE]`: chains, deals and results of the log, checked from the log alone."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_reader, tables
from meldhall_eventlog import LogReader, StreamArchived
from meldhall_eventlog.archive import ArchivedLog
from meldhall_table.store.audit import Audit, audit_table


@dataclass
class Verdict:
    """What checking several tables found.

    ``archived`` counts tables whose events are in an archive and were not looked at; ``damaged`` has a
    sentence for each archive file that is not what its index says.
    """

    audits: list[Audit] = field(default_factory=list)
    archived: int = 0
    damaged: Sequence[str] = ()

    @property
    def good(self) -> bool:
        """Tell whether everything that was checked holds."""
        return not self.bad and not self.damaged

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


async def check(log: LogReader, table: str | None, tell: Callable[[Audit], None]) -> Verdict:
    """Check one table, or all; ``tell`` hears of each as it is done."""
    verdict = Verdict()
    if isinstance(log, ArchivedLog):
        verdict.damaged = await log.check_files()
    infos = [await log.info(table)] if table else [info async for info in tables(log)]
    for info in infos:
        if info is not None and info.archive:
            verdict.archived += 1
            continue
        audit = await audit_table(log, info.stream_id if info else table or "")
        verdict.audits.append(audit)
        tell(audit)
    return verdict


async def verify(
    table: str | None,
    *,
    data: Path | None,
    database: str | None,
    archive: Path | None,
    as_json: bool,
    console: Console,
) -> bool:
    """Check and print; True when everything holds.

    Raises:
        CommandFault: there is no log, or nothing of the table in it.
        ArchiveDamaged: the index of an archive is damaged.
    """
    async with open_reader(data, database, archive) as log:
        if table:
            await _refuse(log, table)
        if as_json:
            verdict = await check(log, table, lambda audit: print(json.dumps(_line(audit))))
            print(json.dumps(_summary(verdict)))
            return verdict.good
        with Progress(console=console, transient=True) as progress:
            total = 1 if table else len([info async for info in tables(log)])
            task = progress.add_task("checking tables", total=total)
            verdict = await check(log, table, lambda _: progress.advance(task))
    _tell(verdict, console)
    return verdict.good


async def _refuse(log: LogReader, table: str) -> None:
    info = await log.info(table)
    if info is not None and info.archive:
        raise CommandFault(f"{StreamArchived(table, info.archive)}; name its folder with --archive")
    if info is None and not await log.read_stream(table, limit=1):
        raise CommandFault(f"table {table} is not in this log")


def _tell(verdict: Verdict, console: Console) -> None:
    for audit in verdict.bad:
        console.print(
            f"[red]table {audit.table_id}, version {audit.at_version}:[/] {audit.difference}", soft_wrap=True
        )
    for damaged in verdict.damaged:
        console.print(f"[red]damaged:[/] {damaged}", soft_wrap=True)
    if verdict.archived:
        console.print(f"{verdict.archived} tables are in archives: verify those with --archive")
    tables_checked = len(verdict.audits)
    console.print(
        f"{tables_checked} tables, {verdict.rounds} finished rounds, {verdict.moves} moves checked: "
        + ("[green]everything holds[/]" if verdict.good else f"[red]{_wrong(verdict)}[/]")
    )


def _wrong(verdict: Verdict) -> str:
    files = f"{len(verdict.damaged)} archive files are damaged"
    tables_wrong = f"{len(verdict.bad)} tables do not hold"
    return ", ".join(what for what, there in ((tables_wrong, verdict.bad), (files, verdict.damaged)) if there)


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
        "archived_tables": verdict.archived,
        "damaged_files": list(verdict.damaged),
    }
