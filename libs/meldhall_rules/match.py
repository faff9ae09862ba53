"""A match: several rounds, their totals, and what they do to the account.

What differs by game is a small value, ``MatchRules``; a match carries the one of its game, so that callers
need not know which game they run. What a round or a match is worth in money is said here once, as changes by
seat; posting them, once each, is the ledger's affair.

A *side* is what has a total: a seat, or in games of teams a team; of two teams the seats 0 and 2 are one.
Source: ``deploy/docs/rules/``: ``rummy101.md`` 4, 46-50; ``three_thirteen.md`` 3, 16, 20; ``rummy.md`` 3, 15,
16, 18.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from typing import Final

from meldhall_rules.events import Finish
from meldhall_rules.rejections import Code, Rejection

BASIS_POINTS: Final = 10_000


@unique
class Mode(StrEnum):
    """What a match is played for."""

    FRIENDS = "friends"
    QUICK = "quick"
    ARENA = "arena"
    TOURNAMENT = "tournament"


_MOVING_POINTS: Final = frozenset({Mode.FRIENDS, Mode.QUICK})
"""The modes in which account points move by what happens at the table; in the arena stakes do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFormat:
    """How long a match is and what it is played for.

    Attributes:
        mode: in ``friends`` and ``quick`` account points may move, by the rules of the game; in ``arena``
            the stakes move at the end, in ``tournament`` nothing does.
        rounds: rounds of the match, before any extra ones. Without meaning where there is a ``target``.
        target: the total that ends the match when a side reaches it; 0 for a match of ``rounds``.
        single_winner: equal best totals are decided, by extra rounds or by the rounds played; some games do
            so in some modes always.
        stake: account points that each seat stakes in ``arena``.
        rake_bps: the house's part of the stakes won, in basis points.
    """

    mode: Mode = Mode.FRIENDS
    rounds: int = 1
    target: int = 0
    single_winner: bool = False
    stake: int = 0
    rake_bps: int = 0

    def __post_init__(self) -> None:
        """Refuse a format that cannot be played."""
        if self.rounds < 1:
            raise ValueError(f"a match of {self.rounds} rounds")
        if self.target < 0:
            raise ValueError(f"a match to {self.target} points")
        if self.stake < 0:
            raise ValueError(f"a stake of {self.stake}")
        if not 0 <= self.rake_bps <= BASIS_POINTS:
            raise ValueError(f"a rake of {self.rake_bps} basis points")


