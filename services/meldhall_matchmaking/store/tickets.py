"""Tickets over one database: every method is one transaction."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import ColumnElement, Connection, Update, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.database import Database, commits_for
from meldhall_eventlog.errors import LeaseLost
from meldhall_eventlog.migrate import check_current
from meldhall_eventlog.named_leases import LeaseFence
from meldhall_matchmaking.domain.outlook import Outlook
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Play, Ticket, TicketState, Wish
from meldhall_matchmaking.store import moves
from meldhall_matchmaking.store.bulletin import PoolNote, forget_outlooks, read_outlooks, write_outlooks
from meldhall_matchmaking.store.database import OWNER
from meldhall_matchmaking.store.desk import EnqueueDesk
from meldhall_matchmaking.store.enqueuing import Enqueued, NewTicket, enqueue_together
from meldhall_matchmaking.store.owing import Owed, given_back, owed, take_back_poor
from meldhall_matchmaking.store.parties import IDLE_MS, erase_member, forget_parties
from meldhall_matchmaking.store.people import (
    block,
    blocked_by,
    erase_person,
    forget_meetings,
    note_meeting,
    unblock,
)
from meldhall_matchmaking.store.ratings import erase_ratings, forget_tables, note_table
from meldhall_matchmaking.store.tables import (
    IS_ACTIVE,
    IS_OPEN,
    IS_WAITING,
    PARTS,
    commands,
    proposals,
    tickets,
    to_ticket,
)
from meldhall_matchmaking.store.waiting import are_blocked, load, seen_ids, unseen_ids, waiting_ids

ALL_PARTS: Final = tuple(range(PARTS))

BATCH: Final = 500
"""Rows that housekeeping changes in one transaction at most, so that players wait for it briefly."""

RACES: Final = 3
"""How often a request may be overtaken by another one of the same player before it is an error."""

NOT_FOUND: Final = Refusal(Code.TICKET_NOT_FOUND, "the player has no such ticket")


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
class Cancelled:
    """What a cancellation found, and the tickets that it ended: a party leaves together."""

    ticket: Ticket
    ended: tuple[Ticket, ...]


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
        self._desk = EnqueueDesk(self._enqueue_together)

    async def close(self) -> None:
        """Finish what runs and close the database."""
        await self._desk.close()
        await self._commits.close()
        await self._database.close()

    async def check(self) -> None:
        """Return when the database answers and has a schema that this code works on, for a readiness check.

        Raises:
            NotMigrated: it has another one, as after an older copy was put back.
            LogUnavailable: it does not answer.
        """
        await self._database.read(lambda connection: check_current(connection, OWNER))

    @property
    def database(self) -> Database:
        """Where everything lies: the leases of the leaders too."""
        return self._database

    async def enqueue(self, request: NewTicket) -> Enqueued | Refusal:
        """Make a ticket, or return the one that the command made or that waits with the same wish."""
        for _ in range(RACES):
            try:
                return await self._desk.submit(request)
            except IntegrityError:
                # The player's other request got in between and has made the row; this one finds it now.
                continue
        return await self._desk.submit(request)

    async def _enqueue_together(self, requests: Sequence[NewTicket]) -> Sequence[Enqueued | Refusal]:
        return await self._commits.run(lambda connection: enqueue_together(connection, requests))

    async def cancel(self, ticket_id: str, player_id: str, now_ms: int) -> Cancelled | Refusal:
        """Take a waiting ticket back, and with it its whole party's.

        One that is proposed or has ended otherwise is returned as it is.
        """
        return await self._commits.run(lambda connection: _cancel(connection, ticket_id, player_id, now_ms))

    async def read(self, ticket_id: str, player_id: str) -> Ticket | Refusal:
        """Read a player's own ticket."""
        found = await self._database.read(
            lambda connection: moves.read_ticket(connection, ticket_id, player_id)
        )
        return NOT_FOUND if found is None else found

    async def changed(self, known: Mapping[str, int]) -> tuple[Ticket, ...]:
        """Read those of some tickets that have another revision than the one that is known."""
        found: tuple[Ticket, ...] = ()
        for batch in _batches(known):
            read = await self._database.read(partial(_read_many, batch))
            found += tuple(one for one in read if one.revision != known[one.ticket_id])
        return found

    async def write_outlooks(
        self, outlooks: Mapping[Wish, Outlook], epochs: Mapping[int, int], now_ms: int
    ) -> None:
        """Write down what pools look like to the leader of their parts."""
        await self._commits.run(lambda connection: write_outlooks(connection, outlooks, epochs, now_ms))

    async def outlooks(self, since_ms: int) -> dict[Wish, PoolNote]:
        """Read what leaders wrote down at a time or later."""
        return await self._database.read(lambda connection: read_outlooks(connection, since_ms))

    async def waiting_ids(self, parts: Collection[int], since_ms: int = 0) -> frozenset[str]:
        """Return the ids of those who wait in some parts and came at a time or later."""
        return await self._database.read(lambda connection: waiting_ids(connection, parts, since_ms))

    async def unseen_ids(self, parts: Collection[int], before_ms: int) -> tuple[str, ...]:
        """Return the ids of those who wait in some parts and were last seen before a time."""
        return await self._database.read(lambda connection: unseen_ids(connection, parts, before_ms))

    async def seen_ids(self, parts: Collection[int], since_ms: int) -> frozenset[str]:
        """Return the ids of those who wait in some parts and were seen at a time or later."""
        return await self._database.read(lambda connection: seen_ids(connection, parts, since_ms))

    async def load(self, ids: Collection[str], now_ms: int) -> tuple[Ticket, ...]:
        """Read those of some tickets that wait, with whom their players are not to meet."""
        found: tuple[Ticket, ...] = ()
        for batch in _batches(ids):
            found += await self._database.read(partial(load, ids=batch, now_ms=now_ms))
        return found

    async def waiting(self) -> tuple[Ticket, ...]:
        """Read every ticket that waits, the oldest first."""
        query = select(tickets).where(IS_WAITING)
        ordered = query.order_by(tickets.c.enqueued_at_ms, tickets.c.ticket_id)
        return await self._database.read(
            lambda connection: tuple(to_ticket(row) for row in connection.execute(ordered))
        )

    async def open_proposals(self, parts: Collection[int] = ALL_PARTS) -> tuple[OpenProposal, ...]:
        """Read every claimed group of some parts whose table is not known, the oldest proposal first."""
        return await self._database.read(lambda connection: _open_proposals(connection, parts))

    async def claim(
        self,
        proposal_id: str,
        wanted: Collection[Ticket],
        now_ms: int,
        fence: LeaseFence | None = None,
        stakes_of: str | None = None,
    ) -> OpenProposal | None:
        """Claim all tickets of a group, or none; ``stakes_of`` is the table that stakes will be held for.

        None where one of them does not wait any more, where one has blocked another, or where the lease of
        ``fence`` is not held any more.
        """
        ids = {ticket.ticket_id for ticket in wanted}

        def work(connection: Connection) -> tuple[Ticket, ...]:
            if fence is not None:
                fence.check(connection)
            if are_blocked(connection, wanted):
                raise moves.LostRace(proposal_id)
            return moves.claim(connection, proposal_id, ids, now_ms, stakes_of=stakes_of)

        try:
            claimed = await self._commits.run(work)
        except (moves.LostRace, LeaseLost):
            return None
        return OpenProposal(proposal_id, claimed)

    async def match(self, proposal_id: str, table_id: str, address: str, now_ms: int) -> tuple[Ticket, ...]:
        """Give a proposal its table and return its tickets; nothing where it has ended already."""

        def work(connection: Connection) -> tuple[Ticket, ...]:
            if not moves.end_proposal(connection, proposal_id, moves.DONE, now_ms, table_id):
                return ()
            matched = moves.move(
                connection,
                TicketState.PROPOSED,
                TicketState.MATCHED,
                tickets.c.proposal_id == proposal_id,
                now_ms=now_ms,
                table_id=table_id,
                table_address=address,
            )
            if matched[0].wish.play is Play.RANKED:
                note_meeting(connection, matched, now_ms)
                note_table(connection, table_id, matched[0].wish, now_ms)
            return matched

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

    async def owed(self) -> tuple[Owed, ...]:
        """Read the dropped proposals whose stakes are to be given back."""
        return await self._database.read(owed)

    async def given_back(self, proposal_id: str) -> None:
        """Note that nothing is held for a proposal."""
        await self._commits.run(lambda connection: given_back(connection, proposal_id))

    async def take_back_poor(self, ids: Collection[str], now_ms: int) -> tuple[Ticket, ...]:
        """Cancel waiting tickets whose players cannot pay, and those who came with them."""
        return await self._commits.run(lambda connection: take_back_poor(connection, ids, now_ms))

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

    async def block(self, player_id: str, other_id: str, now_ms: int) -> Refusal | None:
        """Let a player never meet another one from now on."""
        return await self._commits.run(lambda connection: block(connection, player_id, other_id, now_ms))

    async def unblock(self, player_id: str, other_id: str) -> None:
        """Take a block back."""
        await self._commits.run(lambda connection: unblock(connection, player_id, other_id))

    async def blocked_by(self, player_id: str) -> tuple[str, ...]:
        """Return whom a player blocks."""
        return await self._database.read(lambda connection: blocked_by(connection, player_id))

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
    expired = moves.move(connection, TicketState.WAITING, TicketState.EXPIRED, *which, now_ms=now_ms)
    parties = {ticket.party_id for ticket in expired if ticket.party_id}
    if parties:
        # Without one of them the others wait for nothing.
        rest = tickets.c.party_id.in_(parties)
        expired += moves.move(connection, TicketState.WAITING, TicketState.EXPIRED, rest, now_ms=now_ms)
    return expired


