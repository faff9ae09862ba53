"""Transfers: a whole positive amount from one account to another of the same unit, for ever.

A transfer's id says what it is for. Those of a round are derived, so that whoever posts it, however often,
posts the same one. So are those of a match, of which a table plays one.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final
from uuid import UUID, uuid5

from meldhall_ledger.domain.accounts import AccountId, Unit, issue

NAMESPACE: Final = UUID("600f21db-f222-53c7-a54f-7a2f8035f9f7")
"""Of derived ids: ``uuid5(NAMESPACE_DNS, "ledger.meldhall.invalid")``. Another one would post all again."""

MAX_AMOUNT: Final = 1_000_000_000
"""Most that one transfer moves. Nine billion of the largest still fit in a 64-bit balance."""

MAX_REASON: Final = 200


@unique
class Kind(StrEnum):
    """What a transfer is for."""

    ROUND_RESULT = "round_result"
    MATCH_RESULT = "match_result"
    JOKER_SPENT = "joker_spent"
    GRANT = "grant"


def derived_id(table_id: str, round_no: int, kind: Kind, seat: int) -> UUID:
    """Return the id of the transfer that a seat of a round causes: the same text always gives the same id.

    The text is ``table/round/kind/seat`` with numbers in decimal, the round 0 for the result of a match;
    ``deploy/docs/ledger.md`` has examples.
    """
    return uuid5(NAMESPACE, f"{table_id}/{round_no}/{kind}/{seat}")


@dataclass(frozen=True, slots=True)
class Cause:
    """The seat of a round that a transfer comes from; round 0 is the match."""

    table_id: str
    round: int
    seat: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """``amount`` leaves ``debit`` and arrives at ``credit``.

    ``cause`` is None and ``reason`` given for grants, and the other way round for everything that a round
    causes. ``actor`` is who asked.
    """

    id: UUID
    debit: AccountId
    credit: AccountId
    amount: int
    kind: Kind
    actor: str
    cause: Cause | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MAX_AMOUNT:
            raise ValueError(f"an amount is 1 to {MAX_AMOUNT}, not {self.amount}")
        if self.debit.unit is not self.credit.unit:
            raise ValueError("a transfer has one unit")
        if self.debit == self.credit:
            raise ValueError("a transfer has two accounts")

    @property
    def unit(self) -> Unit:
        """What is moved."""
        return self.debit.unit


def movement(account: AccountId, change: int) -> tuple[AccountId, AccountId, int]:
    """Return debit, credit and amount that change a player's account by ``change``, which is not 0."""
    counter = issue(account.unit)
    return (counter, account, change) if change > 0 else (account, counter, -change)


def differences(first: Transfer, second: Transfer) -> tuple[str, ...]:
    """Name what two transfers of one id differ in.

    Who asked does not count: a caller may repeat a request under another of its names.
    """
    names = ("debit", "credit", "amount", "kind", "cause", "reason")
    return tuple(name for name in names if getattr(first, name) != getattr(second, name))


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A transfer as one account sees it. ``number`` orders an account's lines; ``balance`` is after it."""

    number: int
    transfer_id: UUID
    change: int
    balance: int
    kind: Kind
    cause: Cause | None
    reason: str
    posted_at_ms: int
