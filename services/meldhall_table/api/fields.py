"""Checks of single fields. What is wrong is INVALID_ARGUMENT and names the field."""

from dataclasses import dataclass
from typing import Final

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as public_pb
from meldhall_rules.match import BASIS_POINTS, MatchFormat, Mode
from meldhall_runtime.auth import is_pseudonym
from meldhall_table.api.errors import invalid
from meldhall_table.domain.events import Limits
from meldhall_table.domain.limits import LONGEST_MS
from meldhall_table.store.words import MODE_OF

LONGEST_COMMAND_ID: Final = 64
LONGEST_PLAYER_ID: Final = 128
LONGEST_SEED: Final = 16
MOST_ROUNDS: Final = 100
MOST_STAKE: Final = 10**12
MOST_TARGET: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Least and most of a time in milliseconds."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Spectators:
    """Who may watch a table that does not say so without a seat, and how far behind the table he is."""

    allowed: bool
    delay_ms: int


@dataclass(frozen=True, slots=True)
class TableDefaults:
    """What a new table is where its request does not say so."""

    limits: Limits
    spectators: Spectators


TURN: Final = Bounds(100, 86_400_000)
BREAK: Final = Bounds(1, 3_600_000)
JOIN: Final = Bounds(100, 86_400_000)
BOT_MOVE: Final = Bounds(1, 60_000)
FILL: Final = Bounds(100, 604_800_000)
ROUND: Final = Bounds(1_000, LONGEST_MS)
MATCH: Final = Bounds(1_000, LONGEST_MS)
REMATCH: Final = Bounds(0, 3_600_000)
SPECTATOR_DELAY: Final = Bounds(1_000, 3_600_000)


def command_id(value: str) -> str:
    """Check a command id: 1 to 64 printable characters."""
    if not 1 <= len(value) <= LONGEST_COMMAND_ID or not value.isprintable():
        raise invalid("command_id", f"has to have 1 to {LONGEST_COMMAND_ID} printable characters")
    return value


def table_id(value: str) -> str:
    """Check that a table is named. Whether there is one of this name the log knows."""
    if not value:
        raise invalid("table_id", "is missing")
    return value


def player_id(value: str, field: str) -> str:
    """Check the id of a player: a pseudonym, since it stays in the log for good."""
    if not 1 <= len(value) <= LONGEST_PLAYER_ID or not value.isprintable():
        raise invalid(field, f"has to have 1 to {LONGEST_PLAYER_ID} printable characters")
    if not is_pseudonym(value):
        raise invalid(field, "has to be a pseudonym: no @ and no white space")
    return value


def client_seed(value: bytes) -> bytes:
    """Check a player's seed: up to 16 bytes."""
    if len(value) > LONGEST_SEED:
        raise invalid("client_seed", f"has {len(value)} bytes, at most {LONGEST_SEED} are allowed")
    return value


def match_format(message: game_pb2.MatchFormat) -> MatchFormat:
    """Check the format of a match."""
    mode = MODE_OF.get(message.mode)
    if mode is None:
        raise invalid("format.mode", "is missing or unknown")
    if not 1 <= message.rounds <= MOST_ROUNDS:
        raise invalid("format.rounds", f"is {message.rounds}, not 1 to {MOST_ROUNDS}")
    if message.target > MOST_TARGET:
        raise invalid("format.target", f"is {message.target}, at most {MOST_TARGET} is allowed")
    if not 0 <= message.stake <= (MOST_STAKE if mode is Mode.ARENA else 0):
        raise invalid("format.stake", f"cannot be {message.stake} in the mode {mode.value}")
    if message.rake_bps > (BASIS_POINTS if mode is Mode.ARENA else 0):
        raise invalid("format.rake_bps", f"cannot be {message.rake_bps} in the mode {mode.value}")
    return MatchFormat(
        mode=mode,
        rounds=message.rounds,
        single_winner=message.single_winner,
        stake=message.stake,
        rake_bps=message.rake_bps,
        target=message.target,
    )


def limits(message: public_pb.TimeLimits, default: Limits) -> Limits:
    """Check the times of a table; 0 is the default, which for rounds and matches may be to say nothing."""
    rematch_ms = message.rematch_ms if message.HasField("rematch_ms") else default.rematch_ms
    return Limits(
        turn_ms=_time("limits.turn_ms", message.turn_ms or default.turn_ms, TURN),
        break_ms=_time("limits.break_ms", message.break_ms or default.break_ms, BREAK),
        join_ms=_time("limits.join_ms", message.join_ms or default.join_ms, JOIN),
        bot_move_ms=_time("limits.bot_move_ms", message.bot_move_ms or default.bot_move_ms, BOT_MOVE),
        fill_ms=_time("limits.fill_ms", message.fill_ms or default.fill_ms, FILL),
        round_ms=_time("limits.round_ms", message.round_ms, ROUND) if message.round_ms else default.round_ms,
        match_ms=_time("limits.match_ms", message.match_ms, MATCH) if message.match_ms else default.match_ms,
        rematch_ms=_time("limits.rematch_ms", rematch_ms, REMATCH),
    )


def spectator_delay(message: public_pb.SpectatorRules, default: Spectators) -> int | None:
    """Check who may watch without a seat; return how far behind they are, None for nobody."""
    match message.mode:
        case public_pb.SPECTATOR_MODE_UNSPECIFIED:
            allowed = default.allowed
        case public_pb.SPECTATOR_MODE_NONE:
            allowed = False
        case public_pb.SPECTATOR_MODE_DELAYED:
            allowed = True
        case _:
            raise invalid("spectators.mode", "is unknown")
    if not allowed:
        return None
    return _time("spectators.delay_ms", message.delay_ms or default.delay_ms, SPECTATOR_DELAY)


def _time(field: str, value: int, bounds: Bounds) -> int:
    if not bounds.least <= value <= bounds.most:
        raise invalid(field, f"is {value}, not {bounds.least} to {bounds.most}")
    return value
