"""Options of a game and tickets as messages.

Options go by their message's own description: the field that is set names the game, an enum value's text is
its name without the enum's, in lower case, and what is unspecified is absent.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.domain.ticket import Ticket, TicketState

_STATES: Final = {
    TicketState.WAITING: pb.TICKET_STATE_WAITING,
    TicketState.PROPOSED: pb.TICKET_STATE_PROPOSED,
    TicketState.MATCHED: pb.TICKET_STATE_MATCHED,
    TicketState.CANCELLED: pb.TICKET_STATE_CANCELLED,
    TicketState.EXPIRED: pb.TICKET_STATE_EXPIRED,
}


def read_options(message: game_pb2.GameOptions) -> tuple[str, dict[str, object]] | None:
    """Read which game is asked for and the options given; None where no game is named.

    Raises:
        ValueError: an option has an enum value that this version does not know; names both.
    """
    game = message.WhichOneof("game")
    if game is None:
        return None
    options: Any = getattr(message, game)
    given: dict[str, object] = {}
    for field in options.DESCRIPTOR.fields:
        value = getattr(options, field.name)
        if field.enum_type is not None:
            if value:
                given[field.name] = _enum_text(field.name, field.enum_type, value)
        elif not field.has_presence or options.HasField(field.name):
            given[field.name] = value
    return game, given


def write_options(game: str, canonical: Iterable[tuple[str, str]]) -> game_pb2.GameOptions:
    """Write canonical options as the game's message."""
    message = game_pb2.GameOptions()
    options: Any = getattr(message, game)
    options.SetInParent()
    for name, text in canonical:
        setattr(options, name, _value(options.DESCRIPTOR.fields_by_name[name], text))
    return message


def write_ticket(ticket: Ticket) -> pb.Ticket:
    """Write a ticket for its player."""
    return pb.Ticket(
        ticket_id=ticket.ticket_id,
        player_id=ticket.player_id,
        state=_STATES[ticket.state],
        options=write_options(ticket.wish.game, ticket.wish.options),
        seats=ticket.wish.seats,
        rounds=ticket.wish.rounds,
        enqueued_at_unix_ms=ticket.enqueued_at_ms,
        bots_at_unix_ms=ticket.bots_at_ms,
        table_id=ticket.table_id,
        table_address=ticket.table_address,
    )


def _enum_text(option: str, kind: EnumDescriptor, number: int) -> str:
    value = kind.values_by_number.get(number)
    if value is None:
        raise ValueError(f"{option} has no value {number}")
    return str(value.name).removeprefix(_prefix(kind)).lower()


def _value(field: FieldDescriptor, text: str) -> object:
    if field.enum_type is not None:
        return field.enum_type.values_by_name[f"{_prefix(field.enum_type)}{text.upper()}"].number
    if field.type == FieldDescriptor.TYPE_BOOL:
        return text == "true"
    return text if field.type == FieldDescriptor.TYPE_STRING else int(text)


def _prefix(kind: EnumDescriptor) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.name).upper() + "_"
