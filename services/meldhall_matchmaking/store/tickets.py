"""Tickets over one database: every method is one transaction."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import ColumnElement, Connection, Update, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.database import Database, commits_for
from meldhall_eventlog.migrate import check_current
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Ticket, TicketState, Wish
from meldhall_matchmaking.store import moves
from meldhall_matchmaking.store.database import OWNER
from meldhall_matchmaking.store.tables import (
    IS_ACTIVE,
    IS_OPEN,
    IS_WAITING,
    commands,
    proposals,
    tickets,
    to_ticket,
    wish_columns,
)

BATCH: Final = 500
"""Rows that housekeeping changes in one transaction at most, so that players wait for it briefly."""

RACES: Final = 3
"""How often a request may be overtaken by another one of the same player before it is an error."""

NOT_FOUND: Final = Refusal(Code.TICKET_NOT_FOUND, "the player has no such ticket")


@dataclass(frozen=True, slots=True)
class NewTicket:
    """A request for a seat. ``ticket_id`` is used where it makes a ticket."""

    ticket_id: str
    player_id: str
    command_id: str
    wish: Wish
    now_ms: int
    bots_at_ms: int


@dataclass(frozen=True, slots=True)
class Enqueued:
    """A player's ticket. ``new`` where this request made it."""

    ticket: Ticket
    new: bool


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """A claimed group whose table is not known yet, the oldest ticket first.

    Its id is the command id of its table, so that asking again gives the same table.
    """

    proposal_id: str
    tickets: tuple[Ticket, ...]

    @property
    def wish(self) -> Wish:
        """The table that all of them want."""
        return self.tickets[0].wish


@dataclass(frozen=True, slots=True)
class Sight:
    """A ticket, and how many wait for the same kind of table."""

    ticket: Ticket
    waiting: int


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancellation found. ``cancelled`` where this one ended the ticket."""

    sight: Sight
    cancelled: bool


@dataclass(frozen=True, slots=True)
class Erased:
    """What was deleted of a player; ``active`` tickets are being given a table and are there still."""

    tickets: int
    commands: int
    active: int


class TicketStore:
    """Tickets and proposals.

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

    async def enqueue(self, request: NewTicket) -> Enqueued | Refusal:
        """Make a ticket, or return the one that the command made or that waits with the same wish."""
        for _ in range(RACES):
            try:
                return await self._commits.run(lambda connection: _enqueue(connection, request))
            except IntegrityError:
                # The player's other request got in between and has made the row; this one finds it now.
                continue
        return await self._commits.run(lambda connection: _enqueue(connection, request))

    async def cancel(self, ticket_id: str, player_id: str, now_ms: int) -> Cancelled | Refusal:
        """Take a waiting ticket back. One that is proposed or has ended otherwise is returned as it is."""

        def work(connection: Connection) -> Cancelled | Refusal:
            cancelled = moves.move(
                connection,
                TicketState.WAITING,
                TicketState.CANCELLED,
                tickets.c.ticket_id == ticket_id,
                tickets.c.player_id == player_id,
                now_ms=now_ms,
            )
            sight = _sight(connection, ticket_id, player_id)
            return sight if isinstance(sight, Refusal) else Cancelled(sight, bool(cancelled))

        return await self._commits.run(work)

    async def sight(self, ticket_id: str, player_id: str) -> Sight | Refusal:
        """Read a player's own ticket."""
        return await self._database.read(lambda connection: _sight(connection, ticket_id, player_id))

    async def waiting(self) -> tuple[Ticket, ...]:
        """Read every ticket that waits, the oldest first."""
        query = select(tickets).where(IS_WAITING)
        ordered = query.order_by(tickets.c.enqueued_at_ms, tickets.c.ticket_id)
        return await self._database.read(
            lambda connection: tuple(to_ticket(row) for row in connection.execute(ordered))
        )

    async def open_proposals(self) -> tuple[OpenProposal, ...]:
        """Read every claimed group whose table is not known, the oldest proposal first."""
        return await self._database.read(_open_proposals)

    async def claim(self, proposal_id: str, wanted: Collection[Ticket], now_ms: int) -> OpenProposal | None:
        """Claim all tickets of a group, or none: None where one of them does not wait any more."""
        ids = {ticket.ticket_id for ticket in wanted}
        try:
            claimed = await self._commits.run(
                lambda connection: moves.claim(connection, proposal_id, ids, now_ms)
            )
        except moves.LostRace:
            return None
        return OpenProposal(proposal_id, claimed)

    async def match(self, proposal_id: str, table_id: str, address: str, now_ms: int) -> tuple[Ticket, ...]:
        """Give a proposal its table and return its tickets; nothing where it has ended already."""

        def work(connection: Connection) -> tuple[Ticket, ...]:
            if not moves.end_proposal(connection, proposal_id, moves.DONE, now_ms, table_id):
                return ()
            return moves.move(
                connection,
                TicketState.PROPOSED,
                TicketState.MATCHED,
                tickets.c.proposal_id == proposal_id,
                now_ms=now_ms,
                table_id=table_id,
                table_address=address,
            )

        return await self._commits.run(work)

    async def release(self, proposal_id: str, now_ms: int) -> tuple[Ticket, ...]:
        """Drop a proposal and let its tickets wait on; nothing where it has ended already."""

        def work(connection: Connection) -> tuple[Ticket, ...]:
            if not moves.end_proposal(connection, proposal_id, moves.DROPPED, now_ms):
                return ()
            return moves.move(
                connection,
                TicketState.PROPOSED,
                TicketState.WAITING,
                tickets.c.proposal_id == proposal_id,
                now_ms=now_ms,
                proposal_id=None,
            )

        return await self._commits.run(work)

    async def touch(self, ids: Collection[str], now_ms: int) -> None:
        """Note that players follow their tickets."""
        for batch in _batches(ids):
            statement = update(tickets).where(tickets.c.ticket_id.in_(batch), IS_ACTIVE)
            await self._commits.run(partial(_execute, statement.values(last_seen_ms=now_ms)))

    async def expire(self, ids: Collection[str], before_ms: int, now_ms: int) -> tuple[Ticket, ...]:
        """End those tickets that still wait and were not seen since a time."""
        expired: tuple[Ticket, ...] = ()
        for batch in _batches(ids):
            which = (tickets.c.ticket_id.in_(batch), tickets.c.last_seen_ms < before_ms)
            expired += await self._commits.run(partial(_expire, which, now_ms))
        return expired

    async def erase(self, player_id: str, now_ms: int) -> Erased:
        """Delete all that is known of a player, and take back what waits."""
        return await self._commits.run(lambda connection: _erase(connection, player_id, now_ms))

    async def purge(self, before_ms: int) -> int:
        """Forget a batch of what ended before a time, and return how many rows that were."""
        return await self._commits.run(lambda connection: _purge(connection, before_ms))


