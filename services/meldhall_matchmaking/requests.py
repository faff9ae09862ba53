"""Checks of requests. What is wrong is INVALID_ARGUMENT and names the field."""

from typing import Final, NoReturn

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_contracts.options import game_of
from meldhall_matchmaking.domain.offers import ROUNDS, lengths
from meldhall_matchmaking.domain.ticket import Wish
from meldhall_rules import registry
from meldhall_rules.game import Game
from meldhall_rules.rejections import Rejection
from meldhall_runtime.errors import invalid_argument

MAX_COMMAND_ID: Final = 64
MAX_TICKET_ID: Final = 64


def command_id(value: str) -> str:
    """Check a command id: 1 to 64 printable characters."""
    if not 1 <= len(value) <= MAX_COMMAND_ID or not value.isprintable():
        _wrong("command_id", f"must be 1 to {MAX_COMMAND_ID} printable characters")
    return value


def ticket_id(value: str) -> str:
    """Check that a ticket is named. Whether there is one of that name the store knows."""
    if not 1 <= len(value) <= MAX_TICKET_ID or not value.isprintable():
        _wrong("ticket_id", "must be one that Enqueue gave")
    return value


def player_id(subject: str) -> str:
    """Check the name of the caller: one that no table takes would spoil its group's table every time."""
    if not subject.isprintable():
        _wrong("player_id", "the token's subject must be printable")
    return subject


def wish(request: pb.EnqueueRequest) -> Wish:
    """Read the table wanted."""
    game, options = _options(request)
    if not game.min_seats <= request.seats <= game.max_seats:
        numbers = sorted({game.min_seats, game.max_seats})
        _wrong("seats", f"must be {' to '.join(map(str, numbers))} in {game.name}")
    offered = lengths(game.name, game.match_rules(dict(options)))
    rounds = request.rounds or offered[0]
    if rounds not in offered:
        _wrong("rounds", f"must be {' or '.join(map(str, offered))} in {game.name}")
    return Wish(game.name, options, request.seats, rounds)


def _options(request: pb.EnqueueRequest) -> tuple[Game, tuple[tuple[str, str], ...]]:
    try:
        found = game_of(request.options)
    except ValueError as error:
        _wrong("options", str(error))
    if found is None:
        _wrong("options", "must name a game")
    name, given = found
    if name not in ROUNDS:
        _wrong("options", f"there is no quick start for {name}, only for {', '.join(ROUNDS)}")
    game = registry.game(name)
    parsed = game.parse_options(given)
    if isinstance(parsed, Rejection):
        raise invalid_argument(parsed.code.value, parsed.detail, field=f"options.{name}")
    return game, tuple(sorted(parsed.items()))


def _wrong(field: str, what: str) -> NoReturn:
    raise invalid_argument("INVALID_FIELD", f"{field}: {what}", field=field)
