"""Leaderboards: ranks with ties, pages, around a player, seasons, and the same again after a rebuild."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random  # noqa: TID251 - of a test
from typing import Any

import grpc
import pytest
from sqlalchemy import Connection, delete, event, insert, select, update
from tests.fixtures.ledger import arena_won, canasta_won, ended
from tests.fixtures.ledger_api import Api

from meldhall.common.v1.game_pb2 import MODE_ARENA, MODE_FRIENDS, MODE_QUICK
from meldhall.common.v1.page_pb2 import PageRequest
from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_ledger.domain.boards import Board, Gain
from meldhall_ledger.domain.happenings import ArenaOpened, Happening, Numbered
from meldhall_ledger.store import Applied, Ledger, open_database
from meldhall_ledger.store.boards import Rebuilt, count
from meldhall_ledger.store.tables import board_buckets, board_entries
from meldhall_rules.match import Mode
from meldhall_runtime.testing import player

NOVEMBER = round(datetime(2026, 11, 30, 23, 59, tzinfo=UTC).timestamp() * 1000)
DECEMBER = NOVEMBER + 60_000
QUICK = Board("rummy101", Mode.QUICK, "all")
Everything = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]


async def tell(ledger: Ledger, table: str, number: int, happening: Happening, at_ms: int = DECEMBER) -> None:
    assert isinstance(await ledger.apply(Numbered(table, number, happening, at_ms)), Applied)


async def scored(ledger: Ledger, scores: Mapping[str, int]) -> None:
    await tell(ledger, "t", 1, ended("t", 1, scores))


async def top(ledger: Ledger, board: Board = QUICK) -> list[tuple[int, str, int]]:
    return [
        (one.rank, one.player_id, one.score) for one in await ledger.leaders(board, after=None, limit=100)
    ]


async def everything(url: str) -> Everything:
    def work(connection: Connection) -> Everything:
        buckets = select(board_buckets).where(board_buckets.c.players != 0)
        return (
            sorted(tuple(row) for row in connection.execute(select(board_entries))),
            sorted(tuple(row) for row in connection.execute(buckets)),
        )

    database = open_database(url)
    try:
        return await database.read(work)
    finally:
        await database.close()


async def test_equal_scores_share_a_rank_and_the_next_counts_them_all(ledger: Ledger) -> None:
    await scored(ledger, {"ann": 101, "ben": 50, "cid": 50, "dan": -202})

    assert await top(ledger) == [(1, "ann", 101), (2, "ben", 50), (2, "cid", 50), (4, "dan", -202)]


async def test_pages_go_on_where_the_last_ended_with_ranks_that_fit(ledger: Ledger) -> None:
    await scored(ledger, {f"p{number:02}": number // 3 * 70 for number in range(20)})
    whole = list(await ledger.leaders(QUICK, after=None, limit=100))
    paged = list(await ledger.leaders(QUICK, after=None, limit=3))
    while page := await ledger.leaders(QUICK, after=(paged[-1].score, paged[-1].player_id), limit=3):
        paged.extend(page)

    assert paged == whole
    assert len({one.rank for one in whole}) == 7


async def test_around_a_player_are_those_above_and_below(ledger: Ledger) -> None:
    await scored(ledger, {f"p{number:02}": number // 3 * 70 for number in range(20)})
    whole = list(await ledger.leaders(QUICK, after=None, limit=100))
    for at, one in enumerate(whole):
        assert list(await ledger.leaders_around(QUICK, one.player_id, 2)) == whole[max(0, at - 2) : at + 3]

    assert list(await ledger.leaders_around(QUICK, "nobody", 2)) == []


async def test_a_result_counts_for_the_season_in_which_it_was_recorded(ledger: Ledger) -> None:
    await tell(ledger, "t", 1, ended("t", 1, {"ann": 10, "ben": -10}), NOVEMBER)
    await tell(ledger, "t", 2, ended("t", 2, {"ann": -30, "ben": 30}), DECEMBER)

    assert await top(ledger) == [(1, "ben", 20), (2, "ann", -20)]
    assert await top(ledger, Board("rummy101", Mode.QUICK, "2026-11")) == [(1, "ann", 10), (2, "ben", -10)]
    assert await top(ledger, Board("rummy101", Mode.QUICK, "2026-12")) == [(1, "ben", 30), (2, "ann", -30)]


async def test_friends_have_no_board_and_bots_no_place(ledger: Ledger) -> None:
    board = Board("canasta", Mode.QUICK, "all")
    await tell(ledger, "t", 1, ended("t", 1, {"ann": 10, "ben": -10}, Mode.FRIENDS))
    await tell(ledger, "u", 1, canasta_won("u", 0, 2, ("cid", "dan", "", "eve")))

    assert await top(ledger) == []
    assert await top(ledger, board) == [(1, "cid", 2000), (2, "dan", -2000), (2, "eve", -2000)]
    (won, *_) = await ledger.leaders(board, after=None, limit=1)
    assert (won.rounds, won.wins) == (0, 1)


async def test_a_rebuild_gives_the_same_boards(ledger: Ledger, url: str) -> None:
    chance = Random(7)  # noqa: S311 - a test
    names = [f"p{number}" for number in range(12)]
    for number in range(1, 40):
        scores = {name: chance.choice((-202, -70, 0, 64, 101)) for name in chance.sample(names, 3)}
        await tell(ledger, "t", number, ended("t", number, scores), NOVEMBER + number * 3_000)
    await tell(ledger, "u", 1, canasta_won("u", 1, 3, ("p1", "p2", "p3", "")))
    before = await everything(url)

    assert await ledger.rebuild_boards() == Rebuilt(40, 0, 0)

    assert await everything(url) == before
    scores = {name: score for board, name, score, *_ in before[0] if board == str(QUICK)}
    best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    assert await top(ledger) == [
        (1 + sum(other > score for other in scores.values()), name, score) for name, score in best
    ]


async def test_a_leaderboard_over_the_api(api: Api) -> None:
    await scored(api.ledger, {"ann": 101, "ben": 50, "cid": 50, "dan": -202})
    asked = pb.GetLeaderboardRequest(game="rummy101", mode=MODE_QUICK, season="all", page=PageRequest(size=2))

    first = await api.call("GetLeaderboard", asked, player("eve"))
    asked.page.cursor = first.next_cursor
    second = await api.call("GetLeaderboard", asked, player("eve"))

    assert [(one.rank, one.player_id, one.rounds) for one in first.entries] == [(1, "ann", 1), (2, "ben", 1)]
    assert [(one.rank, one.player_id) for one in second.entries] == [(2, "cid"), (4, "dan")]
    assert (second.next_cursor, second.season, second.starts_at_unix_ms) == ("", "all", 0)
    mine = pb.GetLeaderboardRequest(game="rummy101", mode=MODE_QUICK, season="2026-12", around="cid")
    mine.page.size = 1
    around = await api.call("GetLeaderboard", mine, player("cid"))
    assert [(one.rank, one.player_id) for one in around.entries] == [(2, "ben"), (2, "cid"), (4, "dan")]
    assert around.starts_at_unix_ms == DECEMBER
    now = pb.GetLeaderboardRequest(game="rummy101", mode=MODE_ARENA)
    empty = await api.call("GetLeaderboard", now, player("x"))
    assert (empty.season, list(empty.entries)) == ("2023-11", [])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mode": MODE_FRIENDS}, "mode"),
        ({"game": "chess"}, "game"),
        ({"game": ""}, "game"),
        ({"season": "2026-13"}, "season"),
        ({"page": PageRequest(size=1001)}, "page.size"),
        ({"page": PageRequest(cursor="x")}, "page.cursor"),
        ({"page": PageRequest(cursor="[1.5, 2]")}, "page.cursor"),
        ({"page": PageRequest(cursor="[" * 50_000)}, "page.cursor"),
        ({"page": PageRequest(cursor='[99999999999999999999, "a"]')}, "page.cursor"),
        ({"around": "ann", "page": PageRequest(size=101)}, "page.size"),
        ({"around": "ann", "page": PageRequest(cursor='[1, "a"]')}, "page.cursor"),
        ({"around": "a" * 200}, "around"),
    ],
)
async def test_a_malformed_question_is_refused_by_the_name_of_its_field(
    api: Api, change: dict[str, Any], field: str
) -> None:
    question: dict[str, Any] = {"game": "rummy101", "mode": MODE_QUICK, **change}

    code, _, metadata = await api.refused(
        "GetLeaderboard", pb.GetLeaderboardRequest(**question), player("ann")
    )

    assert (code, metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, field)


async def test_an_arena_match_counts_for_its_own_board(ledger: Ledger) -> None:
    await tell(ledger, "t", 1, ArenaOpened("t", 0, 0, 2))
    await tell(ledger, "t", 2, arena_won("t", 1, ("ann", "ben"), stake=0))

    (first, _) = await ledger.leaders(Board("rummy101", Mode.ARENA, "all"), after=None, limit=2)
    assert (first.rank, first.wins, first.score) == (1, 0, 0)
    assert await top(ledger) == []


async def test_rows_that_many_results_share_are_taken_last_and_in_one_order(url: str, ledger: Ledger) -> None:
    # Results of different players share buckets: taken in between, two of them would wait for each other.
    database = open_database(url)
    boards = [Board("rummy101", Mode.QUICK, window) for window in ("all", "2026-11")]
    runs: list[list[str]] = []

    def record(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            runs[-1].append(statement.split("(", maxsplit=1)[0].rsplit(maxsplit=1)[-1].rpartition(".")[2])

    def work(connection: Connection) -> None:
        event.listen(connection, "before_cursor_execute", record)
        for shift in (0, 1_000):
            runs.append([])
            count(connection, boards, [Gain(f"p{at}", 97 * (shift - at), 1, 0) for at in (3, 1, 2)])

    try:
        await database.write(work)
    finally:
        await database.close()
    for tables in runs:
        assert set(tables) == {"board_entries", "board_buckets"}
        assert tables == sorted(tables, reverse=True)


async def test_many_results_at_once_are_counted_as_one_after_another(url: str, ledger: Ledger) -> None:
    chance = Random(7)  # noqa: S311 - the same results in every run
    tables = []
    for number in range(40):
        names = chance.sample([f"p{at}" for at in range(12)], 3)
        won = chance.randrange(400)
        tables.append((f"t{number}", {names[0]: won, names[1]: -won, names[2]: 0}))

    await asyncio.gather(*(tell(ledger, table, 1, ended(table, 1, scores)) for table, scores in tables))

    live = await everything(url)
    totals: dict[str, int] = {}
    for _, scores in tables:
        for name, score in scores.items():
            totals[name] = totals.get(name, 0) + score
    assert {player_id: score for board, player_id, score, *_ in live[0] if board == str(QUICK)} == totals
    assert await ledger.rebuild_boards() == Rebuilt(40, 0, 0)
    assert await everything(url) == live


async def test_rows_that_somebody_changed_are_mended_and_counted(url: str, ledger: Ledger) -> None:
    await scored(ledger, {"ann": 101, "ben": 50, "cid": -151})
    live = await everything(url)

    def spoil(connection: Connection) -> None:
        of_board = board_entries.c.board == str(QUICK)
        connection.execute(
            update(board_entries).where(of_board, board_entries.c.player_id == "ann").values(score=7)
        )
        connection.execute(delete(board_entries).where(of_board, board_entries.c.player_id == "ben"))
        connection.execute(
            insert(board_entries).values(board=str(QUICK), player_id="eve", score=900, rounds=1, wins=1)
        )
        connection.execute(insert(board_buckets).values(board=str(QUICK), bucket=99, players=5))

    database = open_database(url)
    try:
        await database.write(spoil)
    finally:
        await database.close()

    assert await ledger.rebuild_boards() == Rebuilt(1, 3, 1)
    assert await everything(url) == live
    assert await ledger.rebuild_boards() == Rebuilt(1, 0, 0)
