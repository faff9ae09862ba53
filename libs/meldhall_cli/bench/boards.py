"""`meldhall bench boards`: how long the ledger looks for a rank among a million players on PostgreSQL.

The board is laid out by the database itself, straight into the ledger's tables: scores that lie around 0 as
those of many rounds do, many of them equal. What is measured are the ledger's own queries, one after another.
"""

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from sqlalchemy import Connection, text

from meldhall_cli.bench.meter import quantile
from meldhall_embedded import PostgresServer
from meldhall_ledger.domain.boards import ALL, BUCKET, Board
from meldhall_ledger.store import Ledger, migrate, open_database
from meldhall_rules.match import Mode

BOARD: Final = Board("rummy101", Mode.QUICK, ALL)
SPREAD: Final = 20_000
"""Scores lie between minus and plus this, most of them near 0."""

ASKED: Final = 500
"""Players who are asked for."""

REACH: Final = 10
TOP: Final = 100

_ENTRIES: Final = (
    "INSERT INTO board_entries (board, player_id, score, rounds, wins) SELECT :board, 'p' || n, "
    "round((random() + random() + random() + random() - 2) / 2 * :spread), 100, 30 "
    "FROM generate_series(1, :players) AS n"
)
_BUCKETS: Final = (
    "INSERT INTO board_buckets (board, bucket, players) "
    "SELECT :board, floor(score::numeric / :bucket), count(*) FROM board_entries GROUP BY 2"
)
_RANK: Final = (
    "SELECT (SELECT coalesce(sum(players), 0) FROM board_buckets WHERE board = :board AND bucket > :bucket) "
    "+ (SELECT count(*) FROM board_entries WHERE board = :board AND score > :score AND score < :above) + 1"
)


@dataclass(frozen=True, slots=True)
class BoardsPlan:
    """How many players the board has."""

    players: int = 1_000_000


async def measure_boards(plan: BoardsPlan, console: Console) -> dict[str, float]:
    """Fill a board, ask for places on it, and return how long the answers took, in milliseconds.

    The plan of the rank query, as PostgreSQL explains it, goes to the console.

    Raises:
        EmbeddedError: PostgreSQL did not start.
    """
    with tempfile.TemporaryDirectory(prefix="meldhall-bench-postgres-") as folder:
        server = PostgresServer(Path(folder))
        await server.start()
        try:
            return await _measure(await server.create_database("boards"), plan, console)
        finally:
            await server.stop()


async def _measure(url: str, plan: BoardsPlan, console: Console) -> dict[str, float]:
    migrate(url)
    database = open_database(url)
    ledger = Ledger(database, now_ms=lambda: 0)
    try:
        started = time.perf_counter()
        with console.status(f"laying out {plan.players:,} players"):
            await database.write(lambda connection: _fill(connection, plan.players))
        filled = time.perf_counter() - started
        names = [f"p{1 + number * 7_919 % plan.players}" for number in range(ASKED)]
        (best,) = await ledger.leaders(BOARD, after=None, limit=1)
        worst = await database.read(_worst)
        await ledger.leaders_around(BOARD, best.player_id, REACH)
        around = await _times(names, lambda name: ledger.leaders_around(BOARD, name, REACH))
        rank = await _times(names, lambda name: ledger.leaders_around(BOARD, name, 0))
        last = await _times([worst] * 20, lambda name: ledger.leaders_around(BOARD, name, 0))
        top = await _times(names[:100], lambda _: ledger.leaders(BOARD, after=None, limit=TOP))
        console.print("\n".join(await database.read(_explain)), highlight=False, soft_wrap=True)
    finally:
        await ledger.close()
    return {
        "players": float(plan.players),
        "fill_seconds": filled,
        "rank_ms_p50": quantile(rank, 0.5),
        "rank_ms_p99": quantile(rank, 0.99),
        "last_rank_ms_p50": quantile(last, 0.5),
        "around_ms_p50": quantile(around, 0.5),
        "around_ms_p99": quantile(around, 0.99),
        "top_ms_p50": quantile(top, 0.5),
        "top_ms_p99": quantile(top, 0.99),
    }


def _fill(connection: Connection, players: int) -> None:
    connection.execute(text("SELECT setseed(0.5)"))
    connection.execute(text(_ENTRIES), {"board": str(BOARD), "players": players, "spread": SPREAD})
    connection.execute(text(_BUCKETS), {"board": str(BOARD), "bucket": BUCKET})
    connection.execute(text("ANALYZE board_entries"))
    connection.execute(text("ANALYZE board_buckets"))


def _worst(connection: Connection) -> str:
    query = text("SELECT player_id FROM board_entries ORDER BY score, player_id DESC LIMIT 1")
    return str(connection.execute(query).scalar_one())


def _explain(connection: Connection) -> list[str]:
    """Explain the query for the rank of score 0, in the middle of the board."""
    values: dict[str, Any] = {"board": str(BOARD), "bucket": 0, "score": 0, "above": BUCKET}
    rows = connection.execute(text(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) {_RANK}"), values)
    return [str(row[0]) for row in rows]


async def _times(names: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> list[float]:
    times = []
    for name in names:
        asked = time.perf_counter()
        await ask(name)
        times.append(time.perf_counter() - asked)
    return times
