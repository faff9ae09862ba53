"""The referee: has tables opened, and records what they gave."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import grpc
from structlog.stdlib import BoundLogger

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_runtime import Clock
from meldhall_runtime.failpoints import failpoint
from meldhall_tournament.desk import Desk
from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain.entering import BY_RULE
from meldhall_tournament.domain.events import Source
from meldhall_tournament.domain.state import Tournament
from meldhall_tournament.metrics import TournamentMetrics
from meldhall_tournament.outcomes import Outcome
from meldhall_tournament.tables import TournamentTables, Unopened, table_request

OPENING: Final = 32
"""Tables that are being opened, or read, at the same time at most."""

BATCH: Final = 256
"""Tables that are opened before it is noted which they are."""

AFTER_TABLE: Final = "tournament.after_table"
"""Failpoint: tables are open, and it is not noted which they are."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pairing that has no table."""

    round: int
    table: int
    attempt: int
    request: pb.CreateTableRequest


@dataclass(frozen=True, slots=True)
class Played:
    """A pairing whose table is open."""

    round: int
    table: int
    attempt: int
    table_id: str
    sides: int
    lowest_wins: bool
    opened_at_ms: int
    join_ms: int


def wanted_of(state: Tournament) -> list[Wanted]:
    """Return pairings that need a table now, a batch at most."""
    if state.paused is not None or state.phase.is_over:
        return []
    missing = [each for each in state.undecided() if not each[2].table_id]
    return [
        Wanted(round_no, table, pairing.attempt, table_request(state, round_no, table, pairing))
        for round_no, table, pairing in missing[:BATCH]
    ]


def tables_open_since(state: Tournament, at_ms: int) -> list[str]:
    """Return the tables that are played and were opened by then."""
    return [one.table_id for _, _, one in state.undecided() if one.table_id and one.opened_at_ms <= at_ms]


def command_table(state: Tournament, command: c.Record) -> str:
    """Return the table that a result is of; empty where it has none."""
    pairing = state.pairing(command.round, command.table)
    return pairing.table_id if pairing is not None else ""


def table_of(state: Tournament, table_id: str) -> Played | None:
    """Return the pairing that a table was opened for, None for a table of another tournament."""
    place = state.table_ids.get(table_id)
    if place is None:
        return None
    round_no, table, attempt = place
    pairing = state.pairing(round_no, table)
    if pairing is None:
        return None
    lowest_wins = state.plan.match_rules().lowest_wins
    sides = len(pairing.entrants)
    times = (pairing.opened_at_ms, state.plan.join_ms)
    return Played(round_no, table, attempt, table_id, sides, lowest_wins, *times)


class Referee:
    """See the module."""

    def __init__(
        self,
        desk: Desk,
        tables: TournamentTables,
        metrics: TournamentMetrics,
        clock: Clock,
        log: BoundLogger,
    ) -> None:
        self._desk = desk
        self._clock = clock
        self._tables = tables
        self._metrics = metrics
        self._log = log
        self._limit = asyncio.Semaphore(OPENING)
        self._after_table = failpoint(AFTER_TABLE)

    async def open(self, tournament_id: str, wanted: Sequence[Wanted]) -> bool:
        """Open tables; False where some are missing. One that cannot be opened pauses the tournament."""
        answers = await asyncio.gather(*(self._open(one) for one in wanted))
        self._after_table()
        notes: list[c.Command] = []
        refused = ""
        for one, answer in zip(wanted, answers, strict=True):
            if not isinstance(answer, Unopened):
                notes.append(c.NoteTable(one.round, one.table, one.attempt, answer))
            elif not answer.passing:
                refused = refused or f"table {one.table} of round {one.round}: {answer.detail}"
        if refused:
            notes.append(c.Pause(f"cannot be opened: {refused}", BY_RULE))
        missing = sum(isinstance(answer, Unopened) for answer in answers)
        if missing:
            self._metrics.failures.labels("table").inc(missing)
            self._log.warning(
                "tables_not_opened", tournament_id=tournament_id, tables=missing, refused=refused
            )
        if notes:
            await self._desk.execute(tournament_id, notes)
        return not missing

    async def _open(self, wanted: Wanted) -> str | Unopened:
        async with self._limit:
            return await self._tables.open(wanted.request)

    async def look(self, tournament_id: str, table_id: str) -> bool:
        """Record what a table of a tournament gave; False while it is played.

        A result that cannot be one of that table pauses the tournament.

        Raises:
            grpc.aio.AioRpcError: the table could not be read.
            LogUnavailable: the database did not answer.
        """
        async with self._desk.seen(tournament_id) as state:
            played = table_of(state, table_id)
        if played is None:
            return False
        try:
            async with self._limit:
                outcome = await self._tables.outcome(table_id, played.sides, lowest_wins=played.lowest_wins)
        except ValueError as error:
            self._log.exception("result_unreadable", tournament_id=tournament_id, table_id=table_id)
            where = f"table {played.table} of round {played.round}"
            await self._desk.execute(tournament_id, [c.Pause(f"{where} has no result: {error}", BY_RULE)])
            return False
        if outcome is None:
            return False
        command: c.Command = c.Record(
            played.round, played.table, outcome.sides, outcome.source, played.attempt
        )
        if self._was_lost(played, outcome):
            self._log.warning("table_lost", tournament_id=tournament_id, table_id=table_id)
            command = c.LoseTable(played.round, played.table, played.attempt)
        await self._desk.execute(tournament_id, [command])
        return True

    def _was_lost(self, played: Played, outcome: Outcome) -> bool:
        """Whether a table closed though its players had not known of it for as long as it waits for them.

        So it is when this service ended after it had opened a table, and noted it at its next start only.
        """
        nobody_came = not any(side.came for side in outcome.sides)
        known_ms = self._clock.now_ms() - played.opened_at_ms
        return outcome.source is Source.FORFEIT and nobody_came and known_ms < played.join_ms

    async def look_around(self, tournament_id: str, table_ids: Sequence[str]) -> None:
        """Record what those of these tables gave that are over; tables that do not answer are left alone."""

        async def one(table_id: str) -> None:
            try:
                await self.look(tournament_id, table_id)
            except grpc.aio.AioRpcError as error:
                self._metrics.failures.labels("table").inc()
                self._log.warning(
                    "table_not_read",
                    tournament_id=tournament_id,
                    table_id=table_id,
                    status=error.code().name,
                )

        await asyncio.gather(*(one(table_id) for table_id in table_ids))