@unique
class Tie(StrEnum):
    """How equal best totals are decided where one winner is needed."""

    EXTRA_ROUNDS = "extra_rounds"
    """All play further rounds until one side leads alone."""
    ROUNDS_PLAYED = "rounds_played"
    """More rounds won, then the better result of the last round, of the one before, …; else shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRules:
    """What a game says of its matches. The defaults are those of Rummy 101.

    Attributes:
        team_size: seats of a side. The seats of a side are those of equal remainder by the number of sides.
        lowest_wins: totals are penalties, the lowest is the best.
        tie: how equal best totals are decided.
        single_winner_in: the modes in which one winner is needed whatever the format says.
        scores_pay: the result of each round moves the account of its side where points move at all.
        round_pays: account points for each round of a match that every winner gains at its end and every
            loser pays, where points move at all.
        length: the number of rounds that every match has, 0 where the format says it.
        targets: whether a match may be played to a target.
        winner_deals: with two seats the winner of a round deals the next.
        dealer: there is a dealer; the seat after him starts. Else the seat that is drawn starts.
    """

    team_size: int = 1
    lowest_wins: bool = False
    tie: Tie = Tie.EXTRA_ROUNDS
    single_winner_in: frozenset[Mode] = frozenset({Mode.ARENA})
    scores_pay: bool = True
    round_pays: int = 0
    length: int = 0
    targets: bool = False
    winner_deals: bool = False
    dealer: bool = False


DEFAULT: Final = MatchRules()


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What is kept of a round for deciding a tie: the side that won it, None for nobody, and the scores."""

    winner: int | None
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match between two rounds.

    ``totals`` are by side, ``rounds_played`` does not count void rounds, ``starter`` is the seat that starts
    the next round. ``history`` holds the rounds played, in order, where a tie is decided by them; else it is
    empty.
    """

    totals: tuple[int, ...]
    rounds_played: int
    starter: int
    rules: MatchRules = field(default=DEFAULT)
    history: tuple[RoundResult, ...] = ()

    @property
    def seats(self) -> int:
        """Return the number of seats."""
        return len(self.totals) * self.rules.team_size

    def side_of(self, seat: int) -> int:
        """Return the side that a seat plays for."""
        return seat % len(self.totals)


def new_match(seats: int, starter: int, rules: MatchRules = DEFAULT) -> MatchState:
    """Return a match before its first round.

    Raises:
        ValueError: for seats that make no sides.
    """
    if seats % rules.team_size:
        raise ValueError(f"{seats} seats in teams of {rules.team_size}")
    return MatchState((0,) * (seats // rules.team_size), 0, starter, rules)


def first_starter(drawn: int, seats: int, rules: MatchRules = DEFAULT) -> int:
    """Return who starts the first round, of the seat that was drawn for it (``deploy/docs/shuffle.md``)."""
    return next_starter(drawn, seats) if rules.dealer else drawn


def refuse_format(form: MatchFormat, rules: MatchRules) -> Rejection | None:
    """Refuse a length of match that the game does not have."""
    if form.target and not rules.targets:
        return Rejection(Code.UNKNOWN_OPTION, "this game is not played to a target")
    if rules.length and form.rounds != rules.length:
        return Rejection(Code.UNKNOWN_OPTION, f"a match has {rules.length} rounds, not {form.rounds}")
    return None


def next_starter(starter: int, seats: int) -> int:
    """Return who starts the round after one that this seat started: the next seat in turn order (rule 4)."""
    return (starter + 1) % seats


def after_round(
    match: MatchState, scores: Sequence[int], *, winner: int | None = None, finish: Finish = Finish.NORMAL
) -> MatchState:
    """Add the result of a round (rule 46); a void one leaves the match as it was and is dealt again.

    Args:
        match: its state before the round.
        scores: the result by side.
        winner: the side that went out, None when nobody did.
        finish: how the round ended.
    """
    totals = tuple(total + score for total, score in zip(match.totals, scores, strict=True))
    if finish is Finish.VOID:
        return match
    rules = match.rules
    last_starter = match.starter
    if rules.winner_deals and match.seats == 2 and winner is not None:
        last_starter = winner
    history = match.history
    if rules.tie is Tie.ROUNDS_PLAYED:
        history += (RoundResult(winner, tuple(scores)),)
    starter = next_starter(last_starter, match.seats)
    return replace(
        match, totals=totals, rounds_played=match.rounds_played + 1, starter=starter, history=history
    )


def leaders(match: MatchState) -> tuple[int, ...]:
    """Return the sides with the best total, in order."""
    best = min(match.totals) if match.rules.lowest_wins else max(match.totals)
    return tuple(side for side, total in enumerate(match.totals) if total == best)


def needs_single_winner(form: MatchFormat, match: MatchState) -> bool:
    """Tell whether equal best totals are decided (rule 48)."""
    return form.single_winner or form.mode in match.rules.single_winner_in


def is_over(form: MatchFormat, match: MatchState) -> bool:
    """Tell whether no round follows: all are played and, where it must, one total leads alone (rule 48)."""
    if form.target:
        if max(match.totals) < form.target:
            return False
    elif match.rounds_played < form.rounds:
        return False
    if match.rules.tie is Tie.ROUNDS_PLAYED or not needs_single_winner(form, match):
        return True
    return len(leaders(match)) == 1


def winners(form: MatchFormat, match: MatchState) -> tuple[int, ...]:
    """Return the sides that won the match; several share it, none before it is over."""
    if not is_over(form, match):
        return ()
    best = leaders(match)
    if match.rules.tie is Tie.ROUNDS_PLAYED and needs_single_winner(form, match):
        return _decided(match, best)
    return best


def _decided(match: MatchState, tied: tuple[int, ...]) -> tuple[int, ...]:
    """Decide a tie by the rounds played (``three_thirteen.md`` 16); sides equal in everything stay."""
    sign = -1 if match.rules.lowest_wins else 1

    def rank(side: int) -> tuple[int, ...]:
        won = sum(result.winner == side for result in match.history)
        return won, *(sign * result.scores[side] for result in reversed(match.history))

    best = max(map(rank, tied))
    return tuple(side for side in tied if rank(side) == best)


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


def round_changes(form: MatchFormat, scores: Sequence[int], rules: MatchRules = DEFAULT) -> tuple[int, ...]:
    """Return what a round result does to the account of each seat (rules 47, 50): it may go below zero."""
    seats = len(scores) * rules.team_size
    if rules.scores_pay and form.mode in _MOVING_POINTS:
        return tuple(scores[seat % len(scores)] for seat in range(seats))
    return (0,) * seats


def match_changes(form: MatchFormat, match: MatchState) -> tuple[int, ...]:
    """Return what the end of a match does to the account of each seat.

    In an arena the losers pay their stakes and the winners share what is left of them after the rake, an odd
    rest going one by one to the winners in the order of their seats (rule 49). In ``friends`` and ``quick``
    the game may have a price for each round played. Zeros before the match is over and otherwise.
    """
    if not is_over(form, match):
        return (0,) * match.seats
    won = set(winners(form, match))
    if form.mode is Mode.ARENA:
        winning = [seat for seat in range(match.seats) if match.side_of(seat) in won]
        return stakes_of_match(form, seats=match.seats, winning=winning)
    return points_of_match(
        form.mode, match.rules, sides=len(match.totals), won=won, rounds=match.rounds_played
    )


def stakes_of_match(form: MatchFormat, *, seats: int, winning: Sequence[int]) -> tuple[int, ...]:
    """Return what an arena match moves by seat at its end, from who won alone (rule 49).

    Args:
        form: the format of the match.
        seats: how many there are.
        winning: the seats that won or share the win, in order.
    """
    share, rest = divmod(_net_stake(form) * (seats - len(winning)), len(winning))
    gain = {seat: share + (place < rest) for place, seat in enumerate(winning)}
    return tuple(gain.get(seat, -form.stake) for seat in range(seats))


def points_of_match(
    mode: Mode, rules: MatchRules, *, sides: int, won: Collection[int], rounds: int
) -> tuple[int, ...]:
    """Return the account points that a match moves by seat at its end, from its result alone.

    Where points move at all the game may have a price for each round played: winners gain it, the others pay
    it, and nothing moves where all share the win. In an arena stakes move and no points.

    Args:
        mode: what the match was played for.
        rules: what the game says of its matches.
        sides: how many there are.
        won: the sides that won.
        rounds: rounds played.
    """
    pays = mode in _MOVING_POINTS and len(won) < sides
    price = rules.round_pays * rounds if pays else 0
    return tuple(price if seat % sides in won else -price for seat in range(sides * rules.team_size))


def rake(form: MatchFormat, seats: int, winning: int = 1) -> int:
    """Return what the house keeps of an arena match; with the changes of the seats it adds up to zero.

    Args:
        form: the format of the match.
        seats: all seats.
        winning: the seats that won or share the win.
    """
    return (form.stake - _net_stake(form)) * (seats - winning) if form.mode is Mode.ARENA else 0


def account_changes(form: MatchFormat, match: MatchState, scores: Sequence[int]) -> tuple[int, ...]:
    """Return all that a round moved, with the end of the match if it was the last.

    Args:
        form: the format of the match.
        match: its state after the round.
        scores: the result of the round.
    """
    by_round, by_match = round_changes(form, scores, match.rules), match_changes(form, match)
    return tuple(one + other for one, other in zip(by_round, by_match, strict=True))


def _net_stake(form: MatchFormat) -> int:
    return form.stake * (BASIS_POINTS - form.rake_bps) // BASIS_POINTS
