"""The match that the round of a case belongs to: ``totals``, ``match``, ``mode`` and what goes with them."""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.match import BASIS_POINTS, MatchFormat, MatchState, Mode
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.values import at_least, boolean, integer, listed, mapping, one_of

KEYS: Final = frozenset({"round", "totals", "match", "mode", "stake", "rake_bps"})
"""The keys of ``given`` that are read here."""

_MATCH_KEYS: Final = frozenset({"rounds", "played", "single_winner"})


def read_format(given: Mapping[str, object]) -> MatchFormat:
    """Read how long the match is and what it is played for; one round among friends by default."""
    mode = Mode(one_of(*Mode)("given.mode", given.get("mode", Mode.FRIENDS.value)))
    if mode is not Mode.ARENA:
        for key in ("stake", "rake_bps"):
            if key in given:
                raise Fault(f"given.{key}", f"goes with mode: arena, not with {mode}")
    match = _match(given)
    return MatchFormat(
        mode=mode,
        rounds=at_least(1)("given.match.rounds", match.get("rounds", 1)),
        single_winner=boolean("given.match.single_winner", match.get("single_winner", False)),
        stake=at_least(0)("given.stake", given.get("stake", 0)),
        rake_bps=at_least(0, BASIS_POINTS)("given.rake_bps", given.get("rake_bps", 0)),
    )


def read_round(given: Mapping[str, object]) -> int:
    """Read the number of the round; the one after those played where only they are given."""
    played = at_least(0)("given.match.played", _match(given).get("played", 0))
    return at_least(1)("given.round", given.get("round", played + 1))


def read_match(given: Mapping[str, object], seats: int, starter: int) -> MatchState:
    """Read the match before this round; the rounds of lower numbers count as played if nothing is said."""
    totals = listed(integer, seats)("given.totals", given.get("totals", [0] * seats))
    played = at_least(0)("given.match.played", _match(given).get("played", read_round(given) - 1))
    return MatchState(totals, played, starter)


def _match(given: Mapping[str, object]) -> Mapping[str, object]:
    return mapping("given.match", given.get("match", {}), _MATCH_KEYS)
