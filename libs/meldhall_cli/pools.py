"""`meldhall pools`: who waits for what, and why a ticket waits."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import data_dir
from meldhall_matchmaking.domain.reasons import Explanation, Reason
from meldhall_matchmaking.pools import Inspector
from meldhall_matchmaking.store import open_database
from meldhall_matchmaking.store.inspecting import PoolView

_SAID: Final = {
    Reason.ENDED: "it does not wait any more",
    Reason.BEING_SEATED: "its table is being opened",
    Reason.NO_LEADER: "no process of matchmaking leads its part of the pools",
    Reason.TABLES_FAIL: "such tables could not be opened; it is tried again soon",
    Reason.PARTY_INCOMPLETE: "somebody of its party does not wait",
    Reason.TOO_FEW: "there are fewer people than seats",
    Reason.RATING: "the others are out of its reach by their ratings",
    Reason.LATENCY: "the others are too far away on the map",
    Reason.BLOCKED: "the others are blocked, or block",
    Reason.REMATCH: "the others were met in the last ranked match",
    Reason.MISFIT: "those who fit it do not fit each other, or their parties do not fill the seats",
    Reason.ABSENT: "a group is there: it is looked at next, or somebody in it has gone away",
}


async def pools(
    ticket: str | None, *, data: Path | None, database: str | None, as_json: bool, console: Console
) -> bool:
    """Print the pools, or why a ticket waits; False where a pool has no leader or cannot open its tables.

    Raises:
        CommandFault: there is no database of matchmaking, or no such ticket.
    """
    opened = open_database(_url(data, database))
    now = time.time_ns() // 1_000_000
    try:
        inspector = Inspector(opened)
        if ticket is not None:
            found = await inspector.explain(ticket, now)
            if found is None:
                raise CommandFault(f"there is no ticket {ticket}")
            _tell_ticket(found, now, as_json=as_json, console=console)
            return True
        views = await inspector.pools(now)
    finally:
        await opened.close()
    _tell_pools(views, now, as_json=as_json, console=console)
    return all(one.leader and not one.failing for one in views)


def _url(data: Path | None, database: str | None) -> str:
    if database is not None:
        return database
    path = data_dir(data).database("matchmaking")
    if not path.is_file():
        raise CommandFault(f"there is no database of matchmaking at {path}")
    return f"sqlite+aiosqlite:///{path}"


def _tell_pools(views: Sequence[PoolView], now_ms: int, *, as_json: bool, console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("table", "play", "leader"):
        table.add_column(heading)
    for heading in ("waiting", "being seated", "oldest", "usual wait"):
        table.add_column(heading, justify="right")
    for one in views:
        wish = one.wish
        options = ", ".join(f"{name}={value}" for name, value in wish.options)
        leader = one.leader or "nobody"
        table.add_row(
            f"{wish.game}, {wish.seats} seats, {wish.rounds} rounds\n{options}",
            wish.play,
            f"{leader}, cannot open tables" if one.failing else leader,
            str(one.waiting),
            str(one.proposed),
            _seconds(None if one.oldest_ms is None else now_ms - one.oldest_ms),
            _seconds(one.typical_ms),
        )
    console.print(table if views else "Nobody waits.")
    if as_json:
        print(json.dumps({"pools": [asdict(one) for one in views]}))


def _tell_ticket(found: Explanation, now_ms: int, *, as_json: bool, console: Console) -> None:
    ticket = found.ticket
    waited = _seconds(now_ms - ticket.enqueued_at_ms)
    console.print(f"Ticket {ticket.ticket_id} of {ticket.player_id}, {ticket.state}, made {waited} ago:")
    console.print(f"{_SAID[found.reason]}.")
    if found.waiting:
        kept = ", ".join(f"{number} by {one}" for one, number in sorted(found.obstacles.items()))
        console.print(
            f"{found.waiting} wait for the {ticket.wish.seats} seats, {found.fitting} of the others fit"
            + (f"; kept away: {kept}." if kept else ".")
        )
    if as_json:
        told = {
            "ticket_id": ticket.ticket_id,
            "state": ticket.state,
            "reason": found.reason,
            "waiting": found.waiting,
            "fitting": found.fitting,
            "obstacles": dict(found.obstacles),
        }
        print(json.dumps(told))


def _seconds(milliseconds: int | None) -> str:
    return "" if milliseconds is None else f"{max(0, milliseconds) / 1000:,.0f} s"
