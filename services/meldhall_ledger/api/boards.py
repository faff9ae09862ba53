"""Leaderboards between messages and the ledger."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall.common.v1.game_pb2 import MODE_ARENA, MODE_QUICK
from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_ledger.api.fields import player, wrong
from meldhall_ledger.domain.boards import ALL, Board, Window
from meldhall_ledger.domain.results import rules_of
from meldhall_ledger.store.boards import Entry
from meldhall_rules.match import Mode

DEFAULT_PAGE: Final = 100
MAX_PAGE: Final = 1_000
DEFAULT_REACH: Final = 10
MAX_REACH: Final = 100
LONGEST_CURSOR: Final = 1_000

_MODES: Final = {MODE_QUICK: Mode.QUICK, MODE_ARENA: Mode.ARENA}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. ``window`` is None for all times, ``around`` is empty for a page from the top."""

    board: Board
    window: Window | None
    size: int
    after: tuple[int, str] | None
    around: str


def wanted(request: pb.GetLeaderboardRequest, season: Callable[[str], Window | None]) -> Wanted:
    """Read a request.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    mode = next((mode for number, mode in _MODES.items() if number == request.mode), None)
    if mode is None:
        wrong("mode", "must be quick or arena")
    if not request.game or rules_of(request.game) is None:
        wrong("game", "must name a game that there is")
    window = None if request.season == ALL else season(request.season)
    if window is None and request.season != ALL:
        wrong("season", "must be the first month of a season, such as 2026-12, or all, or empty")
    board = Board(request.game, mode, window.season if window else ALL)
    size, after = _page(request)
    return Wanted(board, window, size, after, player("around", request.around) if request.around else "")


def _page(request: pb.GetLeaderboardRequest) -> tuple[int, tuple[int, str] | None]:
    size, cursor = request.page.size, request.page.cursor
    if request.around:
        if cursor:
            wrong("page.cursor", "cannot be together with around")
        if size > MAX_REACH:
            wrong("page.size", f"must be at most {MAX_REACH} with around")
        return size or DEFAULT_REACH, None
    if size > MAX_PAGE:
        wrong("page.size", f"must be at most {MAX_PAGE}")
    return size or DEFAULT_PAGE, _place(cursor) if cursor else None


def _place(cursor: str) -> tuple[int, str]:
    place = _parsed(cursor) if len(cursor) <= LONGEST_CURSOR else None
    if place is None:
        wrong("page.cursor", "must be one that an answer gave")
    return place


def _parsed(cursor: str) -> tuple[int, str] | None:
    try:
        score, name = json.loads(cursor)
    except (ValueError, TypeError):
        return None
    fits = type(score) is int and abs(score) < 2**63 and isinstance(name, str)
    return (score, name) if fits else None


def answer(asked: Wanted, entries: Sequence[Entry]) -> pb.GetLeaderboardResponse:
    """Write a part of a leaderboard; of a page one entry more than wanted says that there is another page."""
    shown = entries if asked.around else entries[: asked.size]
    more = len(entries) > len(shown)
    window = asked.window
    return pb.GetLeaderboardResponse(
        season=asked.board.season,
        starts_at_unix_ms=window.starts_at_ms if window else 0,
        ends_at_unix_ms=window.ends_at_ms if window else 0,
        entries=[
            pb.LeaderboardEntry(
                rank=one.rank, player_id=one.player_id, score=one.score, rounds=one.rounds, wins=one.wins
            )
            for one in shown
        ],
        next_cursor=json.dumps([shown[-1].score, shown[-1].player_id]) if more else "",
    )
