"""The match that the round of a case belongs to: ``totals``, ``match``, ``mode`` and what goes with them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from meldhall_rules.match import (
    BASIS_POINTS,
    MatchFormat,
    MatchRules,
    MatchState,
    Mode,
    after_round,
    new_match,
)
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.values import (
    at_least,
    boolean,
    free_mapping,
    integer,
    listed,
    mapping,
    one_of,
    or_null,
)

KEYS: Final = frozenset({"round", "totals", "match", "mode", "stake", "rake_bps"})
"""The keys of ``given`` that are read here."""

HISTORY: Final = "history"
"""The key of ``given`` for the rounds before this one, in games that decide ties by them."""

ROUNDS: Final = "rounds"
HANDS: Final = "hands"
TARGET: Final = "target"

_MATCH_KEYS: Final = frozenset({"played", "single_winner"})
_ROUND_KEYS: Final = frozenset({"out", "scores"})


def read_format(given: Mapping[str, object], lengths: frozenset[str] = frozenset({ROUNDS})) -> MatchFormat:
    """Read how long the match is and what it is played for; one round among friends by default.

    Args:
        given: the position.
        lengths: how the game measures its matches: ``rounds``, ``hands``, ``target``.
    """
    mode = Mode(one_of(*Mode)("given.mode", given.get("mode", Mode.FRIENDS.value)))
    if mode is not Mode.ARENA:
        for key in ("stake", "rake_bps"):
            if key in given:
                raise Fault(f"given.{key}", f"goes with mode: arena, not with {mode}")
    match = mapping("given.match", given.get("match", {}), _MATCH_KEYS | lengths)
    lengths_given = sorted(lengths & match.keys())
    if len(lengths_given) > 1:
        raise Fault("given.match", f"{' and '.join(lengths_given)} exclude each other")
    length = {key: at_least(1)(f"given.match.{key}", match[key]) for key in lengths_given}
    return MatchFormat(
        mode=mode,
        rounds=length.get(ROUNDS, length.get(HANDS, 1)),
        target=length.get(TARGET, 0),
        single_winner=boolean("given.match.single_winner", match.get("single_winner", False)),
        stake=at_least(0)("given.stake", given.get("stake", 0)),
        rake_bps=at_least(0, BASIS_POINTS)("given.rake_bps", given.get("rake_bps", 0)),
    )


def read_round(given: Mapping[str, object]) -> int:
    """Read the number of the round; the one after those played where only they are given."""
    played = at_least(0)("given.match.played", _match(given).get("played", 0))
    return at_least(1)("given.round", given.get("round", played + 1))


def read_match(given: Mapping[str, object], seats: int, starter: int, rules: MatchRules) -> MatchState:
    """Read the match before this round; the rounds of lower numbers count as played if nothing is said."""
    fresh = new_match(seats, starter, rules)
    sides = len(fresh.totals)
    played = at_least(0)("given.match.played", _match(given).get("played", read_round(given) - 1))
    if HISTORY in given:
        return _with_history(given, fresh, played)
    totals = listed(integer, sides)("given.totals", given.get("totals", [0] * sides))
    return replace(fresh, totals=totals, rounds_played=played)


def _with_history(given: Mapping[str, object], fresh: MatchState, played: int) -> MatchState:
    """Add the rounds of ``history``; what else is said of the past must agree with them."""
    sides = len(fresh.totals)

    def read(place: str, value: object) -> tuple[int | None, tuple[int, ...]]:
        written = mapping(place, value, _ROUND_KEYS)
        out = or_null(at_least(0, sides - 1))(f"{place}.out", written.get("out"))
        return out, listed(at_least(0), sides)(f"{place}.scores", written.get("scores"))

    match = fresh
    for out, scores in listed(read)(f"given.{HISTORY}", given[HISTORY]):
        match = after_round(match, scores, winner=out)
    if match.rounds_played != played:
        raise Fault(f"given.{HISTORY}", f"{match.rounds_played} rounds, but {played} were played")
    if "totals" in given:
        totals = listed(integer, sides)("given.totals", given["totals"])
        if totals != match.totals:
            raise Fault("given.totals", f"{totals} is not the sum of history, {match.totals}")
    return replace(match, starter=fresh.starter)


def _match(given: Mapping[str, object]) -> Mapping[str, object]:
    return free_mapping("given.match", given.get("match", {}))
