"""Leaderboards inside a transaction: kept with every settlement, read by rank, built anew from those.

A board is a projection: what is in it follows from ``settlements`` and ``settled_seats`` alone. Beside the
entries it keeps how many players have a score in each bucket of scores, so that the rank of one of a million
is a sum over buckets and a count within one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Row,
    Select,
    Table,
    and_,
    delete,
    except_,
    func,
    insert,
    or_,
    select,
    text,
    union,
)
from sqlalchemy.dialects import postgresql, sqlite

from meldhall_ledger.domain.boards import BUCKET, Board, Gain, boards_of, bucket_of
from meldhall_ledger.store.tables import board_buckets, board_entries, settled_seats, settlements
from meldhall_rules.match import Mode

PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A player's place on a board. Equal scores have equal ranks, and the next rank counts them all."""

    rank: int
    player_id: str
    score: int
    rounds: int
    wins: int


def count(connection: Connection, boards: Iterable[Board], new: Iterable[Gain]) -> None:
    """Add what a result brought to boards.

    Rows are taken in one order, entries first, so that nobody waits in a circle. Buckets come last: results
    of different players share them, and whoever has one keeps the others waiting until the commit.
    """
    gains = sorted(_by_player(new).values(), key=lambda gain: gain.player_id)
    rows = [{"board": str(board), **asdict(gain)} for board in sorted(boards) for gain in gains]
    if not rows:
        return
    places = [row | {"score": 0, "rounds": 0, "wins": 0} for row in rows]
    entered = {(row.board, row.player_id) for row in connection.execute(_enter(connection), places)}
    moves: Counter[tuple[str, int]] = Counter()
    scores = {(row.board, row.player_id): row.score for row in connection.execute(_gain(connection), rows)}
    for row in rows:
        key = (row["board"], row["player_id"])
        after, before = bucket_of(scores[key]), bucket_of(scores[key] - row["score"])
        moves[row["board"], after] += 1
        if key not in entered:
            moves[row["board"], before] -= 1
    changes = [
        {"board": board, "bucket": bucket, "players": change}
        for (board, bucket), change in sorted(moves.items())
        if change
    ]
    if changes:
        connection.execute(_move(connection), changes)


def _by_player(gains: Iterable[Gain]) -> dict[str, Gain]:
    """Add up what each player gains."""
    found: dict[str, Gain] = {}
    for gain in gains:
        before = found.get(gain.player_id, Gain(gain.player_id, 0, 0, 0))
        found[gain.player_id] = Gain(
            gain.player_id,
            before.score + gain.score,
            before.rounds + gain.rounds,
            before.wins + gain.wins,
        )
    return found


def _enter(connection: Connection) -> Any:
    """Add players who are not on a board yet; give those who were added."""
    entering = _upsert(connection, board_entries)
    return entering.on_conflict_do_nothing().returning(board_entries.c.board, board_entries.c.player_id)


def _gain(connection: Connection) -> Any:
    """Add to scores; give what they are now."""
    gaining = _upsert(connection, board_entries)
    added = {name: board_entries.c[name] + gaining.excluded[name] for name in ("score", "rounds", "wins")}
    keyed = gaining.on_conflict_do_update(index_elements=["board", "player_id"], set_=added)
    return keyed.returning(board_entries.c.board, board_entries.c.player_id, board_entries.c.score)


def _move(connection: Connection) -> Any:
    """Add to the numbers of players in buckets."""
    moving = _upsert(connection, board_buckets)
    added = {"players": board_buckets.c.players + moving.excluded.players}
    return moving.on_conflict_do_update(index_elements=["board", "bucket"], set_=added)


def _upsert(connection: Connection, table: Table) -> Any:
    return (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)


def rank_of(connection: Connection, board: Board, score: int) -> int:
    """Return the rank of a score on a board, whether anybody has it or not."""
    bucket = bucket_of(score)
    above = select(func.coalesce(func.sum(board_buckets.c.players), 0)).where(
        board_buckets.c.board == str(board), board_buckets.c.bucket > bucket
    )
    beside = select(func.count()).where(
        board_entries.c.board == str(board),
        board_entries.c.score > score,
        board_entries.c.score < (bucket + 1) * BUCKET,
    )
    higher = connection.execute(select(above.scalar_subquery(), beside.scalar_subquery())).one()
    return int(higher[0]) + int(higher[1]) + 1


