"""Checks of requests. What is wrong is INVALID_ARGUMENT and names the field."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NoReturn

from meldhall.common.v1.game_pb2 import GameOptions
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_contracts.options import game_of
from meldhall_matchmaking.domain.offers import ROUNDS, lengths
from meldhall_matchmaking.domain.ticket import Play, Wish
from meldhall_rules import registry
from meldhall_rules.game import Game
from meldhall_rules.rejections import Rejection
from meldhall_runtime.errors import invalid_argument

MAX_COMMAND_ID: Final = 64
MAX_TICKET_ID: Final = 64
MAX_PLAYER_ID: Final = 128
MAX_REGIONS: Final = 16
MAX_REGION: Final = 32
MAX_LATENCY_MS: Final = 10_000


_PLAYS: Final = {
    pb.PLAY_UNSPECIFIED: Play.QUICK,
    pb.PLAY_QUICK: Play.QUICK,
    pb.PLAY_RANKED: Play.RANKED,
    pb.PLAY_ARENA: Play.ARENA,
}


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


def party_id(value: str) -> str:
    """Check that a party is named."""
    if not 1 <= len(value) <= MAX_TICKET_ID or not value.isprintable():
        _wrong("party_id", "must be one that CreateParty gave")
    return value


def player_id(subject: str) -> str:
    """Check the name of the caller: one that no table takes would spoil its group's table every time."""
    if not subject.isprintable():
        _wrong("player_id", "the token's subject must be printable")
    return subject


def latencies(request: pb.EnqueueRequest) -> tuple[tuple[str, int], ...]:
    """Read how far regions are from a player: 16 at most, each up to 10 s."""
    found = tuple(sorted(request.latencies_ms.items()))
    if len(found) > MAX_REGIONS:
        _wrong("latencies_ms", f"must name {MAX_REGIONS} regions at most")
    for region, milliseconds in found:
        if not 1 <= len(region) <= MAX_REGION or not region.isprintable():
            _wrong("latencies_ms", f"a region has 1 to {MAX_REGION} printable characters")
        if milliseconds > MAX_LATENCY_MS:
            _wrong("latencies_ms", f"must be {MAX_LATENCY_MS} ms at most")
    return found


def other_player(value: str, caller: str) -> str:
    """Check the name of somebody else."""
    if not 1 <= len(value) <= MAX_PLAYER_ID or not value.isprintable():
        _wrong("player_id", f"must be 1 to {MAX_PLAYER_ID} printable characters")
    if value == caller:
        _wrong("player_id", "must be somebody else")
    return value


def named_player(value: str) -> str:
    """Check the name of a player, which may be absent."""
    if len(value) > MAX_PLAYER_ID or not value.isprintable():
        _wrong("player_id", f"must be {MAX_PLAYER_ID} printable characters at most")
    return value


def wish(request: pb.EnqueueRequest, stakes: Sequence[int] = ()) -> Wish:
    """Read the table wanted; ``stakes`` are those of the arena."""
    if request.play not in _PLAYS:
        _wrong("play", "is not known")
    play = _PLAYS[request.play]
    offered = tuple(stakes) if play is Play.ARENA else (0,)
    if request.stake not in offered:
        _wrong("stake", f"must be {' or '.join(map(str, offered)) or 'none: there is no arena'}")
    written = request.options.SerializeToString(deterministic=True)
    found = _wish(written, request.seats, request.rounds, play)
    return replace(found, stake=request.stake) if request.stake else found


@lru_cache(maxsize=1024)
def _wish(written: bytes, seats: int, rounds: int, play: Play) -> Wish:
    # Remembered: there are few kinds of table and many who want each.
    game, options = _options(GameOptions.FromString(written))
    if not game.min_seats <= seats <= game.max_seats:
        numbers = sorted({game.min_seats, game.max_seats})
        _wrong("seats", f"must be {' to '.join(map(str, numbers))} in {game.name}")
    offered = lengths(game.name, game.match_rules(dict(options)))
    rounds = rounds or offered[0]
    if rounds not in offered:
        _wrong("rounds", f"must be {' or '.join(map(str, offered))} in {game.name}")
    return Wish(game.name, options, seats, rounds, play)


def _options(message: GameOptions) -> tuple[Game, tuple[tuple[str, str], ...]]:
    try:
        found = game_of(message)
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
