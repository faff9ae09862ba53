"""A match: several rounds, their totals, and what they do to the account.

Points count up and the highest total wins. What a round or a match is worth in money is said here once, as
changes by seat; posting them, once each, is the ledger's affair.
Source: ``deploy/docs/rules/rummy101.md`` 4, 46-50.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from meldhall_rules.rejections import Code, Rejection

BASIS_POINTS: Final = 10_000


@unique
class Mode(StrEnum):
    """What a match is played for."""

    FRIENDS = "friends"
    QUICK = "quick"
    ARENA = "arena"
    TOURNAMENT = "tournament"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFormat:
    """How long a match is and what it is played for.

    Attributes:
        mode: in ``friends`` and ``quick`` each round moves account points, in ``arena`` the stakes move at
        the end, in
            ``tournament`` nothing does.
        rounds: rounds of the match, before any extra ones.
        single_winner: equal best totals are played off by extra rounds; in ``arena`` they always are.
        stake: account points that each seat stakes in ``arena``.
        rake_bps: the house's part of the stakes won, in basis points.
    """

    mode: Mode = Mode.FRIENDS
    rounds: int = 1
    single_winner: bool = False
    stake: int = 0
    rake_bps: int = 0

    def __post_init__(self) -> None:
        """Refuse a format that cannot be played."""
        if self.rounds < 1:
            raise ValueError(f"a match of {self.rounds} rounds")
        if self.stake < 0:
            raise ValueError(f"a stake of {self.stake}")
        if not 0 <= self.rake_bps <= BASIS_POINTS:
            raise ValueError(f"a rake of {self.rake_bps} basis points")

    @property
    def needs_single_winner(self) -> bool:
        """Tell whether equal best totals are played off (rule 48)."""
        return self.single_winner or self.mode is Mode.ARENA


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match between two rounds: totals by seat, rounds played, and the seat that starts the next one."""

    totals: tuple[int, ...]
    rounds_played: int
    starter: int


def new_match(seats: int, starter: int) -> MatchState:
    """Return a match before its first round."""
    return MatchState((0,) * seats, 0, starter)


def next_starter(starter: int, seats: int) -> int:
    """Return who starts the round after one that this seat started: the next seat in turn order (rule 4)."""
    return (starter + 1) % seats


def after_round(match: MatchState, scores: Sequence[int]) -> MatchState:
    """Add the result of a round (rule 46)."""
    totals = tuple(total + score for total, score in zip(match.totals, scores, strict=True))
    return MatchState(totals, match.rounds_played + 1, next_starter(match.starter, len(totals)))


def leaders(match: MatchState) -> tuple[int, ...]:
    """Return the seats with the best total, in seat order."""
    best = max(match.totals)
    return tuple(seat for seat, total in enumerate(match.totals) if total == best)


def is_over(form: MatchFormat, match: MatchState) -> bool:
    """Tell whether no round follows: all are played and, where it must, one total leads alone (rule 48)."""
    if match.rounds_played < form.rounds:
        return False
    return not form.needs_single_winner or len(leaders(match)) == 1


def winners(form: MatchFormat, match: MatchState) -> tuple[int, ...]:
    """Return the seats that won the match; several share it, none before it is over."""
    return leaders(match) if is_over(form, match) else ()


def refuse_deal(form: MatchFormat, match: MatchState, *, round_over: bool) -> Rejection | None:
    """Refuse the next deal while a round is played and after the match.

    Args:
        form: the format of the match.
        match: its state after the last round that ended.
        round_over: whether no round is being played.
    """
    if not round_over:
        return Rejection(Code.ROUND_NOT_OVER, f"round {match.rounds_played + 1} is being played")
    if is_over(form, match):
        return Rejection(Code.MATCH_OVER, f"the match is over after {match.rounds_played} rounds")
    return None


def round_changes(form: MatchFormat, scores: Sequence[int]) -> tuple[int, ...]:
    """Return what a round result does to the account of each seat (rules 47, 50): it may go below zero."""
    if form.mode in {Mode.FRIENDS, Mode.QUICK}:
        return tuple(scores)
    return (0,) * len(scores)


def match_changes(form: MatchFormat, match: MatchState) -> tuple[int, ...]:
    """Return what the end of a match does to the account of each seat: the stakes of an arena (rule 49).

    Zeros before the match is over and in every other mode.
    """
    seats = len(match.totals)
    if form.mode is not Mode.ARENA or not is_over(form, match):
        return (0,) * seats
    (winner,) = leaders(match)
    won = _net_stake(form) * (seats - 1)
    return tuple(won if seat == winner else -form.stake for seat in range(seats))


def rake(form: MatchFormat, seats: int) -> int:
    """Return what the house keeps of an arena match; with the changes of the seats it adds up to zero."""
    return (form.stake - _net_stake(form)) * (seats - 1) if form.mode is Mode.ARENA else 0


def account_changes(form: MatchFormat, match: MatchState, scores: Sequence[int]) -> tuple[int, ...]:
    """Return all that a round moved, with the end of the match if it was the last.

    Args:
        form: the format of the match.
        match: its state after the round.
        scores: the result of the round.
    """
    by_round, by_match = round_changes(form, scores), match_changes(form, match)
    return tuple(one + other for one, other in zip(by_round, by_match, strict=True))


def _net_stake(form: MatchFormat) -> int:
    return form.stake * (BASIS_POINTS - form.rake_bps) // BASIS_POINTS
