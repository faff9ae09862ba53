"""The result of a round or of a match: what a correct table may write, and the transfers that follow.

What a result moves is computed again from the rules of the game (``deploy/docs/rules``), and an event that
says otherwise is a fault. Bots have no account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from meldhall_ledger.domain.accounts import AccountId, Unit, is_player_id, of_player
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.transfers import MAX_AMOUNT, Cause, Kind, Transfer, derived_id, movement
from meldhall_rules import registry
from meldhall_rules.match import MatchRules, Mode
from meldhall_rules.rejections import Rejection

ACTOR: Final = "table"
"""Who asks for what a table's events cause."""

MAX_SEATS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What the ends of rounds and matches have in common. The tuples run by seat.

    ``mode`` is None for one that this version does not know. ``round`` is counted from 1; 0 stands for the
    whole match, of which a table plays one.
    """

    kind: ClassVar[Kind]

    table_id: str
    round: int
    game: str
    mode: Mode | None
    players: tuple[str, ...]
    bots: tuple[bool, ...]
    account_changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SettledSeat:
    """What a result changed for a seat; ``transfer`` is None where that is nothing."""

    seat: int
    player_id: str
    points: int
    transfer: Transfer | None


@lru_cache(maxsize=64)
def rules_of(game: str) -> MatchRules | None:
    """Return what a game says of its matches, None for a game that this version does not have.

    What is paid depends on no option, so those that the table has need not be known here.

    Raises:
        ValueError: the game refuses its own defaults.
    """
    try:
        rules = registry.game(game)
    except registry.UnknownGameError:
        return None
    options = rules.parse_options({})
    if isinstance(options, Rejection):
        raise ValueError(options.detail)  # noqa: TRY004 - a value that cannot be, not a wrong type
    return rules.match_rules(options)


def check_seats(ended: Ended, *, sides: int) -> tuple[Mode, MatchRules] | Fault:
    """Check what does not depend on the result; return what the result is to be checked by.

    Args:
        ended: the end of a round or match.
        sides: how many sides its result has.
    """
    seats = len(ended.players)
    if not 0 < seats <= MAX_SEATS or not len(ended.bots) == len(ended.account_changes) == seats:
        counts = f"{len(ended.bots)} bots, {len(ended.account_changes)} changes"
        return Fault(FaultCode.MALFORMED, f"{seats} players, {counts}")
    if ended.mode is None or not ended.table_id:
        return Fault(FaultCode.MALFORMED, "the table or the mode is missing or unknown")
    for seat, (player, bot) in enumerate(zip(ended.players, ended.bots, strict=True)):
        if not bot and not is_player_id(player):
            return Fault(FaultCode.MALFORMED, f"seat {seat} has no player")
        if abs(ended.account_changes[seat]) > MAX_AMOUNT:
            return Fault(FaultCode.MALFORMED, f"seat {seat} changes by more than {MAX_AMOUNT}")
    rules = rules_of(ended.game)
    if rules is None:
        return Fault(FaultCode.UNKNOWN_GAME, f"there is no game {ended.game!r} in this version")
    if seats != sides * rules.team_size:
        return Fault(FaultCode.MALFORMED, f"{seats} players and a result of {sides}")
    return ended.mode, rules


def check_changes(ended: Ended, right: tuple[int, ...]) -> Fault | None:
    """Compare an event's account changes with those that its result makes, without the bots'."""
    of_people = tuple(0 if bot else change for bot, change in zip(ended.bots, right, strict=True))
    if ended.account_changes == of_people:
        return None
    said = f"account changes {ended.account_changes} instead of {of_people}"
    return Fault(FaultCode.CHANGES_DIFFER, f"{said} in {ended.game}, mode {ended.mode}")


def points_accounts(ended: Ended) -> tuple[AccountId, ...]:
    """Return the accounts that a checked result can move, each once."""
    changed = (
        of_player(Unit.POINTS, player)
        for player, bot, change in zip(ended.players, ended.bots, ended.account_changes, strict=True)
        if not bot and change != 0
    )
    return tuple(sorted(set(changed), key=str))


def settle(
    ended: Ended, points: Mapping[AccountId, int] | None = None, floor: int | None = None
) -> tuple[SettledSeat, ...]:
    """Return what a checked result changes, by seat, without the bots'.

    A gain moves from issue to the player, a loss from the player to issue, zero moves nothing.

    Args:
        ended: a result that was checked and found right.
        points: balances before, for the floor; a missing account has 0.
        floor: no loss takes an account below it; the rest of the loss is let off. None: no floor.
    """
    left = dict(points or {})
    seats: list[SettledSeat] = []
    for seat, player in enumerate(ended.players):
        if ended.bots[seat]:
            continue
        account = of_player(Unit.POINTS, player)
        before = left.get(account, 0)
        change = _to_floor(ended.account_changes[seat], before, floor)
        left[account] = before + change
        transfer = None if change == 0 else _transfer(ended, seat, account, change)
        seats.append(SettledSeat(seat, player, change, transfer))
    return tuple(seats)


def _to_floor(change: int, before: int, floor: int | None) -> int:
    if floor is None or change >= 0:
        return change
    return max(change, min(0, floor - before))


def _transfer(ended: Ended, seat: int, account: AccountId, change: int) -> Transfer:
    debit, credit, amount = movement(account, change)
    return Transfer(
        id=derived_id(ended.table_id, ended.round, ended.kind, seat),
        debit=debit,
        credit=credit,
        amount=amount,
        kind=ended.kind,
        actor=ACTOR,
        cause=Cause(ended.table_id, ended.round, seat),
    )
