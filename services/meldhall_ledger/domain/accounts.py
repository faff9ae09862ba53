"""Accounts: whose they are and what they count.

Every unit has one issue account, the other side of everything that players gain and lose. It is why the sum
over all accounts of a unit is zero.
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
    """Whether a text can name a player: 1 to 128 printable characters."""
    return 0 < len(text) <= MAX_PLAYER_ID and text.isprintable()


@dataclass(frozen=True, slots=True, order=True)
class AccountId:
    """An account: ``player:<id>:<unit>``, or ``issue:<unit>`` where there is no player."""

    unit: Unit
    player_id: str | None = None

    def __post_init__(self) -> None:
        if self.player_id is not None and not is_player_id(self.player_id):
            raise ValueError("a player id is 1 to 128 printable characters")

    def __str__(self) -> str:
        return f"issue:{self.unit}" if self.player_id is None else f"player:{self.player_id}:{self.unit}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an account id.

        Raises:
            ValueError: it names no account.
        """
        owner, _, unit = text.rpartition(":")
        kind, colon, player_id = owner.partition(":")
        if kind == "issue" and not colon:
            return cls(Unit(unit))
        if kind == "player":
            return cls(Unit(unit), player_id)
        raise ValueError(f"{text!r} names no account")

    @property
    def lowest(self) -> int | None:
        """The balance that the account never goes below, None for no limit.

        Issue accounts go as low as players go high. Points may go below zero
        (``deploy/docs/rules/rummy101.md`` 50).
        """
        if self.player_id is None or self.unit is Unit.POINTS:
            return None
        return 0


def issue(unit: Unit) -> AccountId:
    """Return the account that a unit is issued from and taken back to."""
    return AccountId(unit)


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
