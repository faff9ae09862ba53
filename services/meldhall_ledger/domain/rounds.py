"""The end of a round: where points move by rounds, each seat's is the score of its side.

Source: ``deploy/docs/rules/``: ``rummy101.md`` 47; ``rummy.md`` 18; ``canasta.md`` 32; ``three_thirteen.md``
20.
"""

from dataclasses import dataclass
from typing import ClassVar

from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.results import Ended, check_changes, check_seats
from meldhall_ledger.domain.transfers import Kind
from meldhall_rules.match import MatchFormat, round_changes


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Ended):
    """A round is over. ``scores`` run by side: by seat, or by team."""

    kind: ClassVar[Kind] = Kind.ROUND_RESULT

    scores: tuple[int, ...]


def check_round(ended: RoundEnded) -> Fault | None:
    """Find what a correct table would never write; None where there is nothing."""
    if ended.round < 1:
        return Fault(FaultCode.MALFORMED, f"a round {ended.round}")
    known = check_seats(ended, sides=len(ended.scores))
    if isinstance(known, Fault):
        return known
    mode, rules = known
    return check_changes(ended, round_changes(MatchFormat(mode=mode), ended.scores, rules))
