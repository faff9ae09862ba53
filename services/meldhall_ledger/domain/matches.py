"""The end of a match: some games pay for it, by the rounds played.

Source: ``deploy/docs/rules/``: ``canasta.md`` 31, 32; ``three_thirteen.md`` 16, 20; ``rummy.md`` 16, 18.
"""

from dataclasses import dataclass
from typing import ClassVar

from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.results import Ended, check_changes, check_seats
from meldhall_ledger.domain.transfers import Kind
from meldhall_rules.match import (
    MatchFormat,
    MatchRules,
    MatchState,
    Mode,
    Tie,
    leaders,
    needs_single_winner,
    points_of_match,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Ended):
    """A match is over. ``winners`` are sides, ``totals`` run by side, ``rounds`` is how many were played.

    ``stake_changes`` is what it moves in coins, by seat.
    """

    kind: ClassVar[Kind] = Kind.MATCH_RESULT

    round: int = 0
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    rounds: int
    stake_changes: tuple[int, ...]


def check_match(ended: MatchEnded) -> Fault | None:
    """Find what a correct table would never write; None where there is nothing."""
    sides = len(ended.totals)
    known = check_seats(ended, sides=sides)
    if isinstance(known, Fault):
        return known
    mode, rules = known
    if ended.rounds < 1:
        return Fault(FaultCode.MALFORMED, f"a match of {ended.rounds} rounds")
    if not _can_win(ended, mode, rules):
        return Fault(FaultCode.WINNERS_DIFFER, f"winners {ended.winners} of totals {ended.totals}")
    if len(ended.stake_changes) != len(ended.players):
        return Fault(FaultCode.MALFORMED, f"{len(ended.stake_changes)} stakes of {len(ended.players)} seats")
    if mode is not Mode.ARENA and any(ended.stake_changes):
        return Fault(FaultCode.CHANGES_DIFFER, f"stakes {ended.stake_changes} move in mode {mode}")
    right = points_of_match(mode, rules, sides=sides, won=ended.winners, rounds=ended.rounds)
    return check_changes(ended, right)


def _can_win(ended: MatchEnded, mode: Mode, rules: MatchRules) -> bool:
    """Whether these sides can have won: all that have the best total, or those that a tie was decided for.

    The event says neither whether the format asked for a single winner nor how each round went, so that a tie
    that was decided by the rounds played is taken as it is told.
    """
    match = MatchState(ended.totals, ended.rounds, 0, rules)
    best = leaders(match)
    if rules.tie is Tie.ROUNDS_PLAYED:
        return ended.winners != () and ended.winners == tuple(side for side in best if side in ended.winners)
    alone = not needs_single_winner(MatchFormat(mode=mode), match) or len(best) == 1
    return alone and ended.winners == best
