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
    STAKE = "stake"
    """What a player puts up for an arena match."""
    PAYOUT = "payout"
    """What the winners of an arena match get of the stakes."""
    RAKE = "rake"
    """What the house keeps of the stakes of an arena match."""
    FEE = "fee"
    """What a player pays to enter a tournament."""
    PRIZE = "prize"
    """What a tournament pays."""
    CORRECTION = "correction"
    """Makes good what another transfer did wrong, by an operator's decision."""


@unique
class Phase(StrEnum):
    """What a transfer does.

    Most move at once. Some are pending first: the amount is held on the debit account, and a later transfer
    posts it, or a part of it, or voids it. That happens once::

        pending ──post──▶ posted
           ├────void────▶ voided
           └──its time───▶ expired
    """

    SINGLE = "single"
    PENDING = "pending"
    POST = "post"
    VOID = "void"

    @property
    def moves(self) -> bool:
        """Whether the amount moves from one account to the other."""
        return self in {Phase.SINGLE, Phase.POST}


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

    ``cause`` is the seat, round or match that it comes from, ``reason`` what somebody says it is for, one of
    them at least. ``actor`` is who asked. ``refers_to`` is the pending transfer that one posts or voids, and
    the wrong one that a correction makes good. ``expires_at_ms`` is when a pending one ends by itself (Unix
    milliseconds, None: never).
    """

    id: UUID
    debit: AccountId
    credit: AccountId
    amount: int
    kind: Kind
    actor: str
    cause: Cause | None = None
    reason: str = ""
    phase: Phase = Phase.SINGLE
    refers_to: UUID | None = None
    expires_at_ms: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MAX_AMOUNT:
            raise ValueError(f"an amount is 1 to {MAX_AMOUNT}, not {self.amount}")
        if self.debit.unit is not self.credit.unit:
            raise ValueError("a transfer has one unit")
        if self.debit == self.credit:
            raise ValueError("a transfer has two accounts")
        if self.phase in {Phase.POST, Phase.VOID} and self.refers_to is None:
            raise ValueError(f"a {self.phase} is of a pending transfer")
        if self.expires_at_ms is not None and self.phase is not Phase.PENDING:
            raise ValueError("only a pending transfer expires")

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
    names = (
        *("debit", "credit", "amount", "kind", "cause", "reason"),
        *("phase", "refers_to", "expires_at_ms"),
    )
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
