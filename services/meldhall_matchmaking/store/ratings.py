"""Ratings, and the results that they come from: each counts once, in one transaction.

A ranked table is noted when its players are told of it. Its row says whether its result has counted.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Integer,
    Row,
    Table,
    Text,
    bindparam,
    delete,
    select,
    tuple_,
    update,
)

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_matchmaking.domain.ratings import Rating, ranks_of, rated
from meldhall_matchmaking.domain.ticket import Wish
from meldhall_matchmaking.store.tables import metadata, wish_columns
from meldhall_rules import registry

ratings: Final = Table(
    "ratings",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("matches", Integer, nullable=False),
    Column("rated_at_ms", BigInteger, nullable=False),
)

ranked_tables: Final = Table(
    "ranked_tables",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("opened_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
)

UNRATED: Final = Rating()

LONGEST_MS: Final = 30 * 86_400_000
"""A ranked table of which nothing was heard for so long is waited for no more."""

_write: Final = (
    update(ratings)
    .where(ratings.c.player_id == bindparam("of_player"), ratings.c.game == bindparam("of_game"))
    .values({name: bindparam(name) for name in ("mu", "sigma", "matches", "rated_at_ms")})
)


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended: who sat where, which sides won, the totals by side."""

    table_id: str
    players: tuple[str, ...]
    winners: tuple[int, ...]
    totals: tuple[int, ...]


def note_table(connection: Connection, table_id: str, wish: Wish, now_ms: int) -> None:
    """Wait for the result of a ranked table."""
    row = {
        "table_id": table_id,
        "game": wish.game,
        "options": wish_columns(wish)["options"],
        "opened_at_ms": now_ms,
        "ended_at_ms": None,
    }
    insert_if_absent(connection, ranked_tables, row)


def awaits_result(connection: Connection, table_id: str) -> bool:
    """Whether a table is ranked and its result has not counted yet."""
    query = select(ranked_tables.c.table_id).where(
        ranked_tables.c.table_id == table_id, ranked_tables.c.ended_at_ms.is_(None)
    )
    return connection.execute(query).first() is not None


def end_table(connection: Connection, table_id: str, now_ms: int) -> Row[Any] | None:
    """Wait no more for a table's result; return its row, None where it is not waited for.

    Of two transactions that end it, the second waits here and finds it ended.
    """
    ended = (
        update(ranked_tables)
        .where(ranked_tables.c.table_id == table_id, ranked_tables.c.ended_at_ms.is_(None))
        .values(ended_at_ms=now_ms)
        .returning(ranked_tables)
    )
    return connection.execute(ended).one_or_none()


def count_result(connection: Connection, result: Result, now_ms: int) -> bool:
    """Let a result move its players' ratings; False where it is no ranked one or counted before.

    Raises:
        ValueError: it cannot be a result of that table.
    """
    table = end_table(connection, result.table_id, now_ms)
    if table is None:
        return False
    rules = registry.game(table.game).match_rules(json.loads(table.options))
    sides = len(result.players) // rules.team_size
    if sides * rules.team_size != len(result.players) or len(result.totals) != sides:
        raise ValueError(f"{len(result.totals)} totals of {len(result.players)} players")
    seats = [list(result.players[side::sides]) for side in range(sides)]
    before = _locked(connection, table.game, result.players)
    ranks = ranks_of(result.winners, result.totals, lowest_wins=rules.lowest_wins)
    after = rated([[before.get(name, UNRATED) for name in side] for side in seats], ranks)
    rows = [
        {
            "of_player": name,
            "of_game": table.game,
            "mu": new.mu,
            "sigma": new.sigma,
            "matches": new.matches,
            "rated_at_ms": now_ms,
        }
        for side, team in zip(seats, after, strict=True)
        for name, new in zip(side, team, strict=True)
    ]
    connection.execute(_write, rows)
    return True


def ratings_of(connection: Connection, player_id: str) -> dict[str, Rating]:
    """Return a player's ratings by game, of those that he has played ranked."""
    query = select(ratings).where(ratings.c.player_id == player_id).order_by(ratings.c.game)
    return {row.game: _read(row) for row in connection.execute(query)}


def ratings_for(connection: Connection, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], Rating]:
    """Return the ratings of players in games, of those that there are."""
    if not wanted:
        return {}
    query = select(ratings).where(tuple_(ratings.c.player_id, ratings.c.game).in_(wanted))
    return {(row.player_id, row.game): _read(row) for row in connection.execute(query)}


def erase_ratings(connection: Connection, player_id: str) -> None:
    """Forget a player's ratings."""
    connection.execute(delete(ratings).where(ratings.c.player_id == player_id))


def forget_tables(connection: Connection, before_ms: int) -> None:
    """Forget ranked tables that ended before a time, and those of which nothing was heard for long."""
    ended = ranked_tables.c.ended_at_ms < before_ms
    lost = ranked_tables.c.opened_at_ms < before_ms - LONGEST_MS
    connection.execute(delete(ranked_tables).where(ended | lost))


def _locked(connection: Connection, game: str, players: Sequence[str]) -> dict[str, Rating]:
    """Read the ratings of players, whom no other result moves until this one is written.

    By name, so that two results with the same players never wait for each other in a circle. Who has none
    gets a row to be locked, of the time 0.
    """
    for name in sorted(players):
        row = {"player_id": name, "game": game, "mu": UNRATED.mu, "sigma": UNRATED.sigma}
        insert_if_absent(connection, ratings, {**row, "matches": 1, "rated_at_ms": 0})
    query = (
        select(ratings)
        .where(ratings.c.game == game, ratings.c.player_id.in_(players))
        .order_by(ratings.c.player_id)
        .with_for_update()
    )
    return {row.player_id: _read(row) if row.rated_at_ms else UNRATED for row in connection.execute(query)}


def _read(row: Any) -> Rating:
    return Rating(row.mu, row.sigma, row.matches)
