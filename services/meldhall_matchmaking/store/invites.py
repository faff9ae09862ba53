"""Invitations over matchmaking's database: every method is one transaction."""

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.database import Database, commits_for
from meldhall_matchmaking.domain.invite import Invite
from meldhall_matchmaking.store.tables import metadata

invites: Final = Table(
    "invites",
    metadata,
    Column("code", Text, primary_key=True),
    Column("table_id", Text, nullable=False, unique=True),
    Column("host_id", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("game", Text, nullable=False),
    Column("options", LargeBinary, nullable=False),
    Column("form", LargeBinary, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
)

Place = tuple[int, str]
"""Where a page of the list ends: when the table was opened, and its id."""


class InviteStore:
    """Invitations.

    Args:
        database: matchmaking's, migrated and open; it is closed by whoever opened it, after ``close``.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = commits_for(database)

    async def close(self) -> None:
        """Finish what runs."""
        await self._commits.close()

    async def add(self, new: Invite) -> bool:
        """Keep an invitation; False where its command, its table or its code has one already."""

        def work(connection: Connection) -> None:
            connection.execute(insert(invites), asdict(new))

        try:
            await self._commits.run(work)
        except IntegrityError:
            return False
        return True

    async def by_command(self, host_id: str, command_id: str) -> Invite | None:
        """Return what a command of a host has made."""
        return await self._one(and_(invites.c.host_id == host_id, invites.c.command_id == command_id))

    async def by_code(self, code: str) -> Invite | None:
        """Return what a code stands for, whether it leads anywhere or not."""
        return await self._one(invites.c.code == code)

    async def by_table(self, table_id: str) -> Invite | None:
        """Return the invitation to a table."""
        return await self._one(invites.c.table_id == table_id)

    async def count_leading(self, host_id: str, now_ms: int) -> int:
        """Count the codes of a host that lead to a table."""
        query = select(func.count()).select_from(invites).where(invites.c.host_id == host_id, _leads(now_ms))
        return await self._database.read(lambda connection: int(connection.execute(query).scalar_one()))

    async def end(self, code: str, now_ms: int) -> None:
        """Let a code lead nowhere. The first time is kept."""
        ended = update(invites).where(invites.c.code == code, invites.c.ended_at_ms.is_(None))
        await self._commits.run(lambda connection: connection.execute(ended.values(ended_at_ms=now_ms)))

    async def listed(
        self, now_ms: int, *, game: str = "", before: Place | None = None, limit: int
    ) -> tuple[Invite, ...]:
        """Read listed invitations that lead to a table, the newest first."""
        query = select(invites).where(invites.c.listed, _leads(now_ms))
        if game:
            query = query.where(invites.c.game == game)
        if before is not None:
            at_ms, table_id = before
            query = query.where(
                or_(
                    invites.c.created_at_ms < at_ms,
                    and_(invites.c.created_at_ms == at_ms, invites.c.table_id < table_id),
                )
            )
        page = query.order_by(invites.c.created_at_ms.desc(), invites.c.table_id.desc()).limit(limit)
        return await self._database.read(
            lambda connection: tuple(_invite(row) for row in connection.execute(page))
        )

    async def purge(self, before_ms: int) -> None:
        """Forget invitations that led nowhere any more before a time."""
        gone = or_(invites.c.ended_at_ms < before_ms, invites.c.expires_at_ms < before_ms)
        await self._commits.run(lambda connection: connection.execute(delete(invites).where(gone)))

    async def _one(self, where: Any) -> Invite | None:
        row = await self._database.read(
            lambda connection: connection.execute(select(invites).where(where)).one_or_none()
        )
        return None if row is None else _invite(row)


def erase_host(connection: Connection, player_id: str) -> None:
    """Forget the invitations of a player."""
    connection.execute(delete(invites).where(invites.c.host_id == player_id))


def _leads(now_ms: int) -> Any:
    return and_(invites.c.ended_at_ms.is_(None), invites.c.expires_at_ms > now_ms)


def _invite(row: Row[Any]) -> Invite:
    return Invite(**row._mapping)