def entry_of(connection: Connection, board: Board, player_id: str) -> Entry | None:
    """Return a player's place, None where the player is not on the board."""
    query = select(board_entries).where(
        board_entries.c.board == str(board), board_entries.c.player_id == player_id
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    return Entry(rank_of(connection, board, row.score), player_id, row.score, row.rounds, row.wins)


def page(
    connection: Connection, board: Board, *, after: tuple[int, str] | None, limit: int
) -> Sequence[Entry]:
    """Return a page of a board, the best first, equal scores by player.

    Args:
        connection: in any transaction.
        board: the board.
        after: score and player of the last one seen; None for the top.
        limit: how many at most.
    """
    query = select(board_entries).where(board_entries.c.board == str(board))
    if after is not None:
        query = query.where(_below(*after))
    rows = connection.execute(query.order_by(*_best_first()).limit(limit)).all()
    return _ranked(connection, board, rows)


def around(connection: Connection, board: Board, player_id: str, reach: int) -> Sequence[Entry]:
    """Return a player with so many above and below; nothing where the player is not on the board."""
    mine = entry_of(connection, board, player_id)
    if mine is None:
        return ()
    of_board = select(board_entries).where(board_entries.c.board == str(board))
    above = (
        of_board.where(_above(mine.score, player_id))
        .order_by(board_entries.c.score, board_entries.c.player_id.desc())
        .limit(reach)
    )
    below = of_board.where(_below(mine.score, player_id)).order_by(*_best_first()).limit(reach)
    rows: list[Row[Any] | Entry] = [
        *reversed(connection.execute(above).all()),
        mine,
        *connection.execute(below).all(),
    ]
    return _ranked(connection, board, rows)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What building boards anew found: results that were counted, and rows that had been wrong."""

    results: int
    entries_mended: int
    buckets_mended: int


def rebuild(connection: Connection, months: int) -> Rebuilt:
    """Build every board anew from what is settled, and compare with what was there.

    Results that are being settled meanwhile wait, so that each is counted once; readers do not.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {board_entries.name} IN EXCLUSIVE MODE"))
    befores = [_kept(connection, table) for table in (board_entries, board_buckets)]
    connection.execute(delete(board_entries))
    connection.execute(delete(board_buckets))
    results = _count_all(connection, months)
    entries, buckets = (
        _differing(connection, table, before)
        for table, before in zip((board_entries, board_buckets), befores, strict=True)
    )
    for before in befores:
        before.drop(connection)
    return Rebuilt(results, entries, buckets)


def _count_all(connection: Connection, months: int) -> int:
    after: tuple[str, int] = ("", -1)
    counted = 0
    while results := _results(connection, after):
        for row in results:
            count(connection, _boards(row, months), _gains(connection, row.table_id, row.round))
        counted += len(results)
        after = (results[-1].table_id, results[-1].round)
    return counted


def _kept(connection: Connection, table: Table) -> Table:
    """Copy a table aside, for this transaction."""
    columns = [Column(column.name, column.type, primary_key=column.primary_key) for column in table.columns]
    before = Table(f"{table.name}_before", MetaData(), *columns, prefixes=["TEMPORARY"])
    before.create(connection)
    connection.execute(insert(before).from_select(list(before.columns.keys()), select(table)))
    return before


def _differing(connection: Connection, table: Table, before: Table) -> int:
    """Count the keys under which two tables differ. A bucket without players is as good as none."""
    keys = [column.name for column in table.primary_key]

    def rows(of: Table) -> Select[Any]:
        query = select(of)
        return query.where(of.c.players != 0) if "players" in of.c else query

    one_way = except_(rows(table), rows(before)).subquery()
    other_way = except_(rows(before), rows(table)).subquery()
    either = union(
        select(*(one_way.c[key] for key in keys)), select(*(other_way.c[key] for key in keys))
    ).subquery()
    return int(connection.execute(select(func.count()).select_from(either)).scalar_one())


def count_settled(connection: Connection, table_id: str, round_no: int, months: int) -> None:
    """Count a result that was just settled."""
    query = select(settlements).where(settlements.c.table_id == table_id, settlements.c.round == round_no)
    boards = _boards(connection.execute(query).one(), months)
    if boards:
        count(connection, boards, _gains(connection, table_id, round_no))


def _results(connection: Connection, after: tuple[str, int]) -> Sequence[Row[Any]]:
    table_id, round_no = after
    query = select(settlements).where(
        or_(
            settlements.c.table_id > table_id,
            and_(settlements.c.table_id == table_id, settlements.c.round > round_no),
        )
    )
    return connection.execute(query.order_by(settlements.c.table_id, settlements.c.round).limit(PAGE)).all()


def _boards(settled: Row[Any], months: int) -> tuple[Board, ...]:
    # Results of older versions do not say when they were; they were settled soon after.
    at_ms = settled.ended_at_ms or settled.settled_at_ms
    return boards_of(settled.game, Mode(settled.mode), at_ms, months)


def _gains(connection: Connection, table_id: str, round_no: int) -> list[Gain]:
    query = select(settled_seats).where(
        settled_seats.c.table_id == table_id, settled_seats.c.round == round_no
    )
    return [
        Gain(row.player_id, row.points + row.coins, rounds=int(round_no > 0), wins=int(row.won))
        for row in connection.execute(query)
    ]


def _best_first() -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return board_entries.c.score.desc(), board_entries.c.player_id


def _below(score: int, player_id: str) -> ColumnElement[bool]:
    """Places after one. The bound by score alone is what the index is entered with."""
    entries = board_entries.c
    return and_(entries.score <= score, or_(entries.score < score, entries.player_id > player_id))


def _above(score: int, player_id: str) -> ColumnElement[bool]:
    """Places before one."""
    entries = board_entries.c
    return and_(entries.score >= score, or_(entries.score > score, entries.player_id < player_id))


def _ranked(connection: Connection, board: Board, rows: Sequence[Row[Any] | Entry]) -> Sequence[Entry]:
    """Rank rows that follow one another: the place of the first is looked up, the others follow from it."""
    if not rows:
        return ()
    first = rows[0]
    equal = select(func.count()).where(
        board_entries.c.board == str(board),
        board_entries.c.score == first.score,
        board_entries.c.player_id < first.player_id,
    )
    rank = rank_of(connection, board, first.score)
    place = rank + connection.execute(equal).scalar_one()
    ranked: list[Entry] = []
    for offset, row in enumerate(rows):
        if offset and row.score != rows[offset - 1].score:
            rank = place + offset
        ranked.append(Entry(rank, row.player_id, row.score, row.rounds, row.wins))
    return ranked
