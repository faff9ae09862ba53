"""`meldhall relay [--rebuild-from POSITION]`: publishing the log to NATS, watched and begun anew.

The request for a rebuild lies in the log's database. The relay that runs takes it within a second; where the
stack is stopped, the next one that starts does.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log
from meldhall_eventlog import Holding, Position, SqlEventLog, who_holds
from meldhall_messaging import RelayProgress, relay_lease, relay_progress, request_rebuild
from meldhall_table.app import RELAY

LOOK_EVERY: Final = 0.25
PATIENCE: Final = 20.0
"""Seconds without anybody who relays: longer than it takes to notice that one died and to follow it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the command found at last."""

    progress: RelayProgress
    holding: Holding | None

    @property
    def finished(self) -> bool:
        """Whether nothing waits."""
        return self.progress.rebuild is None and self.progress.left == 0


async def relay(
    rebuild_from: str | None,
    *,
    wait: bool,
    data: Path | None,
    database: str | None,
    as_json: bool,
    console: Console,
) -> bool:
    """Print where the relay stands, after asking for a rebuild and seeing it through where one is wanted.

    Returns:
        False where a rebuild was begun and stands still because nobody relays any more.

    Raises:
        CommandFault: there is no log, or the position is none.
    """
    position = None if rebuild_from is None else _position(rebuild_from)
    started = time.monotonic()
    async with open_log(data, database) as log:
        held = await who_holds(log.database, relay_lease(RELAY))
        if position is not None:
            await request_rebuild(log, RELAY, position)
            if wait and held is not None:
                await _follow(log, console)
        standing = await _look(log)
    if as_json:
        print(json.dumps(_line(standing, rebuild_from, time.monotonic() - started)))
    else:
        _tell(standing, console)
    return standing.finished or position is None or not wait or held is None


async def _follow(log: SqlEventLog, console: Console) -> None:
    """Show the progress until nothing waits, or nobody has relayed for a while."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task, most = bar.add_task("publishing", total=None), 0
        seen = time.monotonic()
        while True:
            standing = await _look(log)
            if standing.finished:
                return
            now = time.monotonic()
            seen = now if standing.holding is not None else seen
            if now - seen > PATIENCE:
                return
            left = standing.progress.left
            most = max(most, left)
            if standing.progress.rebuild is None:
                bar.update(task, total=most, completed=most - left)
            await asyncio.sleep(LOOK_EVERY)


async def _look(log: SqlEventLog) -> Standing:
    return Standing(await relay_progress(log, RELAY), await who_holds(log.database, relay_lease(RELAY)))


def _position(text: str) -> Position:
    try:
        return Position.parse(text)
    except ValueError as error:
        raise CommandFault(
            f"--rebuild-from takes 0, a number or TRANSACTION/NUMBER, not {text!r:.80}"
        ) from error


def _tell(standing: Standing, console: Console) -> None:
    progress, holding = standing.progress, standing.holding
    who = (
        f"{holding.holder} (epoch {holding.epoch})"
        if holding
        else "nobody: no table engine runs that reaches NATS"
    )
    console.print(f"relay {RELAY}: {who}", soft_wrap=True)
    console.print(f"published up to {progress.position}, {progress.left} public events wait", soft_wrap=True)
    if progress.rebuild is not None:
        console.print(f"rebuild from {progress.rebuild} is asked for and not begun", soft_wrap=True)


def _line(standing: Standing, rebuild_from: str | None, seconds: float) -> dict[str, object]:
    progress, holding = standing.progress, standing.holding
    return {
        "relay": RELAY,
        "holder": holding.holder if holding else None,
        "epoch": holding.epoch if holding else None,
        "position": str(progress.position),
        "left": progress.left,
        "rebuild_waiting": None if progress.rebuild is None else str(progress.rebuild),
        "rebuild_from": rebuild_from,
        "finished": standing.finished,
        "seconds": round(seconds, 3),
    }
