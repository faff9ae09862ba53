"""Outlooks of pools, written by leaders and read by everybody."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from meldhall_matchmaking.domain.outlook import Outlook
from meldhall_matchmaking.domain.ticket import Play, Wish
from meldhall_matchmaking.store.tables import part_of, pools


@dataclass(frozen=True, slots=True)
class PoolNote:
    """What was written of a pool: its outlook, in which part it is, led with which epoch, and when."""

    outlook: Outlook
    part: int
    epoch: int
    told_at_ms: int


def pool_id(wish: Wish) -> str:
    """Return the name of a kind of table's pool, the same everywhere."""
    return hashlib.sha256(_named(wish).encode()).hexdigest()[:16]


def write_outlooks(
    connection: Connection, outlooks: Mapping[Wish, Outlook], epochs: Mapping[int, int], now_ms: int
) -> None:
    """Write pools down, in the parts that are led with these epochs."""
    rows = [
        {
            "pool_id": pool_id(wish),
            "part": part_of(wish),
            "epoch": epochs[part_of(wish)],
            "outlook": _written(wish, outlook),
            "told_at_ms": now_ms,
        }
        for wish, outlook in outlooks.items()
    ]
    if rows:
        connection.execute(delete(pools).where(pools.c.pool_id.in_([row["pool_id"] for row in rows])))
        connection.execute(insert(pools), rows)


def read_outlooks(connection: Connection, since_ms: int) -> dict[Wish, PoolNote]:
    """Read every pool that was written down at a time or later."""
    query = select(pools).where(pools.c.told_at_ms >= since_ms).order_by(pools.c.pool_id)
    return dict(_read(row) for row in connection.execute(query))


def forget_outlooks(connection: Connection, before_ms: int) -> None:
    """Forget pools that nobody wrote down since a time."""
    connection.execute(delete(pools).where(pools.c.told_at_ms < before_ms))


def _named(wish: Wish) -> str:
    return json.dumps(
        [wish.game, dict(wish.options), wish.seats, wish.rounds, wish.play, wish.stake], sort_keys=True
    )


def _written(wish: Wish, outlook: Outlook) -> str:
    return json.dumps(
        {
            "wish": json.loads(_named(wish)),
            "waiting": outlook.waiting,
            "marks": outlook.marks,
            "typical_ms": outlook.typical_ms,
            "failing": outlook.failing,
        },
        separators=(",", ":"),
    )


def _read(row: Row[Any]) -> tuple[Wish, PoolNote]:
    found = json.loads(row.outlook)
    game, options, seats, rounds, play, *stake = found["wish"]
    wish = Wish(game, tuple(sorted(options.items())), seats, rounds, Play(play), *stake)
    outlook = Outlook(found["waiting"], tuple(found["marks"]), found["typical_ms"], found["failing"])
    return wish, PoolNote(outlook, row.part, row.epoch, row.told_at_ms)
