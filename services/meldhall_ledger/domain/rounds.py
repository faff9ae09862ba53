"""What a table's events mean for accounts: pure functions from an event to a settlement.

Friends' and quick-start tables move account points by the result of every round; in the arena and in
tournaments results only rank (``deploy/docs/rules/rummy101.md``, Match and account). Bots have no account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from meldhall_ledger.domain.accounts import AccountId, Unit, is_player_id
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.transfers import MAX_AMOUNT, Cause, Kind, Transfer, derived_id, movement

ACTOR: Final = "table"
"""Who asks for what a round causes."""

MAX_SEATS: Final = 64

SCORES_PAY: Final = frozenset({"rummy101"})
"""Games whose scores move points for certain. A game that is not among them may also leave its rounds unpaid,
and
moves its scores or nothing."""


@unique
class Mode(StrEnum):
    """What results are worth."""

    FRIENDS = "friends"
    QUICK = "quick"
    ARENA = "arena"
    TOURNAMENT = "tournament"

    @property
    def moves_points(self) -> bool:
        """Whether results of rounds move account points."""
        return self in {Mode.FRIENDS, Mode.QUICK}


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round is over. The tuples run by seat, ``scores`` by side where sides are teams.

    ``mode`` is None for one that this version does not know.
    """

    table_id: str
    round: int
    game: str
    mode: Mode | None
    players: tuple[str, ...]
    bots: tuple[bool, ...]
    scores: tuple[int, ...]
    account_changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JokerSpent:
    """A seat pressed the Joker button; ``table_id`` is the stream's."""

    table_id: str
    round: int
    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class TableOver:
    """No further round will be played at the table: its match ended or it was closed."""

    table_id: str


@dataclass(frozen=True, slots=True)
class NothingToPost:
    """An event that moves nothing; only its number counts."""


Happening = RoundEnded | JokerSpent | TableOver | NothingToPost


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event with its place among its stream's public events: 1, 2, 3, … without holes."""

    stream_id: str
    sequence: int
    happening: Happening | Fault


@dataclass(frozen=True, slots=True)
class SettledSeat:
    """What a round changed for a seat; ``transfer`` is None where that is nothing."""

    seat: int
    player_id: str
    points: int
    transfer: Transfer | None


def check_round(ended: RoundEnded) -> Fault | None:
    """Find what a correct table would never write; None where there is nothing."""
    seats, sides = len(ended.players), len(ended.scores)
    whole = 0 < sides <= seats <= MAX_SEATS and seats % sides == 0
    if not whole or not len(ended.bots) == len(ended.account_changes) == seats:
        counts = f"{len(ended.bots)} bots, {sides} scores, {len(ended.account_changes)} changes"
        return Fault(FaultCode.MALFORMED, f"{seats} players, {counts}")
    if ended.mode is None or ended.round < 1 or not ended.table_id:
        return Fault(FaultCode.MALFORMED, "the table, the round or the mode is missing or unknown")
    for seat, (player, bot) in enumerate(zip(ended.players, ended.bots, strict=True)):
        if not bot and not is_player_id(player):
            return Fault(FaultCode.MALFORMED, f"seat {seat} has no player")
        if not bot and abs(ended.account_changes[seat]) > MAX_AMOUNT:
            return Fault(FaultCode.MALFORMED, f"seat {seat} changes by more than {MAX_AMOUNT}")
    return _check_changes(ended, ended.mode)


def _check_changes(ended: RoundEnded, mode: Mode) -> Fault | None:
    people = tuple(seat for seat, bot in enumerate(ended.bots) if not bot)
    found = tuple(ended.account_changes[seat] for seat in people)
    nothing = (0,) * len(people)
    # Where sides are teams, the seats of a side are those of equal remainder.
    scores = tuple(ended.scores[seat % len(ended.scores)] for seat in people)
    if not mode.moves_points:
        allowed = {nothing}
    elif ended.game in SCORES_PAY:
        allowed = {scores}
    else:
        allowed = {scores, nothing}
    if found in allowed:
        return None
    return Fault(FaultCode.CHANGES_DIFFER, f"{mode} does not make account changes {found} of scores {scores}")


def points_accounts(ended: RoundEnded) -> tuple[AccountId, ...]:
    """Return the accounts that a checked round can move, each once."""
    changed = (
        AccountId(Unit.POINTS, player)
        for player, bot, change in zip(ended.players, ended.bots, ended.account_changes, strict=True)
        if not bot and change != 0
    )
    return tuple(sorted(set(changed), key=str))


def settle(
    ended: RoundEnded, points: Mapping[AccountId, int] | None = None, floor: int | None = None
) -> tuple[SettledSeat, ...]:
    """Return what a checked round changes, by seat, without the bots'.

    A gain moves from issue to the player, a loss from the player to issue, zero moves nothing.

    Args:
        ended: a round that ``check_round`` has nothing against.
        points: balances before, for the floor; a missing account has 0.
        floor: no loss takes an account below it; the rest of the loss is let off. None: no floor.
    """
    left = dict(points or {})
    seats: list[SettledSeat] = []
    for seat, player in enumerate(ended.players):
        if ended.bots[seat]:
            continue
        account = AccountId(Unit.POINTS, player)
        before = left.get(account, 0)
        change = _to_floor(ended.account_changes[seat], before, floor)
        left[account] = before + change
        transfer = None if change == 0 else _result(ended, seat, account, change)
        seats.append(SettledSeat(seat, player, change, transfer))
    return tuple(seats)


def spend(spent: JokerSpent) -> Transfer:
    """Return the transfer that takes a held joker back to issue."""
    debit, credit, amount = movement(AccountId(Unit.JOKERS, spent.player_id), -1)
    kind = Kind.JOKER_SPENT
    return Transfer(
        id=derived_id(spent.table_id, spent.round, kind, spent.seat),
        debit=debit,
        credit=credit,
        amount=amount,
        kind=kind,
        actor=ACTOR,
        cause=Cause(spent.table_id, spent.round, spent.seat),
    )


def _to_floor(change: int, before: int, floor: int | None) -> int:
    if floor is None or change >= 0:
        return change
    return max(change, min(0, floor - before))


def _result(ended: RoundEnded, seat: int, account: AccountId, change: int) -> Transfer:
    debit, credit, amount = movement(account, change)
    kind = Kind.ROUND_RESULT
    return Transfer(
        id=derived_id(ended.table_id, ended.round, kind, seat),
        debit=debit,
        credit=credit,
        amount=amount,
        kind=kind,
        actor=ACTOR,
        cause=Cause(ended.table_id, ended.round, seat),
    )