def _batches(ids: Collection[str]) -> Iterator[tuple[str, ...]]:
    ordered = tuple(ids)
    for start in range(0, len(ordered), BATCH):
        yield ordered[start : start + BATCH]


def _execute(statement: Update, connection: Connection) -> int:
    return connection.execute(statement).rowcount


def _expire(
    which: tuple[ColumnElement[bool], ...], now_ms: int, connection: Connection
) -> tuple[Ticket, ...]:
    return moves.move(connection, TicketState.WAITING, TicketState.EXPIRED, *which, now_ms=now_ms)


def _enqueue(connection: Connection, request: NewTicket) -> Enqueued | Refusal:
    found = _ticket_of_command(connection, request)
    if found is not None:
        if found.wish != request.wish:
            detail = "the command id belongs to a request with another wish"
            return Refusal(Code.COMMAND_ID_REUSED, detail, {"ticket_id": found.ticket_id})
        return Enqueued(_seen(connection, found, request.now_ms), new=False)
    active = _active_ticket(connection, request.player_id)
    if active is not None and active.wish != request.wish:
        detail = f"the player waits with ticket {active.ticket_id} and another wish"
        return Refusal(Code.TICKET_ACTIVE, detail, {"ticket_id": active.ticket_id})
    ticket = _insert(connection, request) if active is None else _seen(connection, active, request.now_ms)
    made_by = {
        "player_id": request.player_id,
        "command_id": request.command_id,
        "ticket_id": ticket.ticket_id,
    }
    connection.execute(insert(commands).values(**made_by))
    return Enqueued(ticket, new=active is None)


