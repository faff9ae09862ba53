"""Tickets as messages."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from meldhall.common.v1.game_pb2 import GameOptions
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_contracts.options import to_message
from meldhall_matchmaking.domain.outlook import Outlook, estimate_ms, step_of
from meldhall_matchmaking.domain.ratings import Rating
from meldhall_matchmaking.domain.ticket import EndReason, Play, Ticket, TicketState, Wish
from meldhall_matchmaking.hub import Sight

_STATES: Final = {
    TicketState.WAITING: pb.TICKET_STATE_WAITING,
    TicketState.PROPOSED: pb.TICKET_STATE_PROPOSED,
    TicketState.MATCHED: pb.TICKET_STATE_MATCHED,
    TicketState.CANCELLED: pb.TICKET_STATE_CANCELLED,
    TicketState.EXPIRED: pb.TICKET_STATE_EXPIRED,
}

PLAYS: Final = {Play.QUICK: pb.PLAY_QUICK, Play.RANKED: pb.PLAY_RANKED, Play.ARENA: pb.PLAY_ARENA}
"""What a table is for, as the contract numbers it."""

_END_REASONS: Final = {
    None: pb.END_REASON_UNSPECIFIED,
    EndReason.NO_COINS: pb.END_REASON_NO_COINS,
}

UNKNOWN: Final = Outlook(0)


def write_sight(sight: Sight, now_ms: int) -> pb.WatchTicketResponse:
    """Write what a follower is told of a ticket."""
    ticket, outlook = sight.ticket, sight.outlook
    message = pb.WatchTicketResponse(ticket=write_ticket(ticket))
    if ticket.state is not TicketState.WAITING:
        return message
    # Counted before this ticket was seen: it is one of them all the same.
    message.waiting = max(1, 0 if outlook is None else outlook.waiting)
    if outlook is not None:
        message.position = min(message.waiting, outlook.position(ticket))
    estimate = estimate_ms(ticket, outlook or UNKNOWN, now_ms)
    if estimate is not None:
        message.estimate_ms = estimate
    write_reach(message.reach, ticket, now_ms)
    return message


def write_reach(message: pb.Reach, ticket: Ticket, now_ms: int) -> None:
    """Write how far a waiting ticket reaches."""
    step = step_of(ticket, now_ms)
    message.SetInParent()
    if step.rating is not None:
        message.rating = step.rating
    if step.latency_ms is not None:
        message.latency_ms = step.latency_ms
    if step.widens_at_ms is not None:
        message.widens_at_unix_ms = step.widens_at_ms


@lru_cache(maxsize=1024)
def _options(wish: Wish) -> GameOptions:
    # Remembered, and copied into each ticket: there are few kinds of table.
    return to_message(wish.game, dict(wish.options))


def write_ticket(ticket: Ticket) -> pb.Ticket:
    """Write a ticket for its player."""
    return pb.Ticket(
        ticket_id=ticket.ticket_id,
        player_id=ticket.player_id,
        state=_STATES[ticket.state],
        options=_options(ticket.wish),
        seats=ticket.wish.seats,
        rounds=ticket.wish.rounds,
        enqueued_at_unix_ms=ticket.enqueued_at_ms,
        bots_at_unix_ms=ticket.bots_at_ms if ticket.wish.play is Play.QUICK else 0,
        table_id=ticket.table_id,
        table_address=ticket.table_address,
        play=PLAYS[ticket.wish.play],
        rating=ticket.rating if ticket.wish.play is Play.RANKED else None,
        stake=ticket.wish.stake,
        end_reason=_END_REASONS[ticket.end_reason],
    )


def write_ratings(ratings: Mapping[str, Rating]) -> pb.GetRatingsResponse:
    """Write a player's ratings."""
    return pb.GetRatingsResponse(
        ratings={
            game: pb.Rating(rating=one.points, uncertainty=one.uncertainty, matches=one.matches)
            for game, one in ratings.items()
        }
    )
