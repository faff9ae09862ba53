"""Tournaments over one database: every method is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.database import Database, commits_for
from meldhall_eventlog.dialects import insert_if_absent
from meldhall_eventlog.migrate import check_current
from meldhall_tournament.domain import events as e
from meldhall_tournament.store.codec import decode, encode
from meldhall_tournament.store.database import OWNER
from meldhall_tournament.store.tables import IS_UNSETTLED, events, receipts, seated_tables, tournaments

RACES: Final = 5
"""How often another announcement may be faster before it is an error."""


class WrongVersionError(Exception):
    """Somebody else has appended meanwhile: read on and decide again. Nothing was written."""


class CommandIdReusedError(Exception):
    """The command id belongs to another command of the same caller. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Whose command is answered by what is appended."""

    actor: str
    command_id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Head:
    """A tournament's row."""

    tournament_id: str
    number: int
    version: int
    seed: bytes
    settled: bool


class TournamentStore:
    """Facts of tournaments.

    Args:
        database: migrated and open; ``close`` closes it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = commits_for(database)

    async def close(self) -> None:
        """Finish what runs and close the database."""
        await self._commits.close()
        await self._database.close()

    async def check(self) -> None:
        """Return when the database answers and has a schema that this code works on, for a readiness check.

        Raises:
            NotMigrated: it has another one, as after an older copy was put back.
            LogUnavailable: it does not answer.
        """
        await self._database.read(lambda connection: check_current(connection, OWNER))

    async def create(self, announced: e.Announced, seed: bytes) -> None:
        """Keep a tournament that was announced; nothing where there is one of its id."""
        for _ in range(RACES):
            try:
                return await self._commits.run(lambda connection: _create(connection, announced, seed))
            except IntegrityError:
                # Another one was announced in between and has its number; this one gets the next.
                continue
        return await self._commits.run(lambda connection: _create(connection, announced, seed))

    async def append(
        self,
        tournament_id: str,
        expected_version: int,
        happened: Sequence[e.Event],
        receipt: Receipt | None,
        *,
        settled: bool,
    ) -> None:
        """Append events after a version, durable on return.

        Raises:
            WrongVersionError: the tournament is at another version.
            CommandIdReusedError: the receipt's id was used by the same caller before.
            LogUnavailable: the database failed; what became of the append is not known.
        """
        await self._commits.run(
            lambda connection: _append(
                connection, tournament_id, expected_version, happened, receipt, settled=settled
            )
        )

    async def receipt(self, tournament_id: str, actor: str, command_id: str) -> str | None:
        """Return the fingerprint of an answered command, None where there is none of that id."""
        query = select(receipts.c.fingerprint).where(
            receipts.c.tournament_id == tournament_id,
            receipts.c.actor == actor,
            receipts.c.command_id == command_id,
        )
        found: str | None = await self._database.read(lambda connection: connection.execute(query).scalar())
        return found

    async def head(self, tournament_id: str) -> Head | None:
        """Return a tournament's row, None where there is no such tournament."""
        query = select(tournaments).where(tournaments.c.tournament_id == tournament_id)
        found = await self._heads(query)
        return found[0] if found else None

    async def read(self, tournament_id: str, after: int) -> Sequence[e.Event]:
        """Read the events after a version, in order."""
        query = (
            select(events.c.type, events.c.payload)
            .where(events.c.tournament_id == tournament_id, events.c.version > after)
            .order_by(events.c.version)
        )
        return await self._database.read(
            lambda connection: [decode(row.type, row.payload) for row in connection.execute(query)]
        )

    async def unsettled(self) -> Sequence[Head]:
        """Return the tournaments for which something may be to be done, the oldest first."""
        return await self._heads(select(tournaments).where(IS_UNSETTLED).order_by(tournaments.c.number))

    async def newest(self, before: int | None, limit: int) -> Sequence[Head]:
        """Return a page of tournaments, the newest first, those with lower numbers than ``before``."""
        query = select(tournaments).order_by(tournaments.c.number.desc()).limit(limit)
        if before is not None:
            query = query.where(tournaments.c.number < before)
        return await self._heads(query)

    async def whose_table(self, table_id: str) -> str | None:
        """Return the tournament that a table was opened for, None for a table of no tournament."""
        query = select(seated_tables.c.tournament_id).where(seated_tables.c.table_id == table_id)
        found: str | None = await self._database.read(lambda connection: connection.execute(query).scalar())
        return found

    async def _heads(self, query: "object") -> Sequence[Head]:
        def work(connection: Connection) -> Sequence[Head]:
            return [
                Head(row.tournament_id, row.number, row.version, bytes(row.seed), bool(row.settled))
                for row in connection.execute(query)  # type: ignore[call-overload]  # a select
            ]

        return await self._database.read(work)


def _create(connection: Connection, announced: e.Announced, seed: bytes) -> None:
    number = (connection.execute(select(func.max(tournaments.c.number))).scalar() or 0) + 1
    row = {
        "tournament_id": announced.tournament_id,
        "number": number,
        "version": 1,
        "seed": seed,
        "settled": False,
    }
    if insert_if_absent(connection, tournaments, row):
        _insert(connection, announced.tournament_id, 0, (announced,))


def _append(
    connection: Connection,
    tournament_id: str,
    expected_version: int,
    happened: Sequence[e.Event],
    receipt: Receipt | None,
    *,
    settled: bool,
) -> None:
    at_version = and_(tournaments.c.tournament_id == tournament_id, tournaments.c.version == expected_version)
    moved = update(tournaments).where(at_version)
    moved = moved.values(version=expected_version + len(happened), settled=settled)
    if connection.execute(moved).rowcount != 1:
        raise WrongVersionError(f"{tournament_id} is not at version {expected_version}")
    if receipt is not None:
        row = {
            "tournament_id": tournament_id,
            "actor": receipt.actor,
            "command_id": receipt.command_id,
            "fingerprint": receipt.fingerprint,
        }
        if not insert_if_absent(connection, receipts, row):
            raise CommandIdReusedError(receipt.command_id)
    _insert(connection, tournament_id, expected_version, happened)


def _insert(connection: Connection, tournament_id: str, after: int, happened: Sequence[e.Event]) -> None:
    rows = []
    for version, event in enumerate(happened, after + 1):
        name, payload = encode(event)
        rows.append({"tournament_id": tournament_id, "version": version, "type": name, "payload": payload})
        if isinstance(event, e.TableOpened):
            table = {"table_id": event.table_id, "tournament_id": tournament_id}
            insert_if_absent(connection, seated_tables, table)
    connection.execute(insert(events), rows)
