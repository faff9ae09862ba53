"""Hints for a seat: who may ask, the rules' advice as messages, and how much is worked out at a time."""

import asyncio
from collections.abc import Sequence
from typing import Final

from meldhall.table.v1 import table_hints_pb2 as pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall_contracts.moves import move_of, specs
from meldhall_rules.advice import advise
from meldhall_rules.commands import Command
from meldhall_rules.hints import Advice, OpeningHint
from meldhall_rules.view import View
from meldhall_runtime.errors import resource_exhausted
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Status, Table

MOST_MOVES: Final = 200
"""Legal moves that an answer lists."""

AT_ONCE: Final = 2
"""Hints that are worked out at the same time; they take the time of the tables."""

MOST_WAITING: Final = 32
"""Calls that may wait for it."""


class HintDesk:
    """Works hints out in threads, a few at a time, so that no table waits for them."""

    def __init__(self) -> None:
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def answer(self, table: Table, player: str) -> pb.GetHintsResponse | Refusal:
        """Answer a player about his own seat.

        Args:
            table: the table as it was taken from its mailbox.
            player: who asks.

        Raises:
            ServiceError: RESOURCE_EXHAUSTED, ``HINTS_BUSY``: too many calls wait.
        """
        seat = table.seated(player)
        if seat is None:
            return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
        answer = pb.GetHintsResponse(version=table.version)
        view = table.view(seat)
        if view is None or table.status is not Status.PLAYING:
            return answer
        advice = await self._advice(table, view)
        if advice is not None:
            answer.hints.CopyFrom(to_message(advice, view.hand or ()))
        return answer

    async def _advice(self, table: Table, view: View) -> Advice | None:
        if self._waiting >= MOST_WAITING:
            raise resource_exhausted("HINTS_BUSY", "too many calls wait for hints")
        self._waiting += 1
        try:
            async with self._gate:
                return await asyncio.to_thread(advise, table.rules(), view)
        finally:
            self._waiting -= 1


def to_message(advice: Advice, hand: Sequence[int]) -> pb.Hints:
    """Write advice for a hand as a message."""
    hints = advice.hints
    loose = set(hints.loose)
    message = pb.Hints(
        melds=specs(hints.melds),
        plan=_moves(hints.plan),
        swaps=_moves(hints.swaps),
        takes=_moves(hints.takes),
        keep=[tile for tile in hand if tile not in loose],
        loose=hints.loose,
        points_left=hints.points_left,
        goes_out=hints.goes_out,
        discards=hints.discards,
        legal_moves=_moves(advice.legal[:MOST_MOVES]),
        more_legal_moves=len(advice.legal) > MOST_MOVES,
    )
    if hints.opening is not None:
        message.opening.CopyFrom(_opening(hints.opening))
    if hints.way_out is not None:
        message.way_out.CopyFrom(move_of(hints.way_out))
    if advice.suggested is not None:
        message.suggested.CopyFrom(move_of(advice.suggested))
    return message


def _opening(opening: OpeningHint) -> pb.OpeningHint:
    return pb.OpeningHint(
        need_points=opening.need_points,
        need_pairs=opening.need_pairs,
        best_points=opening.best_points,
        best_pairs=opening.best_pairs,
        ways=_moves(opening.ways),
    )


def _moves(commands: Sequence[Command]) -> list[moves_pb.Move]:
    return [move_of(command) for command in commands]
