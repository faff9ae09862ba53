"""Jokers that are held for a round before it is dealt, so that nobody plays one that is not there.

A hold is pending until the round's log decides: the seat spent it, or the round ended without. Either
happens once::

    pending ──spend──▶ posted
       └────release──▶ released
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class HoldState(StrEnum):
    """Where a hold stands. Only pending ones change, and only once."""

    PENDING = "pending"
    POSTED = "posted"
    RELEASED = "released"


def may_follow(before: HoldState, after: HoldState) -> bool:
    """Whether a hold may go from one state to the other."""
    return before is HoldState.PENDING and after is not HoldState.PENDING


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """A seat whose player may want to press the Joker button."""

    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """The claims of a round, in order of seats. A round has one reservation."""

    table_id: str
    round: int
    claims: tuple[Claim, ...]

    @property
    def body(self) -> str:
        """The claims as one text; equal reservations have equal texts."""
        return "\n".join(f"{claim.seat} {claim.player_id}" for claim in sorted(self.claims))


def seats_to_hold(claims: tuple[Claim, ...], available: Mapping[str, int]) -> tuple[Claim, ...]:
    """Choose the claims that a joker is there for, lowest seats first.

    Args:
        claims: who may want one; a player may claim for several seats.
        available: jokers posted and not held, by player. Whoever is missing has none.
    """
    left = dict(available)
    chosen: list[Claim] = []
    for claim in sorted(claims):
        if left.get(claim.player_id, 0) >= 1:
            left[claim.player_id] -= 1
            chosen.append(claim)
    return tuple(chosen)