def _cancel(connection: Connection, ticket_id: str, player_id: str, now_ms: int) -> Cancelled | Refusal:
    found = moves.read_ticket(connection, ticket_id, player_id)
    if found is None:
        return NOT_FOUND
    which = tickets.c.ticket_id == ticket_id
    if found.party_id:
        which = tickets.c.party_id == found.party_id
    ended = moves.move(connection, TicketState.WAITING, TicketState.CANCELLED, which, now_ms=now_ms)
    ticket = moves.read_ticket(connection, ticket_id, player_id)
    return NOT_FOUND if ticket is None else Cancelled(ticket, ended)


def _read_many(ids: Collection[str], connection: Connection) -> tuple[Ticket, ...]:
    query = select(tickets).where(tickets.c.ticket_id.in_(ids))
    return tuple(to_ticket(row) for row in connection.execute(query))


def _open_proposals(connection: Connection, parts: Collection[int]) -> tuple[OpenProposal, ...]:
    query = (
        select(tickets)
        .join(proposals, proposals.c.proposal_id == tickets.c.proposal_id)
        .where(IS_OPEN, tickets.c.part.in_(parts))
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
        .where(proposals.c.ended_at_ms < before_ms, proposals.c.stakes_of.is_(None))
        .where(~select(tickets.c.ticket_id).where(tickets.c.proposal_id == proposals.c.proposal_id).exists())
        .limit(BATCH)
    )
    forgotten = list(connection.execute(unused).scalars())
    connection.execute(delete(proposals).where(proposals.c.proposal_id.in_(forgotten)))
    forget_meetings(connection, before_ms)
    forget_outlooks(connection, before_ms)
    forget_parties(connection, before_ms - IDLE_MS)
    forget_tables(connection, before_ms)
    return len(ids) + len(forgotten)


def _erase(connection: Connection, player_id: str, now_ms: int) -> Erased:
    his = tickets.c.player_id == player_id
    parties = select(tickets.c.party_id).where(his, IS_ACTIVE, tickets.c.party_id.is_not(None))
    with_him = or_(his, tickets.c.party_id.in_(parties))
    moves.move(connection, TicketState.WAITING, TicketState.CANCELLED, with_him, now_ms=now_ms)
    erase_person(connection, player_id)
    erase_member(connection, player_id, now_ms)
    erase_ratings(connection, player_id)
    ended = select(tickets.c.ticket_id).where(his, tickets.c.ended_at_ms.is_not(None))
    forgotten = connection.execute(delete(commands).where(commands.c.ticket_id.in_(ended))).rowcount
    gone = connection.execute(delete(tickets).where(his, tickets.c.ended_at_ms.is_not(None))).rowcount
    active = connection.execute(select(func.count()).select_from(tickets).where(his)).scalar_one()
    return Erased(gone, forgotten, active)
