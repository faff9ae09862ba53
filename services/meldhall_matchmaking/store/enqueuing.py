"""Making tickets: the requests of many players in a few statements.

A player has one active ticket (a unique index sees to it) and each of his commands one ticket. A request
finds what there is before it makes anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, null, select, tuple_, union_all, update

from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.store.ratings import UNRATED, ratings_for
from meldhall_matchmaking.store.tables import IS_ACTIVE, commands, ticket_row, tickets, to_ticket


@dataclass(frozen=True, slots=True)
class NewTicket:
    """A request for a seat. ``ticket_id`` is used where it makes a ticket."""

    ticket_id: str
    player_id: str
    command_id: str
    wish: Wish
    now_ms: int
    bots_at_ms: int
    latencies: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Enqueued:
    """A player's ticket. ``new`` where this request made it."""

    ticket: Ticket
    new: bool


Answer = Enqueued | Refusal


def enqueue_together(connection: Connection, requests: Sequence[NewTicket]) -> Sequence[Answer]:
    """For each of different players make a ticket, or return the one that the command made or that waits.

    Raises:
        IntegrityError: another request of one of the players has just made what this one would have found;
            nothing was made for any.
    """
    made_by, active = _known(connection, requests)
    ranked = {(one.player_id, one.wish.game) for one in requests if one.wish.play is Play.RANKED}
    ratings = ratings_for(connection, ranked)
    answers: list[Answer] = []
    new: list[Ticket] = []
    known: list[dict[str, str]] = []
    seen: dict[str, int] = {}
    for one in requests:
        found = made_by.get((one.player_id, one.command_id))
        if found is not None:
            answers.append(_repeated(one, found))
        elif (waits := active.get(one.player_id)) is None:
            ticket = _ticket(one, ratings.get((one.player_id, one.wish.game), UNRATED).points)
            new.append(ticket)
            answers.append(Enqueued(ticket, new=True))
        elif waits.wish == one.wish:
            answers.append(Enqueued(waits, new=False))
        else:
            detail = f"the player waits with ticket {waits.ticket_id} and another wish"
            answers.append(Refusal(Code.TICKET_ACTIVE, detail, {"ticket_id": waits.ticket_id}))
        answer = answers[-1]
        if isinstance(answer, Refusal):
            continue
        if not answer.new and not answer.ticket.state.is_final:
            seen[answer.ticket.ticket_id] = one.now_ms
        if found is None:
            known.append(_command(one, answer.ticket))
    _write(connection, new, known, seen)
    return answers


def ticket_of_command(connection: Connection, request: NewTicket) -> Answer | None:
    """Return the answer of a command that was carried out before; None where it was not."""
    query = (
        select(tickets)
        .join(commands, commands.c.ticket_id == tickets.c.ticket_id)
        .where(commands.c.player_id == request.player_id, commands.c.command_id == request.command_id)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else _repeated(request, to_ticket(row))


def _write(
    connection: Connection,
    new: Sequence[Ticket],
    known: Sequence[Mapping[str, str]],
    seen: Mapping[str, int],
) -> None:
    if new:
        connection.execute(insert(tickets), [ticket_row(ticket) for ticket in new])
    if known:
        connection.execute(insert(commands), known)
    if seen:
        touched = update(tickets).where(tickets.c.ticket_id.in_(seen))
        connection.execute(touched.values(last_seen_ms=max(seen.values())))


def _known(
    connection: Connection, requests: Sequence[NewTicket]
) -> tuple[dict[tuple[str, str], Ticket], dict[str, Ticket]]:
    """Return the tickets that the commands made, and the players' active tickets, in one question."""
    asked = [(one.player_id, one.command_id) for one in requests]
    of_commands = (
        select(commands.c.command_id.label("made_by"), tickets)
        .join(tickets, commands.c.ticket_id == tickets.c.ticket_id)
        .where(tuple_(commands.c.player_id, commands.c.command_id).in_(asked))
    )
    players = [one.player_id for one in requests]
    waiting = select(null().label("made_by"), tickets).where(tickets.c.player_id.in_(players), IS_ACTIVE)
    made_by: dict[tuple[str, str], Ticket] = {}
    active: dict[str, Ticket] = {}
    for row in connection.execute(union_all(of_commands, waiting)):
        if row.made_by is None:
            active[row.player_id] = to_ticket(row)
        else:
            made_by[row.player_id, row.made_by] = to_ticket(row)
    return made_by, active


def _repeated(request: NewTicket, found: Ticket) -> Answer:
    if found.wish != request.wish:
        detail = "the command id belongs to a request with another wish"
        return Refusal(Code.COMMAND_ID_REUSED, detail, {"ticket_id": found.ticket_id})
    return Enqueued(found, new=False)


def _ticket(request: NewTicket, rating: int) -> Ticket:
    return Ticket(
        ticket_id=request.ticket_id,
        player_id=request.player_id,
        wish=request.wish,
        enqueued_at_ms=request.now_ms,
        bots_at_ms=request.bots_at_ms,
        last_seen_ms=request.now_ms,
        latencies=request.latencies,
        rating=rating if request.wish.play is Play.RANKED else 0,
    )


def _command(request: NewTicket, ticket: Ticket) -> dict[str, str]:
    return {
        "player_id": request.player_id,
        "command_id": request.command_id,
        "ticket_id": ticket.ticket_id,
    }
