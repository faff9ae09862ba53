"""Parties over matchmaking's database: who is together, and tickets for all of them at once.

A player is in one party at most. Whoever changes a party, or enters with it, locks its row first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Integer,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Play, Ticket, TicketState
from meldhall_matchmaking.store import moves
from meldhall_matchmaking.store.enqueuing import Enqueued, NewTicket, ticket_of_command
from meldhall_matchmaking.store.ratings import UNRATED, ratings_for
from meldhall_matchmaking.store.tables import (
    IS_ACTIVE,
    commands,
    metadata,
    ticket_row,
    tickets,
    to_ticket,
)

parties: Final = Table(
    "parties",
    metadata,
    Column("party_id", Text, primary_key=True),
    Column("leader_id", Text, nullable=False),
    Column("changed_at_ms", BigInteger, nullable=False),
)

party_members: Final = Table(
    "party_members",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("party_id", Text, ForeignKey("parties.party_id"), nullable=False),
    Column("place", Integer, nullable=False),
)

MOST: Final = 6
"""Players of a party: as many as the largest table seats."""

IDLE_MS: Final = 86_400_000
"""A party that nobody changed and nobody entered with for so long is forgotten."""


@dataclass(frozen=True, slots=True)
class Party:
    """Players who enter together, in the order in which they came; the first of them leads."""

    party_id: str
    leader_id: str
    players: tuple[str, ...]


def found(connection: Connection, party_id: str, player_id: str, now_ms: int) -> Party | Refusal:
    """Found a party with one player, or return the one that he is in."""
    mine = party_of(connection, player_id)
    if mine is not None:
        return mine
    row = {"party_id": party_id, "leader_id": player_id, "changed_at_ms": now_ms}
    connection.execute(insert(parties), row)
    connection.execute(insert(party_members), {"player_id": player_id, "party_id": party_id, "place": 0})
    return Party(party_id, player_id, (player_id,))


def join(connection: Connection, party_id: str, player_id: str, now_ms: int) -> Party | Refusal:
    """Let a player join; joining where he is already changes nothing."""
    party = _locked(connection, party_id, now_ms)
    if party is None:
        return Refusal(Code.PARTY_NOT_FOUND, "there is no such party")
    if player_id in party.players:
        return party
    if party_of(connection, player_id) is not None:
        return Refusal(Code.IN_ANOTHER_PARTY, "the player is in another party")
    if len(party.players) >= MOST:
        return Refusal(Code.PARTY_FULL, f"a party has {MOST} players at most")
    last = select(party_members.c.place).where(party_members.c.party_id == party_id)
    place = max(connection.execute(last).scalars()) + 1
    connection.execute(insert(party_members), {"player_id": player_id, "party_id": party_id, "place": place})
    return Party(party_id, party.leader_id, (*party.players, player_id))


def leave(connection: Connection, player_id: str, now_ms: int) -> tuple[Ticket, ...]:
    """Let a player leave his party, if he is in one; return the tickets of it that were taken back with that.

    The next one leads where the leader leaves; a party without players is gone.
    """
    mine = party_of(connection, player_id)
    party = None if mine is None else _locked(connection, mine.party_id, now_ms)
    if party is None or player_id not in party.players:
        return ()
    connection.execute(delete(party_members).where(party_members.c.player_id == player_id))
    left = [one for one in party.players if one != player_id]
    named = parties.c.party_id == party.party_id
    if not left:
        connection.execute(delete(parties).where(named))
    elif party.leader_id == player_id:
        connection.execute(update(parties).where(named).values(leader_id=left[0]))
    entered = select(tickets.c.party_id).where(
        tickets.c.player_id == player_id, IS_ACTIVE, tickets.c.party_id.is_not(None)
    )
    return moves.move(
        connection,
        TicketState.WAITING,
        TicketState.CANCELLED,
        tickets.c.party_id.in_(entered),
        now_ms=now_ms,
    )


def party_of(connection: Connection, player_id: str) -> Party | None:
    """Return the party that a player is in."""
    query = select(party_members.c.party_id).where(party_members.c.player_id == player_id)
    party_id = connection.execute(query).scalar_one_or_none()
    return None if party_id is None else _read(connection, party_id)


def active_ticket(connection: Connection, player_id: str) -> Ticket | None:
    """Return the ticket that a player waits with, or whose table is being opened."""
    query = select(tickets).where(tickets.c.player_id == player_id, IS_ACTIVE)
    row = connection.execute(query).one_or_none()
    return None if row is None else to_ticket(row)


def enter(connection: Connection, request: NewTicket, next_id: Callable[[], str]) -> Enqueued | Refusal:
    """Make a ticket for every player of the party that a player leads; return his own.

    The same command again returns the ticket that it made.

    Raises:
        IntegrityError: a request of one of the players has just made what this one would have found.
    """
    known = ticket_of_command(connection, request)
    if known is not None:
        return known
    mine = party_of(connection, request.player_id)
    party = None if mine is None else _locked(connection, mine.party_id, request.now_ms)
    if party is None or party.leader_id != request.player_id:
        return Refusal(Code.NOT_PARTY_LEADER, "only who leads a party enters with it")
    if len(party.players) > request.wish.seats:
        detail = f"{len(party.players)} players do not fit {request.wish.seats} seats"
        return Refusal(Code.PARTY_TOO_LARGE, detail)
    busy = select(tickets.c.player_id).where(tickets.c.player_id.in_(party.players), IS_ACTIVE)
    names = sorted(connection.execute(busy).scalars())
    if names:
        return Refusal(Code.PARTY_BUSY, f"{names[0]} waits already", {"player_id": names[0]})
    made = _tickets(connection, request, party.players, next_id)
    connection.execute(insert(tickets), [ticket_row(ticket) for ticket in made])
    row = {"player_id": request.player_id, "command_id": request.command_id}
    connection.execute(insert(commands), {**row, "ticket_id": made[0].ticket_id})
    return Enqueued(made[0], new=True)


def erase_member(connection: Connection, player_id: str, now_ms: int) -> None:
    """Forget that a player was in a party."""
    leave(connection, player_id, now_ms)


def forget_parties(connection: Connection, before_ms: int) -> None:
    """Forget the parties that were idle since a time."""
    idle = select(parties.c.party_id).where(parties.c.changed_at_ms < before_ms)
    connection.execute(delete(party_members).where(party_members.c.party_id.in_(idle)))
    connection.execute(delete(parties).where(parties.c.changed_at_ms < before_ms))


def _tickets(
    connection: Connection, request: NewTicket, players: Sequence[str], next_id: Callable[[], str]
) -> list[Ticket]:
    """Return the tickets, the leader's first. Who is alone in his party comes as one alone."""
    ranked = request.wish.play is Play.RANKED
    ratings = ratings_for(connection, {(name, request.wish.game) for name in players} if ranked else ())
    others = [name for name in players if name != request.player_id]
    ids = [request.ticket_id, *(next_id() for _ in others)]
    return [
        Ticket(
            ticket_id=ticket_id,
            player_id=name,
            wish=request.wish,
            enqueued_at_ms=request.now_ms,
            bots_at_ms=request.bots_at_ms,
            last_seen_ms=request.now_ms,
            party_id=request.ticket_id if others else "",
            party_size=len(players),
            rating=ratings.get((name, request.wish.game), UNRATED).points if ranked else 0,
            latencies=request.latencies if name == request.player_id else (),
        )
        for ticket_id, name in zip(ids, [request.player_id, *others], strict=True)
    ]


def _locked(connection: Connection, party_id: str, now_ms: int) -> Party | None:
    """Note that a party is used, which nobody else does until the transaction ends; None where it is gone."""
    used = update(parties).where(parties.c.party_id == party_id).values(changed_at_ms=now_ms)
    return _read(connection, party_id) if connection.execute(used).rowcount else None


def _read(connection: Connection, party_id: str) -> Party | None:
    leader = select(parties.c.leader_id).where(parties.c.party_id == party_id)
    leader_id = connection.execute(leader).scalar_one_or_none()
    if leader_id is None:
        return None
    members = select(party_members.c.player_id).where(party_members.c.party_id == party_id)
    players = connection.execute(members.order_by(party_members.c.place)).scalars()
    return Party(party_id, leader_id, tuple(players))
