"""Leaderboards inside a transaction: kept with every settlement, read by rank, built anew from those.

A board is a projection: what is in it follows from ``settlements`` and ``settled_seats`` alone. Beside the
entries it keeps how many players have a score in each bucket of scores, so that the rank of one of a million
is a sum over buckets and a count within one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, or_, select, update

from meldhall_eventlog.dialects import insert_if_absent
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
    """Add what a result brought to boards. Rows are taken in one order, so that nobody waits in a circle."""
    ordered = sorted(new, key=lambda gain: gain.player_id)
    for board in sorted(boards):
        for gain in ordered:
            _add(connection, str(board), gain)


def _add(connection: Connection, board: str, gain: Gain) -> None:
    key = (board_entries.c.board == board, board_entries.c.player_id == gain.player_id)
    row = {"board": board, "player_id": gain.player_id, "score": 0, "rounds": 0, "wins": 0}
    new = insert_if_absent(connection, board_entries, row)
    after = connection.execute(
        update(board_entries)
        .where(*key)
        .values(
            score=board_entries.c.score + gain.score,
            rounds=board_entries.c.rounds + gain.rounds,
            wins=board_entries.c.wins + gain.wins,
        )
        .returning(board_entries.c.score)
    ).scalar_one()
    left, entered = None if new else bucket_of(after - gain.score), bucket_of(after)
    if left == entered:
        return
    moves = {entered: 1} if left is None else {left: -1, entered: 1}
    for bucket, change in sorted(moves.items()):
        insert_if_absent(connection, board_buckets, {"board": board, "bucket": bucket, "players": 0})
        connection.execute(
            update(board_buckets)
            .where(board_buckets.c.board == board, board_buckets.c.bucket == bucket)
            .values(players=board_buckets.c.players + change)
        )


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
    better = or_(
        board_entries.c.score > mine.score,
        and_(board_entries.c.score == mine.score, board_entries.c.player_id < player_id),
    )
    above = (
        of_board.where(better).order_by(board_entries.c.score, board_entries.c.player_id.desc()).limit(reach)
    )
    below = of_board.where(_below(mine.score, player_id)).order_by(*_best_first()).limit(reach)
    rows: list[Row[Any] | Entry] = [
        *reversed(connection.execute(above).all()),
        mine,
        *connection.execute(below).all(),
    ]
    return _ranked(connection, board, rows)


def rebuild(connection: Connection, months: int) -> int:
    """Build every board anew from what is settled; return how many results were counted."""
    connection.execute(delete(board_entries))
    connection.execute(delete(board_buckets))
    after: tuple[str, int] = ("", -1)
    counted = 0
    while True:
        results = _results(connection, after)
        if not results:
            return counted
        for row in results:
            count(connection, _boards(row, months), _gains(connection, row.table_id, row.round))
        counted += len(results)
        after = (results[-1].table_id, results[-1].round)


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
    return or_(
        board_entries.c.score < score,
        and_(board_entries.c.score == score, board_entries.c.player_id > player_id),
    )


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
