"""Accounts: whose they are and what they count.

Every unit has one issue account, the other side of all that comes into being. It is why the sum over all
accounts of a unit is zero.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, Self

MAX_PLAYER_ID: Final = 128


@unique
class Unit(StrEnum):
    """What an account counts; always whole numbers."""

    POINTS = "points"
    JOKERS = "jokers"
    COINS = "coins"


def is_player_id(text: str) -> bool:
    """Whether a text can name a player, or another holder: 1 to 128 printable characters."""
    return 0 < len(text) <= MAX_PLAYER_ID and text.isprintable()


@unique
class Holder(StrEnum):
    """Whose an account is."""

    PLAYER = "player"
    """A player's own."""
    ISSUE = "issue"
    """The other side of what comes into being and ends; one a unit."""
    HOUSE = "house"
    """The room's own, such as its rake."""
    ESCROW = "escrow"
    """What is put up for a table, until it is decided."""
    PRIZE = "prize"
    """What is put up for a tournament, until it is paid out."""


@dataclass(frozen=True, slots=True, order=True)
class AccountId:
    """An account: ``<holder>:<name>:<unit>``, or ``issue:<unit>``, which has no name."""

    unit: Unit
    holder: Holder
    name: str = ""

    def __post_init__(self) -> None:
        if self.holder is Holder.ISSUE:
            if self.name:
                raise ValueError("an issue account has no name")
        elif not is_player_id(self.name):
            raise ValueError(f"the name of a {self.holder} is 1 to {MAX_PLAYER_ID} printable characters")

    def __str__(self) -> str:
        if self.holder is Holder.ISSUE:
            return f"{self.holder}:{self.unit}"
        return f"{self.holder}:{self.name}:{self.unit}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an account id.

        Raises:
            ValueError: it names no account.
        """
        owner, _, unit = text.rpartition(":")
        holder, _, name = owner.partition(":")
        try:
            account = cls(Unit(unit), Holder(holder), name)
        except ValueError:
            raise ValueError(f"{text!r} names no account") from None
        if str(account) != text:
            raise ValueError(f"{text!r} names no account")
        return account

    @property
    def lowest(self) -> int | None:
        """The balance that the account never goes below, None for no limit.

        Issue accounts go as low as others go high. A player's points may go below zero
        (``deploy/docs/rules/rummy101.md`` 50).
        """
        if self.holder is Holder.ISSUE or (self.holder is Holder.PLAYER and self.unit is Unit.POINTS):
            return None
        return 0


def of_player(unit: Unit, player_id: str) -> AccountId:
    """Return a player's account."""
    return AccountId(unit, Holder.PLAYER, player_id)


def issue(unit: Unit) -> AccountId:
    """Return the account that a unit is issued from and taken back to."""
    return AccountId(unit, Holder.ISSUE)


def house(unit: Unit, name: str) -> AccountId:
    """Return an account of the room's own."""
    return AccountId(unit, Holder.HOUSE, name)


def escrow(unit: Unit, table_id: str) -> AccountId:
    """Return the account of what is put up for a table."""
    return AccountId(unit, Holder.ESCROW, table_id)


def prize(unit: Unit, tournament_id: str) -> AccountId:
    """Return the account of what is put up for a tournament."""
    return AccountId(unit, Holder.PRIZE, tournament_id)


@dataclass(frozen=True, slots=True)
class Balance:
    """What an account has: ``posted``, and of that ``held`` for something that is not decided yet."""

    unit: Unit
    posted: int = 0
    held: int = 0

    @property
    def available(self) -> int:
        """What can still be held or taken."""
        return self.posted - self.held