def _ticket_of_command(connection: Connection, request: NewTicket) -> Ticket | None:
    query = (
        select(tickets)
        .join(commands, commands.c.ticket_id == tickets.c.ticket_id)
        .where(commands.c.player_id == request.player_id, commands.c.command_id == request.command_id)
    )
    row = connection.execute(query).first()
    return None if row is None else to_ticket(row)


def _active_ticket(connection: Connection, player_id: str) -> Ticket | None:
    query = select(tickets).where(tickets.c.player_id == player_id, IS_ACTIVE)
    row = connection.execute(query).first()
    return None if row is None else to_ticket(row)


def _insert(connection: Connection, request: NewTicket) -> Ticket:
    ticket = Ticket(
        ticket_id=request.ticket_id,
        player_id=request.player_id,
        wish=request.wish,
        enqueued_at_ms=request.now_ms,
        bots_at_ms=request.bots_at_ms,
        last_seen_ms=request.now_ms,
    )
    row = {
        "ticket_id": ticket.ticket_id,
        "player_id": ticket.player_id,
        **wish_columns(ticket.wish),
        "state": ticket.state,
        "revision": ticket.revision,
        "enqueued_at_ms": ticket.enqueued_at_ms,
        "bots_at_ms": ticket.bots_at_ms,
        "last_seen_ms": ticket.last_seen_ms,
    }
    connection.execute(insert(tickets).values(**row))
    return ticket


def _seen(connection: Connection, ticket: Ticket, now_ms: int) -> Ticket:
    if not ticket.state.is_final:
        statement = update(tickets).where(tickets.c.ticket_id == ticket.ticket_id)
        connection.execute(statement.values(last_seen_ms=now_ms))
    return ticket


def _sight(connection: Connection, ticket_id: str, player_id: str) -> Sight | Refusal:
    ticket = moves.read_ticket(connection, ticket_id, player_id)
    if ticket is None:
        return NOT_FOUND
    same = [tickets.c[name] == value for name, value in wish_columns(ticket.wish).items()]
    query = select(func.count()).select_from(tickets).where(IS_WAITING, *same)
    return Sight(ticket, connection.execute(query).scalar_one())


def _open_proposals(connection: Connection) -> tuple[OpenProposal, ...]:
    query = (
        select(tickets)
        .join(proposals, proposals.c.proposal_id == tickets.c.proposal_id)
        .where(IS_OPEN)
        .order_by(tickets.c.proposal_id, tickets.c.enqueued_at_ms, tickets.c.ticket_id)
    )
    groups: dict[str, list[Ticket]] = {}
    for row in connection.execute(query):
        groups.setdefault(row.proposal_id, []).append(to_ticket(row))
    return tuple(OpenProposal(proposal_id, tuple(group)) for proposal_id, group in groups.items())


def _purge(connection: Connection, before_ms: int) -> int:
    old = select(tickets.c.ticket_id).where(tickets.c.ended_at_ms < before_ms).limit(BATCH)
    ids = list(connection.execute(old).scalars())
    connection.execute(delete(commands).where(commands.c.ticket_id.in_(ids)))
    connection.execute(delete(tickets).where(tickets.c.ticket_id.in_(ids)))
    unused = (
        select(proposals.c.proposal_id)
        .where(proposals.c.ended_at_ms < before_ms)
        .where(~select(tickets.c.ticket_id).where(tickets.c.proposal_id == proposals.c.proposal_id).exists())
        .limit(BATCH)
    )
    forgotten = list(connection.execute(unused).scalars())
    connection.execute(delete(proposals).where(proposals.c.proposal_id.in_(forgotten)))
    return len(ids) + len(forgotten)


def _erase(connection: Connection, player_id: str, now_ms: int) -> Erased:
    his = tickets.c.player_id == player_id
    moves.move(connection, TicketState.WAITING, TicketState.CANCELLED, his, now_ms=now_ms)
    ended = select(tickets.c.ticket_id).where(his, tickets.c.ended_at_ms.is_not(None))
    forgotten = connection.execute(delete(commands).where(commands.c.ticket_id.in_(ended))).rowcount
    gone = connection.execute(delete(tickets).where(his, tickets.c.ended_at_ms.is_not(None))).rowcount
    active = connection.execute(select(func.count()).select_from(tickets).where(his)).scalar_one()
    return Erased(gone, forgotten, active)
